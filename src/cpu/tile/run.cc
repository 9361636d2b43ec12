// Walks a block tile by tile.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cpu/tile/program.h"

namespace waybill::cpu {
namespace {

// A tile's temporaries and copies take half of the first-level cache or less.
constexpr size_t kTileElems = 1024;
constexpr size_t kTilesElems = 4096;
// Without any only the calls count.
constexpr size_t kLongTileElems = 8192;
constexpr size_t kAreaElems = 8192;
constexpr size_t kMaxSlots =
    graph::kMaxExprInputs + graph::kMaxExprSteps * (1 + 3) + 1;  // at most 3 numbers a step
static_assert(kMaxSlots <= 256);
constexpr size_t kMaxBuffers = graph::kMaxExprSteps + graph::kMaxExprInputs + 1;
// With very many buffers tiles get short, and fill the area.
constexpr size_t kShortTileElems = 160;
static_assert(kShortTileElems * kMaxBuffers <= kAreaElems);

size_t TileElems(size_t buffers) {
  if (buffers == 0) return kLongTileElems;
  return std::clamp(kTilesElems / buffers / 16 * 16, kShortTileElems, kTileElems);
}

// Copies [rows x columns] of an operand to dense rows.
void Expand(const TileOperand& from, size_t rows, size_t columns, float* to) {
  if (from.row_stride == 0 && rows > 1) {
    Expand(from, 1, columns, to);
    const size_t total = rows * columns;
    for (size_t done = columns; done < total; done *= 2) {
      std::memcpy(to + done, to, std::min(done, total - done) * sizeof(float));
    }
    return;
  }
  for (size_t r = 0; r < rows; ++r, to += columns) {
    const float* row = from.data + r * from.row_stride;
    if (from.column_stride == 1) {
      std::memcpy(to, row, columns * sizeof(float));
    } else if (from.column_stride == 0) {
      std::fill_n(to, columns, *row);
    } else {
      for (size_t c = 0; c < columns; ++c) to[c] = row[c * from.column_stride];
    }
  }
}

bool IsScalar(const TileOperand& x) { return x.row_stride == 0 && x.column_stride == 0; }

}  // namespace

// One call of TileProgram::Run.
class TileRun {
 public:
  TileRun(const TileProgram& program, float* out, size_t out_stride, size_t rows, size_t columns,
          std::span<const TileOperand> inputs)
      : program_(program), out_(out), out_stride_(out_stride), rows_(rows), columns_(columns) {
    std::copy_n(inputs.begin(), program.num_inputs_, inputs_.begin());
    Normalize();
    // Several short rows share a tile.
    by_rows_ = false;
    by_rows_ = rows_ == 1 || columns_ * 2 > TileElems(Buffers());
  }

  void Run() {
    Bind();
    PlaceBuffers();
    if (by_rows_) {
      RunRows();
    } else {
      RunPacked();
    }
  }

 private:
  struct Bound {
    TileFn fn;
    uint8_t a, b, c, result;
    bool once;  // all arguments are one number, and so is the result
  };

  std::span<TileOperand> Inputs() { return std::span(inputs_).first(program_.num_inputs_); }

  // A single column becomes a row; a dense block becomes one row.
  void Normalize() {
    if (columns_ == 1 && rows_ > 1 && out_stride_ == 1) {
      std::swap(rows_, columns_);
      for (TileOperand& x : Inputs()) x.column_stride = std::exchange(x.row_stride, 0);
    }
    if (rows_ == 1 || out_stride_ != columns_) return;
    for (const TileOperand& x : Inputs()) {
      const bool dense = x.column_stride == 1 && x.row_stride == columns_;
      if (!dense && !IsScalar(x)) return;
    }
    columns_ *= rows_;
    rows_ = 1;
  }

  // Whether an operand is one number within every tile.
  bool IsNumber(const TileOperand& x) const {
    return x.column_stride == 0 && (by_rows_ || x.row_stride == 0);
  }
  // Whether an operand can be read where it lies.
  bool InPlace(const TileOperand& x) const {
    if (IsNumber(x)) return true;
    return x.column_stride == 1 && (by_rows_ || x.row_stride == columns_);
  }

  void Bind() {
    std::array<bool, kMaxSlots> number = {};
    for (size_t i = 0; i < program_.num_inputs_; ++i) number[i] = IsNumber(inputs_[i]);
    const size_t first_number = program_.num_inputs_ + program_.num_temps_;
    for (size_t i = 0; i < program_.numbers_.size(); ++i) {
      number[first_number + i] = true;
      slots_[first_number + i] = program_.numbers_.data() + i;
    }
    for (size_t i = 0; i < program_.code_.size(); ++i) {
      const TileProgram::Instruction& from = program_.code_[i];
      unsigned scalars = 0;
      for (size_t k = 0; k < from.arity; ++k) {
        scalars |= static_cast<unsigned>(number[from.args[k]]) << k;
      }
      const bool once = scalars + 1 == 1u << from.arity;
      code_[i] = {from.functions->by_scalars[once ? 0 : scalars],
                  from.args[0],
                  from.args[1],
                  from.args[2],
                  from.result,
                  once};
      number[from.result] = once;
    }
  }

  bool CopiesOut() const { return !by_rows_ && out_stride_ != columns_; }

  // Temporaries and copies of operands (and of the result, when its rows do not touch).
  size_t Buffers() const {
    size_t buffers = program_.num_temps_ + (CopiesOut() ? 1 : 0);
    for (size_t i = 0; i < program_.num_inputs_; ++i) buffers += InPlace(inputs_[i]) ? 0 : 1;
    return buffers;
  }

  void PlaceBuffers() {
    tile_ = TileElems(Buffers());
    float* next = area_;
    for (size_t i = 0; i < program_.num_temps_; ++i, next += tile_) {
      slots_[program_.num_inputs_ + i] = next;
    }
    for (size_t i = 0; i < program_.num_inputs_; ++i) {
      copies_[i] = nullptr;
      if (InPlace(inputs_[i])) continue;
      copies_[i] = next;
      next += tile_;
    }
    out_copy_ = CopiesOut() ? next : nullptr;
  }

  void Execute(float* out, size_t n) {
    const size_t result = program_.result_slot();
    slots_[result] = out;
    for (size_t i = 0; i < program_.code_.size(); ++i) {
      const Bound& step = code_[i];
      // Only temporaries and the result are ever written.
      auto* to = const_cast<float*>(slots_[step.result]);
      step.fn(slots_[step.a], slots_[step.b], slots_[step.c], to, step.once ? 1 : n);
    }
    if (code_[program_.code_.size() - 1].once) std::fill_n(out, n, *out);
  }

  void RunRows() {
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t c = 0; c < columns_; c += tile_) {
        const size_t n = std::min(tile_, columns_ - c);
        for (size_t i = 0; i < program_.num_inputs_; ++i) {
          const TileOperand& x = inputs_[i];
          slots_[i] = x.data + r * x.row_stride + c * x.column_stride;
          if (copies_[i] == nullptr) continue;
          Expand({slots_[i], 0, x.column_stride}, 1, n, copies_[i]);
          slots_[i] = copies_[i];
        }
        Execute(out_ + r * out_stride_ + c, n);
      }
    }
  }

  void RunPacked() {
    const size_t tile_rows = std::max<size_t>(1, tile_ / columns_);
    for (size_t r = 0; r < rows_; r += tile_rows) {
      const size_t count = std::min(tile_rows, rows_ - r);
      for (size_t i = 0; i < program_.num_inputs_; ++i) {
        const TileOperand& x = inputs_[i];
        slots_[i] = x.data + r * x.row_stride;
        if (copies_[i] == nullptr) continue;
        // Rows that are all the same are copied for the first tile, which is the tallest.
        if (r == 0 || x.row_stride != 0) {
          Expand({slots_[i], x.row_stride, x.column_stride}, count, columns_, copies_[i]);
        }
        slots_[i] = copies_[i];
      }
      float* const block = out_ + r * out_stride_;
      Execute(out_copy_ != nullptr ? out_copy_ : block, count * columns_);
      if (out_copy_ == nullptr) continue;
      for (size_t k = 0; k < count; ++k) {
        std::memcpy(block + k * out_stride_, out_copy_ + k * columns_, columns_ * sizeof(float));
      }
    }
  }

  const TileProgram& program_;
  float* out_;
  size_t out_stride_, rows_, columns_;
  bool by_rows_ = false;
  size_t tile_ = 0;
  float* out_copy_ = nullptr;
  std::array<TileOperand, graph::kMaxExprInputs> inputs_;
  std::array<float*, graph::kMaxExprInputs> copies_;
  std::array<const float*, kMaxSlots> slots_;
  std::array<Bound, graph::kMaxExprSteps> code_;
  alignas(64) float area_[kAreaElems];
};

void TileProgram::Run(float* out, size_t out_stride, size_t rows, size_t columns,
                      std::span<const TileOperand> inputs) const {
  if (rows == 0 || columns == 0) return;
  TileRun(*this, out, out_stride, rows, columns, inputs).Run();
}

}  // namespace waybill::cpu
