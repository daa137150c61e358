// Shape: dimensions that may be unknown (-1), of a rank that may be unknown. A value type; a fully known Shape is also
// the shape of a Tensor.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "base/small_vector.h"

namespace tracefn {

// Any negative dimension is unknown. One below kUnknownDim is a symbol, used by passes: the same unknown dimension
// everywhere. So shape rules pass through the dimensions that they do not change, and return kUnknownDim for those that
// they compute from an unknown one.
inline constexpr std::int64_t kUnknownDim = -1;
inline constexpr int kMaxRank = 254;

using Dims = SmallVector<std::int64_t, 5>;

class Shape {
 public:
  Shape() = default;  // a scalar's
  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
  explicit Shape(Dims dims) : dims_(std::move(dims)) {}
  explicit Shape(std::span<const std::int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  static Shape unknown() {
    Shape s;
    s.known_rank_ = false;
    return s;
  }
  // Of the given rank, with every dimension unknown.
  static Shape of_rank(int rank) { return Shape(Dims(static_cast<std::size_t>(rank), kUnknownDim)); }

  bool has_rank() const { return known_rank_; }
  // Precondition for the next four: has_rank().
  int rank() const { return static_cast<int>(dims_.size()); }
  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }
  const Dims& dims() const { return dims_; }
  void push_back(std::int64_t dim) { dims_.push_back(dim); }

  bool is_fully_known() const {
    if (!known_rank_) return false;
    for (std::int64_t d : dims_)
      if (d < 0) return false;
    return true;
  }
  bool is_scalar() const { return known_rank_ && dims_.empty(); }
  // Product of the dimensions; Error(kInvalidArgument) past 2^63-1. Precondition: is_fully_known().
  std::int64_t num_elements() const;
  // Product of the dimensions `from` to before `to`, which are known and whose product is below 2^63.
  std::int64_t product(int from, int to) const {
    std::int64_t n = 1;
    for (int i = from; i < to; ++i) n *= (*this)[i];
    return n;
  }
  // num_elements(), or nothing when a dimension is unknown.
  std::optional<std::int64_t> maybe_num_elements() const;

  bool operator==(const Shape& other) const { return known_rank_ == other.known_rank_ && dims_ == other.dims_; }
  // True if some full shape fits both.
  bool is_compatible_with(const Shape& other) const;
  // True if every full shape that fits `other` fits this one (the partial order of trace types).
  bool is_supertype_of(const Shape& other) const;
  std::size_t hash() const;

  // "(2, None)", "(3,)", "<unknown>": as str(tf.TensorShape).
  std::string python_text() const;
  // "[2,?]", "<unknown>": as in messages of TensorFlow's runtime.
  std::string text() const;

 private:
  Dims dims_;
  bool known_rank_ = true;
};

// Both merged, each dimension known if either knows it. Error(kInvalidArgument) if they conflict.
Shape merge(const Shape& a, const Shape& b);
// The least general shape that fits whatever fits either: differing dimensions and ranks become unknown.
Shape most_specific_common_supertype(const Shape& a, const Shape& b);
// Numpy's broadcasting; Error(kInvalidArgument, "Incompatible shapes: [3] vs. [2]") if they do not fit.
Shape broadcast(const Shape& a, const Shape& b);
// Whether they broadcast, as far as is known.
bool can_broadcast(const Shape& a, const Shape& b);

inline std::string printed(const Shape& shape) { return shape.text(); }

}  // namespace tracefn
