// The inputs of a model folder: model.onnx and test_data_set_0/input_N.pb.
#pragma once

#include <string>
#include <vector>

#include "tensor/value/value.h"

namespace waybill::bench {

struct ModelFolder {
  std::string name, path;

  std::string model_path() const { return path + "/model.onnx"; }
};

// Folders below `root` with a model.onnx, by name; only those in `wanted` unless that is empty.
// Throws BenchError for a wanted one that is not there.
std::vector<ModelFolder> FindModels(const std::string& root,
                                    const std::vector<std::string>& wanted);

// Tensors by input; an undefined one where there is no file. Throws BenchError for a broken file
// or an input that is no tensor.
std::vector<Tensor> ReadInputs(const ModelFolder& model, size_t num_inputs);

}  // namespace waybill::bench
