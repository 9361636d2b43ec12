// Which instruction set the SIMD kernels use. Every family of kernels is compiled once per target
// and exports one table of plain functions for each; a kernel object picks its table once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace waybill::cpu {

enum class SimdTarget : uint8_t {
  kBaseline,  // what the compiler may use anyhow: plain code on x86-64, NEON on AArch64
  kSse4,      // SSE4.2 with AES and PCLMUL
  kAvx2,      // AVX2 with FMA, BMI and F16C
  kAvx3,      // AVX-512 F, BW, DQ and VL
};

// "baseline", "sse4", "avx2", "avx512".
std::string_view SimdTargetName(SimdTarget target);

// Targets that this build contains and this CPU and system can run, worst first. Never empty.
std::span<const SimdTarget> AvailableTargets();

// The last of them.
SimdTarget BestTarget();

}  // namespace waybill::cpu
