#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/reference/nn/kernels.h"

namespace waybill::kernel::reference {

namespace {

struct NmsParams {
  bool center = false;  // boxes are [x_center, y_center, width, height]
};

Result<NmsParams> ParseNms(const graph::NodeRef& node) {
  return NmsParams{node.attrs().Int("center_point_box") != 0};
}

struct Box {
  double y1, x1, y2, x2;
};

Box ReadBox(const float* b, bool center) {
  const double v[4] = {static_cast<double>(b[0]), static_cast<double>(b[1]),
                       static_cast<double>(b[2]), static_cast<double>(b[3])};
  if (center) {
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  }
  // Any diagonal pair of corners will do.
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

double Overlap(const Box& a, const Box& b) {
  const double h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const double w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(h > 0) || !(w > 0)) return 0;
  const double both = h * w;
  const double area = (a.y2 - a.y1) * (a.x2 - a.x1) + (b.y2 - b.y1) * (b.x2 - b.x1) - both;
  return area > 0 ? both / area : 0;
}

struct Limits {
  int64_t max_boxes = 0;
  double overlap = 0;
  double score = -std::numeric_limits<double>::infinity();
};

Result<Limits> ReadLimits(RunContext& ctx) {
  Limits limits;
  for (size_t i = 2; i <= 4; ++i) {
    if (!ctx.has_input(i)) continue;
    const TensorView& t = ctx.input(i);
    if (t.elems() != 1) return Error(Code::kInvalidArgument, "input {} has shape {}", i, t.shape);
    if (i == 2) {
      limits.max_boxes = t.as<const int64_t>()[0];
    } else {
      (i == 3 ? limits.overlap : limits.score) = static_cast<double>(t.as<const float>()[0]);
    }
  }
  if (!(limits.overlap >= 0 && limits.overlap <= 1)) {
    return Error(Code::kInvalidArgument, "iou_threshold is {}", limits.overlap);
  }
  return limits;
}

// Boxes of one class in descending order of score, those that overlap a better one left out.
void Select(const float* boxes, const float* scores, int64_t count, bool center,
            const Limits& limits, std::vector<int64_t>* chosen) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<double>(scores[i]) > limits.score) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  std::vector<Box> kept;
  for (const int64_t i : order) {
    if (static_cast<int64_t>(kept.size()) >= limits.max_boxes) return;
    const Box box = ReadBox(boxes + 4 * i, center);
    const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](const Box& other) {
      return Overlap(box, other) > limits.overlap;
    });
    if (overlaps) continue;
    kept.push_back(box);
    chosen->push_back(i);
  }
}

// At most all boxes of every class, or as many as the node allows where that is known.
Status PlanNms(PlanContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.InferOutputs());
  const Shape& scores = ctx.input_shape(1);
  if (scores.rank() != 3) return Status::Ok();
  int64_t boxes = scores[2];
  const TensorView* max_boxes = ctx.values(2);
  if (!ctx.has_input(2)) {
    boxes = 0;
  } else if (max_boxes != nullptr && max_boxes->elems() == 1) {
    boxes = std::clamp<int64_t>(*max_boxes->as<const int64_t>(), 0, boxes);
  }
  const auto rows = Shape({scores[0], scores[1], boxes}).CheckedElems();
  if (rows) ctx.SetMost(0, DType::kI64, Shape({*rows, 3}));
  return Status::Ok();
}

Status RunNms(const NmsParams& p, RunContext& ctx) {
  const TensorView &boxes = ctx.input(0), &scores = ctx.input(1);
  const Shape &b = boxes.shape, &s = scores.shape;
  if (b.rank() != 3 || s.rank() != 3 || b[0] != s[0] || b[1] != s[2] || b[2] != 4) {
    return Error(Code::kInvalidArgument, "boxes of shape {} and scores of shape {} do not fit", b,
                 s);
  }
  WB_ASSIGN_OR_RETURN(const Limits limits, ReadLimits(ctx));
  std::vector<int64_t> triples;  // batch, class, box
  std::vector<int64_t> chosen;
  for (int64_t n = 0; n < s[0] && limits.max_boxes > 0; ++n) {
    for (int64_t c = 0; c < s[1]; ++c) {
      chosen.clear();
      Select(boxes.as<const float>() + n * b[1] * 4,
             scores.as<const float>() + (n * s[1] + c) * s[2], s[2], p.center, limits, &chosen);
      for (const int64_t box : chosen) triples.insert(triples.end(), {n, c, box});
    }
  }
  WB_ASSIGN_OR_RETURN(
      const TensorView out,
      ctx.AllocateOutput(0, DType::kI64, Shape{static_cast<int64_t>(triples.size()) / 3, 3}));
  std::copy(triples.begin(), triples.end(), out.as<int64_t>());
  return Status::Ok();
}

}  // namespace

constinit const KernelImpl kNonMaxSuppression[1] = {
    FunctionImpl<NmsParams, ParseNms, RunNms, PlanNms>("non_max_suppression.reference")};

}  // namespace waybill::kernel::reference
