// Strings: joining, length, substrings, case. Conversions from and to numbers are in string_format.cpp.
#include <algorithm>
#include <atomic>
#include <utility>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/unicode/letter_case.h"

namespace tracefn {
namespace {

// f(i) for n strings, on several threads: that takes about `cost` nanoseconds each.
template <typename F>
void for_strings(const KernelContext& c, std::int64_t n, double cost, const F& f) {
  c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
    PolledSteps polled;
    for (std::int64_t i = begin; i < end; ++i, polled.step()) f(i);
  });
}
// What allocating a string and freeing it later takes.
constexpr double kNewString = 40;

void infer_join(InferContext& c) {
  Shape out;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    const Shape& shape = c.shape(i);
    if (shape.is_scalar()) continue;
    if (out.is_scalar()) {
      out = shape;
    } else if (!out.is_compatible_with(shape)) {
      invalid_argument("Input shapes do not match: ", out.text(), " vs. ", shape.text());
    } else {
      out = merge(out, shape);
    }
  }
  c.set_output(0, std::move(out));
}

void join(KernelContext& c) {
  const std::string& separator = c.attr("separator").s();
  std::string* to = c.output(0).mutable_data<std::string>();
  struct Part {
    const std::string* strings;
    bool one;
    const std::string& operator[](std::int64_t k) const { return strings[one ? 0 : k]; }
  };
  SmallVector<Part, 4> parts;
  for (std::size_t i = 0; i < c.num_inputs(); ++i)
    parts.push_back({c.input(i).data<std::string>(), c.input(i).rank() == 0});
  const double cost = kNewString + 5.0 * static_cast<double>(parts.size());
  for_strings(c, c.output(0).num_elements(), cost, [&](std::int64_t k) {
    std::size_t size = 0;
    for (const Part& part : parts) size += part[k].size() + separator.size();
    std::string& text = to[k];
    text.reserve(size);
    for (const Part& part : parts) {
      if (&part != parts.begin()) text += separator;
      text += part[k];
    }
  });
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Characters start at bytes that are not continuation bytes; in invalid UTF-8 every such byte counts as one.
std::int64_t utf8_length(const std::string& s) {
  return static_cast<std::int64_t>(std::count_if(s.begin(), s.end(), [](char b) { return !is_continuation(b); }));
}

void length(KernelContext& c) {
  bool characters = c.attr("unit").s() == "UTF8_CHAR";
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::int32_t>();
  for_strings(c, static_cast<std::int64_t>(in.size()), characters ? 20 : 1, [&](std::int64_t i) {
    const std::string& text = in[static_cast<std::size_t>(i)];
    out[i] = static_cast<std::int32_t>(characters ? utf8_length(text) : static_cast<std::int64_t>(text.size()));
  });
}

void infer_substr(InferContext& c) {
  const Shape& pos = c.shape(1);
  const Shape& len = c.shape(2);
  if (!pos.is_compatible_with(len))
    invalid_argument("pos and len should have the same shape, got: ", pos.text(), " vs. ", len.text());
  c.set_output(0, broadcast(c.shape(0), merge(pos, len)));
}

// Byte offset of character n, or the size if there are fewer.
std::size_t character_offset(const std::string& s, std::int64_t n) {
  std::size_t i = 0;
  for (; i < s.size(); ++i)
    if (!is_continuation(s[i]) && n-- == 0) break;
  return i;
}

// Sets `to` to the part of s; false if s does not reach to pos.
bool cut(const std::string& s, std::int64_t pos, std::int64_t len, bool characters, std::string& to) {
  const std::int64_t size = characters ? utf8_length(s) : static_cast<std::int64_t>(s.size());
  if (pos > size || pos < -size) return false;
  const std::int64_t begin = pos < 0 ? size + pos : pos;
  const std::int64_t end = len < 0 || len > size - begin ? size : begin + len;
  const std::size_t first = characters ? character_offset(s, begin) : static_cast<std::size_t>(begin);
  const std::size_t last = characters ? character_offset(s, end) : static_cast<std::size_t>(end);
  to.assign(s, first, last - first);
  return true;
}

// Index into a tensor of `shape` that is broadcast to `to`, for element i of `to`.
std::int64_t broadcast_index(const Shape& shape, const Shape& to, std::int64_t i) {
  std::int64_t index = 0, stride = 1;
  for (int axis = to.rank() - 1, k = shape.rank() - 1; k >= 0; --axis, --k) {
    std::int64_t place = i % to[axis];
    i /= to[axis];
    if (shape[k] != 1) index += place * stride;
    stride *= shape[k];
  }
  return index;
}

void substr(KernelContext& c) {
  const bool characters = c.attr("unit").s() == "UTF8_CHAR";
  const Tensor &in = c.input(0), &pos = c.input(1), &len = c.input(2);
  const Shape& shape = c.output(0).shape();
  const std::string* from = in.data<std::string>();
  std::string* to = c.output(0).mutable_data<std::string>();
  auto index = [&](const Shape& of, std::int64_t i) {
    return of.is_scalar() ? 0 : of == shape ? i : broadcast_index(of, shape, i);
  };
  const std::int64_t n = shape.num_elements();
  std::atomic<std::int64_t> bad = n;  // the first string that is too short
  for_strings(c, n, kNewString, [&](std::int64_t i) {
    const std::int64_t at = index(pos.shape(), i);
    if (cut(from[index(in.shape(), i)], pos.int_at(at), len.int_at(at), characters, to[i])) return;
    for (std::int64_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {
    }
  });
  if (bad == n) return;
  const std::int64_t place = pos.int_at(index(pos.shape(), bad));
  if (characters) invalid_argument("pos ", place, " out of range for string at index ", bad.load());
  invalid_argument("pos ", place, " out of range for string b'", from[index(in.shape(), bad)], "' at index ",
                   bad.load());
}

template <bool kUpper>
char in_ascii_case(char c) {
  constexpr char first = kUpper ? 'a' : 'A';
  const bool changes = static_cast<unsigned char>(c - first) < 26;
  return static_cast<char>(c ^ (changes ? 0x20 : 0));
}

template <bool kUpper>
std::string ascii_case(std::string text) {
  // A constant length makes vector code of the inner loop.
  constexpr std::size_t kAtOnce = 16;
  char* bytes = text.data();
  std::size_t i = 0;
  for (; i + kAtOnce <= text.size(); i += kAtOnce)
    for (std::size_t k = 0; k < kAtOnce; ++k) bytes[i + k] = in_ascii_case<kUpper>(bytes[i + k]);
  for (; i < text.size(); ++i) bytes[i] = in_ascii_case<kUpper>(bytes[i]);
  return text;
}

template <bool kUpper>
void change_case(KernelContext& c) {
  const std::string& encoding = c.attr("encoding").s();
  if (!encoding.empty() && encoding != "utf-8")
    invalid_argument("only utf-8 or '' (no encoding) is supported, received ", encoding);
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::string>();
  const bool ascii = encoding.empty();
  for_strings(c, static_cast<std::int64_t>(in.size()), ascii ? kNewString : 200, [&](std::int64_t i) {
    const std::string& text = in[static_cast<std::size_t>(i)];
    out[i] = ascii ? ascii_case<kUpper>(text) : kUpper ? upper_case(text) : lower_case(text);
  });
}

void strip(KernelContext& c) {
  auto is_space = [](char b) { return b == ' ' || (b >= '\t' && b <= '\r'); };
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::string>();
  for_strings(c, static_cast<std::int64_t>(in.size()), kNewString, [&](std::int64_t i) {
    const std::string& text = in[static_cast<std::size_t>(i)];
    std::size_t begin = 0, end = text.size();
    while (begin < end && is_space(text[begin])) ++begin;
    while (begin < end && is_space(text[end - 1])) --end;
    out[i].assign(text, begin, end - begin);
  });
}

// The axes in the order given; the first one listed varies fastest in the joined text.
Dims reduction_axes(const Tensor& value, int rank) {
  Dims axes;
  for (std::int64_t i = 0; i < value.num_elements(); ++i) {
    std::int64_t axis = value.int_at(i);
    if (axis < -rank || axis >= rank)
      fail(ErrorKind::kOutOfRange, "Invalid reduction dimension ", axis, " for input with ", rank, " dimension(s)");
    if (axis < 0) axis += rank;
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      invalid_argument("Duplicate reduction dimension ", axis);
    axes.push_back(axis);
  }
  return axes;
}

void infer_reduce_join(InferContext& c) {
  const Shape& in = c.shape(0);
  if (!in.has_rank() || !c.value(1)) {
    c.set_output(0, Shape::unknown());
    return;
  }
  for (std::int64_t i = 0; i < c.value(1)->num_elements() && !c.running(); ++i)
    if (std::int64_t axis = c.value(1)->int_at(i); axis < -in.rank() || axis >= in.rank())
      invalid_argument("Invalid reduction dimension ", axis, " for input with ", in.rank(), " dimensions.");
  Dims axes = reduction_axes(*c.value(1), in.rank());
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) out.push_back(in[i]);
    if (reduced && c.attr("keep_dims").b()) out.push_back(1);
  }
  c.set_output(0, std::move(out));
}

void reduce_join(KernelContext& c) {
  const Tensor& in = c.input(0);
  const std::string& separator = c.attr("separator").s();
  Dims axes = reduction_axes(c.input(1), in.rank());
  Dims strides(static_cast<std::size_t>(in.rank()), 1);
  for (int i = in.rank() - 2; i >= 0; --i)
    strides[static_cast<std::size_t>(i)] = strides[static_cast<std::size_t>(i + 1)] * in.dim(i + 1);
  auto stride = [&](std::int64_t axis) { return strides[static_cast<std::size_t>(axis)]; };
  std::int64_t joined = 1;
  for (std::int64_t axis : axes) joined *= in.dim(static_cast<int>(axis));
  Dims kept;
  for (int i = 0; i < in.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(i);
  const std::string* from = in.data<std::string>();
  Tensor& out = c.output(0);
  PolledSteps polled;
  // f(string) for the strings that are joined, from element `base` on.
  auto for_joined = [&](std::int64_t base, const auto& f) {
    Dims place(axes.size(), 0);
    std::int64_t at = base;
    for (std::int64_t j = 0; j < joined; ++j) {
      polled.step();
      f(from[at]);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = in.dim(static_cast<int>(axes[i]));
        at += stride(axes[i]);
        if (++place[i] < size) break;
        at -= size * stride(axes[i]);
        place[i] = 0;
      }
    }
  };
  for (std::int64_t k = 0; k < out.num_elements(); ++k, polled.step()) {
    std::int64_t base = 0, rest = k;
    for (std::size_t i = kept.size(); i-- > 0;) {
      std::int64_t size = in.dim(static_cast<int>(kept[i]));
      base += rest % size * stride(kept[i]);
      rest /= size;
    }
    std::string& text = out.mutable_data<std::string>()[k];
    std::size_t size = 0;
    for_joined(base, [&](const std::string& part) { size += part.size() + separator.size(); });
    text.reserve(size);
    bool first = true;
    for_joined(base, [&](const std::string& part) {
      if (!std::exchange(first, false)) text += separator;
      text += part;
    });
  }
}

void register_cutting(Registry& r) {
  r.add({
      .name = "StringLength",
      .python = "strings.length(input, unit)",
      .inputs = {"input: string"},
      .outputs = {"output: int32"},
      .attrs = {"unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
      .doc = "The length of each string, in bytes or in UTF-8 characters.",
      .infer = infer::same_as_first,
      .kernel = length,
      .grad = not_differentiable,
  });
  r.add({
      .name = "Substr",
      .python = "strings.substr(input, pos, len, unit)",
      .inputs = {"input: string", "pos: T", "len: T"},
      .outputs = {"output: string"},
      .attrs = {"T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
      .doc = "The substring of `len` bytes or characters from `pos`, for each string. A negative `pos` counts from the "
             "end.\n\nThe inputs are broadcast together.",
      .infer = infer_substr,
      .kernel = substr,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StringStrip",
      .python = "strings.strip(input)",
      .inputs = {"input: string"},
      .outputs = {"output: string"},
      .doc = "Each string without leading and trailing whitespace.",
      .infer = infer::same_as_first,
      .kernel = strip,
      .grad = not_differentiable,
  });
}

}  // namespace

void register_strings(Registry& r) {
  r.add({
      .name = "StringJoin",
      .inputs = {"inputs: N * string"},
      .outputs = {"output: string"},
      .attrs = {"N: int >= 0", "separator: string = ''"},
      .doc = "Joins string tensors elementwise, with `separator` in between. The tensors have the same shape or are "
             "scalars.",
      .infer = infer_join,
      .kernel = join,
      .grad = not_differentiable,
  });
  r.add({
      .name = "ReduceJoin",
      .inputs = {"inputs: string", "reduction_indices: int32"},
      .outputs = {"output: string"},
      .attrs = {"keep_dims: bool = false", "separator: string = ''"},
      .doc = "Joins strings along the given axes, with `separator` in between.",
      .infer = infer_reduce_join,
      .kernel = reduce_join,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StringLower",
      .python = "strings.lower(input, encoding)",
      .inputs = {"input: string"},
      .outputs = {"output: string"},
      .attrs = {"encoding: string = ''"},
      .doc = "Each string in lower case: its ASCII letters, or with the encoding \"utf-8\" all letters.",
      .infer = infer::same_as_first,
      .kernel = change_case<false>,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StringUpper",
      .python = "strings.upper(input, encoding)",
      .inputs = {"input: string"},
      .outputs = {"output: string"},
      .attrs = {"encoding: string = ''"},
      .doc = "Each string in upper case: its ASCII letters, or with the encoding \"utf-8\" all letters.",
      .infer = infer::same_as_first,
      .kernel = change_case<true>,
      .grad = not_differentiable,
  });
  register_cutting(r);
}

}  // namespace tracefn
