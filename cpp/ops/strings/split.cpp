// Splitting strings into parts: StringSplit, StringSplitV2.
#include <algorithm>
#include <bitset>
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

// Collects the parts of one string after the other; the result is a sparse matrix.
class Parts {
 public:
  void next_string() {
    ++row_;
    columns_ = 0;
  }
  void add(std::string_view part) {
    rows_.push_back(row_);
    values_.emplace_back(part);
    widest_ = std::max(widest_, ++columns_);
    polled_.step();
  }
  void write(KernelContext& c) {
    const auto n = static_cast<std::int64_t>(values_.size());
    auto* index = c.allocate_output(0, DType::kInt64, Shape({n, 2})).mutable_data<std::int64_t>();
    auto* text = c.allocate_output(1, DType::kString, Shape({n})).mutable_data<std::string>();
    std::int64_t column = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      column = i > 0 && rows_[at] == rows_[at - 1] ? column + 1 : 0;
      index[2 * i] = rows_[at];
      index[2 * i + 1] = column;
      text[i] = std::move(values_[at]);
    }
    auto* shape = c.allocate_output(2, DType::kInt64, Shape({2})).mutable_data<std::int64_t>();
    shape[0] = row_ + 1;
    shape[1] = widest_;
  }

 private:
  std::int64_t row_ = -1, columns_ = 0, widest_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::string> values_;
  PolledSteps polled_;
};

// As Python's str.split without a separator.
void split_at_spaces(std::string_view text, std::int64_t most, Parts& parts) {
  auto skip_spaces = [&] { text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size())); };
  skip_spaces();
  for (std::int64_t splits = 0; !text.empty();) {
    const std::size_t size = std::min(text.find_first_of(kSpaces), text.size());
    parts.add(text.substr(0, size));
    text.remove_prefix(size);
    skip_spaces();
    if (most > 0 && ++splits == most) return parts.add(text);
  }
}

void split_at(std::string_view text, std::string_view separator, std::int64_t most, Parts& parts) {
  for (std::int64_t splits = 0;;) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos || (most > 0 && splits == most)) return parts.add(text);
    parts.add(text.substr(0, at));
    text.remove_prefix(at + separator.size());
    ++splits;
  }
}

void check_separated(const KernelContext& c, std::string_view name) {
  if (c.input(0).rank() != 1) invalid_argument("input must be a vector, got shape: ", c.input(0).shape().text());
  if (c.input(1).rank() != 0) invalid_argument(name, " must be a scalar, got shape: ", c.input(1).shape().text());
}

void split_v2(KernelContext& c) {
  check_separated(c, "sep");
  const std::string& separator = c.input(1).item<std::string>();
  const std::int64_t most = c.attr("maxsplit").i();
  Parts parts;
  for (const std::string& text : c.input(0).span<std::string>()) {
    parts.next_string();
    if (most == 0) {
      parts.add(text);
    } else if (separator.empty()) {
      split_at_spaces(text, most, parts);
    } else {
      split_at(text, separator, most, parts);
    }
  }
  parts.write(c);
}

// At each byte that is in the delimiter; into bytes without a delimiter.
void split_at_bytes(KernelContext& c) {
  check_separated(c, "delimiter");
  const bool skip_empty = c.attr("skip_empty").b();
  const std::string& delimiter = c.input(1).item<std::string>();
  std::bitset<256> ends;
  for (char byte : delimiter) ends.set(static_cast<unsigned char>(byte));
  Parts parts;
  for (std::string_view text : c.input(0).span<std::string>()) {
    parts.next_string();
    if (delimiter.empty()) {
      for (std::size_t i = 0; i < text.size(); ++i) parts.add(text.substr(i, 1));
      continue;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = begin;
      while (end < text.size() && !ends[static_cast<unsigned char>(text[end])]) ++end;
      if (!(skip_empty && end == begin)) parts.add(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  parts.write(c);
}

void infer_split(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 0);
  c.set_output(0, Shape({kUnknownDim, 2}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, Shape({2}));
}

}  // namespace

void register_split_strings(Registry& r) {
  r.add({.name = "StringSplitV2",
         .inputs = {"input: string", "sep: string"},
         .outputs = {"indices: int64", "values: string", "shape: int64"},
         .attrs = {"maxsplit: int = -1"},
         .doc = "The parts of each string between occurrences of `sep`, or between whitespace if it is empty, as a "
                "sparse matrix with a row per string. A positive `maxsplit` is the most splits of a string.",
         .infer = infer_split,
         .kernel = split_v2,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
  r.add({.name = "StringSplit",
         .inputs = {"input: string", "delimiter: string"},
         .outputs = {"indices: int64", "values: string", "shape: int64"},
         .attrs = {"skip_empty: bool = true"},
         .doc = "The parts of each string between bytes of `delimiter`, or its bytes if that is empty, as a sparse "
                "matrix with a row per string.",
         .infer = infer_split,
         .kernel = split_at_bytes,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
