#include "wire/bundle/tensor_slice.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/error.h"
#include "base/poll.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Calls f for each part between separators.
template <typename F>
void each_part(std::string_view text, char separator, F f) {
  while (true) {
    const std::size_t at = text.find(separator);
    f(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

// Numbers whose bytes sort as they do: the leading bits give the number of bytes.
void put_ordered(std::string& out, std::int64_t value) {
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value < 0 ? ~value : value)));
  const unsigned length = bits / 7 + 1;
  std::string bytes(10, value < 0 ? '\xff' : '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[2 + i] = static_cast<char>(value >> (56 - 8 * i));
  bytes.erase(0, bytes.size() - length);
  const unsigned header = 0xffffu << (16 - length) & 0xffffu;
  bytes[0] = static_cast<char>(bytes[0] ^ static_cast<char>(header >> 8));
  if (length > 1) bytes[1] = static_cast<char>(bytes[1] ^ static_cast<char>(header & 0xff));
  out += bytes;
}

void put_ordered_count(std::string& out, std::uint64_t value) {
  std::string bytes;
  for (; value; value >>= 8) bytes.insert(bytes.begin(), static_cast<char>(value & 0xff));
  out += static_cast<char>(bytes.size());
  out += bytes;
}

void put_ordered_text(std::string& out, std::string_view text) {
  for (char c : text) {
    out += c;
    if (c == '\0') out += '\xff';
    if (c == '\xff') out += '\0';
  }
  out += '\0';
  out += '\1';
}

}  // namespace

TensorSlice TensorSlice::parse(std::string_view text) {
  TensorSlice slice;
  each_part(text, ':', [&](std::string_view part) {
    if (part.empty()) return;
    Extent extent;
    if (part != "-") {
      const std::size_t comma = part.find(',');
      if (comma == std::string_view::npos || !parse_number(part.substr(0, comma), extent.start) ||
          !parse_number(part.substr(comma + 1), extent.length))
        invalid_argument("Expected a pair of numbers or '-' but got '", part, "': string = ", text);
      if (extent.start < 0 || extent.length <= 0 || extent.length == INT64_MAX)
        invalid_argument("Expected non-negative start and positive length but got start = ", extent.start,
                         ", length = ", extent.length, ": string = ", text);
    }
    slice.extents.push_back(extent);
  });
  return slice;
}

TensorSlice TensorSlice::read(WireReader proto) {
  TensorSlice slice;
  while (proto.next()) {
    if (proto.key() != delimited_field(1)) continue;
    Extent extent;
    for (WireReader field = proto.message(); field.next();) {
      if (field.key() == varint_field(1)) extent.start = field.integer();
      if (field.key() == varint_field(2)) extent.length = field.integer();
    }
    const bool full = extent.length == kFull && extent.start == 0;
    if (!full && (extent.start < 0 || extent.length < 0))
      fail(ErrorKind::kDataLoss, "a slice has the start ", extent.start, " and the length ", extent.length);
    slice.extents.push_back(extent);
  }
  return slice;
}

std::string TensorSlice::binary() const {
  std::string out;
  for (const Extent& extent : extents) {
    std::string inner;
    if (extent.length != kFull) {
      if (extent.start != 0) {
        put_key(inner, 1, kVarint);
        put_varint(inner, static_cast<std::uint64_t>(extent.start));
      }
      put_key(inner, 2, kVarint);
      put_varint(inner, static_cast<std::uint64_t>(extent.length));
    }
    put_delimited(out, 1, inner);
  }
  return out;
}

std::string TensorSlice::text() const {
  std::string out;
  for (const Extent& extent : extents) {
    if (!out.empty()) out += ':';
    out += extent.length == kFull ? "-" : concat(extent.start, ",", extent.length);
  }
  return out;
}

Shape TensorSlice::shape_in(const Shape& whole) const {
  if (static_cast<int>(extents.size()) != whole.rank())
    fail(ErrorKind::kInternal, "Mismatching ranks: shape = ", whole.text(), ", slice = ", text());
  Shape part = whole;
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const Extent& extent = extents[static_cast<std::size_t>(axis)];
    if (extent.length == kFull) continue;
    if (extent.length > whole[axis] || extent.start > whole[axis] - extent.length)
      fail(ErrorKind::kInternal, "Extent in dimension ", axis, " out of bounds: shape = ", whole.text(),
           ", slice = ", text());
    part[axis] = extent.length;
  }
  return part;
}

TensorSlice TensorSlice::within(const Shape& whole) const {
  TensorSlice slice = *this;
  for (std::size_t axis = 0; axis < slice.extents.size(); ++axis)
    if (slice.extents[axis].length == kFull) slice.extents[axis].length = whole[static_cast<int>(axis)];
  return slice;
}

void check_disjoint(const std::vector<TensorSlice>& slices, const Shape& whole) {
  const auto overlap = [](const TensorSlice& a, const TensorSlice& b) {
    for (std::size_t axis = 0; axis < a.extents.size(); ++axis) {
      const TensorSlice::Extent &x = a.extents[axis], &y = b.extents[axis];
      if (x.start >= y.start + y.length || y.start >= x.start + x.length) return false;
    }
    return true;
  };
  std::vector<TensorSlice> known;
  PolledSteps polled(1 << 12);
  for (const TensorSlice& slice : slices) {
    (void)slice.shape_in(whole);  // so that no sum below overflows
    const TensorSlice added = slice.within(whole);
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (overlap(known[i], added))
        fail(ErrorKind::kInternal, "Overlapping slices: existing slice = ", slices[i].text(),
             ", new slice = ", slice.text());
      polled.step();
    }
    known.push_back(added);
  }
}

ShapeAndSlice parse_shape_and_slice(std::string_view text) {
  ShapeAndSlice found;
  const std::size_t last = text.rfind(' ');
  if (last == std::string_view::npos)
    invalid_argument("Need least two elements in shape_and_slice specification: ", text);
  Dims dims;
  each_part(text.substr(0, last), ' ', [&](std::string_view part) {
    std::int64_t size = 0;
    if (!parse_number(part, size)) invalid_argument("Non numerical dimension in shape_and_slice: ", text);
    if (size < 0) invalid_argument("Negative dimension in shape_and_slice: ", text);
    dims.push_back(size);
  });
  if (dims.size() > static_cast<std::size_t>(kMaxRank))
    invalid_argument("Too many dimensions in shape_and_slice: ", text);
  found.whole = Shape(std::move(dims));
  (void)found.whole.num_elements();  // fails if there are too many
  found.slice = TensorSlice::parse(text.substr(last + 1));
  found.part = found.slice.shape_in(found.whole);
  return found;
}

std::string slice_key(std::string_view name, const TensorSlice& slice) {
  std::string key;
  put_ordered_count(key, 0);
  put_ordered_text(key, name);
  put_ordered_count(key, slice.extents.size());
  for (const TensorSlice::Extent& extent : slice.extents) {
    put_ordered(key, extent.start);
    put_ordered(key, extent.length);
  }
  return key;
}

std::int64_t copy_overlap(const Tensor& from, const TensorSlice& from_slice, Tensor& to, const TensorSlice& to_slice) {
  const int rank = to.rank();
  Dims sizes, from_start, to_start;
  std::int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const TensorSlice::Extent& a = from_slice.extents[static_cast<std::size_t>(axis)];
    const TensorSlice::Extent& b = to_slice.extents[static_cast<std::size_t>(axis)];
    const std::int64_t begin = std::max(a.start, b.start);
    const std::int64_t end = std::min(a.start + a.length, b.start + b.length);
    if (end <= begin) return 0;
    sizes.push_back(end - begin);
    from_start.push_back(begin - a.start);
    to_start.push_back(begin - b.start);
    count *= end - begin;
  }
  // Runs along the last axis.
  const std::int64_t run = rank > 0 ? sizes[static_cast<std::size_t>(rank - 1)] : 1;
  const std::size_t element = size_of(to.dtype());
  Dims at(static_cast<std::size_t>(rank), 0);
  for (std::int64_t done = 0; done < count; done += run) {
    std::int64_t from_at = 0, to_at = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      from_at = from_at * from.dim(axis) + from_start[i] + at[i];
      to_at = to_at * to.dim(axis) + to_start[i] + at[i];
    }
    copy_elements(to.dtype(), static_cast<const char*>(from.raw()) + static_cast<std::size_t>(from_at) * element,
                  static_cast<char*>(to.mutable_raw()) + static_cast<std::size_t>(to_at) * element, run);
    for (int axis = rank - 2; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      if (++at[i] < sizes[i]) break;
      at[i] = 0;
    }
  }
  return count;
}

}  // namespace tracefn
