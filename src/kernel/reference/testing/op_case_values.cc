#include "kernel/reference/testing/op_case_values.h"

#include <cmath>
#include <memory>

#include "kernel/reference/support/padding.h"
#include "memory/source/system_source.h"
#include "tensor/dtype/dispatch.h"

namespace waybill::kernel {

namespace {

bool CloseElements(double a, double b, double rtol, double atol) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= atol + rtol * std::abs(b);
}

template <typename T>
std::string DescribeElement(const T& element) {
  if constexpr (requires { element.real(); }) {
    return Format("({}, {})", element.real(), element.imag());
  } else {
    return Format("{}", element);
  }
}

template <typename T>
void ExpectSameElements(const TensorView& actual, const TensorView& expected, double rtol,
                        double atol, const std::string& what) {
  const auto got = ElementsOf<T>(actual);
  const auto want = ElementsOf<T>(expected);
  int shown = 0;
  for (size_t i = 0; i < want.size() && shown < 5; ++i) {
    bool same = false;
    if constexpr (std::is_floating_point_v<OpCaseElement<T>>) {
      same = CloseElements(got[i], want[i], rtol, atol);
    } else if constexpr (requires(T t) { t.real(); }) {
      same = CloseElements(got[i].real(), want[i].real(), rtol, atol) &&
             CloseElements(got[i].imag(), want[i].imag(), rtol, atol);
    } else {
      same = got[i] == want[i];
    }
    if (same) continue;
    ++shown;
    ADD_FAILURE() << what << ": element " << i << " is " << DescribeElement(got[i]) << ", not "
                  << DescribeElement(want[i]);
  }
}

}  // namespace

Tensor AllocateCaseTensor(DType dtype, const Shape& shape, size_t count) {
  EXPECT_EQ(static_cast<size_t>(shape.elems()), count) << "of shape " << shape.ToString();
  if (static_cast<size_t>(shape.elems()) != count) return Tensor();
  Result<Tensor> tensor =
      Tensor::Allocate(dtype, shape, std::make_shared<SystemSource>(), MemoryTag::kUser);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  if (!tensor.ok()) return Tensor();
  reference::ZeroPadding(tensor->view());
  return *tensor;
}

void ExpectSameValue(const Value& actual, const Value& expected, double rtol, double atol,
                     const std::string& what) {
  ASSERT_EQ(actual.kind(), expected.kind()) << what;
  if (const Tensor* want = expected.tensor()) {
    const Tensor* got = actual.tensor();
    ASSERT_EQ(got->view().Describe(), want->view().Describe()) << what;
    const Status status =
        DispatchDType(want->dtype(), ConcatTypes<UnpackedTypes, PackedTypes>{}, [&]<typename T>() {
          ExpectSameElements<T>(got->view(), want->view(), rtol, atol, what);
          return Status();
        });
    EXPECT_TRUE(status.ok()) << status.ToString();
  } else if (const SequenceValue* want_seq = expected.sequence()) {
    const SequenceValue* got = actual.sequence();
    ASSERT_EQ(got->items.size(), want_seq->items.size()) << what;
    for (size_t i = 0; i < got->items.size(); ++i) {
      ExpectSameValue(got->items[i], want_seq->items[i], rtol, atol, Format("{}[{}]", what, i));
    }
  } else if (const OptionalValue* want_opt = expected.optional()) {
    const OptionalValue* got = actual.optional();
    ASSERT_EQ(got->value == nullptr, want_opt->value == nullptr) << what;
    if (got->value) ExpectSameValue(*got->value, *want_opt->value, rtol, atol, what);
  } else if (const MapValue* want_map = expected.map()) {
    const MapValue* got = actual.map();
    ExpectSameValue(Value(got->keys), Value(want_map->keys), rtol, atol, what + " keys");
    ExpectSameValue(*got->values, *want_map->values, rtol, atol, what + " values");
  }
}

}  // namespace waybill::kernel
