// Addresses are sums of an index times a stride and numbers that are known beforehand.
#include "ops/array/indexed_elements.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/concat.h"
#include "base/error.h"
#include "ir/graph.h"
#include "ops/array/indexing.h"
#include "ops/array/slice_spec.h"

namespace tracefn {
namespace {

using Element = ElementsContext::Element;
using Elements = ElementsContext::Elements;

// Elements of a row-major tensor from one index of each axis to the next; the first dimension does not matter.
Dims strides_of(const Shape& shape) {
  Dims strides(static_cast<std::size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 1; i-- > 0;)
    strides[static_cast<std::size_t>(i)] = strides[static_cast<std::size_t>(i) + 1] * shape[i + 1];
  return strides;
}

Element sum(ElementsContext& c, Element a, Element b) { return c.apply<functions::Add>(DType::kInt64, {a, b}); }
Element scaled(ElementsContext& c, Element a, std::int64_t by) {
  return by == 1 ? a : c.apply<functions::Mul>(DType::kInt64, {a, c.index(by)});
}

// The offset of an index vector whose elements were checked in order; nothing if one certainly fails.
std::optional<Element> offset_of(ElementsContext& c, std::span<const Element> vector, std::size_t of,
                                 std::string_view what, const std::string& behind) {
  const Shape& shape = c.shape(of);
  const Dims strides = strides_of(shape);
  // The message has all elements of the vector, so there may be two.
  if (vector.size() > 2 || (vector.size() == 2 && shape[0] < 0)) return std::nullopt;
  std::optional<Element> at;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    const bool two = vector.size() == 2;
    std::string text = concat(what, " = [", two && k == 1 ? "{2}, {0}" : two ? "{0}, {2}" : "{0}", "]", behind);
    if (two && c.number()) return std::nullopt;
    const std::optional<Element> other = two ? std::optional(vector[1 - k]) : c.number();
    if (!c.check_index(vector[k], c.size(of, static_cast<int>(k)), std::move(text), other)) return std::nullopt;
    const Element part = scaled(c, vector[k], strides[k]);
    at = at ? sum(c, *at, part) : part;
  }
  return at ? at : c.index(0);
}

// A shape in messages: the first dimension, if it is unknown, is the limit of the first index.
std::string text_of(const Shape& shape) {
  if (shape.rank() == 0 || shape[0] >= 0) return shape.text();
  std::string text = "[{1}";
  for (int i = 1; i < shape.rank(); ++i) text += concat(",", shape[i]);
  return text + "]";
}

std::vector<std::int64_t> numbers_up_to(std::int64_t n) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

}  // namespace

bool gather_elements(ElementsContext& c) {
  const Shape &params = c.shape(0), indices_shape = c.shape(1);
  if (params.rank() == 0) return false;
  int axis = 0;
  if (c.node.inputs.size() > 2) {
    const std::optional<Dims> given = c.integers(2);
    if (!given || c.node.attr("batch_dims").i() != 0) return false;
    axis = static_cast<int>((*given)[0] < 0 ? (*given)[0] + params.rank() : (*given)[0]);
    if (axis < 0 || axis >= params.rank()) return false;
  }
  if (axis > 0 && params[0] < 0) return false;
  const std::optional<Elements> indices = c.elements(1);
  const std::int64_t outer = params.product(0, axis), inner = params.product(axis + 1, params.rank());
  if (!indices) return false;
  const auto count = static_cast<std::int64_t>(indices->size()),
             most = count == 1 ? ElementsContext::kMostLoaded : ElementsContext::kMost;
  if (outer * inner * count > most) return false;
  Shape shape(std::span<const std::int64_t>(params.dims().begin(), params.dims().begin() + axis));
  for (std::int64_t d : indices_shape.dims()) shape.push_back(d);
  for (int i = axis + 1; i < params.rank(); ++i) shape.push_back(params[i]);
  const Element limit = c.size(0, axis);
  Elements picked;
  for (std::int64_t i = 0; i < count; ++i) {
    const Element index = c.as_index((*indices)[static_cast<std::size_t>(i)], c.dtype(1));
    if (!c.check_index(index, limit, concat("indices", place_text(indices_shape, i), " = {0} is not in [0, {1})")))
      return false;
    picked.push_back(scaled(c, index, inner));
  }
  const std::int64_t dim = axis > 0 ? params[axis] : 0;
  std::vector<std::int64_t> offsets;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t k = 0; k < inner; ++k) offsets.push_back(o * dim * inner + k);
  if (count == 1) return c.set_loaded(0, 0, std::move(shape), picked[0], offsets);
  Elements out(static_cast<std::size_t>(outer * count * inner), Element{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::optional<Elements> loaded = c.load(0, picked[static_cast<std::size_t>(i)], offsets);
    if (!loaded) return false;
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t k = 0; k < inner; ++k)
        out[static_cast<std::size_t>((o * count + i) * inner + k)] = (*loaded)[static_cast<std::size_t>(o * inner + k)];
  }
  c.set_output(0, c.dtype(0), std::move(shape), std::move(out));
  return true;
}

bool gather_nd_elements(ElementsContext& c) {
  const Shape &params = c.shape(0), vectors = c.shape(1);
  if (params.rank() == 0 || vectors.rank() == 0 || ignores_bad_indices(c.node.attr("bad_indices_policy").s()))
    return false;
  const int depth = static_cast<int>(vectors[vectors.rank() - 1]);
  const std::optional<Elements> given = c.elements(1);
  if (!given || depth == 0 || depth > params.rank()) return false;
  const auto count = static_cast<std::int64_t>(given->size()) / depth;
  const std::int64_t inner = params.product(depth, params.rank());
  if (count * inner > (count == 1 ? ElementsContext::kMostLoaded : ElementsContext::kMost)) return false;
  Shape places;
  for (int i = 0; i + 1 < vectors.rank(); ++i) places.push_back(vectors[i]);
  Shape shape = places;
  for (int i = depth; i < params.rank(); ++i) shape.push_back(params[i]);
  // The kernel names the last vector that is outside.
  std::vector<Element> places_of(static_cast<std::size_t>(count));
  for (std::int64_t i = count; i-- > 0;) {
    Elements vector;
    for (int k = 0; k < depth; ++k)
      vector.push_back(c.as_index((*given)[static_cast<std::size_t>(i * depth + k)], c.dtype(1)));
    const std::optional<Element> at =
        offset_of(c, {vector.data(), vector.size()}, 0, "indices" + place_text(places, i),
                  concat(" does not index into param shape ", text_of(params), ", node name: ", c.node.name));
    if (!at) return false;
    places_of[static_cast<std::size_t>(i)] = *at;
  }
  if (count == 1) return c.set_loaded(0, 0, std::move(shape), places_of[0], numbers_up_to(inner));
  Elements out;
  for (const Element at : places_of) {
    const std::optional<Elements> loaded = c.load(0, at, numbers_up_to(inner));
    if (!loaded) return false;
    for (Element e : *loaded) out.push_back(e);
  }
  c.set_output(0, c.dtype(0), std::move(shape), std::move(out));
  return true;
}

bool slice_elements(ElementsContext& c) {
  const Shape& in = c.shape(0);
  const std::optional<Elements> begin = c.elements(1);
  const std::optional<Dims> sizes = c.integers(2);
  if (!begin || !sizes || in.rank() == 0 || in[0] < 0 || static_cast<int>(sizes->size()) != in.rank()) return false;
  const Dims strides = strides_of(in);
  std::optional<Element> at;
  std::vector<std::int64_t> offsets{0};
  for (int i = 0; i < in.rank(); ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const std::int64_t size = (*sizes)[axis];
    if (size < 0 || size > in[i]) return false;
    const Element b = c.as_index((*begin)[axis], c.dtype(1));
    // TensorFlow's messages have the rest of the dimension, or the dimension. A size that fits it needs one check.
    const Element limit = c.index(in[i] - size + 1);
    const std::string text =
        size == 0 ? concat("Expected begin[", i, "] in [0, ", in[i], "], but got {0}") : std::string();
    if (size != 0) {
      if (!c.check_index(b, c.index(in[i] + 1), concat("Expected begin[", i, "] in [0, ", in[i], "], but got {0}")))
        return false;
      const Element rest = c.apply<functions::Sub>(DType::kInt64, {c.index(in[i]), b});
      if (!c.check_index(b, limit, concat("Expected size[", i, "] in [0, {2}], but got ", size), rest)) return false;
    } else if (!c.check_index(b, limit, text)) {
      return false;
    }
    const Element part = scaled(c, b, strides[axis]);
    at = at ? sum(c, *at, part) : part;
    std::vector<std::int64_t> more;
    for (std::int64_t o : offsets)
      for (std::int64_t k = 0; k < size; ++k) more.push_back(o + k * strides[axis]);
    if (more.size() > static_cast<std::size_t>(ElementsContext::kMostLoaded)) return false;
    offsets = std::move(more);
  }
  return c.set_loaded(0, 0, Shape(*sizes), *at, offsets);
}

bool strided_slice_elements(ElementsContext& c) {
  const Shape& in = c.shape(0);
  const std::optional<Elements> begins = c.elements(1), ends = c.elements(2);
  const std::optional<Dims> steps = c.integers(3);
  if (!begins || !ends || !steps || in.rank() == 0) return false;
  const SliceMasks masks = slice_masks(c.node);
  auto has = [](std::int64_t mask, std::size_t i) { return i < 63 && (mask >> i & 1) != 0; };
  const std::size_t n = steps->size();
  // The slice with index 0 in place of those that are not known yet, and with one row if their number is not known.
  std::vector<std::int64_t> begin(n), end(n);
  struct Index {
    int axis;
    Element at;
  };
  SmallVector<Index, 4> indices;
  Shape shape = in;
  if (in[0] < 0) shape[0] = 1;
  bool first_is_index = false;
  int axis = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (has(masks.ellipsis, i)) {
      int later = 0;
      for (std::size_t k = i + 1; k < n; ++k) later += !has(masks.new_axis, k);
      axis = in.rank() - later;
      continue;
    }
    if (has(masks.new_axis, i)) continue;
    if (axis >= in.rank()) return false;
    const std::optional<std::int64_t> b = c.integer((*begins)[i], c.dtype(1)), e = c.integer((*ends)[i], c.dtype(2));
    if (has(masks.shrink, i)) {
      first_is_index |= axis == 0;
      if (!b || (axis == 0 && in[0] < 0)) {
        indices.push_back({axis, c.as_index((*begins)[i], c.dtype(1))});
      } else {
        begin[i] = *b;
      }
      end[i] = begin[i] + 1;
    } else if ((!b && !has(masks.begin, i)) || (!e && !has(masks.end, i))) {
      return false;
    } else {
      begin[i] = b.value_or(0);
      end[i] = e.value_or(0);
    }
    ++axis;
  }
  if (in[0] < 0 && !first_is_index) return false;
  const Tensor first = Tensor::vector(std::span<const std::int64_t>(begin)),
               last = Tensor::vector(std::span<const std::int64_t>(end)),
               stride = Tensor::vector(std::span<const std::int64_t>(steps->begin(), steps->end()));
  ResolvedSlice slice;
  try {
    slice = resolve_slice(&first, &last, stride, masks, shape);
  } catch (const Error&) {
    return false;  // the op's own kernel reports it when it runs
  }
  const Dims strides = strides_of(in);
  std::optional<Element> at;
  for (const Index& index : indices) {
    const Element limit = c.size(0, index.axis);
    const std::optional<Element> wrapped =
        c.wrap_index(index.at, limit, concat("slice index {0} of dimension ", index.axis, " out of bounds."));
    if (!wrapped) return false;
    const Element part = scaled(c, *wrapped, strides[static_cast<std::size_t>(index.axis)]);
    at = at ? sum(c, *at, part) : part;
  }
  std::vector<std::int64_t> offsets{0};
  for (int i = 0; i < in.rank(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<std::int64_t> more;
    for (std::int64_t o : offsets)
      for (std::int64_t j = 0; j < slice.block[i]; ++j)
        more.push_back(o + (slice.begin[k] + j * slice.stride[k]) * strides[k]);
    if (more.size() > static_cast<std::size_t>(ElementsContext::kMostLoaded)) return false;
    offsets = std::move(more);
  }
  return c.set_loaded(0, 0, slice.shape, at ? *at : c.index(0), offsets);
}

bool scatter_elements(ElementsContext& c, ElementUpdate update) {
  const Shape &in = c.shape(0), vectors = c.shape(1);
  if (in.rank() == 0 || vectors.rank() == 0 || ignores_bad_indices(c.node.attr("bad_indices_policy").s())) return false;
  // The kernel does not look at indices then.
  if (std::ranges::any_of(in.dims(), [](std::int64_t d) { return d == 0; })) return false;
  const int depth = static_cast<int>(vectors[vectors.rank() - 1]);
  const std::optional<Elements> given = c.elements(1), values = c.elements(2);
  if (!given || !values || depth == 0 || depth > in.rank()) return false;
  const auto count = static_cast<std::int64_t>(given->size()) / depth;
  const std::int64_t inner = in.product(depth, in.rank());
  Shape places;
  for (int i = 0; i + 1 < vectors.rank(); ++i) places.push_back(vectors[i]);
  Shape expected = places;
  for (int i = depth; i < in.rank(); ++i) expected.push_back(in[i]);
  if (!(c.shape(2) == expected) || count * inner > ElementsContext::kMost) return false;
  Elements at;
  for (std::int64_t i = 0; i < count; ++i) {
    Elements vector;
    for (int k = 0; k < depth; ++k)
      vector.push_back(c.as_index((*given)[static_cast<std::size_t>(i * depth + k)], c.dtype(1)));
    const std::optional<Element> place =
        offset_of(c, {vector.data(), vector.size()}, 0, "indices" + (c.number() ? "[{2}]" : place_text(places, i)),
                  " does not index into shape " + text_of(in));
    if (!place) return false;
    at.push_back(*place);
  }
  // An index that appears twice is updated twice, so old elements are those of the time.
  if (update && count > 1) return false;
  std::vector<ElementsContext::Update> updates;
  for (std::int64_t i = 0; i < count; ++i) {
    std::optional<Elements> old;
    if (update && !(old = c.load(0, at[static_cast<std::size_t>(i)], numbers_up_to(inner)))) return false;
    for (std::int64_t k = 0; k < inner; ++k) {
      Element value = (*values)[static_cast<std::size_t>(i * inner + k)];
      if (update) value = update(c, c.dtype(0), (*old)[static_cast<std::size_t>(k)], value);
      updates.push_back({at[static_cast<std::size_t>(i)], k, value});
    }
  }
  return c.update(0, 0, updates);
}

}  // namespace tracefn
