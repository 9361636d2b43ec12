// A model folder of the extra test data: model.onnx, case.json, test_data_set_0/*.pb.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status/result.h"
#include "session/session.h"

namespace waybill::testing {

struct ModelCase {
  std::string name, folder;
  std::map<std::string, double> noise;  // by output

  std::string model_path() const { return folder + "/model.onnx"; }
};

// All folders under `root` with a model.onnx, by name. Empty when there is none.
std::vector<ModelCase> FindModelCases(const std::string& root);

// Values of input_N.pb (or output_N.pb) for each input or output that has a file.
Result<std::vector<Value>> ReadValues(const ModelCase& model, const std::string& stem,
                                      const std::vector<session::IoInfo>& infos);

}  // namespace waybill::testing
