#include "cpu/typed/loops.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/typed/loops.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

// Integers wrap in their unsigned counterparts.
struct AddOp {
  template <typename T>
  static HWY_INLINE T Do(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
};
struct SubOp {
  template <typename T>
  static HWY_INLINE T Do(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  }
};
struct MulOp {
  template <typename T>
  static HWY_INLINE T Do(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
};

struct NegOp {
  template <typename T>
  static HWY_INLINE T Do(T a) {
    return SubOp::Do(T(0), a);
  }
};
struct AbsOp {
  template <typename T>
  static HWY_INLINE T Do(T a) {
    return a < 0 ? SubOp::Do(T(0), a) : a;
  }
};
struct NotOp {
  static HWY_INLINE bool Do(bool a) { return !a; }
};

template <class Op, typename T>
void Unary(const void* in, void* out, size_t n) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = Op::Do(from[i]);
}

#define WB_BOOL_OP(Name, op)              \
  struct Name {                           \
    template <typename T>                 \
    static HWY_INLINE bool Do(T a, T b) { \
      return a op b;                      \
    }                                     \
  };
WB_BOOL_OP(EqualOp, ==)
WB_BOOL_OP(LessOp, <)
WB_BOOL_OP(LessOrEqualOp, <=)
WB_BOOL_OP(GreaterOp, >)
WB_BOOL_OP(GreaterOrEqualOp, >=)
WB_BOOL_OP(AndOp, &&)
WB_BOOL_OP(OrOp, ||)
#undef WB_BOOL_OP

template <class Op, typename T>
void Binary(RowOperand a, RowOperand b, void* out, size_t n) {
  using Out = decltype(Op::Do(T(), T()));
  const T* pa = static_cast<const T*>(a.data);
  const T* pb = static_cast<const T*>(b.data);
  Out* to = static_cast<Out*>(out);
  if (n == 0) return;
  if (a.stride == 0) {
    const T first = *pa;
    if (b.stride == 0) {
      std::fill_n(to, n, Op::Do(first, *pb));
    } else {
      for (size_t i = 0; i < n; ++i) to[i] = Op::Do(first, pb[i]);
    }
  } else if (b.stride == 0) {
    const T second = *pb;
    for (size_t i = 0; i < n; ++i) to[i] = Op::Do(pa[i], second);
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = Op::Do(pa[i], pb[i]);
  }
}

template <typename T, bool kXOne, bool kYOne>
HWY_INLINE void Choose(const uint8_t* condition, const T* x, const T* y, T* out, size_t n) {
  const T x0 = *x, y0 = *y;
  for (size_t i = 0; i < n; ++i) {
    out[i] = condition[i] != 0 ? (kXOne ? x0 : x[i]) : (kYOne ? y0 : y[i]);
  }
}

template <typename T>
void Where(RowOperand condition, RowOperand x, RowOperand y, void* out, size_t n) {
  const auto* c = static_cast<const uint8_t*>(condition.data);
  const T* px = static_cast<const T*>(x.data);
  const T* py = static_cast<const T*>(y.data);
  T* to = static_cast<T*>(out);
  if (n == 0) return;
  if (condition.stride == 0) {
    const RowOperand& chosen = *c != 0 ? x : y;
    const T* from = static_cast<const T*>(chosen.data);
    if (chosen.stride == 0) {
      std::fill_n(to, n, *from);
    } else if (from != to) {
      std::copy_n(from, n, to);
    }
  } else if (x.stride == 0) {
    if (y.stride == 0) {
      Choose<T, true, true>(c, px, py, to, n);
    } else {
      Choose<T, true, false>(c, px, py, to, n);
    }
  } else if (y.stride == 0) {
    Choose<T, false, true>(c, px, py, to, n);
  } else {
    Choose<T, false, false>(c, px, py, to, n);
  }
}

template <typename From, typename To>
HWY_INLINE To CastOne(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, int32_t>) {
      return value >= -0x1p31f && value < 0x1p31f ? static_cast<int32_t>(value) : INT32_MIN;
    } else {
      const int64_t wide =
          value >= -0x1p63f && value < 0x1p63f ? static_cast<int64_t>(value) : INT64_MIN;
      return static_cast<To>(wide);
    }
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
void Cast(const void* in, void* out, size_t n) {
  const From* from = static_cast<const From*>(in);
  To* to = static_cast<To*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = CastOne<From, To>(from[i]);
}

constexpr size_t kTypes = 5;  // f32, int32, int64, uint8, bool

struct TypedTable {
  BinaryRowFn binary[kNumTypedOps][kTypes];
  UnaryRowFn unary[kNumTypedUnaryOps][kTypes];
  WhereRowFn where[4];
  CastFn cast[kTypes][kTypes];
};

template <class Op>
constexpr void FillCompare(BinaryRowFn (&row)[kTypes]) {
  row[0] = Binary<Op, float>;
  row[1] = Binary<Op, int32_t>;
  row[2] = Binary<Op, int64_t>;
}
template <class Op>
constexpr void FillArithmetic(BinaryRowFn (&row)[kTypes]) {
  row[1] = Binary<Op, int32_t>;
  row[2] = Binary<Op, int64_t>;
}
template <typename From>
constexpr void FillCast(CastFn (&row)[kTypes]) {
  row[0] = Cast<From, float>;
  row[1] = Cast<From, int32_t>;
  row[2] = Cast<From, int64_t>;
  row[3] = Cast<From, uint8_t>;
  row[4] = Cast<From, bool>;
}

constexpr TypedTable MakeTable() {
  TypedTable table = {};
  const auto at = [&table](TypedOp op) -> BinaryRowFn(&)[kTypes] {
    return table.binary[static_cast<size_t>(op)];
  };
  FillArithmetic<AddOp>(at(TypedOp::kAdd));
  FillArithmetic<SubOp>(at(TypedOp::kSub));
  FillArithmetic<MulOp>(at(TypedOp::kMul));
  FillCompare<EqualOp>(at(TypedOp::kEqual));
  FillCompare<LessOp>(at(TypedOp::kLess));
  FillCompare<LessOrEqualOp>(at(TypedOp::kLessOrEqual));
  FillCompare<GreaterOp>(at(TypedOp::kGreater));
  FillCompare<GreaterOrEqualOp>(at(TypedOp::kGreaterOrEqual));
  at(TypedOp::kEqual)[4] = Binary<EqualOp, bool>;
  at(TypedOp::kAnd)[4] = Binary<AndOp, bool>;
  at(TypedOp::kOr)[4] = Binary<OrOp, bool>;
  const auto unary = [&table](TypedUnaryOp op) -> UnaryRowFn(&)[kTypes] {
    return table.unary[static_cast<size_t>(op)];
  };
  unary(TypedUnaryOp::kNeg)[1] = Unary<NegOp, int32_t>;
  unary(TypedUnaryOp::kNeg)[2] = Unary<NegOp, int64_t>;
  unary(TypedUnaryOp::kAbs)[1] = Unary<AbsOp, int32_t>;
  unary(TypedUnaryOp::kAbs)[2] = Unary<AbsOp, int64_t>;
  unary(TypedUnaryOp::kNot)[4] = Unary<NotOp, bool>;
  table.where[0] = Where<uint8_t>;
  table.where[1] = Where<uint16_t>;
  table.where[2] = Where<uint32_t>;
  table.where[3] = Where<uint64_t>;
  FillCast<float>(table.cast[0]);
  FillCast<int32_t>(table.cast[1]);
  FillCast<int64_t>(table.cast[2]);
  FillCast<uint8_t>(table.cast[3]);
  FillCast<bool>(table.cast[4]);
  return table;
}

constexpr TypedTable kTypedTable = MakeTable();

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {
namespace {

// Place of a type in the tables; nothing for types without loops.
std::optional<size_t> PlaceOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return 0;
    case DType::kI32:
      return 1;
    case DType::kI64:
      return 2;
    case DType::kU8:
      return 3;
    case DType::kBool:
      return 4;
    default:
      return std::nullopt;
  }
}

}  // namespace

BinaryRowFn TypedRow(SimdTarget target, TypedOp op, DType dtype) {
  const auto type = PlaceOf(dtype);
  if (!type) return nullptr;
  const auto index = static_cast<size_t>(op);
  WB_SIMD_TABLE(target, kTypedTable.binary[index][*type])
}

UnaryRowFn TypedUnaryRow(SimdTarget target, TypedUnaryOp op, DType dtype) {
  const auto type = PlaceOf(dtype);
  if (!type) return nullptr;
  const auto index = static_cast<size_t>(op);
  WB_SIMD_TABLE(target, kTypedTable.unary[index][*type])
}

WhereRowFn WhereRow(SimdTarget target, size_t bytes) {
  for (size_t i = 0; i < 4; ++i) {
    if (bytes != size_t{1} << i) continue;
    WB_SIMD_TABLE(target, kTypedTable.where[i])
  }
  return nullptr;
}

CastFn CastRow(SimdTarget target, DType from, DType to) {
  const auto in = PlaceOf(from), out = PlaceOf(to);
  if (!in || !out || from == to) return nullptr;
  WB_SIMD_TABLE(target, kTypedTable.cast[*in][*out])
}

}  // namespace waybill::cpu
#endif
