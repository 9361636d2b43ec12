// The kinds of attributes and their codes in a file.
#pragma once

#include <cstdint>
#include <string_view>

namespace waybill::onnx {

// Values of AttributeProto.type.
enum AttributeType : int32_t {
  kAttrUndefined = 0,
  kAttrFloat = 1,
  kAttrInt = 2,
  kAttrString = 3,
  kAttrTensor = 4,
  kAttrGraph = 5,
  kAttrFloats = 6,
  kAttrInts = 7,
  kAttrStrings = 8,
  kAttrTensors = 9,
  kAttrGraphs = 10,
  kAttrSparseTensor = 11,
  kAttrSparseTensors = 12,
  kAttrTypeProto = 13,
  kAttrTypeProtos = 14,
};

// "INTS"; "?" for an unknown code.
std::string_view AttributeTypeName(int64_t type);

}  // namespace waybill::onnx
