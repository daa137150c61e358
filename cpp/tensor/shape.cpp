// The algebra of partly known shapes.
#include "tensor/shape.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

namespace tracefn {

std::int64_t Shape::num_elements() const {
  bool empty = std::any_of(dims_.begin(), dims_.end(), [](std::int64_t d) { return d == 0; });
  if (empty) return 0;
  std::int64_t n = 1;
  for (std::int64_t d : dims_)
    if (__builtin_mul_overflow(n, d, &n))
      invalid_argument("Shape ", text(), " has too many elements: their number does not fit in 64 bits.");
  return n;
}

std::optional<std::int64_t> Shape::maybe_num_elements() const {
  if (!is_fully_known()) return std::nullopt;
  return num_elements();
}

bool Shape::is_compatible_with(const Shape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  if (rank() != other.rank()) return false;
  for (int i = 0; i < rank(); ++i)
    if ((*this)[i] >= 0 && other[i] >= 0 && (*this)[i] != other[i]) return false;
  return true;
}

bool Shape::is_supertype_of(const Shape& other) const {
  if (!known_rank_) return true;
  if (!other.known_rank_ || rank() != other.rank()) return false;
  for (int i = 0; i < rank(); ++i)
    if ((*this)[i] >= 0 && (*this)[i] != other[i]) return false;
  return true;
}

std::size_t Shape::hash() const {
  std::size_t h = known_rank_ ? 1 : 0;
  for (std::int64_t d : dims_) h = hash_add(h, d);
  return h;
}

std::string Shape::python_text() const {
  if (!known_rank_) return "<unknown>";
  std::string out = "(";
  for (int i = 0; i < rank(); ++i) {
    if (i) out += ", ";
    out += (*this)[i] < 0 ? "None" : std::to_string((*this)[i]);
  }
  return out + (rank() == 1 ? ",)" : ")");
}

std::string Shape::text() const {
  if (!known_rank_) return "<unknown>";
  std::string out = "[";
  for (int i = 0; i < rank(); ++i) {
    if (i) out += ",";
    out += (*this)[i] < 0 ? "?" : std::to_string((*this)[i]);
  }
  return out + "]";
}

Shape merge(const Shape& a, const Shape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank()) invalid_argument("Shapes must be equal rank, but are ", a.rank(), " and ", b.rank());
  Shape out = a;
  for (int i = 0; i < out.rank(); ++i) {
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i])
      invalid_argument("Dimension ", i, " in both shapes must be equal, but are ", a[i], " and ", b[i], ". Shapes are ",
                       a.text(), " and ", b.text(), ".");
    if (out[i] < 0 && b[i] != kUnknownDim) out[i] = b[i];
  }
  return out;
}

Shape most_specific_common_supertype(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown();
  Shape out = a;
  for (int i = 0; i < out.rank(); ++i)
    if (out[i] != b[i]) out[i] = kUnknownDim;
  return out;
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  int offset = longer.rank() - shorter.rank();
  Shape out = longer;
  for (int i = 0; i < shorter.rank(); ++i) {
    std::int64_t x = longer[i + offset], y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1) {
      out[i + offset] = y;
    } else if (x < 0 || y < 0) {
      // An unknown dimension beside n > 1 must be 1 or n; beside another unknown nothing is known.
      out[i + offset] = std::max(x, y) > 1 ? std::max(x, y) : std::max(x, y) == 0 ? 0 : kUnknownDim;
    } else {
      invalid_argument("Incompatible shapes: ", a.text(), " vs. ", b.text());
    }
  }
  return out;
}

bool can_broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    std::int64_t x = a[a.rank() - i], y = b[b.rank() - i];
    if (x != y && x >= 0 && y >= 0 && x != 1 && y != 1) return false;
  }
  return true;
}

}  // namespace tracefn
