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
  // What a run can not do without; which of them takes longest on this CPU is the kernel's roof.
  std::vector<Work> work;
  double wanted = 0;  // share of the roof that it should reach
};

std::vector<KernelCase> AllCases();

}  // namespace waybill::bench
