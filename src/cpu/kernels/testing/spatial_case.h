// Runs one node on this provider's kernels and on the reference kernels, and compares.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cpu/kernels/table.h"
#include "cpu/testing/odd_places.h"
#include "kernel/api/invoke.h"
#include "kernel/api/run_context.h"
#include "kernel/reference/reference.h"
#include "kernel/select/select.h"
#include "memory/source/system_source.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {

struct SpatialCase {
  std::string op;
  std::string domain = "waybill";
  int version = 1;
  std::vector<Tensor> inputs;  // undefined where omitted
  std::vector<size_t> constants = {};
  graph::Attributes attrs = {};

  struct Outcome {
    Status status;
    std::string impl;
    Tensor out;
  };

  static std::shared_ptr<MemorySource> Source() {
    static const auto source = std::make_shared<SystemSource>();
    return source;
  }

  // Numbers of [-2, 2].
  static Tensor Random(const Shape& shape, uint32_t seed) {
    std::mt19937 random(seed);
    auto tensor = Tensor::Allocate(DType::kF32, shape, Source(), MemoryTag::kUser);
    EXPECT_TRUE(tensor.ok());
    for (float& v : tensor->span<float>()) v = static_cast<float>(random() % 2001) / 500.0f - 2.0f;
    return *tensor;
  }

  // With `gap` elements that nobody may write behind each row of the last axis, where it is not 0:
  // the result is without them.
  Outcome Run(std::vector<kernel::KernelTable> tables, ThreadPool* pool, size_t width,
              std::shared_ptr<MemorySource> source = Source(), size_t gap = 0) const {
    graph::Graph graph;
    graph::Node node;
    node.op_type = op;
    node.domain = domain;
    node.since_version = version;
    node.attrs = attrs;
    std::vector<Value> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      values.emplace_back();
      node.inputs.push_back(graph::kNoValue);
      if (!inputs[i].defined()) continue;
      graph::Value value;
      value.type = ValueType::Tensor(inputs[i].dtype(), SymShape(inputs[i].shape()));
      for (const size_t constant : constants) {
        if (constant == i) value.constant = graph::Constant(inputs[i]);
      }
      node.inputs.back() = graph.AddValue(std::move(value));
      values.back() = Value(inputs[i]);
    }
    graph::Value out;
    out.type = ValueType::Tensor(DType::kF32);
    node.outputs.push_back(graph.AddValue(std::move(out)));
    const graph::NodeRef ref(graph, graph.node(graph.AddNode(std::move(node))));

    const kernel::Provider provider{"cpu", std::move(tables)};
    auto selection = kernel::Select(ref, {&provider, 1});
    if (!selection.ok()) return {selection.status(), "", {}};
    Outcome outcome;
    outcome.impl = selection->impl;
    kernel::PrepareContext prepare(ref, Source());
    outcome.status = selection->kernel->Prepare(prepare);
    if (!outcome.status.ok()) return outcome;
    // What the kernel has replaced must not be read any more.
    for (const size_t replaced : prepare.replaced()) {
      values[replaced] = Value(Random(inputs[replaced].shape(), 9999));
    }
    if (gap != 0) {
      outcome.status = RunApart(*selection->kernel, ref, values, pool, width, gap, outcome.out);
      return outcome;
    }
    kernel::InvokeOptions options;
    options.source = std::move(source);
    options.tag = MemoryTag::kOutput;
    options.pool = pool;
    options.width = width;
    auto results = kernel::Invoke(*selection->kernel, ref, values, options);
    outcome.status = results.ok() ? Status() : results.status();
    if (results.ok()) outcome.out = *results->at(0).tensor();
    return outcome;
  }

  Outcome RunFast(ThreadPool* pool = nullptr, size_t width = 1) const {
    return Run({Kernels()}, pool, width);
  }
  Outcome RunReference() const {
    const auto all = kernel::reference::AllTables();
    return Run({all.begin(), all.end()}, nullptr, 1);
  }

  // The fast kernel `impl` takes the node and agrees with the reference on every SIMD target, with
  // all tensors one element off bit for bit; both may refuse with the same code.
  void Check(std::string_view impl, double tolerance = 1e-4) const {
    const Outcome want = RunReference();
    OnEveryTarget([&] { CheckLike(want, impl, tolerance); });
  }

 private:
  static bool CanRunApart(std::string_view impl) {
    return impl == "conv.nhwc" || impl == "max_pool.nhwc" || impl == "average_pool.nhwc";
  }

  // Plans and runs as a step whose output lies in another value.
  static Status RunApart(const kernel::Kernel& kernel, const graph::NodeRef& ref,
                         const std::vector<Value>& values, ThreadPool* pool, size_t width,
                         size_t gap, Tensor& out) {
    std::vector<kernel::Slot> slots(values.size() + 1);
    std::vector<kernel::SlotId> ids(slots.size(), kernel::kNoSlot);
    std::vector<kernel::PlanInput> known(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].defined()) continue;
      slots[i].tensor = values[i].tensor()->view();
      ids[i] = static_cast<kernel::SlotId>(i);
      known[i].tensor = &slots[i].tensor;
    }
    ids.back() = static_cast<kernel::SlotId>(values.size());
    kernel::PlanContext plan(ref, known, width);
    WB_RETURN_IF_ERROR(kernel.Plan(plan));
    const Shape& shape = *plan.output_shape(0);
    const auto row = static_cast<size_t>(shape[shape.rank() - 1]), pitch = row + gap;
    EXPECT_EQ(plan.record().pitched_row_bytes, row * sizeof(float));
    const size_t rows = row == 0 ? 0 : static_cast<size_t>(shape.elems()) / row;
    const OddFloats apart(std::vector<float>(rows * pitch, 99.0f), gap % 5);
    slots.back().tensor = {DType::kF32, shape, reinterpret_cast<std::byte*>(apart.data()), {}};
    std::vector<OddFloats> scratch;
    std::vector<std::byte*> scratch_data;
    for (const kernel::ScratchBooking& booking : plan.record().scratch) {
      scratch.emplace_back(booking.bytes / sizeof(float) + 1);
      scratch_data.push_back(reinterpret_cast<std::byte*>(scratch.back().data()));
    }
    kernel::RunParts parts;
    parts.node = &ref.node();
    parts.slots = slots.data();
    parts.inputs = std::span(ids).first(values.size());
    parts.outputs = std::span(ids).last(1);
    parts.scratch = scratch_data;
    parts.state = plan.record().state.get();
    parts.pitch_bytes = pitch * sizeof(float);
    parts.pool = pool;
    parts.width = width;
    kernel::RunContext ctx(parts);
    WB_RETURN_IF_ERROR(kernel.Run(ctx));
    WB_ASSIGN_OR_RETURN(out, Tensor::Allocate(DType::kF32, shape, Source(), MemoryTag::kUser));
    for (size_t i = 0; i < rows * pitch; ++i) {
      if (i % pitch < row) {
        out.span<float>()[i / pitch * row + i % pitch] = apart.data()[i];
      } else {
        EXPECT_EQ(apart.data()[i], 99.0f) << "between rows, at " << i;
      }
    }
    return Status::Ok();
  }

  void CheckLike(const Outcome& want, std::string_view impl, double tolerance) const {
    const Outcome got = RunFast();
    EXPECT_EQ(got.impl, impl) << got.status.ToString();
    ASSERT_EQ(got.status.code(), want.status.code())
        << got.status.ToString() << " / " << want.status.ToString();
    if (!want.status.ok()) return;
    ASSERT_EQ(got.out.shape(), want.out.shape());
    const auto a = got.out.span<float>(), b = want.out.span<float>();
    for (size_t i = 0; i < b.size(); ++i) {
      if (std::isnan(b[i]) || std::isinf(b[i])) {
        ASSERT_EQ(std::isnan(a[i]), std::isnan(b[i])) << i;
        if (std::isinf(b[i])) {
          ASSERT_EQ(a[i], b[i]) << i;
        }
        continue;
      }
      const double scale = std::max(1.0, std::fabs(double{b[i]}));
      ASSERT_NEAR(a[i], b[i], tolerance * scale) << "element " << i;
    }
    if (CanRunApart(impl)) {
      for (const size_t gap : {1, 32}) {
        const Outcome apart = Run({Kernels()}, nullptr, 1, Source(), gap);
        ASSERT_TRUE(apart.status.ok()) << apart.status.ToString();
        const auto rows = apart.out.span<float>();
        ASSERT_TRUE(a.empty() || std::memcmp(a.data(), rows.data(), a.size_bytes()) == 0)
            << "rows " << gap << " elements apart give other bits";
      }
    }
    SpatialCase odd = *this;
    for (Tensor& input : odd.inputs) input = OddCopy(input);
    const Outcome off = odd.Run({Kernels()}, nullptr, 1, OddSourceFor({DType::kF32}));
    ASSERT_TRUE(off.status.ok()) << off.status.ToString();
    const auto c = off.out.span<float>();
    ASSERT_TRUE(a.empty() || std::memcmp(a.data(), c.data(), a.size_bytes()) == 0)
        << "tensors one element off give other bits";
  }
};

}  // namespace waybill::cpu
