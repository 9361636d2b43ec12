// NumPy's array files: .npy (one array) and .npz (a zip of them).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnxruntime_cxx_api.h"

namespace waybill::tools {

// The array in the bytes of a .npy file, as a tensor with memory of its own. Fortran order is
// turned round; text arrays become string tensors. Throws ToolError that starts with `what`.
Ort::Value ParseNpy(const std::string& bytes, const std::string& what);

// The bytes of a .npy file. Types that NumPy lacks are written as numbers that hold them: bfloat16
// as float32, other narrow types as unsigned bytes.
std::string ToNpy(const Ort::Value& tensor);

// Name and .npy bytes of each array of a .npz file, stored or deflated. Throws ToolError.
std::vector<std::pair<std::string, std::string>> ParseNpz(const std::string& bytes,
                                                          const std::string& what);

// The bytes of a .npz file (stored, not compressed).
std::string ToNpz(const std::vector<std::pair<std::string, std::string>>& arrays);

}  // namespace waybill::tools
