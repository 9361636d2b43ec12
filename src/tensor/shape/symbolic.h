// Shapes as a graph knows them before a run: a dimension is a number, a named symbol, or unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensor/shape/shape.h"

namespace waybill {

class Dim {
 public:
  Dim() = default;                       // unknown
  Dim(int64_t value) : value_(value) {}  // NOLINT: known, value >= 0
  static Dim Symbol(std::string name) {  // equal names are equal sizes, model-wide
    Dim dim;
    dim.symbol_ = std::move(name);
    return dim;
  }

  bool known() const { return value_ >= 0; }
  bool symbolic() const { return !known() && !symbol_.empty(); }
  bool unknown() const { return !known() && symbol_.empty(); }
  int64_t value() const { return value_; }  // -1 unless known()
  const std::string& symbol() const { return symbol_; }

  // Certainly the same size: equal numbers or equal symbols.
  bool SameAs(const Dim& other) const {
    return known() ? other.value_ == value_ : symbolic() && other.symbol_ == symbol_;
  }
  bool operator==(const Dim&) const = default;
  std::string ToString() const;  // "3", "batch", "?"

 private:
  int64_t value_ = -1;
  std::string symbol_;
};

// Rank unknown, or a list of Dims.
class SymShape {
 public:
  SymShape() = default;  // unknown rank
  explicit SymShape(std::vector<Dim> dims) : dims_(std::move(dims)) {}
  explicit SymShape(const Shape& shape)
      : dims_(std::vector<Dim>(shape.dims().begin(), shape.dims().end())) {}

  bool has_rank() const { return dims_.has_value(); }
  size_t rank() const { return dims_->size(); }  // only when has_rank()
  const Dim& operator[](size_t i) const { return (*dims_)[i]; }
  Dim& operator[](size_t i) { return (*dims_)[i]; }
  const std::vector<Dim>& dims() const { return *dims_; }

  // The concrete shape when every dimension is known.
  std::optional<Shape> Concrete() const;
  // Product of the dims when all are known and it does not overflow.
  std::optional<int64_t> Elems() const;
  bool operator==(const SymShape&) const = default;
  std::string ToString() const;  // "[batch, 3, ?]", or "?" for unknown rank

 private:
  std::optional<std::vector<Dim>> dims_;
};

}  // namespace waybill
