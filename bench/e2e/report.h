// Results as text, as JSON, and beside those of another day.
#pragma once

#include <string>
#include <vector>

#include "bench/e2e/measure.h"
#include "bench/e2e/one_node.h"

namespace waybill::bench {

struct RunInfo {
  std::array<std::string, 2> names, versions, paths;
  std::array<int, 2> threads = {1, 1};
};

void PrintHeader(const RunInfo& info);
void PrintModel(const ModelResult& result);
// Geometric means of the ratios.
void PrintSummary(const std::vector<ModelResult>& results);
void PrintOneNode(const std::string& name, const OneNodeFigures& figures);

std::string ToJson(const RunInfo& info, const std::vector<ModelResult>& results,
                   const std::array<OneNodeFigures, 2>* one_node);

}  // namespace waybill::bench
