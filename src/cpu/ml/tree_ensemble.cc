// TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble over f32 rows.
#include <algorithm>
#include <memory>

#include "base/math/checked.h"
#include "cpu/kernels/lists.h"
#include "cpu/ml/flat_forest.h"
#include "kernel/reference/ml/rows.h"
#include "kernel/reference/ml/trees/classifier.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

using kernel::Acceptance;
using kernel::Kernel;
using kernel::KernelImpl;
using kernel::PlanContext;
using kernel::RunContext;
using kernel::reference::Classifier;
using kernel::reference::Forest;

// Rows that one task scores.
constexpr size_t kBlockRows = 64;
constexpr double kNsPerWalk = 5;  // of a row down a tree

// Scores of all rows; what becomes of a row's scores is the subclass's.
class TreeKernel : public Kernel {
 public:
  explicit TreeKernel(const Forest& forest) : flat_(FlatForest::Make(forest)) {}

  // For each thread: scores and marks of a block of rows, leaves of one row.
  Status Plan(PlanContext& ctx) const override {
    WB_RETURN_IF_ERROR(ctx.InferOutputs());
    const size_t width = std::max<size_t>(1, ctx.width());
    const size_t block = kBlockRows * Targets() * width;
    ctx.BookScratch(block * sizeof(double));
    ctx.BookScratch(block);
    ctx.BookScratch(forest().roots.size() * width * sizeof(uint32_t));
    return Status::Ok();
  }

  Status Run(RunContext& ctx) const override {
    const kernel::reference::RowsOf shape(ctx.input(0).shape);
    const auto rows = static_cast<size_t>(shape.rows);
    const auto columns = static_cast<size_t>(shape.columns);
    const size_t trees = forest().roots.size();
    if (rows != 0 && shape.columns < forest().features) {
      return Error(Code::kInvalidArgument, "X has {} columns, the trees look at column {}", columns,
                   forest().features - 1);
    }
    const auto* x = ctx.input(0).as<const float>();
    const size_t blocks = CeilDiv(rows, kBlockRows);
    const size_t threads = ThreadsFor(rows * trees, kNsPerWalk, std::min(ctx.width(), blocks));
    ParallelFor(ctx.pool(), threads, threads, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        const size_t share = kBlockRows * Targets() * worker;
        double* scores = ctx.scratch<double>(0) + share;
        bool* seen = ctx.scratch<bool>(1) + share;
        uint32_t* leaves = ctx.scratch<uint32_t>(2) + trees * worker;
        const size_t last = blocks * (worker + 1) / threads;
        for (size_t block = blocks * worker / threads; block < last; ++block) {
          const size_t first = block * kBlockRows;
          const size_t count = std::min(kBlockRows, rows - first);
          Score(x + first * columns, columns, count, scores, seen, leaves);
          for (size_t i = 0; i < count; ++i) {
            const size_t at = i * Targets();
            Finish(static_cast<int64_t>(first + i), scores + at, seen + at, ctx);
          }
        }
      }
    });
    return Status::Ok();
  }

 protected:
  virtual const Forest& forest() const = 0;
  virtual void Finish(int64_t row, double* scores, const bool* seen, RunContext& ctx) const = 0;

 private:
  size_t Targets() const { return static_cast<size_t>(forest().targets); }

  void Score(const float* x, size_t columns, size_t count, double* scores, bool* seen,
             uint32_t* leaves) const {
    // A walk looks at a column even where all trees are leaves.
    if (flat_ && columns != 0) return flat_->Score(x, columns, count, scores, seen, leaves);
    for (size_t row = 0; row < count; ++row) {
      const float* from = x + row * columns;
      forest().Score([&](int64_t i) { return static_cast<double>(from[i]); },
                     scores + row * Targets(), seen + row * Targets());
    }
  }

  std::optional<FlatForest> flat_;  // nothing: the trees are too varied
};

class ClassifierKernel final : public TreeKernel {
 public:
  explicit ClassifierKernel(Classifier classifier)
      : TreeKernel(classifier.forest), classifier_(std::move(classifier)) {}

 private:
  const Forest& forest() const override { return classifier_.forest; }

  void Finish(int64_t row, double* scores, const bool* seen, RunContext& ctx) const override {
    const auto best =
        static_cast<size_t>(kernel::reference::ChooseClass(classifier_, scores, seen));
    if (ctx.wants_output(0) && classifier_.string_labels.empty()) {
      ctx.output(0).as<int64_t>()[row] = classifier_.int_labels[best];
    } else if (ctx.wants_output(0)) {
      ctx.output(0).as<std::string>()[row] = classifier_.string_labels[best];
    }
    if (!ctx.wants_output(1)) return;
    const int64_t classes = classifier_.forest.targets;
    float* const out = ctx.output(1).as<float>() + row * classes;
    for (int64_t t = 0; t < classes; ++t) out[t] = static_cast<float>(scores[t]);
  }

  Classifier classifier_;
};

class RegressorKernel final : public TreeKernel {
 public:
  explicit RegressorKernel(Forest forest) : TreeKernel(forest), forest_(std::move(forest)) {}

 private:
  const Forest& forest() const override { return forest_; }

  void Finish(int64_t row, double* scores, const bool*, RunContext& ctx) const override {
    kernel::reference::FinishScores(forest_, scores);
    float* const out = ctx.output(0).as<float>() + row * forest_.targets;
    for (int64_t t = 0; t < forest_.targets; ++t) out[t] = static_cast<float>(scores[t]);
  }

  Forest forest_;
};

Acceptance AcceptsFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.input_dtype(0) != DType::kF32, "X is {}, not float",
               DTypeName(node.input_dtype(0)));
  return Acceptance::Yes();
}

Acceptance AcceptsFloatToFloat(const graph::NodeRef& node) {
  WB_REFUSE_IF(node.output_dtype(0) != DType::kF32, "Y is {}, not float",
               DTypeName(node.output_dtype(0)));
  return AcceptsFloat(node);
}

template <Result<Forest> (*kParse)(const graph::NodeRef&)>
Result<std::unique_ptr<Kernel>> MakeRegressor(const graph::NodeRef& node) {
  WB_ASSIGN_OR_RETURN(Forest forest, kParse(node));
  return std::unique_ptr<Kernel>(std::make_unique<RegressorKernel>(std::move(forest)));
}

Result<Forest> ParseEnsemble(const graph::NodeRef& node) {
  return kernel::reference::ParseForest5(node.attrs());
}

constexpr KernelImpl kClassifier[] = {
    {"tree_ensemble_classifier.flat", AcceptsFloat,
     [](const graph::NodeRef& node) -> Result<std::unique_ptr<Kernel>> {
       WB_ASSIGN_OR_RETURN(Classifier classifier, kernel::reference::ParseClassifier(node));
       return std::unique_ptr<Kernel>(std::make_unique<ClassifierKernel>(std::move(classifier)));
     }}};
constexpr KernelImpl kRegressor[] = {{"tree_ensemble_regressor.flat", AcceptsFloatToFloat,
                                      MakeRegressor<kernel::reference::ParseRegressor>}};
constexpr KernelImpl kEnsemble[] = {
    {"tree_ensemble.flat", AcceptsFloatToFloat, MakeRegressor<ParseEnsemble>}};

constexpr std::string_view kMl = "ai.onnx.ml";
constexpr kernel::OpKernels kTrees[] = {{kMl, "TreeEnsembleClassifier", 1, 1 << 30, kClassifier},
                                        {kMl, "TreeEnsembleRegressor", 1, 1 << 30, kRegressor},
                                        {kMl, "TreeEnsemble", 1, 1 << 30, kEnsemble}};

}  // namespace

std::span<const kernel::OpKernels> TreeKernels() { return kTrees; }

}  // namespace waybill::cpu
