// The kernels to measure, each as a model of one node.
#pragma once

#include <string>
#include <vector>

#include "bench/micro/peak.h"

namespace waybill::bench {

struct KernelCase {
  std::string name;
  std::string model;                 // bytes of the .onnx file
  std::vector<int64_t> input_shape;  // of its one input, f32
  std::vector<std::string> ops;      // operators of the steps that count
  RoofKind roof;
  double work;        // operations of a run; bytes for kRead and kCopy
  double wanted = 0;  // share of the roof that it should reach
};

std::vector<KernelCase> AllCases();

}  // namespace waybill::bench
