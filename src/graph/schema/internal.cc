#include "graph/schema/internal.h"

#include "graph/schema/tables/masks.h"

namespace waybill::graph::schema {

namespace {

using namespace tables;  // NOLINT: the short names of element types

constexpr std::string_view kDomain = "waybill";

constexpr TypeConstraint kFloat[] = {{"T", F32}};
constexpr Param kX[] = {{"X", 0}};
constexpr Param kY[] = {{"Y", 0}};

// A product with a bias and the operands of the expression behind it.
constexpr Param kProductIn[] = {
    {"X", 0}, {"W", 0}, {"B", 0, Option::kOptional}, {"operands", 0, Option::kVariadic, true, 0}};
constexpr Attr kConvAttrs[] = {{"auto_pad", AttrType::kString}, {"channels_last", AttrType::kInt},
                               {"dilations", AttrType::kInts},  {"expr", AttrType::kString},
                               {"group", AttrType::kInt},       {"kernel_shape", AttrType::kInts},
                               {"pads", AttrType::kInts},       {"strides", AttrType::kInts}};
constexpr Attr kConvTransposeAttrs[] = {
    {"auto_pad", AttrType::kString},     {"channels_last", AttrType::kInt},
    {"dilations", AttrType::kInts},      {"expr", AttrType::kString},
    {"group", AttrType::kInt},           {"kernel_shape", AttrType::kInts},
    {"output_padding", AttrType::kInts}, {"output_shape", AttrType::kInts},
    {"pads", AttrType::kInts},           {"strides", AttrType::kInts}};
constexpr Attr kMatMulAttrs[] = {{"expr", AttrType::kString}, {"transB", AttrType::kInt}};

constexpr Param kElementwiseIn[] = {{"operands", 0, Option::kVariadic}};
constexpr Attr kElementwiseAttrs[] = {{"expr", AttrType::kString, true}};

// Channels are always last.
constexpr Attr kPoolAttrs[] = {
    {"auto_pad", AttrType::kString},         {"ceil_mode", AttrType::kInt},
    {"count_include_pad", AttrType::kInt},   {"dilations", AttrType::kInts},
    {"kernel_shape", AttrType::kInts, true}, {"pads", AttrType::kInts},
    {"storage_order", AttrType::kInt},       {"strides", AttrType::kInts}};
constexpr Attr kLrnAttrs[] = {{"alpha", AttrType::kFloat},
                              {"beta", AttrType::kFloat},
                              {"bias", AttrType::kFloat},
                              {"size", AttrType::kInt, true}};

// Over one axis; scale and bias of any shape with as many elements as that has places.
constexpr Param kLayerNormIn[] = {{"X", 0}, {"Scale", 0}, {"B", 0, Option::kOptional}};
constexpr Attr kLayerNormAttrs[] = {{"axis", AttrType::kInt, true},
                                    {"epsilon", AttrType::kFloat, true}};

constexpr TypeConstraint kOneHotTypes[] = {{"I", I32 | I64 | U8}, {"T", F32}};
constexpr Param kOneHotIn[] = {{"indices", 0}, {"W", 1}};
constexpr Param kOneHotOut[] = {{"Y", 1}};

constexpr TypeConstraint kQuantizedTypes[] = {
    {"T1", U8 | I8}, {"T2", U8 | I8}, {"T3", U8 | I8}, {"T4", I32}, {"", F32}};
constexpr Param kQuantizedIn[] = {
    {"a", 0},       {"a_scale", 4},      {"a_zero_point", 0},
    {"b", 1},       {"b_scale", 4},      {"b_zero_point", 1},
    {"y_scale", 4}, {"y_zero_point", 2}, {"bias", 3, Option::kOptional}};
constexpr Param kQuantizedOut[] = {{"y", 2}};
constexpr Param kQuantizedPoolIn[] = {
    {"x", 0}, {"x_scale", 4}, {"x_zero_point", 0}, {"y_scale", 4}, {"y_zero_point", 2}};
constexpr Attr kQuantizedConvAttrs[] = {
    {"auto_pad", AttrType::kString},   {"channels_last", AttrType::kInt},
    {"dilations", AttrType::kInts},    {"group", AttrType::kInt},
    {"kernel_shape", AttrType::kInts}, {"pads", AttrType::kInts},
    {"strides", AttrType::kInts}};
constexpr Attr kTransB[] = {{"transB", AttrType::kInt}};
constexpr Attr kChannelsLast[] = {{"channels_last", AttrType::kInt}};

constinit const OpSchema kRows[] = {
    {kDomain, "AveragePool", 1, false, false, false, 1, 1, 1, 1, kFloat, kX, kY, kPoolAttrs},
    {kDomain, "Conv", 1, false, false, false, 2, kUnlimited, 1, 1, kFloat, kProductIn, kY,
     kConvAttrs},
    {kDomain, "ConvTranspose", 1, false, false, false, 2, kUnlimited, 1, 1, kFloat, kProductIn, kY,
     kConvTransposeAttrs},
    {kDomain, "Elementwise", 1, false, false, false, 1, kUnlimited, 1, 1, kFloat, kElementwiseIn,
     kY, kElementwiseAttrs},
    {kDomain, "LRN", 1, false, false, false, 1, 1, 1, 1, kFloat, kX, kY, kLrnAttrs},
    {kDomain, "LayerNormalization", 1, false, false, false, 2, 3, 1, 1, kFloat, kLayerNormIn, kY,
     kLayerNormAttrs},
    {kDomain, "MatMul", 1, false, false, false, 2, kUnlimited, 1, 1, kFloat, kProductIn, kY,
     kMatMulAttrs},
    {kDomain, "MaxPool", 1, false, false, false, 1, 1, 1, 1, kFloat, kX, kY, kPoolAttrs},
    {kDomain,
     "OneHotMatMul",
     1,
     false,
     false,
     false,
     2,
     2,
     1,
     1,
     kOneHotTypes,
     kOneHotIn,
     kOneHotOut,
     {}},
    {kDomain,
     "QLinearAdd",
     1,
     false,
     false,
     false,
     8,
     8,
     1,
     1,
     kQuantizedTypes,
     kQuantizedIn,
     kQuantizedOut,
     {}},
    {kDomain, "QLinearConv", 1, false, false, false, 8, 9, 1, 1, kQuantizedTypes, kQuantizedIn,
     kQuantizedOut, kQuantizedConvAttrs},
    {kDomain, "QLinearGemm", 1, false, false, false, 8, 9, 1, 1, kQuantizedTypes, kQuantizedIn,
     kQuantizedOut, kTransB},
    {kDomain, "QLinearGlobalAveragePool", 1, false, false, false, 5, 5, 1, 1, kQuantizedTypes,
     kQuantizedPoolIn, kQuantizedOut, kChannelsLast},
};

}  // namespace

std::span<const OpSchema> InternalSchemas() { return kRows; }

}  // namespace waybill::graph::schema
