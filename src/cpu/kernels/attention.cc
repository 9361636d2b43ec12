// MultiHeadAttention of f32: per head one product with the keys, softmax, one with the values.
#include <algorithm>
#include <cmath>

#include "base/math/checked.h"
#include "cpu/gemm/product.h"
#include "cpu/kernels/lists.h"
#include "cpu/norm/softmax.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::OpKernels;
using kernel::PlanContext;
using kernel::PlanState;
using kernel::RunContext;

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kBias,
  kKeyPadding,
  kAttentionBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kCacheIndirection
};
enum Output : size_t { kY, kPresentKey, kPresentValue, kQk };

constexpr double kNsPerMultiplication = 0.04;
constexpr size_t kAlignFloats = 16;

// Keys or values: [batch][length][heads][size] as they come, or [batch][heads][length][size] when
// they follow a past.
struct Cache {
  size_t size = 0;  // of a head
  size_t past = 0;  // rows
  size_t fresh = 0;
  bool gathered = false;  // written out head by head
  bool to_scratch = false;
  size_t booking = 0;

  size_t length() const { return past + fresh; }
};

struct AttentionPlan final : PlanState {
  size_t batch = 0, heads = 0, queries = 0;
  Cache keys, values;
  bool bias_per_batch = false, bias_per_head = false;
  Product scores, result;
  size_t threads = 1;        // that take whole heads; 1: all share each head
  size_t worker_floats = 0;  // scratch of one: scores, then what the products need
  size_t booking = 0;
};

Status DoNotFit(const Shape& query, const Shape& other) {
  return Error(Code::kInvalidArgument, "query of shape {} and key or value of shape {} do not fit",
               query, other);
}

class AttentionKernel final : public Kernel {
 public:
  AttentionKernel(int64_t heads, float scale) : heads_(heads), scale_(scale) {}

  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    auto plan = std::make_shared<AttentionPlan>();
    WB_RETURN_IF_ERROR(ReadShapes(ctx, *plan));
    WB_RETURN_IF_ERROR(PlanCache(ctx, kPastKey, kPresentKey, *plan, plan->keys));
    WB_RETURN_IF_ERROR(PlanCache(ctx, kPastValue, kPresentValue, *plan, plan->values));
    WB_RETURN_IF_ERROR(PlanBias(ctx, *plan));
    WB_RETURN_IF_ERROR(PlanProducts(ctx, *plan));
    ctx.SetState(std::move(plan));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const AttentionPlan& plan = *ctx.state<AttentionPlan>();
    const Heads keys = Gather(ctx, plan, plan.keys, kKey, kPastKey, kPresentKey);
    const Heads values = Gather(ctx, plan, plan.values, kValue, kPastValue, kPresentValue);
    if (!ctx.wants_output(kY)) return Status::Ok();
    const size_t tasks = plan.batch * plan.heads;
    const size_t threads = std::min(plan.threads, std::max<size_t>(ctx.width(), 1));
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        float* scratch = ctx.scratch<float>(plan.booking) + worker * plan.worker_floats;
        for (size_t i = worker; i < tasks; i += threads) {
          RunHead(ctx, plan, keys, values, i, scratch, threads == 1 ? ctx.pool() : nullptr);
        }
      }
    });
    return Status::Ok();
  }

 private:
  // Where the matrix of one head begins.
  struct Heads {
    const float* data;
    size_t batch_stride, head_stride;
  };

  Status ReadShapes(const PlanContext& ctx, AttentionPlan& plan) const {
    const Shape &q = ctx.input_shape(kQuery), &k = ctx.input_shape(kKey);
    const Shape& v = ctx.input_shape(kValue);
    if (q.rank() != 3 || q[2] % heads_ != 0) {
      return Error(Code::kInvalidArgument, "query has shape {} with {} heads", q, heads_);
    }
    if (k.rank() != 3 || k[0] != q[0] || k[2] != q[2]) return DoNotFit(q, k);
    if (v.rank() != 3 || v[0] != q[0] || v[1] != k[1] || v[2] % heads_ != 0) return DoNotFit(q, v);
    plan.batch = static_cast<size_t>(q[0]);
    plan.heads = static_cast<size_t>(heads_);
    plan.queries = static_cast<size_t>(q[1]);
    plan.keys.size = static_cast<size_t>(q[2] / heads_);
    plan.values.size = static_cast<size_t>(v[2] / heads_);
    plan.keys.fresh = plan.values.fresh = static_cast<size_t>(k[1]);
    if (ctx.has_input(kPastKey) != ctx.has_input(kPastValue)) {
      return Error(Code::kInvalidArgument, "past_key and past_value come together");
    }
    return Status::Ok();
  }

  static Status PlanCache(PlanContext& ctx, size_t past_input, size_t output,
                          const AttentionPlan& plan, Cache& cache) {
    if (ctx.has_input(past_input)) {
      const Shape& past = ctx.input_shape(past_input);
      const Shape& other = ctx.input_shape(kPastKey);
      const int64_t length = other.rank() == 4 ? other[2] : 0;
      if (past != Shape{static_cast<int64_t>(plan.batch), static_cast<int64_t>(plan.heads), length,
                        static_cast<int64_t>(cache.size)}) {
        return Error(Code::kInvalidArgument, "{} has shape {}",
                     past_input == kPastKey ? "past_key" : "past_value", past);
      }
      cache.past = static_cast<size_t>(length);
    }
    const bool wanted = ctx.node().has_output(output);
    cache.gathered = wanted || cache.past != 0;
    cache.to_scratch = cache.gathered && !wanted;
    if (!cache.to_scratch) return Status::Ok();
    const auto row = CheckedMul(plan.batch * plan.heads, cache.length());
    const auto floats = row ? CheckedMul(*row, cache.size) : std::nullopt;
    const auto bytes = floats ? CheckedMul(*floats, sizeof(float)) : std::nullopt;
    if (!bytes) return Error(Code::kInvalidArgument, "{} keys are too many", cache.length());
    cache.booking = ctx.BookScratch(*bytes);
    return Status::Ok();
  }

  static Status PlanBias(const PlanContext& ctx, AttentionPlan& plan) {
    if (!ctx.has_input(kAttentionBias)) return Status::Ok();
    const Shape& s = ctx.input_shape(kAttentionBias);
    const Shape full{static_cast<int64_t>(plan.batch), static_cast<int64_t>(plan.heads),
                     static_cast<int64_t>(plan.queries), static_cast<int64_t>(plan.keys.length())};
    const bool fits = s.rank() == 4 && (s[0] == 1 || s[0] == full[0]) &&
                      (s[1] == 1 || s[1] == full[1]) && s[2] == full[2] && s[3] == full[3];
    if (!fits) {
      return Error(Code::kInvalidArgument, "attention_bias has shape {}, expected {}", s, full);
    }
    plan.bias_per_batch = s[0] != 1;
    plan.bias_per_head = s[1] != 1;
    return Status::Ok();
  }

  Status PlanProducts(PlanContext& ctx, AttentionPlan& plan) const {
    const size_t length = plan.keys.length();
    const auto row = [&](const Cache& c) { return c.gathered ? c.size : plan.heads * c.size; };
    ProductShape scores;
    scores.m = plan.queries;
    scores.n = length;
    scores.k = plan.keys.size;
    scores.lda = plan.heads * plan.keys.size;
    scores.ldb = row(plan.keys);
    scores.trans_b = true;
    scores.scale =
        scale_ != 0 ? scale_ : 1 / std::sqrt(static_cast<float>(std::max<size_t>(scores.k, 1)));
    ProductShape result;
    result.m = plan.queries;
    result.n = plan.values.size;
    result.k = length;
    result.lda = length;
    result.ldb = row(plan.values);
    const auto first = Product::Make(BestTarget(), scores);
    const auto second = Product::Make(BestTarget(), result);
    const auto floats = CheckedMul(plan.queries, length);
    const auto aligned = floats ? CheckedAlignUp(*floats, kAlignFloats) : std::nullopt;
    if (!first || !second || !aligned) {
      return Error(Code::kInvalidArgument, "{} queries by {} keys are too many", plan.queries,
                   length);
    }
    plan.scores = *first;
    plan.result = *second;
    plan.worker_floats = *aligned + std::max(first->scratch_floats(), second->scratch_floats());
    const size_t tasks = plan.batch * plan.heads;
    const size_t work = tasks * *floats * (plan.keys.size + plan.values.size);
    const size_t threads = ThreadsFor(work, kNsPerMultiplication, ctx.width());
    plan.threads = tasks >= 2 * threads ? threads : 1;
    const auto all = CheckedMul(plan.threads, plan.worker_floats);
    const auto bytes = all ? CheckedMul(*all, sizeof(float)) : std::nullopt;
    if (!bytes) return Error(Code::kInvalidArgument, "{} keys are too many", length);
    plan.booking = ctx.BookScratch(*bytes);
    return Status::Ok();
  }

  // Past and new rows head by head, where that is needed.
  static Heads Gather(const RunContext& ctx, const AttentionPlan& plan, const Cache& cache,
                      size_t input, size_t past_input, size_t output) {
    const auto* fresh = ctx.input(input).as<const float>();
    const size_t size = cache.size, row = plan.heads * size;
    if (!cache.gathered) return {fresh, cache.fresh * row, size};
    const float* past = cache.past != 0 ? ctx.input(past_input).as<const float>() : nullptr;
    float* to =
        cache.to_scratch ? ctx.scratch<float>(cache.booking) : ctx.output(output).as<float>();
    float* const begin = to;
    for (size_t i = 0; i < plan.batch * plan.heads; ++i) {
      const size_t kept = cache.past * size;
      if (past != nullptr) std::copy_n(past + i * kept, kept, to);
      to += kept;
      const float* from = fresh + i / plan.heads * cache.fresh * row + i % plan.heads * size;
      for (size_t t = 0; t < cache.fresh; ++t, to += size) std::copy_n(from + t * row, size, to);
    }
    return {begin, plan.heads * cache.length() * size, cache.length() * size};
  }

  static void RunHead(const RunContext& ctx, const AttentionPlan& plan, const Heads& keys,
                      const Heads& values, size_t index, float* scratch, ThreadPool* pool) {
    const size_t b = index / plan.heads, h = index % plan.heads;
    const size_t queries = plan.queries, length = plan.keys.length();
    ProductArgs args;
    args.a = ctx.input(kQuery).as<const float>() + (b * queries * plan.heads + h) * plan.keys.size;
    args.b = keys.data + b * keys.batch_stride + h * keys.head_stride;
    args.c = scratch;
    args.ldc = length;
    args.scratch = scratch + AlignUp(queries * length, kAlignFloats);
    plan.scores.Run(args, pool, ctx.width());
    if (ctx.has_input(kAttentionBias)) {
      const size_t heads = plan.bias_per_head ? plan.heads : 1;
      const size_t matrix = (plan.bias_per_batch ? b * heads : 0) + (plan.bias_per_head ? h : 0);
      const float* bias = ctx.input(kAttentionBias).as<const float>() + matrix * queries * length;
      for (size_t i = 0; i < queries * length; ++i) scratch[i] += bias[i];
    }
    if (length != 0) {
      Softmax(BestTarget()).softmax.rows(scratch, scratch, queries, length);
    }
    args.a = scratch;
    args.b = values.data + b * values.batch_stride + h * values.head_stride;
    args.c = ctx.output(kY).as<float>() + (b * queries * plan.heads + h) * plan.values.size;
    args.ldc = plan.heads * plan.values.size;
    plan.result.Run(args, pool, ctx.width());
  }

  int64_t heads_;
  float scale_;
};

Acceptance Accepts(const graph::NodeRef& node) {
  constexpr std::pair<size_t, const char*> kUnknown[] = {
      {kBias, "a bias"},
      {kKeyPadding, "key_padding_mask"},
      {kPastLength, "past_sequence_length (a shared key-value buffer)"},
      {kCacheIndirection, "cache_indirection (beam search)"}};
  for (const auto& [input, name] : kUnknown) WB_REFUSE_IF(node.has_input(input), "{}", name);
  for (const size_t i : {kQuery, kKey, kValue}) {
    WB_REFUSE_IF(!node.has_input(i), "query, key and value are packed");
    WB_REFUSE_IF(node.input_dtype(i) != DType::kF32, "element type {} is not float",
                 DTypeName(node.input_dtype(i)));
    const SymShape& shape = node.input_type(i).shape;
    WB_REFUSE_IF(!shape.has_rank() || shape.rank() != 3, "input {} is not known to have rank 3", i);
  }
  WB_REFUSE_IF(node.has_output(kQk), "the scores are asked for");
  WB_REFUSE_IF(node.attrs().Int("unidirectional") != 0, "unidirectional");
  WB_REFUSE_IF(node.attrs().Int("num_heads") < 1, "num_heads is {}", node.attrs().Int("num_heads"));
  return Acceptance::Yes();
}

Result<std::unique_ptr<Kernel>> Create(const graph::NodeRef& node) {
  return std::unique_ptr<Kernel>(std::make_unique<AttentionKernel>(node.attrs().Int("num_heads"),
                                                                   node.attrs().Float("scale")));
}

constexpr KernelImpl kAttention[] = {{"multi_head_attention.products", Accepts, Create}};
constexpr OpKernels kAttentionOps[] = {
    {"com.microsoft", "MultiHeadAttention", 1, 1 << 30, kAttention}};

}  // namespace

std::span<const OpKernels> AttentionKernels() { return kAttentionOps; }

}  // namespace waybill::cpu
