#include "cpu/quant/byte_panels.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace waybill::cpu {
namespace {

// 255 times two weights of one sign that together are larger overflows 16 bits.
constexpr int32_t kMaxPair = 128;

bool Fits(int32_t a, int32_t b) { return a + b <= kMaxPair && a + b >= -kMaxPair; }

// Four weights, and what of them goes to the other step.
struct Quad {
  int32_t first[4] = {0, 0, 0, 0};
  int32_t rest[4] = {0, 0, 0, 0};
};

Quad SplitQuad(const int8_t* weights, size_t count) {
  Quad quad;
  for (size_t i = 0; i < count; ++i) quad.first[i] = weights[i];
  for (const size_t i : {0, 2}) {
    const int32_t a = quad.first[i];
    int32_t& b = quad.first[i + 1];
    if (Fits(a, b)) continue;
    const int32_t kept = a > 0 ? kMaxPair - a : -kMaxPair - a;
    quad.rest[i + 1] = b - kept;
    b = kept;
  }
  return quad;
}

uint32_t Join(const int32_t (&weights)[4]) {
  uint32_t all = 0;
  for (size_t i = 0; i < 4; ++i) {
    all |= static_cast<uint32_t>(static_cast<uint8_t>(weights[i])) << (8 * i);
  }
  return all;
}

}  // namespace

BytePanels BytePanels::Plan(size_t k, size_t n, size_t lanes, size_t nr, const int8_t* weights) {
  BytePanels panels;
  panels.k_ = k;
  panels.n_ = n;
  panels.lanes_ = lanes;
  panels.nr_ = nr;
  panels.sums_.reserve(n);
  for (size_t column = 0; column < n; ++column) {
    uint32_t sum = 0;
    for (size_t i = 0; i < k; ++i) sum += static_cast<uint32_t>(weights[column * k + i]);
    panels.sums_.push_back(static_cast<int32_t>(sum));
  }
  // One byte for each four inputs: whether some column of the panel needs another step.
  std::vector<uint8_t> extra((k + 3) / 4);
  for (size_t panel = 0; panel * nr < n; ++panel) {
    std::fill(extra.begin(), extra.end(), uint8_t{0});
    for (size_t j = panel * nr; j < panel * nr + panels.PanelColumns(panel); ++j) {
      const int8_t* row = weights + j * k;
      for (size_t i = 0; i + 1 < k; i += 2) {
        extra[i / 4] |= static_cast<uint8_t>(Fits(row[i], row[i + 1]) ? 0 : 1);
      }
    }
    std::vector<uint32_t> more;
    for (size_t at = 0; at < k; at += 4) {
      panels.offsets_.push_back(static_cast<uint32_t>(at));
      if (extra[at / 4] != 0) more.push_back(static_cast<uint32_t>(at));
    }
    panels.offsets_.insert(panels.offsets_.end(), more.begin(), more.end());
    panels.first_step_.push_back(panels.offsets_.size());
    panels.first_elem_.push_back(panels.elems_);
    panels.elems_ += panels.steps(panel) * panels.PaddedWidth(panel);
  }
  return panels;
}

double BytePanels::ExtraSteps() const {
  const auto main_steps = static_cast<double>((k_ + 3) / 4 * panels());
  return main_steps == 0 ? 0 : static_cast<double>(offsets_.size()) / main_steps - 1;
}

void BytePanels::Pack(const int8_t* weights, int32_t* packed) const {
  const size_t main_steps = (k_ + 3) / 4;
  for (size_t panel = 0; panel < panels(); ++panel) {
    const size_t width = PaddedWidth(panel);
    int32_t* const out = packed + first_elem_[panel];
    std::fill_n(out, width * steps(panel), 0);
    for (size_t j = 0; j < PanelColumns(panel); ++j) {
      const int8_t* row = weights + (panel * nr_ + j) * k_;
      for (size_t step = 0; step < steps(panel); ++step) {
        const size_t at = offsets(panel)[step];
        const int8_t* four = row + at;
        if (step < main_steps && at + 4 <= k_ && Fits(four[0], four[1]) && Fits(four[2], four[3])) {
          static_assert(std::endian::native == std::endian::little);
          std::memcpy(out + step * width + j, four, 4);
          continue;
        }
        const Quad quad = SplitQuad(four, std::min<size_t>(k_ - at, 4));
        out[step * width + j] =
            static_cast<int32_t>(Join(step < main_steps ? quad.first : quad.rest));
      }
    }
  }
}

}  // namespace waybill::cpu
