// What the ops that parse examples share.
#include "ops/files/parsed_features.h"

#include <algorithm>
#include <cstdio>

namespace tracefn {

FeatureIndex index_features(const std::vector<WantedFeature>& wanted) {
  FeatureIndex index;
  for (std::size_t i = 0; i < wanted.size(); ++i) index.emplace(wanted[i].key, i);
  return index;
}

std::int64_t FoundFeatures::count(std::size_t feature) const {
  std::int64_t n = 0;
  for (std::size_t e = 0; e < examples_; ++e) n += values_at(feature, e).count;
  return n;
}
std::int64_t FoundFeatures::longest(std::size_t feature) const {
  std::int64_t n = 0;
  for (std::size_t e = 0; e < examples_; ++e) n = std::max(n, values_at(feature, e).count);
  return n;
}

Tensor FoundFeatures::values(std::size_t feature, DType dtype) const {
  Tensor out(dtype, Shape({count(feature)}));
  std::int64_t place = 0;
  for (std::size_t e = 0; e < examples_; ++e) place = copy_values(values_at(feature, e), out, place);
  return out;
}
Tensor FoundFeatures::indices(std::size_t feature) const {
  Tensor out(DType::kInt64, Shape({count(feature), batch_ ? 2 : 1}));
  auto* to = out.mutable_data<std::int64_t>();
  for (std::size_t e = 0; e < examples_; ++e) {
    for (std::int64_t i = 0; i < values_at(feature, e).count; ++i) {
      if (batch_) *to++ = static_cast<std::int64_t>(e);
      *to++ = i;
    }
  }
  return out;
}
Tensor FoundFeatures::shape(std::size_t feature) const {
  const std::int64_t sizes[] = {size(), longest(feature)};
  return Tensor::vector(std::span<const std::int64_t>(sizes).subspan(batch_ ? 0 : 1));
}
Tensor FoundFeatures::splits(std::size_t feature, DType dtype) const {
  Splits out(dtype, batch_ ? size() + 1 : 0);
  if (!batch_) return out.take();
  std::int64_t place = 0;
  out.set(0, 0);
  for (std::size_t e = 0; e < examples_; ++e)
    out.set(static_cast<std::int64_t>(e) + 1, place += values_at(feature, e).count);
  return out.take();
}

std::size_t FoundFeatures::write_sparse(KernelContext& c, std::size_t at, std::size_t first, std::size_t count,
                                        const std::vector<WantedFeature>& wanted) const {
  for (std::size_t i = 0; i < count; ++i) {
    c.set_output(at + i, indices(first + i));
    c.set_output(at + count + i, values(first + i, wanted[first + i].dtype));
    c.set_output(at + 2 * count + i, shape(first + i));
  }
  return at + 3 * count;
}
std::size_t FoundFeatures::write_ragged(KernelContext& c, std::size_t at, std::size_t first,
                                        const std::vector<DType>& split_types,
                                        const std::vector<WantedFeature>& wanted) const {
  const std::size_t count = split_types.size();
  for (std::size_t i = 0; i < count; ++i) {
    c.set_output(at + i, values(first + i, wanted[first + i].dtype));
    c.set_output(at + count + i, splits(first + i, split_types[i]));
  }
  return at + 2 * count;
}

void want_features(std::vector<WantedFeature>& wanted, FeatureForm form, std::span<const std::string> keys,
                   const std::vector<DType>& dtypes) {
  for (std::size_t i = 0; i < keys.size(); ++i) wanted.push_back({form, dtypes[i], keys[i]});
}

std::vector<DenseShape> dense_shapes(const std::vector<Shape>& shapes) {
  std::vector<DenseShape> found;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    DenseShape dense{shape};
    bool known = shape.has_rank();
    for (int axis = 0; known && axis < shape.rank(); ++axis) {
      if (shape[axis] != kUnknownDim) {
        dense.stride = checked_product(dense.stride, shape[axis]);
      } else if (axis == 0) {
        dense.variable = true;
      } else {
        known = false;
      }
    }
    if (!known) invalid_argument("dense_shapes[", i, "] has unknown rank or unknown inner dimensions: ", shape.text());
    found.push_back(std::move(dense));
  }
  return found;
}

Shape dense_result(const Shape& serialized, const Shape& feature) {
  if (!serialized.has_rank() || !feature.has_rank()) return Shape::unknown();
  Shape out = serialized;
  for (std::int64_t d : feature.dims()) out.push_back(d);
  return out;
}

std::size_t infer_sparse(InferContext& c, std::size_t at, std::size_t count, std::int64_t rank) {
  for (std::size_t i = 0; i < count; ++i) {
    c.set_output(at + i, Shape({kUnknownDim, rank}));
    c.set_output(at + count + i, Shape({kUnknownDim}));
    c.set_output(at + 2 * count + i, Shape({rank}));
  }
  return at + 3 * count;
}

std::size_t infer_vectors(InferContext& c, std::size_t at, std::size_t count, std::int64_t size) {
  for (std::size_t i = 0; i < count; ++i) c.set_output(at + i, Shape({size}));
  return at + count;
}

std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(ErrorKind::kResourceExhausted, "A parsed feature has more than 2**63 - 1 values: ", a, " times ", b, ".");
  return product;
}

std::string shown_bytes(std::string_view bytes) {
  constexpr std::size_t kMost = 200;
  std::string shown;
  for (char c : bytes.substr(0, kMost)) {
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      shown += c;
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      shown += escaped;
    }
  }
  return bytes.size() > kMost ? shown + "..." : shown;
}

}  // namespace tracefn
