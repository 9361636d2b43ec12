// Several broadcast inputs as loops: as few axes as possible; along the inner one each input either
// goes on by one element or stays.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tensor/shape/shape.h"

namespace waybill::cpu {

template <size_t N>
struct NaryLoops {
  struct Axis {
    size_t dim = 1;
    std::array<size_t, N> strides = {};  // elements
  };
  std::vector<Axis> outer;
  Axis inner;
  size_t outer_count = 1;

  size_t elems() const { return outer_count * inner.dim; }

  // Calls fn(run, offsets) for outer iterations [begin, end): `offsets` is where each input's inner
  // line begins; the output's begins at run * inner.dim.
  template <typename Fn>
  void ForEach(size_t begin, size_t end, const Fn& fn) const {
    for (size_t run = begin; run < end; ++run) {
      std::array<size_t, N> offsets = {};
      size_t index = run;
      for (size_t i = outer.size(); i-- > 0;) {
        const size_t at = index % outer[i].dim;
        index /= outer[i].dim;
        for (size_t k = 0; k < N; ++k) offsets[k] += at * outer[i].strides[k];
      }
      fn(run, offsets);
    }
  }
};

// All inputs must broadcast to `out`.
template <size_t N>
NaryLoops<N> MakeNaryLoops(const std::array<const Shape*, N>& inputs, const Shape& out) {
  using Axis = typename NaryLoops<N>::Axis;
  std::vector<Axis> axes;  // innermost first
  for (size_t i = 0; i < out.rank(); ++i) {
    Axis axis;
    axis.dim = static_cast<size_t>(out[out.rank() - 1 - i]);
    if (axis.dim == 1) continue;
    bool joins = !axes.empty();
    for (size_t k = 0; k < N; ++k) {
      const Shape& in = *inputs[k];
      if (i < in.rank() && in[in.rank() - 1 - i] != 1) {
        axis.strides[k] = static_cast<size_t>(in.Stride(in.rank() - 1 - i));
      }
      joins = joins && axis.strides[k] == axes.back().strides[k] * axes.back().dim;
    }
    if (joins) {
      axes.back().dim *= axis.dim;
    } else {
      axes.push_back(axis);
    }
  }
  NaryLoops<N> loops;
  if (axes.empty()) {
    loops.inner.strides.fill(1);
    return loops;
  }
  loops.inner = axes.front();
  for (size_t i = axes.size(); i > 1; --i) {
    loops.outer.push_back(axes[i - 1]);
    loops.outer_count *= axes[i - 1].dim;
  }
  return loops;
}

}  // namespace waybill::cpu
