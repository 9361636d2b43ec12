// Reshape, Flatten and Identity: the same elements under another shape.
#include <algorithm>

#include "graph/infer/rules/tensor/common.h"
#include "graph/infer/rules/tensor/rules.h"

namespace waybill::graph::infer {

namespace {

struct Target {
  std::vector<Dim> dims;           // copied dims are filled in
  std::vector<bool> copied;        // taken from the same axis of the input (a 0 in the request)
  std::optional<size_t> inferred;  // the axis to compute from the rest
};

Result<Target> ReadTarget(const SymShape& in, const std::vector<int64_t>& request,
                          bool allow_zero) {
  Target t;
  t.copied.resize(request.size());
  for (size_t i = 0; i < request.size(); ++i) {
    const int64_t want = request[i];
    if (want == -1) {
      if (t.inferred) {
        return Error(Code::kInvalidArgument, "shape {} has more than one -1", request);
      }
      t.inferred = i;
      t.dims.emplace_back();
    } else if (want < 0) {
      return Error(Code::kInvalidArgument, "shape {} has the negative dimension {}", request, want);
    } else if (want == 0 && !allow_zero) {
      if (in.has_rank() && i >= in.rank()) {
        return Error(Code::kInvalidArgument,
                     "shape {} copies axis {}, which the input {} does not have", request, i, in);
      }
      t.copied[i] = true;
      t.dims.push_back(in.has_rank() ? in[i] : Dim());
    } else {
      t.dims.emplace_back(want);
    }
  }
  if (allow_zero && t.inferred && std::count(request.begin(), request.end(), 0) > 0) {
    return Error(Code::kInvalidArgument, "shape {} has both -1 and 0 although allowzero is set",
                 request);
  }
  return t;
}

// A shape of symbols: an unknown dim may be a -1, so a single one is computed from the rest.
Target FromSymbols(const SymShape& in, const std::vector<Dim>& request, bool allow_zero) {
  Target t;
  t.copied.resize(request.size());
  size_t unknown = 0;
  for (size_t i = 0; i < request.size(); ++i) {
    Dim dim = request[i];
    if (!allow_zero && dim.known() && dim.value() == 0) {
      t.copied[i] = true;
      dim = in.has_rank() && i < in.rank() ? in[i] : Dim();
    } else if (dim.unknown()) {
      t.inferred = i;
      ++unknown;
    }
    t.dims.push_back(std::move(dim));
  }
  if (unknown != 1) t.inferred.reset();
  return t;
}

// Products of what is left of input and target when equal dims have been taken from both.
struct Rest {
  std::optional<int64_t> in, out;
};

std::optional<int64_t> KnownProduct(const std::vector<Dim>& dims) {
  for (const Dim& dim : dims) {
    if (!dim.known()) return std::nullopt;
  }
  const auto product = ProductOf(SymShape(dims), 0, dims.size());
  return product.ok() ? std::optional(product->value()) : std::nullopt;
}

Rest Cancel(const SymShape& in, const Target& t) {
  std::vector<Dim> left, right;
  std::vector<bool> taken(in.rank());
  for (size_t i = 0; i < t.dims.size(); ++i) {
    if (t.copied[i]) taken[i] = true;
  }
  for (size_t i = 0; i < in.rank(); ++i) {
    if (!taken[i]) left.push_back(in[i]);
  }
  for (size_t i = 0; i < t.dims.size(); ++i) {
    if (t.copied[i] || t.inferred == i) continue;
    const Dim& dim = t.dims[i];
    const auto same = std::find_if(left.begin(), left.end(), [&](const Dim& other) {
      return dim.symbolic() && other.SameAs(dim);
    });
    if (same != left.end()) {
      left.erase(same);
    } else {
      right.push_back(dim);
    }
  }
  return {KnownProduct(left), KnownProduct(right)};
}

Result<SymShape> Resolve(const SymShape& in, Target t, bool certain) {
  if (!in.has_rank()) return SymShape(std::move(t.dims));
  for (size_t i = 0; i < t.dims.size(); ++i) {
    if (t.copied[i] && i >= in.rank()) return SymShape(std::move(t.dims));
  }
  const Rest rest = Cancel(in, t);
  const auto fails = [&] {
    return Error(Code::kInvalidArgument, "input shape {} cannot become {}", in, SymShape(t.dims));
  };
  if (certain && in.Concrete() && !rest.out) {
    return Error(Code::kInvalidArgument, "input shape {} cannot become {}, whose size overflows",
                 in, SymShape(t.dims));
  }
  if (!t.inferred) {
    if (certain && rest.in && rest.out && *rest.in != *rest.out &&
        (in.Concrete() || (*rest.in != 0 && *rest.out != 0))) {
      // Copied dims of 0 make any other dims right.
      const auto total = SymShape(t.dims).Elems();
      const auto elems = in.Elems();
      if (!elems || !total || *elems != *total) return fails();
    }
    return SymShape(std::move(t.dims));
  }
  if (!rest.in || !rest.out) return SymShape(std::move(t.dims));
  if (*rest.out == 0) {
    if (!certain) return SymShape(std::move(t.dims));
    return Error(Code::kInvalidArgument,
                 "input shape {}: -1 is undetermined, because the other dimensions multiply to 0",
                 in);
  }
  if (*rest.in % *rest.out != 0) {
    if (certain) return fails();
  } else {
    t.dims[*t.inferred] = Dim(*rest.in / *rest.out);
  }
  return SymShape(std::move(t.dims));
}

}  // namespace

Status InferReshape(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  const bool allow_zero = ctx.attrs().Int("allowzero", 0) != 0;
  const ListArg shape = ListOf(ctx, "shape", 1);
  SymShape out;
  if (shape.values) {
    WB_ASSIGN_OR_RETURN(Target target, ReadTarget(in, *shape.values, allow_zero));
    WB_ASSIGN_OR_RETURN(out, Resolve(in, std::move(target), true));
  } else if (const auto request = ctx.SymbolicValues(1)) {
    WB_ASSIGN_OR_RETURN(out, Resolve(in, FromSymbols(in, *request, allow_zero), false));
  } else if (shape.count && *shape.count <= static_cast<size_t>(kMaxTrackedElems)) {
    out = UnknownOfRank(*shape.count);
  }
  SetLike(ctx, 0, std::move(out));
  ForwardContents(ctx);
  return Status::Ok();
}

Status InferFlatten(InferContext& ctx) {
  const SymShape& in = ctx.input_shape(0);
  if (!in.has_rank()) {
    SetLike(ctx, 0, UnknownOfRank(2));
    return Status::Ok();
  }
  const auto rank = static_cast<int64_t>(in.rank());
  int64_t axis = ctx.attrs().Int("axis", 1);
  if (axis < -rank || axis > rank) {
    return Error(Code::kInvalidArgument, "axis {} is out of range for rank {}", axis, rank);
  }
  if (axis < 0) axis += rank;
  const auto split = static_cast<size_t>(axis);
  WB_ASSIGN_OR_RETURN(const Dim rows, ProductOf(in, 0, split));
  WB_ASSIGN_OR_RETURN(const Dim columns, ProductOf(in, split, in.rank()));
  SetLike(ctx, 0, SymShape(std::vector<Dim>{rows, columns}));
  ForwardContents(ctx);
  return Status::Ok();
}

Status InferIdentity(InferContext& ctx) {
  if (ctx.num_outputs() == 0 || !ctx.has_input(0)) return Status::Ok();
  if (ctx.input_type(0).kind == ValueKind::kUnknown) return Status::Ok();
  ctx.output(0) = ctx.input_type(0);
  ForwardContents(ctx);
  return Status::Ok();
}

}  // namespace waybill::graph::infer
