// StringNGrams: runs of neighboring strings in ragged rows.
#include <algorithm>
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

// The attributes, and what follows from them for one row.
struct NGrams {
  std::string separator, left, right;
  std::vector<std::int64_t> widths;
  std::int64_t padding;
  bool keep_short;

  // Strings added at each end of a row, for n-grams of a width.
  std::int64_t padding_of(std::int64_t width) const { return std::min(padding < 0 ? width - 1 : padding, width - 1); }
  std::int64_t count(std::int64_t length, std::int64_t width) const {
    return std::max<std::int64_t>(0, length + 2 * padding_of(width) - width + 1);
  }
  std::int64_t count(std::int64_t length) const {
    std::int64_t all = 0;
    for (std::int64_t width : widths) all += count(length, width);
    return all == 0 && keep_short && length > 0 ? 1 : all;
  }

  // N-gram i of `n` ones of a width.
  std::string text(const std::string* row, std::int64_t i, std::int64_t n, std::int64_t width, std::int64_t pad) const {
    const std::int64_t before = std::max<std::int64_t>(0, pad - i),
                       after = std::max<std::int64_t>(0, pad - (n - i - 1));
    const std::int64_t strings = width - before - after, first = before > 0 ? 0 : i - pad;
    std::string out;
    auto add = [&](const std::string& part, bool begins) {
      if (!begins) out += separator;
      out += part;
      polled.step();
    };
    for (std::int64_t k = 0; k < before; ++k) add(left, k == 0);
    for (std::int64_t k = 0; k < strings; ++k) add(row[first + k], before == 0 && k == 0);
    for (std::int64_t k = 0; k < after; ++k) add(right, before == 0 && strings <= 0 && k == 0);
    return out;
  }
  mutable PolledSteps polled;
};

NGrams read(const KernelContext& c) {
  NGrams n{c.attr("separator").s(),
           c.attr("left_pad").s(),
           c.attr("right_pad").s(),
           c.attr("ngram_widths").ints(),
           c.attr("pad_width").i(),
           c.attr("preserve_short_sequences").b(),
           PolledSteps()};
  for (std::int64_t width : n.widths)
    if (width <= 0) invalid_argument("ngram_widths must contain positive values");
  return n;
}

void check_splits(const Tensor& splits, std::int64_t size) {
  const std::int64_t count = splits.num_elements();
  if (splits.int_at(0) != 0) invalid_argument("First split value must be 0, got ", splits.int_at(0));
  for (std::int64_t i = 1; i < count; ++i) {
    const std::int64_t low = splits.int_at(i - 1), split = splits.int_at(i);
    if (split < low || split > size)
      invalid_argument("Invalid split value ", split, ", must be in [", low, ", ", size, "]");
  }
  if (splits.int_at(count - 1) != size)
    invalid_argument("Last split value must be data size. Expected ", size, ", got ", splits.int_at(count - 1));
}

void set_split(Tensor& splits, std::int64_t i, std::int64_t value) {
  if (splits.dtype() == DType::kInt64) {
    splits.mutable_data<std::int64_t>()[i] = value;
    return;
  }
  if (value > INT32_MAX) invalid_argument("The number of n-grams, ", value, ", does not fit in 32 bits.");
  splits.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
}

void ngrams(KernelContext& c) {
  const NGrams n = read(c);
  const Tensor& data = c.input(0);
  const Tensor& splits = c.input(1);
  if (splits.num_elements() == 0 || data.num_elements() == 0) {
    if (splits.num_elements() > 0) check_splits(splits, data.num_elements());
    c.allocate_output(0, DType::kString, data.shape());
    c.set_output(1, splits);
    return;
  }
  check_splits(splits, data.num_elements());
  Tensor& ends = c.allocate_output(1, splits.dtype(), splits.shape());
  set_split(ends, 0, 0);
  std::int64_t total = 0;
  for (std::int64_t row = 1; row < splits.num_elements(); ++row) {
    const std::int64_t counted = n.count(splits.int_at(row) - splits.int_at(row - 1));
    if (counted < 0 || __builtin_add_overflow(total, counted, &total))
      fail(ErrorKind::kResourceExhausted, "The number of n-grams is too large.");
    set_split(ends, row, total);
  }
  std::string* out = c.allocate_output(0, DType::kString, Shape({total})).mutable_data<std::string>();
  for (std::int64_t row = 1; row < splits.num_elements(); ++row) {
    const std::int64_t begin = splits.int_at(row - 1), length = splits.int_at(row) - begin;
    const std::string* strings = data.data<std::string>() + begin;
    const std::string* before = out;
    for (std::int64_t width : n.widths) {
      const std::int64_t count = n.count(length, width);
      for (std::int64_t i = 0; i < count; ++i) *out++ = n.text(strings, i, count, width, n.padding_of(width));
    }
    if (out != before || !n.keep_short || length == 0) continue;
    if (n.padding < 0)
      invalid_argument(
          "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got ",
          n.padding);
    // The whole row, with all of its padding.
    *out++ = n.text(strings, 0, 1, length + 2 * n.padding, n.padding);
  }
}

void infer_ngrams(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  c.set_output(0, Shape({kUnknownDim}));
  c.set_output(1, c.shape(1));
}

}  // namespace

void register_ngrams(Registry& r) {
  r.add({.name = "StringNGrams",
         .inputs = {"data: string", "data_splits: Tsplits"},
         .outputs = {"ngrams: string", "ngrams_splits: Tsplits"},
         .attrs = {"separator: string", "ngram_widths: list(int) >= 0", "left_pad: string", "right_pad: string",
                   "pad_width: int", "preserve_short_sequences: bool", "Tsplits: {int32, int64} = DT_INT64"},
         .doc = "The n-grams of the strings in each ragged row: runs of neighbors, joined by `separator`. Rows are "
                "padded at both ends with `pad_width` strings, or as many as the n-grams take if it is negative.",
         .infer = infer_ngrams,
         .kernel = ngrams,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
