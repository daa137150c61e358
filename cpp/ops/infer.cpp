// Value access for shape rules, and shared rules.
#include "ops/infer.h"

#include "ops/typed.h"

namespace tracefn {

Shape InferContext::shape_value(std::size_t i, bool minus_one_is_unknown) const {
  const Input& in = inputs_[i];
  if (i < kMostNoted) shapes_asked_ |= std::uint64_t{1} << i;
  if (in.value) {
    if (in.value->rank() > 1)
      invalid_argument("Shape must be a vector, got a tensor of shape ", in.value->shape().text());
    Dims dims;
    std::int64_t n = in.value->num_elements();
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t d = index_at(*in.value, k);
      if (d < -1 && !running_) invalid_argument("Invalid value in tensor used for shape: ", d);
      if (d < 0 && !(d == -1 && minus_one_is_unknown)) invalid_argument("Dimension ", d, " must be >= 0");
      dims.push_back(d);
    }
    return Shape(std::move(dims));
  }
  if (partial_ && !in.shape->is_scalar()) return partial_->as_shape(i);
  if (in.shape->has_rank() && in.shape->rank() == 1 && (*in.shape)[0] >= 0)
    return Shape::of_rank(static_cast<int>((*in.shape)[0]));
  return Shape::unknown();
}

std::optional<std::int64_t> InferContext::int_value(std::size_t i) const {
  const Tensor* value = this->value(i);
  if (!value) return std::nullopt;
  if (value->num_elements() != 1) invalid_argument("Input ", i, " must be a scalar, got shape ", value->shape().text());
  return index_at(*value, 0);
}

std::int64_t InferContext::dim_value(std::size_t i) const {
  std::optional<std::int64_t> dim = int_value(i);
  if (!dim) return kUnknownDim;
  if (*dim < 0) invalid_argument("Dimension size, given by scalar input ", i, ", must be non-negative but is ", *dim);
  return *dim;
}

std::optional<Dims> InferContext::int_values(std::size_t i) const {
  const Tensor* value = this->value(i);
  if (!value) return std::nullopt;
  Dims out;
  std::int64_t n = value->num_elements();
  for (std::int64_t k = 0; k < n; ++k) out.push_back(index_at(*value, k));
  return out;
}

void InferContext::fail_rank(std::size_t i, std::string_view bound, int rank) const {
  invalid_argument("Shape must be ", bound, "rank ", rank, " but is rank ", shape(i).rank());
}

void require_equal(std::int64_t a, std::int64_t b) {
  if (a >= 0 && b >= 0 && a != b) invalid_argument("Dimensions must be equal, but are ", a, " and ", b);
}

std::int64_t merge_dims(std::int64_t a, std::int64_t b) {
  require_equal(a, b);
  if (a >= 0) return a;
  return b >= 0 || a == kUnknownDim ? b : a;  // maybe a symbol
}

Shape merge_or_explain(const Shape& a, const Shape& b) {
  if (a.is_compatible_with(b)) return merge(a, b);
  if (a.rank() != b.rank()) invalid_argument("Shapes must be equal rank, but are ", a.rank(), " and ", b.rank());
  int i = 0;
  while (a[i] < 0 || b[i] < 0 || a[i] == b[i]) ++i;
  invalid_argument("Dimension ", i, " in both shapes must be equal, but are ", a[i], " and ", b[i], ". Shapes are ",
                   a.text(), " and ", b.text(), ".");
}

namespace infer {

void same_as_first(InferContext& c) {
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, c.shape(0));
}

void broadcast_all(InferContext& c) {
  Shape out = c.shape(0);
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    const Shape& other = c.shape(i);
    if (!can_broadcast(out, other)) {
      // TensorFlow's shape functions name the first dimensions, its kernels ("Incompatible shapes") the shapes.
      int k = std::min(out.rank(), other.rank());
      auto fits = [](std::int64_t x, std::int64_t y) { return x == y || x < 0 || y < 0 || x == 1 || y == 1; };
      while (fits(out[out.rank() - k], other[other.rank() - k])) --k;
      invalid_argument("Dimensions must be equal, but are ", out[out.rank() - k], " and ", other[other.rank() - k]);
    }
    out = broadcast(out, other);
  }
  c.set_output(0, std::move(out));
}

void scalar(InferContext& c) {
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, Shape());
}

void unknown(InferContext& c) {
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, Shape::unknown());
}

void nothing(InferContext&) {}

}  // namespace infer

std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank, std::string_view what) {
  if (axis < -rank || axis >= rank)
    invalid_argument(what, " ", axis, " must be in the range [", -rank, ", ", rank, ")");
  return axis < 0 ? axis + rank : axis;
}

}  // namespace tracefn
