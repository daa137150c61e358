// BitTable: rows of bits, for sets of slots by instruction and of points by register.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tracefn::machine_code {

class BitTable {
 public:
  BitTable(std::size_t rows, std::size_t columns) : words_((columns + 63) / 64), bits_(rows * words_, 0) {}

  std::span<std::uint64_t> row(std::size_t r) { return {bits_.data() + r * words_, words_}; }
  std::span<const std::uint64_t> row(std::size_t r) const { return {bits_.data() + r * words_, words_}; }
  bool has(std::size_t r, std::size_t column) const { return row(r)[column / 64] >> (column % 64) & 1; }
  void set(std::size_t r, std::size_t column) { row(r)[column / 64] |= std::uint64_t{1} << (column % 64); }
  void clear(std::size_t r, std::size_t column) { row(r)[column / 64] &= ~(std::uint64_t{1} << (column % 64)); }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

inline bool meet(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] & b[i]) return true;
  return false;
}
// Calls f with the column of every bit that is set.
template <typename F>
void for_bits(std::span<const std::uint64_t> row, const F& f) {
  for (std::size_t w = 0; w < row.size(); ++w)
    for (std::uint64_t rest = row[w]; rest; rest &= rest - 1)
      f(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
}
// Adds b to a; returns whether a changed.
inline bool unite(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    changed |= b[i] & ~a[i];
    a[i] |= b[i];
  }
  return changed != 0;
}

}  // namespace tracefn::machine_code
