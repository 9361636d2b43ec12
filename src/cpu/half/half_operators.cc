// Operators whose f32 kernels serve f16 too.
#include "cpu/half/half_kernel.h"
#include "cpu/half/half_matmul.h"
#include "cpu/kernels/lists.h"

namespace waybill::cpu {
namespace {

using kernel::KernelImpl;
using kernel::OpKernels;

constexpr KernelImpl kThroughFloat[] = {{"half.through_float", AcceptsAsFloat, CreateAsFloat}};

constexpr KernelImpl kMatMul[] = {{"matmul.half", AcceptsHalfMatMul, CreateHalfMatMul},
                                  {"half.through_float", AcceptsAsFloat, CreateAsFloat}};

constexpr OpKernels Entry(std::string_view op, std::string_view domain = "") {
  return {domain, op, 1, 1 << 30, kThroughFloat};
}

constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr OpKernels kHalfOps[] = {
    Entry("Abs"),
    Entry("Add"),
    Entry("AveragePool"),
    Entry("BatchNormalization"),
    Entry("Ceil"),
    Entry("Clip"),
    Entry("Conv"),
    Entry("ConvTranspose"),
    Entry("Div"),
    Entry("Einsum"),
    Entry("Elu"),
    Entry("Erf"),
    Entry("Exp"),
    Entry("Floor"),
    Entry("Gelu"),
    Entry("Gemm"),
    Entry("GlobalAveragePool"),
    Entry("GroupNormalization"),
    Entry("HardSigmoid"),
    Entry("HardSwish"),
    Entry("InstanceNormalization"),
    Entry("LayerNormalization"),
    Entry("LeakyRelu"),
    Entry("Log"),
    {"", "MatMul", 1, 1 << 30, kMatMul},
    Entry("MaxPool"),
    Entry("Mul"),
    Entry("Neg"),
    Entry("Pow"),
    Entry("PRelu"),
    Entry("Reciprocal"),
    Entry("ReduceMax"),
    Entry("ReduceMean"),
    Entry("ReduceMin"),
    Entry("ReduceSum"),
    Entry("Relu"),
    Entry("Resize"),
    Entry("RMSNormalization"),
    Entry("RotaryEmbedding"),
    Entry("Sigmoid"),
    Entry("SimplifiedLayerNormalization"),
    Entry("Softmax"),
    Entry("Softplus"),
    Entry("Sqrt"),
    Entry("Sub"),
    Entry("Tanh"),
    Entry("FastGelu", kMicrosoft),
    Entry("FusedMatMul", kMicrosoft),
    Entry("Gelu", kMicrosoft),
    Entry("MultiHeadAttention", kMicrosoft),
    Entry("QuickGelu", kMicrosoft),
    Entry("RotaryEmbedding", kMicrosoft),
    Entry("SimplifiedLayerNormalization", kMicrosoft),
    Entry("SkipLayerNormalization", kMicrosoft),
    Entry("SkipSimplifiedLayerNormalization", kMicrosoft),
};

}  // namespace

std::span<const OpKernels> HalfKernels() { return kHalfOps; }

}  // namespace waybill::cpu
