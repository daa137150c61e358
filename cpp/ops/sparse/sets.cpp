// Operations on the sets along the last dimension of dense and sparse tensors, and the sizes of such sets.
#include <algorithm>
#include <iterator>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

SetOperation operation_of(const std::string& name) {
  if (name == "a-b") return SetOperation::kAMinusB;
  if (name == "b-a") return SetOperation::kBMinusA;
  if (name == "intersection") return SetOperation::kIntersection;
  if (name == "union") return SetOperation::kUnion;
  invalid_argument("Invalid set_operation ", name, ".");
}

using Sizes = std::span<const std::int64_t>;
using Place = std::vector<std::int64_t>;
template <typename T>
using Set = std::vector<T>;

template <typename T>
void make_set(Set<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The sets of a tensor, in row-major order of their places. A source has `sizes` without the last one; at() is the
// place of the current set, and take() moves on.
template <typename T>
class DenseSets {
 public:
  explicit DenseSets(const Tensor& t) : t_(t), sizes_(t.shape().dims().begin(), t.shape().dims().end() - 1) {
    length_ = t.dim(t.rank() - 1);
    count_ = 1;
    for (std::int64_t size : sizes_) count_ *= size;
    at_.assign(sizes_.size(), 0);
  }

  Sizes sizes() const { return sizes_; }
  bool done() const { return next_ == count_; }
  const Place& at() const { return at_; }
  Set<T> take() {
    const T* from = t_.data<T>() + next_ * length_;
    Set<T> values(from, from + length_);
    make_set(values);
    ++next_;
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      if (++at_[d] < sizes_[d]) break;
      at_[d] = 0;
    }
    return values;
  }

 private:
  const Tensor& t_;
  Place sizes_, at_;
  std::int64_t length_ = 0, count_ = 0, next_ = 0;
};

// Those that are not empty: runs of equal places but for the last dimension.
template <typename T>
class SparseSets {
 public:
  explicit SparseSets(const SparseParts& s) : s_(s) { locate(); }

  Sizes sizes() const { return s_.sizes().first(s_.sizes().size() - 1); }
  bool done() const { return next_ == s_.size(); }
  const Place& at() const { return at_; }
  Set<T> take() {
    Set<T> values;
    const std::int64_t outer = s_.rank() - 1;
    for (; next_ < s_.size() && compare_places(s_.place(next_), at_.data(), outer) == 0; ++next_)
      values.push_back(s_.values.data<T>()[next_]);
    locate();
    make_set(values);
    return values;
  }

 private:
  void locate() {
    if (!done()) at_.assign(s_.place(next_), s_.place(next_) + s_.rank() - 1);
  }

  const SparseParts s_;
  Place at_;
  std::int64_t next_ = 0;
};

template <typename T>
Set<T> combine(SetOperation operation, const Set<T>& a, const Set<T>& b) {
  Set<T> out;
  auto to = std::back_inserter(out);
  switch (operation) {
    case SetOperation::kAMinusB:
      std::ranges::set_difference(a, b, to);
      break;
    case SetOperation::kBMinusA:
      std::ranges::set_difference(b, a, to);
      break;
    case SetOperation::kIntersection:
      std::ranges::set_intersection(a, b, to);
      break;
    case SetOperation::kUnion:
      std::ranges::set_union(a, b, to);
      break;
  }
  return out;
}

template <typename T, typename A, typename B>
void operate(KernelContext& c, A a, B b) {
  const SetOperation operation = operation_of(c.attr("set_operation").s());
  if (!std::ranges::equal(a.sizes(), b.sizes()))
    invalid_argument("Mismatched shapes ", dims_text(a.sizes()), " vs ", dims_text(b.sizes()));
  Place sizes(a.sizes().begin(), a.sizes().end()), places;
  Set<T> values;
  std::int64_t most = 0;
  PolledSteps polled(32);
  while (!a.done() || !b.done()) {
    polled.step();
    const bool from_a = b.done() || (!a.done() && a.at() <= b.at()),
               from_b = a.done() || (!b.done() && b.at() <= a.at());
    const Place at = from_a ? a.at() : b.at();
    const Set<T> set = combine(operation, from_a ? a.take() : Set<T>(), from_b ? b.take() : Set<T>());
    most = std::max(most, static_cast<std::int64_t>(set.size()));
    for (std::size_t i = 0; i < set.size(); ++i) {
      places.insert(places.end(), at.begin(), at.end());
      places.push_back(static_cast<std::int64_t>(i));
      values.push_back(set[i]);
    }
  }
  sizes.push_back(most);
  const auto n = static_cast<std::int64_t>(values.size()), rank = static_cast<std::int64_t>(sizes.size());
  c.set_output(0, numbers_tensor(places).reshaped(Shape({n, rank})));
  c.set_output(1, Tensor::vector(std::span<const T>(values)));
  c.set_output(2, numbers_tensor(sizes));
}

template <typename F>
void with_set_value(DType dtype, F&& f) {
  if (dtype == DType::kString) return f(std::type_identity<std::string>());
  with_integer(dtype, f);
}

const Tensor& dense_set(const KernelContext& c, std::size_t i) {
  const Tensor& t = c.input(i);
  if (t.rank() < 2) invalid_argument("Shape ", t.shape().text(), " has rank ", t.rank(), " < 2");
  return t;
}

SparseParts sparse_set(const KernelContext& c, std::size_t first) {
  const SparseParts s(c, first);
  if (s.shape.rank() != 1) invalid_argument("Shape must be a 1D tensor.");
  if (s.shape.dim(0) < 2) invalid_argument("Invalid rank ", s.shape.dim(0), ".");
  require_sizes(s.sizes());
  require_sparse_object(s);
  if (c.attr("validate_indices").b()) require_ordered_places(s.indices, s.sizes());
  return s;
}

void dense_to_dense(KernelContext& c) {
  const Tensor &a = dense_set(c, 0), &b = dense_set(c, 1);
  with_set_value(a.dtype(),
                 [&]<typename T>(std::type_identity<T>) { operate<T>(c, DenseSets<T>(a), DenseSets<T>(b)); });
}

void dense_to_sparse(KernelContext& c) {
  const Tensor& a = dense_set(c, 0);
  const SparseParts b = sparse_set(c, 1);
  with_set_value(a.dtype(),
                 [&]<typename T>(std::type_identity<T>) { operate<T>(c, DenseSets<T>(a), SparseSets<T>(b)); });
}

void sparse_to_sparse(KernelContext& c) {
  const SparseParts a = sparse_set(c, 0), b = sparse_set(c, 3);
  with_set_value(a.values.dtype(),
                 [&]<typename T>(std::type_identity<T>) { operate<T>(c, SparseSets<T>(a), SparseSets<T>(b)); });
}

void set_size(KernelContext& c) {
  const SparseParts s = sparse_set(c, 0);
  const Sizes sizes = s.sizes().first(s.sizes().size() - 1);
  Tensor& out = c.allocate_output(0, DType::kInt32, Shape(sizes));
  out.fill_zeros();
  with_set_value(s.values.dtype(), [&]<typename T>(std::type_identity<T>) {
    PolledSteps polled(32);
    for (SparseSets<T> sets(s); !sets.done(); polled.step()) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sets.at()[d] < 0 || sets.at()[d] >= sizes[d])
          invalid_argument("Index ", sets.at()[d], " is out of bounds of dimension ", static_cast<std::int64_t>(d),
                           " of size ", sizes[d]);
        at = at * sizes[d] + sets.at()[d];
      }
      out.mutable_data<std::int32_t>()[at] = static_cast<std::int32_t>(sets.take().size());
    }
  });
}

void require_set_rank(const InferContext& c, std::size_t i) {
  if (c.shape(i).has_rank() && c.shape(i).rank() < 2)
    invalid_argument("Input ", static_cast<std::int64_t>(i), " expected rank >= 2, got ", c.shape(i).rank(), ".");
}

void infer_dense_to_dense(InferContext& c) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  std::int64_t rank = kUnknownDim;
  if (!c.running())
    for (std::size_t i : {0, 1}) require_set_rank(c, i);
  if (a.has_rank() && b.has_rank() && !c.running()) {
    if (a.rank() != b.rank()) invalid_argument("Ranks do not match: input 0 ", a.rank(), ", input 1 ", b.rank(), ".");
    for (int d = 0; d + 1 < a.rank(); ++d)
      if (a[d] >= 0 && b[d] >= 0 && a[d] != b[d])
        invalid_argument("Dimension ", d, " in both shapes must be equal, but are ", a[d], " and ", b[d]);
  }
  if (a.has_rank()) rank = a.rank();
  if (b.has_rank()) rank = b.rank();
  set_sparse_outputs(c, 0, kUnknownDim, rank);
}

void infer_dense_to_sparse(InferContext& c) {
  if (!c.running()) require_set_rank(c, 0);
  set_sparse_outputs(c, 0, kUnknownDim, c.shape(0).has_rank() ? c.shape(0).rank() : kUnknownDim);
}

void infer_sparse_to_sparse(InferContext& c) {
  const Shape &a = c.shape(2), &b = c.shape(5);
  const std::int64_t rank = a.has_rank() && a.rank() == 1 && a[0] >= 0 ? a[0]
                            : b.has_rank() && b.rank() == 1            ? b[0]
                                                                       : -1;
  set_sparse_outputs(c, 0, kUnknownDim, rank < 0 ? kUnknownDim : rank);
}

OpRecord set_record(std::string_view name, std::vector<std::string_view> inputs, std::string_view doc, InferFn infer,
                    KernelFn kernel) {
  return {.name = name,
          .inputs = std::move(inputs),
          .outputs = {"result_indices: int64", "result_values: T", "result_shape: int64"},
          .attrs = {"set_operation: string", "validate_indices: bool = true",
                    "T: {int8, int16, int32, int64, uint8, uint16, string}"},
          .doc = doc,
          .infer = infer,
          .kernel = kernel,
          .allocation = Allocation::kByValues,
          .grad = not_differentiable};
}

}  // namespace

void register_sets(Registry& r) {
  r.add(set_record("DenseToDenseSetOperation", {"set1: T", "set2: T"},
                   "The difference, intersection or union of the sets along the last dimension of two tensors.",
                   infer_dense_to_dense, dense_to_dense));
  r.add(set_record("DenseToSparseSetOperation",
                   {"set1: T", "set2_indices: int64", "set2_values: T", "set2_shape: int64"},
                   "The difference, intersection or union of the sets along the last dimension of a dense and a sparse "
                   "tensor.",
                   infer_dense_to_sparse, dense_to_sparse));
  r.add(set_record("SparseToSparseSetOperation",
                   {"set1_indices: int64", "set1_values: T", "set1_shape: int64", "set2_indices: int64",
                    "set2_values: T", "set2_shape: int64"},
                   "The difference, intersection or union of the sets along the last dimension of two sparse tensors.",
                   infer_sparse_to_sparse, sparse_to_sparse));
  r.add({.name = "SetSize",
         .inputs = {"set_indices: int64", "set_values: T", "set_shape: int64"},
         .outputs = {"size: int32"},
         .attrs = {"validate_indices: bool = true", "T: {int8, int16, int32, int64, uint8, uint16, string}"},
         .doc = "The number of distinct values along the last dimension of a sparse tensor.",
         .infer = infer::unknown,
         .kernel = set_size,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
