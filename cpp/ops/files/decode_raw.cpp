// DecodeRaw and DecodePaddedRaw: strings as the bytes of numbers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

Shape with_last(const Shape& shape, std::int64_t size) {
  if (!shape.has_rank()) return Shape::unknown();
  Shape out = shape;
  out.push_back(size);
  return out;
}

// Parts of an element whose bytes are ordered by themselves.
std::size_t unit_of(DType dtype) {
  const std::size_t size = size_of(dtype);
  return is_complex(dtype) ? size / 2 : size;
}

void reverse_units(char* data, std::size_t bytes, std::size_t unit) {
  for (std::size_t i = 0; unit > 1 && i < bytes; i += unit) std::reverse(data + i, data + i + unit);
}

// Copies up to `room` bytes of each string to its row, and fills the rest with zeros.
void copy_rows(KernelContext& c, Tensor& out, std::size_t room) {
  auto* to = static_cast<char*>(out.mutable_raw());
  const bool swap = c.attr("little_endian").b() != (std::endian::native == std::endian::little);
  PolledSteps polled;
  for (const std::string& text : c.input(0).span<std::string>()) {
    const std::size_t n = std::min(text.size(), room);
    std::memcpy(to, text.data(), n);
    std::memset(to + n, 0, room - n);
    if (swap) reverse_units(to, room, unit_of(out.dtype()));
    // A bool is 0 or 1, whatever the byte.
    if (out.dtype() == DType::kBool)
      for (std::size_t i = 0; i < room; ++i) to[i] = to[i] != 0;
    to += room;
    polled.step();
  }
}

void infer_raw(InferContext& c) { c.set_output(0, with_last(c.shape(0), kUnknownDim)); }

void decode_raw(KernelContext& c) {
  const auto texts = c.input(0).span<std::string>();
  const DType dtype = c.attr("out_type").type();
  const std::size_t size = texts.empty() ? 0 : texts[0].size(), element = size_of(dtype);
  for (std::size_t i = 1; i < texts.size(); ++i)
    if (texts[i].size() != size)
      invalid_argument("DecodeRaw requires input strings to all be the same size, but element ", i, " has size ", size,
                       " != ", texts[i].size());
  if (size % element != 0)
    invalid_argument("Input to DecodeRaw has length ", size, " that is not a multiple of ", element, ", the size of ",
                     runtime_name(dtype));
  const auto last = static_cast<std::int64_t>(size / element);
  copy_rows(c, c.allocate_output(0, dtype, with_last(c.input(0).shape(), last)), size);
}

void check_padded(const KernelContext& c) {
  if (c.input(1).rank() != 0) invalid_argument("k must be scalar, got shape ", c.input(1).shape().text());
  const std::int64_t length = c.input(1).item<std::int32_t>();
  const DType dtype = c.attr("out_type").type();
  if (length <= 0) invalid_argument("fixed_length (", length, ") must be greater than zero.");
  if (length % static_cast<std::int64_t>(size_of(dtype)) != 0)
    invalid_argument("fixed_length (", length, ") must be a multiple of the size of out_type (", size_of(dtype), ")");
}

void infer_padded(InferContext& c) {
  c.require_rank(1, 0);
  std::int64_t last = kUnknownDim;
  if (const auto length = c.int_value(1)) {
    const auto element = static_cast<std::int64_t>(size_of(c.attr("out_type").type()));
    if (*length % element != 0)
      invalid_argument("fixed_length (", *length, ") must be a multiple of the size of out_type (", element, ")");
    last = std::max<std::int64_t>(*length / element, 0);
  }
  c.set_output(0, with_last(c.shape(0), last));
}

void decode_padded(KernelContext& c) {
  copy_rows(c, c.output(0), static_cast<std::size_t>(c.input(1).item<std::int32_t>()));
}

}  // namespace

void register_decode_raw(Registry& r) {
  r.add({.name = "DecodeRaw",
         .inputs = {"bytes: string"},
         .outputs = {"output: out_type"},
         .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, "
                   "bool, bfloat16}",
                   "little_endian: bool = true"},
         .doc = "The numbers whose bytes strings of equal length hold, along a new last axis.\n\nRaises "
                "InvalidArgumentError if the length is no multiple of a number's.",
         .infer = infer_raw,
         .kernel = decode_raw,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
  r.add({.name = "DecodePaddedRaw",
         .inputs = {"input_bytes: string", "fixed_length: int32"},
         .outputs = {"output: out_type"},
         .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}",
                   "little_endian: bool = true"},
         .doc = "As DecodeRaw, of strings that are first cut to `fixed_length` bytes, or filled up with zeros.",
         .infer = infer_padded,
         .check = check_padded,
         .kernel = decode_padded,
         .grad = not_differentiable});
}

}  // namespace tracefn
