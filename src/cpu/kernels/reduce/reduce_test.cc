#include <gtest/gtest.h>

#include "cpu/kernels/testing/against_reference.h"

namespace waybill::cpu {
namespace {

TEST(CpuReduce, EveryOperationOverEveryAxes) {
  const std::vector<std::pair<Shape, std::vector<int64_t>>> cases = {
      {{7}, {0}},
      {{3, 70}, {1}},
      {{70, 3}, {0}},
      {{3, 4, 5}, {1}},
      {{3, 4, 5}, {0, 2}},
      {{3, 4, 5, 6}, {0, 2}},
      {{3, 4, 5, 6}, {1, 3}},
      {{3, 4, 5, 6}, {-1, -2}},
      {{1, 20, 7, 7}, {2, 3}},
      {{2, 1, 3}, {1}},
      {{2, 49, 300}, {1}},
      {{2, 0, 3}, {1}},
      {{0, 3}, {1}},
      {{1, 1}, {0, 1}},
      {{2, 3}, {}},
  };
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
                         "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum"}) {
    const bool sum = std::string(op) == "ReduceSum";
    for (const auto& [shape, axes] : cases) {
      for (const int64_t keepdims : {0, 1}) {
        const Tensor x = Random(shape, 1);
        NodeCase attribute(op, 11);
        attribute.In(x).Attr("keepdims", keepdims).Near(2e-5, 2e-5);
        if (!axes.empty()) attribute.Attr("axes", axes);
        attribute.Agrees("reduce.simd");
        NodeCase(op, sum ? 13 : 18)
            .In(x)
            .In(MakeInts({static_cast<int64_t>(axes.size())}, axes))
            .Attr("keepdims", keepdims)
            .Attr("noop_with_empty_axes", int64_t{1})
            .Near(2e-5, 2e-5)
            .Agrees("reduce.simd");
        if (HasFailure()) return;
      }
    }
  }
  for (const char* op : {"ReduceMax", "ReduceMin", "ReduceSum"}) {
    NodeCase(op, 11)
        .In(RandomWithSpecials({30, 40}, 2))
        .Attr("axes", std::vector<int64_t>{1})
        .Agrees("reduce.simd");
    NodeCase(op, 11)
        .In(RandomWithSpecials({30, 40}, 2))
        .Attr("axes", std::vector<int64_t>{0})
        .Agrees("reduce.simd");
  }
  NodeCase("ReduceSum", 11)
      .In(Random({2}, 1))
      .Attr("axes", std::vector<int64_t>{1})
      .Fails("axis 1");
  NodeCase("ReduceSum", 13)
      .In(RandomOf(DType::kI64, {2}, 1))
      .Outputs({DType::kI64})
      .Refused("int64 is not float");
}

TEST(CpuReduce, LongOnesOnSeveralThreads) {
  NodeCase("ReduceMean", 18)
      .In(Random({64, 12000}, 1))
      .In(MakeInts({1}, {1}))
      .Near(1e-5, 1e-5)
      .Agrees("reduce.simd");
  NodeCase("ReduceMean", 18)
      .In(Random({300, 2000}, 1))
      .In(MakeInts({1}, {0}))
      .Near(1e-5, 1e-5)
      .Agrees("reduce.simd");
}

TEST(CpuArg, EveryAxis) {
  for (const char* op : {"ArgMax", "ArgMin"}) {
    const std::string impl = std::string(op) == "ArgMax" ? "arg_max.simd" : "arg_min.simd";
    for (const Shape& shape :
         {Shape{}, Shape{9}, Shape{3, 70}, Shape{84, 300}, Shape{2, 5, 7}, Shape{0, 4}}) {
      for (size_t axis = 0; axis < std::max<size_t>(shape.rank(), 1); ++axis) {
        for (const int64_t last : {0, 1}) {
          if (shape.rank() > 0 && shape[axis] == 0) continue;
          NodeCase(op, 13)
              .In(RandomWithSpecials(shape, 3))
              .Attr("axis", static_cast<int64_t>(axis))
              .Attr("select_last_index", last)
              .Attr("keepdims", last)
              .Outputs({DType::kI64})
              .Agrees(impl);
          if (HasFailure()) return;
        }
      }
    }
    NodeCase(op, 13)
        .In(Random({2, 0}, 1))
        .Attr("axis", int64_t{1})
        .Outputs({DType::kI64})
        .Fails("no elements");
  }
}

}  // namespace
}  // namespace waybill::cpu
