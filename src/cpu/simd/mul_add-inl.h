// acc += a * b in the register where acc is. Include after "cpu/simd/highway.h".
#if defined(WAYBILL_CPU_SIMD_MUL_ADD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#undef WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#else
#define WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

// In unrolled loops GCC moves sums from register to register and reads an operand from memory again
// for each use, unless the instruction is named.
template <class V>
HWY_INLINE void MulAddTo(V& acc, V a, V b) {
#if HWY_COMPILER_GCC_ACTUAL && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
  asm("vfmadd231ps %2, %1, %0" : "+v"(acc.raw) : "v"(a.raw), "v"(b.raw));
#else
  acc = hwy::HWY_NAMESPACE::MulAdd(a, b, acc);
#endif
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
