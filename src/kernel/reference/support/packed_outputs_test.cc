// Every operator that may give elements of less than a byte leaves the unused bits of the last byte
// zero: OpCase runs in memory full of ones and looks at them.
#include <set>
#include <string>
#include <vector>

#include "graph/schema/schema.h"
#include "kernel/reference/testing/op_case.h"

namespace waybill::kernel {
namespace {

// Runs operators on the elements 1, 0, 1 of type T.
template <typename T>
class PackedCases {
 public:
  std::set<std::string> Run() {
    Converting();
    Moving();
    Filling();
    return std::move(ran_);
  }

 private:
  using Elements = std::vector<OpCaseElement<T>>;

  static Tensor One() { return MakeCaseTensor<T>({1}, {1}); }
  std::string Note(const char* op) {
    ran_.insert(op);
    return op;
  }
  void Give(OpCase& c, Shape shape) { c.template Expect<T>(std::move(shape), {1, 0, 1}).Run(); }

  void Converting() {
    const auto type = static_cast<int64_t>(kDTypeOf<T>);
    Give(OpCase(Note("BitCast"), 26).template In<T>({3}, abc_).Attr("to", type), {3});
    Give(OpCase(Note("Cast"), 25).template In<float>({3}, {1, 0, 1}).Attr("to", type), {3});
    Give(OpCase(Note("Cast"), 25).template In<std::string>({3}, {"1", "0", "1"}).Attr("to", type),
         {3});
    Give(OpCase(Note("CastLike"), 25).template In<float>({3}, {1, 0, 1}).template In<T>({1}, {0}),
         {3});
    Give(OpCase(Note("QuantizeLinear"), 25)
             .template In<float>({3}, {1, 0, 1})
             .template In<float>({}, {1})
             .template In<T>({}, {0}),
         {3});
  }

  void Moving() {
    Give(OpCase(Note("Flatten"), 25).template In<T>({3}, abc_).Attr("axis", 0), {1, 3});
    Give(OpCase(Note("Identity"), 25).template In<T>({3}, abc_), {3});
    Give(OpCase(Note("OptionalGetElement"), 18).template In<T>({3}, abc_), {3});
    Give(OpCase(Note("Reshape"), 25).template In<T>({3}, abc_).template In<int64_t>({2}, {3, 1}),
         {3, 1});
    Give(OpCase(Note("Squeeze"), 25).template In<T>({1, 3}, abc_), {3});
    Give(OpCase(Note("Transpose"), 25).template In<T>({1, 3}, abc_).Ints("perm", {1, 0}), {3, 1});
    Give(OpCase(Note("Unsqueeze"), 25).template In<T>({3}, abc_).template In<int64_t>({1}, {0}),
         {1, 3});
  }

  void Filling() {
    OpCase(Note("ConstantOfShape"), 25)
        .template In<int64_t>({1}, {3})
        .Attr("value", One())
        .template Expect<T>({3}, {1, 1, 1})
        .Run();
    OpCase(Note("Pad"), 25)
        .template In<T>({3}, abc_)
        .template In<int64_t>({2}, {1, 1})
        .template Expect<T>({5}, {0, 1, 0, 1, 0})
        .Run();
    Give(OpCase(Note("TensorScatter"), 24)
             .template In<T>({1, 3, 1}, {1, 1, 1})
             .template In<T>({1, 1, 1}, {0})
             .template In<int64_t>({1}, {1}),
         {1, 3, 1});
  }

  const Elements abc_ = {1, 0, 1};
  std::set<std::string> ran_;
};

// Names of operators with an output that may be of type `dtype` in some version.
std::set<std::string> OperatorsGiving(DType dtype) {
  std::set<std::string> out;
  for (const graph::schema::OpSchema* schema : graph::schema::AllSchemas()) {
    for (const graph::schema::Param& output : schema->outputs) {
      if ((schema->types[output.type].tensor & graph::schema::MaskOf(dtype)) != 0) {
        out.emplace(schema->name);
      }
    }
  }
  // No kernel writes what these give.
  for (const char* name : {"Constant", "If", "Loop", "Scan"}) out.erase(name);
  return out;
}

template <typename T>
class PackedOutputs : public ::testing::Test {};
using Types = ::testing::Types<I4, U4, I2, U2, F4E2M1>;
TYPED_TEST_SUITE(PackedOutputs, Types);

TYPED_TEST(PackedOutputs, HaveZeroPadding) {
  const std::set<std::string> ran = PackedCases<TypeParam>().Run();
  for (const std::string& name : OperatorsGiving(kDTypeOf<TypeParam>)) {
    EXPECT_TRUE(ran.contains(name)) << name << " has no case here";
  }
}

}  // namespace
}  // namespace waybill::kernel
