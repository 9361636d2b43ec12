// acc += a * b in the register where acc is. Include after "cpu/simd/highway.h".
#if defined(WAYBILL_CPU_SIMD_MUL_ADD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#undef WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#else
#define WAYBILL_CPU_SIMD_MUL_ADD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

// A number for all lanes, as MulAddTo takes it best: on AArch64 a lane of a register is an operand,
// so that nothing has to copy it to the others first.
template <class D>
HWY_INLINE auto ForAllLanes(D d, float a) {
#if HWY_TARGET == HWY_NEON
  (void)d;
  return a;
#else
  return hwy::HWY_NAMESPACE::Set(d, a);
#endif
}

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

#if HWY_TARGET == HWY_NEON
template <class V>
HWY_INLINE void MulAddTo(V& acc, float a, V b) {
#if HWY_COMPILER_GCC_ACTUAL
  asm("fmla %0.4s, %1.4s, %2.s[0]" : "+w"(acc.raw) : "w"(b.raw), "w"(a));
#else
  acc = V(vfmaq_n_f32(acc.raw, b.raw, a));
#endif
}
#endif

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
