// Sparse tensors: made, filled, asked, passed through a session and refused.
#include "tests/api/api_support.h"
#include "tests/api/models.h"

namespace waybill::api_test {
namespace {

constexpr auto kFloat = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;

Owned<OrtValue> Empty(std::vector<int64_t> dense,
                      ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
  OrtValue* value = nullptr;
  EXPECT_OK(Api().CreateSparseTensorAsOrtValue(DefaultAllocator(), dense.data(), dense.size(), type,
                                               &value));
  return {value, Api().ReleaseValue};
}

Owned<OrtValue> OverValues(std::vector<float>& values, std::vector<int64_t> dense) {
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  const int64_t count = static_cast<int64_t>(values.size());
  OrtValue* value = nullptr;
  EXPECT_OK(Api().CreateSparseTensorWithValuesAsOrtValue(cpu.get(), values.data(), dense.data(),
                                                         dense.size(), &count, 1, kFloat, &value));
  return {value, Api().ReleaseValue};
}

Outcome FillCoo(OrtValue* value, const std::vector<float>& values,
                const std::vector<int64_t>& indices) {
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  const int64_t count = static_cast<int64_t>(values.size());
  return Api().FillSparseTensorCoo(value, cpu.get(), &count, 1, values.data(), indices.data(),
                                   indices.size());
}

Outcome FillCsr(OrtValue* value, const std::vector<float>& values,
                const std::vector<int64_t>& inner, const std::vector<int64_t>& outer) {
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  const int64_t count = static_cast<int64_t>(values.size());
  return Api().FillSparseTensorCsr(value, cpu.get(), &count, 1, values.data(), inner.data(),
                                   inner.size(), outer.data(), outer.size());
}

std::vector<int64_t> Indices(const OrtValue* value, OrtSparseIndicesFormat format) {
  size_t count = 0;
  const void* data = nullptr;
  EXPECT_OK(Api().GetSparseTensorIndices(value, format, &count, &data));
  const auto* numbers = static_cast<const int64_t*>(data);
  return {numbers, numbers + count};
}

std::vector<int64_t> DimsOf(OrtTensorTypeAndShapeInfo* info) {
  size_t rank = 0;
  EXPECT_OK(Api().GetDimensionsCount(info, &rank));
  std::vector<int64_t> dims(rank);
  EXPECT_OK(Api().GetDimensions(info, dims.data(), rank));
  Api().ReleaseTensorTypeAndShapeInfo(info);
  return dims;
}

OrtSparseFormat FormatOf(const OrtValue* value) {
  OrtSparseFormat format = ORT_SPARSE_BLOCK_SPARSE;
  EXPECT_OK(Api().GetSparseTensorFormat(value, &format));
  return format;
}

TEST(Sparse, CoordinatesAreCopied) {
  const Owned<OrtValue> value = Empty({3, 4});
  EXPECT_EQ(FormatOf(value.get()), ORT_SPARSE_UNDEFINED);
  int sparse = 0;
  EXPECT_OK(Api().IsSparseTensor(value.get(), &sparse));
  EXPECT_EQ(sparse, 1);
  {
    std::vector<float> values = {5, 6};
    std::vector<int64_t> indices = {0, 1, 2, 3};
    const Outcome filled = FillCoo(value.get(), values, indices);
    ASSERT_EQ(filled.code, ORT_OK) << filled;
    values.assign(2, 0);
    indices.assign(4, 9);
  }
  EXPECT_EQ(FormatOf(value.get()), ORT_SPARSE_COO);
  EXPECT_EQ(Indices(value.get(), ORT_SPARSE_COO_INDICES), (std::vector<int64_t>{0, 1, 2, 3}));
  const void* values = nullptr;
  ASSERT_OK(Api().GetSparseTensorValues(value.get(), &values));
  EXPECT_EQ(static_cast<const float*>(values)[1], 6);
  OrtTensorTypeAndShapeInfo* info = nullptr;
  ASSERT_OK(Api().GetSparseTensorValuesTypeAndShape(value.get(), &info));
  EXPECT_EQ(DimsOf(info), (std::vector<int64_t>{2}));
  ASSERT_OK(Api().GetSparseTensorIndicesTypeShape(value.get(), ORT_SPARSE_COO_INDICES, &info));
  EXPECT_EQ(DimsOf(info), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(ShapeOf(value.get()), (std::vector<int64_t>{3, 4}));
  EXPECT_FAILS(ORT_FAIL, "indices already", Api().UseCooIndices(value.get(), nullptr, 0));
}

TEST(Sparse, ValuesAndIndicesAreUsedInPlace) {
  std::vector<float> values = {5, 6, 7};
  std::vector<int64_t> indices = {1, 4, 11}, inner = {1, 0, 3}, outer = {0, 1, 2, 3};
  const Owned<OrtValue> coo = OverValues(values, {3, 4}), csr = OverValues(values, {3, 4});
  ASSERT_OK(Api().UseCooIndices(coo.get(), indices.data(), indices.size()));
  ASSERT_OK(Api().UseCsrIndices(csr.get(), inner.data(), 3, outer.data(), 4));
  EXPECT_EQ(FormatOf(csr.get()), ORT_SPARSE_CSRC);
  const void* data = nullptr;
  for (const OrtValue* value : {coo.get(), csr.get()}) {
    ASSERT_OK(Api().GetSparseTensorValues(value, &data));
    EXPECT_EQ(data, values.data());
  }
  size_t count = 0;
  ASSERT_OK(Api().GetSparseTensorIndices(coo.get(), ORT_SPARSE_COO_INDICES, &count, &data));
  EXPECT_EQ(data, indices.data());
  ASSERT_OK(Api().GetSparseTensorIndices(csr.get(), ORT_SPARSE_CSR_INNER_INDICES, &count, &data));
  EXPECT_EQ(data, inner.data());
  ASSERT_OK(Api().GetSparseTensorIndices(csr.get(), ORT_SPARSE_CSR_OUTER_INDICES, &count, &data));
  EXPECT_EQ(data, outer.data());
  EXPECT_EQ(count, 4u);
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "",
               Api().GetSparseTensorIndices(csr.get(), ORT_SPARSE_COO_INDICES, &count, &data));
  EXPECT_FAILS(
      ORT_INVALID_ARGUMENT, "",
      Api().GetSparseTensorIndices(coo.get(), ORT_SPARSE_CSR_INNER_INDICES, &count, &data));
}

// Rows reach a session as coordinates.
TEST(Sparse, PassThroughASession) {
  onnx::ModelWriter model;
  model.Opset("", 17);
  const onnx::TypeWriter type = onnx::TypeWriter::SparseTensor(onnx::kFloat, {3, 4});
  model.graph().Input("x", type);
  model.graph().Output("x", type);
  const Owned<OrtEnv> env = NewEnv();
  const Owned<OrtSession> session = NewSession(env.get(), model.bytes());
  ASSERT_NE(session, nullptr);
  const Owned<OrtValue> x = Empty({3, 4});
  const Outcome filled = FillCsr(x.get(), {5, 6, 7}, {1, 0, 3}, {0, 1, 1, 3});
  ASSERT_EQ(filled.code, ORT_OK) << filled;
  const char* name = "x";
  const OrtValue* given = x.get();
  OrtValue* out = nullptr;
  ASSERT_OK(Api().Run(session.get(), nullptr, &name, &given, 1, &name, 1, &out));
  EXPECT_EQ(FormatOf(out), ORT_SPARSE_COO);
  EXPECT_EQ(Indices(out, ORT_SPARSE_COO_INDICES), (std::vector<int64_t>{0, 1, 2, 0, 2, 3}));
  const void *came = nullptr, *went = nullptr;
  ASSERT_OK(Api().GetSparseTensorValues(out, &came));
  ASSERT_OK(Api().GetSparseTensorValues(x.get(), &went));
  EXPECT_NE(came, went);
  EXPECT_EQ(static_cast<const float*>(came)[2], 7);
  Api().ReleaseValue(out);
}

TEST(Sparse, Strings) {
  const Owned<OrtValue> value = Empty({5}, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const Owned<OrtMemoryInfo> cpu = CpuInfo();
  const char* texts[] = {"one", "two"};
  const int64_t count = 2, indices[] = {0, 4};
  ASSERT_OK(Api().FillSparseTensorCoo(value.get(), cpu.get(), &count, 1, texts, indices, 2));
  const void* data = nullptr;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "String tensors",
               Api().GetSparseTensorValues(value.get(), &data));
}

TEST(Sparse, WhatDoesNotFitIsRefusedAndChangesNothing) {
  const Owned<OrtValue> value = Empty({3, 4});
  const auto coo = [&](std::vector<float> values, std::vector<int64_t> indices) {
    return FillCoo(value.get(), values, indices);
  };
  EXPECT_TRUE(coo({1, 2}, {0, 1, 2}).Says(ORT_INVALID_ARGUMENT, "3 indices for 2 values"));
  EXPECT_TRUE(coo({1}, {12}).Says(ORT_INVALID_ARGUMENT, "out of [0, 12)"));
  EXPECT_TRUE(coo({1}, {-1}).Says(ORT_INVALID_ARGUMENT, "out of"));
  EXPECT_TRUE(coo({1}, {0, 4}).Says(ORT_INVALID_ARGUMENT, "out of [0, 4)"));
  const auto csr = [&](std::vector<float> values, std::vector<int64_t> inner,
                       std::vector<int64_t> outer) {
    return FillCsr(value.get(), values, inner, outer);
  };
  EXPECT_TRUE(csr({1}, {0}, {0, 1}).Says(ORT_INVALID_ARGUMENT, "1 values of 3 rows"));
  EXPECT_TRUE(csr({1}, {4}, {0, 1, 1, 1}).Says(ORT_INVALID_ARGUMENT, "out of [0, 4)"));
  EXPECT_TRUE(csr({1}, {0}, {0, 2, 1, 1}).Says(ORT_INVALID_ARGUMENT, "do not go from 0 to 1"));
  EXPECT_TRUE(csr({1}, {0}, {0, 0, 0, 0}).Says(ORT_INVALID_ARGUMENT, "do not go from 0 to 1"));
  EXPECT_EQ(FormatOf(value.get()), ORT_SPARSE_UNDEFINED);
  EXPECT_TRUE(csr({1}, {3}, {0, 0, 1, 1}).Says(ORT_OK));
  const Owned<OrtValue> vector = Empty({5}), dense = NewTensor(kFloat, {2});
  EXPECT_TRUE(FillCsr(vector.get(), {1}, {0}, {0, 1}).Says(ORT_INVALID_ARGUMENT, "no rows"));
  EXPECT_TRUE(FillCoo(dense.get(), {1}, {0}).Says(ORT_FAIL, "not a sparse tensor"));
  OrtSparseFormat format;
  EXPECT_FAILS(ORT_FAIL, "not a sparse tensor", Api().GetSparseTensorFormat(dense.get(), &format));
  OrtValue* made = nullptr;
  const int64_t negative = -1;
  EXPECT_FAILS(ORT_INVALID_ARGUMENT, "negative",
               Api().CreateSparseTensorAsOrtValue(DefaultAllocator(), &negative, 1, kFloat, &made));
  EXPECT_FAILS(ORT_FAIL, "no values to index", Api().UseCooIndices(vector.get(), nullptr, 0));
}

}  // namespace
}  // namespace waybill::api_test
