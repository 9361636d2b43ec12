// TfIdfVectorizer: counts n-grams of a pool in sequences of tokens.
#include <algorithm>
#include <string>
#include <vector>

#include "kernel/api/function_kernel.h"
#include "kernel/reference/support/elements.h"
#include "kernel/reference/support/indices.h"
#include "kernel/reference/tensor/kernels.h"

namespace waybill::kernel::reference {

namespace {

enum class Weighting { kTf, kIdf, kTfIdf };

// One n-gram: its tokens are pool[first, first + length).
struct NGram {
  size_t first = 0;
  size_t id = 0;  // in order of the pool
};

struct TfIdfParams {
  int64_t min_gram = 1, max_gram = 1, max_skip = 0;
  Weighting weighting = Weighting::kTf;
  std::vector<int64_t> pool_ints;
  std::vector<std::string> pool_strings;
  std::vector<std::vector<NGram>> grams;  // by length - 1, each sorted by its tokens
  std::vector<int64_t> positions;         // by id: column of the output
  std::vector<float> weights;             // by id; empty: 1
};

// Order of the tokens at `a` and those of `token(i)`, i in [0, length).
template <typename T, typename Token>
int CompareTokens(const std::vector<T>& pool, size_t a, size_t length, Token token) {
  for (size_t i = 0; i < length; ++i) {
    const T& left = pool[a + i];
    const T& right = token(i);
    if (left < right) return -1;
    if (right < left) return 1;
  }
  return 0;
}

template <typename T>
Status BuildGrams(const std::vector<T>& pool, const std::vector<int64_t>& counts,
                  TfIdfParams& params) {
  size_t id = 0;
  for (size_t n = 0; n < counts.size(); ++n) {
    const size_t length = n + 1;
    const int64_t begin = counts[n];
    const int64_t end = n + 1 < counts.size() ? counts[n + 1] : static_cast<int64_t>(pool.size());
    if (begin < 0 || end < begin || end > static_cast<int64_t>(pool.size()) ||
        static_cast<size_t>(end - begin) % length != 0) {
      return Error(Code::kInvalidArgument,
                   "ngram_counts {} do not divide a pool of {} tokens into {}-grams", counts,
                   pool.size(), length);
    }
    std::vector<NGram> grams;
    for (auto at = static_cast<size_t>(begin); at < static_cast<size_t>(end); at += length) {
      grams.push_back({at, id++});
    }
    std::stable_sort(grams.begin(), grams.end(), [&](const NGram& a, const NGram& b) {
      return CompareTokens(pool, a.first, length,
                           [&](size_t i) -> const T& { return pool[b.first + i]; }) < 0;
    });
    params.grams.push_back(std::move(grams));
  }
  if (params.positions.size() != id || (!params.weights.empty() && params.weights.size() != id)) {
    return Error(Code::kInvalidArgument, "{} n-grams with {} ngram_indexes and {} weights", id,
                 params.positions.size(), params.weights.size());
  }
  return Status::Ok();
}

Result<TfIdfParams> ParseTfIdf(const graph::NodeRef& node) {
  const graph::Attributes& attrs = node.attrs();
  TfIdfParams params;
  params.min_gram = attrs.Int("min_gram_length", 1);
  params.max_gram = attrs.Int("max_gram_length", 1);
  params.max_skip = attrs.Int("max_skip_count", 0);
  const std::vector<int64_t> counts = attrs.Ints("ngram_counts");
  if (params.min_gram < 1 || params.max_gram < params.min_gram || params.max_skip < 0 ||
      params.max_gram > static_cast<int64_t>(counts.size())) {
    return Error(Code::kInvalidArgument,
                 "n-grams of {} to {} tokens with up to {} skips and ngram_counts {}",
                 params.min_gram, params.max_gram, params.max_skip, counts);
  }
  const std::string mode = attrs.String("mode");
  if (mode == "IDF") {
    params.weighting = Weighting::kIdf;
  } else if (mode == "TFIDF") {
    params.weighting = Weighting::kTfIdf;
  } else if (mode != "TF") {
    return Error(Code::kInvalidArgument, "TfIdfVectorizer has no mode \"{}\"", mode);
  }
  params.pool_ints = attrs.Ints("pool_int64s");
  params.pool_strings = attrs.Strings("pool_strings");
  params.positions = attrs.Ints("ngram_indexes");
  params.weights = attrs.Floats("weights");
  if (params.pool_strings.empty()) {
    WB_RETURN_IF_ERROR(BuildGrams(params.pool_ints, counts, params));
  } else {
    WB_RETURN_IF_ERROR(BuildGrams(params.pool_strings, counts, params));
  }
  return params;
}

// The id of the n-gram whose i-th token is token(i); null when the pool has none.
template <typename T, typename Token>
const NGram* Find(const std::vector<T>& pool, const std::vector<NGram>& grams, size_t length,
                  Token token) {
  const auto found = std::lower_bound(grams.begin(), grams.end(), 0, [&](const NGram& gram, int) {
    return CompareTokens(pool, gram.first, length, token) < 0;
  });
  if (found == grams.end() || CompareTokens(pool, found->first, length, token) != 0) {
    return nullptr;
  }
  return &*found;
}

// Adds the weight of each n-gram found among `count` tokens to `row`.
template <typename T, typename TokenAt>
void CountRow(const TfIdfParams& params, const std::vector<T>& pool, int64_t count,
              TokenAt token_at, std::span<float> row) {
  for (int64_t length = params.min_gram; length <= params.max_gram; ++length) {
    // Single tokens have nothing to skip.
    const int64_t skips = length == 1 ? 0 : params.max_skip;
    const std::vector<NGram>& grams = params.grams[static_cast<size_t>(length - 1)];
    for (int64_t step = 1; step <= skips + 1 && (length - 1) * step < count; ++step) {
      for (int64_t start = 0; start + (length - 1) * step < count; ++start) {
        const NGram* gram =
            Find(pool, grams, static_cast<size_t>(length), [&](size_t i) -> decltype(auto) {
              return token_at(start + static_cast<int64_t>(i) * step);
            });
        if (gram == nullptr) continue;
        float& cell = row[static_cast<size_t>(params.positions[gram->id])];
        const float weight = params.weights.empty() ? 1.0f : params.weights[gram->id];
        switch (params.weighting) {
          case Weighting::kTf:
            cell += 1.0f;
            break;
          case Weighting::kIdf:
            cell = weight;
            break;
          case Weighting::kTfIdf:
            cell += weight;
            break;
        }
      }
    }
  }
}

Status RunTfIdf(const TfIdfParams& params, RunContext& ctx) {
  const TensorView& in = ctx.input(0);
  const TensorView& out = ctx.output(0);
  const size_t rank = in.shape.rank();
  const int64_t rows = rank == 2 ? in.shape[0] : 1;
  const int64_t tokens = rank == 0 ? 1 : in.shape[rank - 1];
  const int64_t width = out.shape[out.shape.rank() - 1];
  const bool strings = in.dtype == DType::kString;
  if (strings != !params.pool_strings.empty() && !params.positions.empty()) {
    return Error(Code::kInvalidArgument, "the pool has no tokens of type {}", DTypeName(in.dtype));
  }
  ZeroElements(out, 0, out.elems());
  for (int64_t r = 0; r < rows; ++r) {
    const std::span<float> row(out.as<float>() + r * width, static_cast<size_t>(width));
    if (strings) {
      const std::string* line = in.as<const std::string>() + r * tokens;
      CountRow(
          params, params.pool_strings, tokens,
          [line](int64_t i) -> const std::string& { return line[i]; }, row);
    } else {
      CountRow(
          params, params.pool_ints, tokens, [&](int64_t i) { return IntAt(in, r * tokens + i); },
          row);
    }
  }
  return Status::Ok();
}

}  // namespace

const KernelImpl kTfIdfVectorizer[1] = {
    FunctionImpl<TfIdfParams, ParseTfIdf, RunTfIdf>("tf_idf_vectorizer.reference")};

}  // namespace waybill::kernel::reference
