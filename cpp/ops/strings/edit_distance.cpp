// EditDistance: Levenshtein's distances of the sequences in two sparse tensors.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// A sparse tensor in three consecutive inputs; its sequences lie along the last dimension.
struct Sequences {
  const Tensor &indices, &values, &shape;

  Sequences(const KernelContext& c, std::size_t first)
      : indices(c.input(first)), values(c.input(first + 1)), shape(c.input(first + 2)) {}

  std::int64_t size() const { return values.num_elements(); }
  // Where the sequence of value i is, in all dimensions but the last.
  std::span<const std::int64_t> place(std::int64_t i) const {
    const std::int64_t rank = indices.dim(1);
    return {indices.data<std::int64_t>() + i * rank, static_cast<std::size_t>(rank - 1)};
  }
  // The end of the sequence that begins with value i.
  std::int64_t end(std::int64_t i) const {
    std::int64_t last = i + 1;
    while (last < size() && std::ranges::equal(place(last), place(i))) ++last;
    return last;
  }
};

void check_parts(const Sequences& s, std::string_view name) {
  auto text = [](const Tensor& t) { return t.shape().text(); };
  if (s.values.num_elements() != s.indices.dim(0))
    invalid_argument("Expected ", name, "_values.NumElements == #rows(", name,
                     "_indices), their shapes are: ", text(s.values), " and ", text(s.indices));
  if (s.shape.num_elements() != s.indices.dim(1))
    invalid_argument("Expected ", name, "_shape.NumElements == #cols(", name,
                     "_indices), their shapes are: ", text(s.shape), " and ", text(s.indices));
}

// All sizes but the last, the larger ones of both.
Shape result_shape(const Tensor& a, const Tensor& b) {
  Shape out;
  for (std::int64_t i = 0; i + 1 < a.num_elements(); ++i) out.push_back(std::max(a.int_at(i), b.int_at(i)));
  return out;
}

void check_sizes(const Tensor& shape) {
  check_rank(static_cast<std::size_t>(shape.num_elements()));
  Shape all;
  for (std::int64_t size : shape.span<std::int64_t>()) {
    if (size < 0) invalid_argument("Dimension ", size, " must be >= 0");
    all.push_back(size);
  }
  if (!all.maybe_num_elements()) invalid_argument("Shape ", all.text(), " would have more than 2**63 - 1 elements");
}

void check_distance(const KernelContext& c) {
  const Sequences hypothesis(c, 0), truth(c, 3);
  auto require = [](const Tensor& t, int rank, std::string_view name) {
    if (t.rank() != rank)
      invalid_argument(name, " should be a ", rank == 2 ? "matrix" : "vector", ", but got shape: ", t.shape().text());
  };
  require(hypothesis.indices, 2, "hypothesis_indices");
  require(truth.indices, 2, "truth_indices");
  require(hypothesis.values, 1, "hypothesis_values");
  require(hypothesis.shape, 1, "hypothesis_shape");
  require(truth.values, 1, "truth_values");
  require(truth.shape, 1, "truth_shape");
  check_parts(hypothesis, "hypothesis");
  if (truth.shape.num_elements() < 2)
    invalid_argument("Input SparseTensors must have rank at least 2, but truth_shape rank is: ",
                     truth.shape.num_elements());
  check_parts(truth, "truth");
  if (truth.shape.num_elements() != hypothesis.shape.num_elements())
    invalid_argument("Expected truth and hypothesis to have matching ranks, but their shapes are: ",
                     truth.shape.shape().text(), " and ", hypothesis.shape.shape().text());
  check_sizes(hypothesis.shape);
  check_sizes(truth.shape);
}

// One row of the table of distances of prefixes at a time.
template <typename T>
std::int64_t levenshtein(std::span<const T> a, std::span<const T> b) {
  if (a.size() > b.size()) std::swap(a, b);
  std::vector<std::int64_t> row(a.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  PolledSteps polled;
  for (std::size_t j = 0; j < b.size(); ++j) {
    std::int64_t diagonal = row[0]++;
    for (std::size_t i = 0; i < a.size(); ++i, polled.step()) {
      const std::int64_t change = diagonal + !(compute_value(a[i]) == compute_value(b[j]));
      diagonal = row[i + 1];
      row[i + 1] = std::min({change, row[i] + 1, row[i + 1] + 1});
    }
  }
  return row[a.size()];
}

template <typename T>
void distances(KernelContext& c, const Sequences& hypothesis, const Sequences& truth, bool normalize) {
  Tensor& out = c.output(0);
  out.fill_zeros();
  auto at = [&](std::span<const std::int64_t> place) -> float& {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < place.size(); ++i)
      flat = static_cast<std::int64_t>(static_cast<std::uint64_t>(flat) *
                                           static_cast<std::uint64_t>(out.dim(static_cast<int>(i))) +
                                       static_cast<std::uint64_t>(place[i]));
    if (flat < 0 || flat >= out.num_elements())
      fail(ErrorKind::kInternal, "Got an inner product ", flat,
           " which would require writing to outside of the buffer for the output tensor (max elements ",
           out.num_elements(), ")");
    return out.mutable_data<float>()[flat];
  };
  auto part = [](const Sequences& s, std::int64_t begin, std::int64_t end) {
    return s.values.span<T>().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  std::int64_t h = 0, t = 0;
  while (h < hypothesis.size() || t < truth.size()) {
    const bool has_h = h < hypothesis.size(), has_t = t < truth.size();
    const bool h_first = has_h && (!has_t || std::ranges::lexicographical_compare(hypothesis.place(h), truth.place(t)));
    const bool t_first = has_t && (!has_h || std::ranges::lexicographical_compare(truth.place(t), hypothesis.place(h)));
    const std::int64_t h_end = t_first ? h : hypothesis.end(h), t_end = h_first ? t : truth.end(t);
    float& result = at(h_first ? hypothesis.place(h) : truth.place(t));
    if (h_first) {
      result = normalize ? std::numeric_limits<float>::infinity() : static_cast<float>(h_end - h);
    } else if (t_first) {
      result = normalize ? 1.0f : static_cast<float>(t_end - t);
    } else {
      result = static_cast<float>(levenshtein(part(truth, t, t_end), part(hypothesis, h, h_end)));
      if (normalize) result /= static_cast<float>(t_end - t);
    }
    h = h_end;
    t = t_end;
  }
}

void edit_distance(KernelContext& c) {
  const Sequences hypothesis(c, 0), truth(c, 3);
  const bool normalize = c.attr("normalize").b();
  const DType dtype = hypothesis.values.dtype();
  if (dtype == DType::kString) return distances<std::string>(c, hypothesis, truth, normalize);
  if (dtype == DType::kBool) return distances<bool>(c, hypothesis, truth, normalize);
  if (!is_numeric(dtype)) no_kernel();
  with_any_number(dtype, [&]<typename T>(std::type_identity<T>) { distances<T>(c, hypothesis, truth, normalize); });
}

void infer_distance(InferContext& c) {
  for (std::size_t i : {0, 3}) {
    c.require_rank(i, 2);
    c.require_rank(i + 1, 1);
    c.require_rank(i + 2, 1);
  }
  const Tensor* a = c.value(2);
  const Tensor* b = c.value(5);
  if (!a || !b || a->num_elements() != b->num_elements()) return c.set_output(0, Shape::unknown());
  c.set_output(0, result_shape(*a, *b));
}

}  // namespace

void register_edit_distance(Registry& r) {
  r.add({.name = "EditDistance",
         .inputs = {"hypothesis_indices: int64", "hypothesis_values: T", "hypothesis_shape: int64",
                    "truth_indices: int64", "truth_values: T", "truth_shape: int64"},
         .outputs = {"output: float"},
         .attrs = {"normalize: bool = true", "T: type"},
         .doc = "Levenshtein's distance of the sequences along the last dimension of two sparse tensors: the least "
                "number of insertions, deletions and substitutions. `normalize` divides it by the length of the truth.",
         .infer = infer_distance,
         .check = check_distance,
         .kernel = edit_distance,
         .grad = not_differentiable});
}

}  // namespace tracefn
