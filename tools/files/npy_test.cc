#include "tools/files/npy.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "tools/files/bytes.h"
#include "tools/values/describe.h"
#include "tools/values/elements.h"

namespace waybill::tools {
namespace {

Ort::Value Make(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  Ort::AllocatorWithDefaultOptions allocator;
  return Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type);
}

std::string File(const std::string& dict, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict + data;
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

TEST(Npy, RoundTripOfEveryNumpyType) {
  for (int type = 1; type <= 26; ++type) {
    const ElementInfo& element = InfoOf(static_cast<ONNXTensorElementDataType>(type));
    if (element.numpy[0] == '\0') continue;
    Ort::Value value = Make(element.type, {2, 3});
    auto* data = static_cast<char*>(value.GetTensorMutableRawData());
    for (size_t i = 0; i < value.GetTensorSizeInBytes(); ++i) data[i] = static_cast<char>(i % 2);
    const Ort::Value again = ParseNpy(ToNpy(value), "x.npy");
    EXPECT_EQ(Describe(again), Describe(value));
    EXPECT_EQ(std::memcmp(again.GetTensorRawData(), data, value.GetTensorSizeInBytes()), 0);
  }
  EXPECT_EQ(ToNpy(Make(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {})).size() % 64, 4u);
}

TEST(Npy, FortranOrderIsTurnedRound) {
  const std::string file = File("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n",
                                Bytes<int32_t>({0, 3, 1, 4, 2, 5}));
  const Ort::Value value = ParseNpy(file, "x");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(value.GetTensorData<int32_t>()[i], i);
}

TEST(Npy, Texts) {
  const std::string file = File("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }",
                                Bytes<uint32_t>({'a', 0, 0xE9, 0x1F600}));
  const Ort::Value value = ParseNpy(file, "x");
  EXPECT_EQ(value.GetStringTensorElement(0), "a");
  EXPECT_EQ(value.GetStringTensorElement(1), "\xC3\xA9\xF0\x9F\x98\x80");
  const Ort::Value again = ParseNpy(ToNpy(value), "x");
  EXPECT_EQ(again.GetStringTensorElement(1), value.GetStringTensorElement(1));
}

TEST(Npy, DamagedFilesAreRefused) {
  const std::string good = ToNpy(Make(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {4}));
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(ParseNpy(good.substr(0, length), "x"), ToolError) << length;
  }
  EXPECT_THROW(
      ParseNpy(File("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"), "x"),
      ToolError);
  EXPECT_THROW(ParseNpy(File("{'descr': '<f4', 'fortran_order': False, 'shape': "
                             "(4611686018427387904, 8), }",
                             "abcd"),
                        "x"),
               ToolError);
  EXPECT_THROW(ParseNpy(File("{'descr': '<q9', 'fortran_order': False, 'shape': (1,), }", ""), "x"),
               ToolError);
}

TEST(Npy, HeadersAreReadStrictly) {
  const auto refusal = [](const std::string& descr, const std::string& order,
                          const std::string& shape) -> std::string {
    const std::string dict =
        "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    try {
      (void)ParseNpy(File(dict, std::string(24, '\0')), "x.npy");
      return "";
    } catch (const ToolError& error) {
      return error.what();
    }
  };
  for (const char* good : {"()", "(6,)", "(2, 3)", "(2,3,)", "( 2 ,\t3 )", "(2L, 3L)", "(0,)"}) {
    EXPECT_EQ(refusal("'<f4'", "False", good), "") << good;
  }
  EXPECT_EQ(refusal("\"<f4\"", "True", "(2, 3)"), "");
  for (const char* bad :
       {"(-2, 3)", "(2, -3)", "(2.0, 3)", "(2 3)", "(2;3)", "(2,,3)", "(,)", "(2, x)", "(0x2, 3)",
        "(+2, 3)", "[2, 3]", "6", "(6)", "(2, 3", "None, (2, 3)", "(2, (3,))", "(2, 1e0)"}) {
    EXPECT_EQ(refusal("'<f4'", "False", bad), "x.npy: the header's shape is no tuple of sizes")
        << bad;
  }
  EXPECT_EQ(refusal("'<f4'", "False", "(99999999999999999999,)"),
            "x.npy: a dimension is too large");
  EXPECT_NE(refusal("'<f4'", "0", "(2, 3)"), "");
  EXPECT_NE(refusal("[('a', '<f4')]", "False", "(2, 3)"), "");
  for (const char* bad : {"'<U'", "'|S-1'", "'|S2x'", "'<U4611686018427387904'"}) {
    EXPECT_NE(refusal(bad, "False", "(1,)").find("is not supported"), std::string::npos) << bad;
  }
}

TEST(Npz, StoredAndDamaged) {
  const std::string a = ToNpy(Make(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {4}));
  const std::string b = ToNpy(Make(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {2, 2}));
  const std::string file = ToNpz({{"first", a}, {"dir/second", b}});
  const auto arrays = ParseNpz(file, "x.npz");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].first, "first");
  EXPECT_EQ(arrays[1].first, "dir/second");
  EXPECT_EQ(arrays[1].second, b);
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_THROW(ParseNpz(file.substr(0, length), "x"), ToolError) << length;
  }
  // Whatever a byte is changed to: arrays or an error, never a crash.
  for (size_t i = 0; i < file.size(); ++i) {
    for (const char bad : {'\x00', '\xff'}) {
      std::string changed = file;
      changed[i] = bad;
      try {
        (void)ParseNpz(changed, "x");
      } catch (const ToolError&) {
      }
    }
  }
}

TEST(Npz, Deflated) {
  const std::string npy = ToNpy(Make(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {1000}));
  std::string packed(npy.size() + 100, '\0');
  z_stream stream = {};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(npy.data()));
  stream.avail_in = static_cast<uInt>(npy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  // A stored file of the packed bytes, whose headers then say "deflated".
  std::string file = ToNpz({{"a", packed}});
  const size_t central = file.rfind("PK\x01\x02");
  const auto patch = [&](size_t at, uint32_t value) { std::memcpy(&file[at], &value, 4); };
  file[8] = file[central + 10] = 8;
  patch(22, static_cast<uint32_t>(npy.size()));
  patch(central + 24, static_cast<uint32_t>(npy.size()));
  const auto arrays = ParseNpz(file, "x.npz");
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].second, npy);
}

}  // namespace
}  // namespace waybill::tools
