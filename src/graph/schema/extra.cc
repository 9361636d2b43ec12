// Operators that published models use and no specification has: those of ONNX Runtime, written by
// hand. Sorted by domain, name and version.
#include "graph/schema/tables/masks.h"

namespace waybill::graph::schema {

namespace {

using namespace tables;  // NOLINT: the short names of element types

constexpr DTypeMask kHalfOrSingle = F32 | F16 | BF16;
constexpr DTypeMask kAnyFloat = F3 | BF16;

constexpr AttrDefault kInt0 = {.i = 0};
constexpr AttrDefault kInt1 = {.i = 1};
constexpr AttrDefault kIntMinus1 = {.i = -1};
constexpr AttrDefault kFloat1 = {.f = 1.0f};
constexpr AttrDefault kEpsilon5 = {.f = 1e-5f};
constexpr AttrDefault kEpsilon12 = {.f = 1e-12f};
constexpr AttrDefault kMaskFilter = {.f = -10000.0f};

// LayerNormalization before opset 17, as files that were optimised by ONNX Runtime have it
constexpr TypeConstraint kLnTypes[] = {{"T", kAnyFloat}, {"U", F32 | F64 | BF16}};
constexpr Param kLnIn[] = {{"X", 0}, {"Scale", 0}, {"B", 0, Option::kOptional}};
constexpr Param kLnOut[] = {
    {"Y", 0}, {"Mean", 1, Option::kOptional}, {"InvStdDev", 1, Option::kOptional}};
constexpr Attr kLnAttrs[] = {{"axis", AttrType::kInt, false, &kIntMinus1},
                             {"epsilon", AttrType::kFloat, false, &kEpsilon5},
                             {"stash_type", AttrType::kInt, false, &kInt1}};

// SimplifiedLayerNormalization
constexpr TypeConstraint kSlnTypes[] = {{"T", kAnyFloat}, {"V", kAnyFloat}, {"U", F32 | F64}};
constexpr Param kSlnIn[] = {{"X", 0}, {"scale", 1}};
constexpr Param kSlnOut[] = {{"Y", 1}, {"inv_std_var", 2, Option::kOptional}};
constexpr Attr kSlnAttrs[] = {{"axis", AttrType::kInt, false, &kIntMinus1},
                              {"epsilon", AttrType::kFloat, false, &kEpsilon5},
                              {"stash_type", AttrType::kInt, false, &kInt1}};

// com.microsoft FusedMatMul
constexpr TypeConstraint kFusedMatMulTypes[] = {{"T", kAnyFloat}};
constexpr Param kFusedMatMulIn[] = {{"A", 0}, {"B", 0}};
constexpr Param kFusedMatMulOut[] = {{"Y", 0}};
constexpr Attr kFusedMatMulAttrs[] = {{"alpha", AttrType::kFloat, false, &kFloat1},
                                      {"transA", AttrType::kInt, false, &kInt0},
                                      {"transB", AttrType::kInt, false, &kInt0},
                                      {"transBatchA", AttrType::kInt, false, &kInt0},
                                      {"transBatchB", AttrType::kInt, false, &kInt0}};

// com.microsoft MultiHeadAttention
constexpr TypeConstraint kMhaTypes[] = {{"T", kHalfOrSingle}, {"QK", kHalfOrSingle}, {"M", I32}};
constexpr Param kMhaIn[] = {{"query", 0},
                            {"key", 0, Option::kOptional},
                            {"value", 0, Option::kOptional},
                            {"bias", 0, Option::kOptional},
                            {"key_padding_mask", 2, Option::kOptional},
                            {"attention_bias", 0, Option::kOptional},
                            {"past_key", 0, Option::kOptional},
                            {"past_value", 0, Option::kOptional},
                            {"past_sequence_length", 2, Option::kOptional},
                            {"cache_indirection", 2, Option::kOptional}};
constexpr Param kMhaOut[] = {{"output", 0},
                             {"present_key", 0, Option::kOptional},
                             {"present_value", 0, Option::kOptional},
                             {"qk", 1, Option::kOptional}};
constexpr Attr kMhaAttrs[] = {{"mask_filter_value", AttrType::kFloat, false, &kMaskFilter},
                              {"num_heads", AttrType::kInt, true},
                              {"scale", AttrType::kFloat},
                              {"unidirectional", AttrType::kInt, false, &kInt0}};

// com.microsoft RotaryEmbedding
constexpr TypeConstraint kRotaryTypes[] = {{"T", kHalfOrSingle}, {"M", I64}};
constexpr Param kRotaryIn[] = {
    {"input", 0}, {"position_ids", 1}, {"cos_cache", 0}, {"sin_cache", 0}};
constexpr Param kRotaryOut[] = {{"output", 0}};
constexpr Attr kRotaryAttrs[] = {{"interleaved", AttrType::kInt, false, &kInt0},
                                 {"is_packed_batching", AttrType::kInt, false, &kInt0},
                                 {"num_heads", AttrType::kInt, false, &kInt0},
                                 {"rotary_embedding_dim", AttrType::kInt, false, &kInt0},
                                 {"scale", AttrType::kFloat, false, &kFloat1}};

// com.microsoft SkipSimplifiedLayerNormalization
constexpr TypeConstraint kSkipSlnTypes[] = {{"T", kHalfOrSingle}, {"U", F32}};
constexpr Param kSkipSlnIn[] = {
    {"input", 0}, {"skip", 0}, {"gamma", 0}, {"bias", 0, Option::kOptional}};
constexpr Param kSkipSlnOut[] = {{"output", 0},
                                 {"mean", 1, Option::kOptional},
                                 {"inv_std_var", 1, Option::kOptional},
                                 {"input_skip_bias_sum", 0, Option::kOptional}};
constexpr Attr kSkipSlnAttrs[] = {{"epsilon", AttrType::kFloat, false, &kEpsilon12}};

constinit const OpSchema kExtra[] = {
    {"", "LayerNormalization", 1, false, false, false, 2, 3, 1, 3, kLnTypes, kLnIn, kLnOut,
     kLnAttrs},
    {"", "SimplifiedLayerNormalization", 1, false, false, false, 2, 2, 1, 2, kSlnTypes, kSlnIn,
     kSlnOut, kSlnAttrs},
    {"com.microsoft", "FusedMatMul", 1, false, false, false, 2, 2, 1, 1, kFusedMatMulTypes,
     kFusedMatMulIn, kFusedMatMulOut, kFusedMatMulAttrs},
    {"com.microsoft", "MultiHeadAttention", 1, false, false, false, 1, 10, 1, 4, kMhaTypes, kMhaIn,
     kMhaOut, kMhaAttrs},
    {"com.microsoft", "RotaryEmbedding", 1, false, false, false, 4, 4, 1, 1, kRotaryTypes,
     kRotaryIn, kRotaryOut, kRotaryAttrs},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", 1, false, false, false, 3, 4, 1, 4,
     kSkipSlnTypes, kSkipSlnIn, kSkipSlnOut, kSkipSlnAttrs},
};

}  // namespace

std::span<const OpSchema> ExtraSchemas() { return kExtra; }

}  // namespace waybill::graph::schema
