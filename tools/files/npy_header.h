// The head of a .npy file: a Python dictionary that says what the bytes after it are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waybill::tools {

inline const std::string kNpyMagic("\x93NUMPY", 6);

struct NpyHeader {
  std::string descr;           // element type, "<f4"
  bool fortran = false;        // elements lie in column-major order
  std::vector<int64_t> shape;  // no size is negative
  size_t data_offset = 0;      // of the first element in the file
};

// Throws ToolError that starts with `what` for all that is not as NumPy writes it.
NpyHeader ParseNpyHeader(const std::string& bytes, const std::string& what);

}  // namespace waybill::tools
