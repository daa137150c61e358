// SparseTensorSliceDataset: the rows of a sparse tensor. DenseToSparseBatchDataset: elements as rows of sparse tensors.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_list.h"
#include "data/iterator_context.h"
#include "ops/sparse/serialized.h"
#include "ops/sparse/sparse.h"

namespace tracefn::data {
namespace {

void sparse_tensor_slice(KernelContext& c) {
  const Tensor &indices = input_named(c, "indices"), &values = input_named(c, "values"),
               &dense_shape = input_named(c, "dense_shape");
  if (indices.rank() != 2) invalid_argument("Input indices must be a matrix. Got: ", indices.shape().text());
  if (values.rank() != 1) invalid_argument("Input values must be a vector. Got: ", values.shape().text());
  if (dense_shape.rank() != 1) invalid_argument("Input shape must be a vector. Got: ", dense_shape.shape().text());
  if (values.dim(0) != indices.dim(0))
    invalid_argument("Number of values must match first dimension of indices. Got ", values.dim(0),
                     " values, indices shape: ", indices.shape().text());
  if (dense_shape.dim(0) != indices.dim(1))
    invalid_argument("Number of dimensions must match second dimension of indices. Got ", dense_shape.dim(0),
                     " dimensions, indices shape: ", indices.shape().text());
  if (dense_shape.num_elements() == 0) invalid_argument("The shape argument requires at least one element.");
  const SparseParts s(indices, values, dense_shape);
  require_sizes(s.sizes());
  const std::int64_t rows = s.sizes()[0], rank = s.rank(), n = s.size();
  std::int64_t before = -1;
  PolledSteps polled(256);
  for (std::int64_t i = 0; i < n; ++i, polled.step()) {
    const std::int64_t row = s.place(i)[0];
    if (row < before)
      fail(ErrorKind::kUnimplemented,
           "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not "
           "currently supported.");
    if (row < 0 || row >= rows)
      invalid_argument("indices[", i, ", 0] = ", row, " is out of bounds: need 0 <= index < [", rows, "]");
    before = row;
  }
  const Tensor shape = Tensor::vector(s.sizes().subspan(1));
  std::vector<Element> elements;
  std::int64_t next = 0;
  for (std::int64_t row = 0; row < rows; ++row, polled.step()) {
    const std::int64_t begin = next;
    while (next < n && s.place(next)[0] == row) ++next;
    Tensor places(DType::kInt64, Shape({next - begin, rank - 1}));
    for (std::int64_t i = begin; i < next; ++i)
      std::copy_n(s.place(i) + 1, rank - 1, places.mutable_data<std::int64_t>() + (i - begin) * (rank - 1));
    elements.push_back({std::move(places), values.rows(begin, next), shape});
  }
  ElementSpec spec{{DType::kInt64, values.dtype(), DType::kInt64},
                   {Shape({kUnknownDim, rank - 1}), Shape({kUnknownDim}), Shape({rank - 1})}};
  set_dataset(c, dataset_of("SparseTensorSlice", std::move(spec), std::move(elements)));
}

class SparseBatchIterator final : public Iterator {
 public:
  SparseBatchIterator(std::unique_ptr<Iterator> input, std::int64_t batch_size, std::vector<std::int64_t> row_shape,
                      DType dtype)
      : input_(std::move(input)), batch_size_(batch_size), row_shape_(std::move(row_shape)), dtype_(dtype) {}

  bool next(Element& out) override {
    std::vector<Tensor> elements;
    std::int64_t total = 0;
    std::vector<std::int64_t> sizes = row_shape_;
    PolledSteps polled(16);
    for (Element element; static_cast<std::int64_t>(elements.size()) < batch_size_; polled.step()) {
      if (!input_->next(element)) break;
      const Tensor& t = element.at(0);
      require_fits(t);
      for (std::size_t d = 0; d < sizes.size(); ++d)
        if (row_shape_[d] < 0) sizes[d] = std::max(sizes[d], t.dim(static_cast<int>(d)));
      total += t.num_elements();
      elements.push_back(t);
    }
    if (elements.empty()) return false;
    const auto rank = static_cast<std::int64_t>(sizes.size());
    Tensor indices(DType::kInt64, Shape({total, rank + 1})), values(dtype_, Shape({total}));
    auto* to = indices.mutable_data<std::int64_t>();
    std::int64_t at = 0;
    for (std::size_t row = 0; row < elements.size(); ++row) {
      const Tensor& t = elements[row];
      const std::int64_t n = t.num_elements();
      for (std::int64_t i = 0; i < n; ++i, to += rank + 1, polled.step()) {
        to[0] = static_cast<std::int64_t>(row);
        std::int64_t left = i;
        for (int d = static_cast<int>(rank) - 1; d >= 0; --d) {
          to[d + 1] = left % t.dim(d);
          left /= t.dim(d);
        }
      }
      copy_elements(dtype_, t.raw(),
                    static_cast<char*>(values.mutable_raw()) + static_cast<std::size_t>(at) * size_of(dtype_), n);
      at += n;
    }
    std::vector<std::int64_t> dense{static_cast<std::int64_t>(elements.size())};
    for (std::int64_t size : sizes) dense.push_back(std::max<std::int64_t>(size, 0));
    out.assign(1, sparse_as_variants({indices, values, Tensor::vector(std::span<const std::int64_t>(dense))}));
    return true;
  }

  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  void require_fits(const Tensor& t) const {
    bool fits = t.rank() == static_cast<int>(row_shape_.size()) && t.dtype() == dtype_;
    for (int d = 0; fits && d < t.rank(); ++d) {
      const std::int64_t size = row_shape_[static_cast<std::size_t>(d)];
      if (size >= 0 && t.dim(d) > size)
        fail(ErrorKind::kDataLoss, "Input element had shape (", t.shape().text(),
             ") that is larger than the row shape (", Shape(std::span<const std::int64_t>(row_shape_)).text(), ").");
    }
    if (!fits)
      invalid_argument("Input element had shape (", t.shape().text(), ") that is incompatible with the row shape (",
                       Shape(std::span<const std::int64_t>(row_shape_)).text(), ").");
  }

  const std::unique_ptr<Iterator> input_;
  const std::int64_t batch_size_;
  const std::vector<std::int64_t> row_shape_;  // -1: the largest of the batch
  const DType dtype_;
};

// As in TensorFlow, the dataset says the shape of the dense batch, though elements are vectors of three variants.
ElementSpec batch_spec(const std::vector<std::int64_t>& row_shape) {
  Shape shape({kUnknownDim});
  for (const std::int64_t size : row_shape) shape.push_back(size);
  return {{DType::kVariant}, {std::move(shape)}};
}

class SparseBatchDataset final : public Dataset {
 public:
  SparseBatchDataset(Ref<Dataset> input, std::int64_t batch_size, std::vector<std::int64_t> row_shape)
      : Dataset("DenseToSparseBatch", batch_spec(row_shape), {std::move(input)}),
        batch_size_(batch_size),
        row_shape_(std::move(row_shape)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<SparseBatchIterator>(input().make_iterator(context), batch_size_, row_shape_,
                                                 input().spec().dtypes[0]);
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    return n < 0 ? n : n / batch_size_ + (n % batch_size_ != 0);
  }

 private:
  const std::int64_t batch_size_;
  const std::vector<std::int64_t> row_shape_;
};

void dense_to_sparse_batch(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  if (input->spec().dtypes.size() != 1)
    invalid_argument("DenseToSparseBatchDataset only supports inputs with a single component.");
  const auto batch_size = scalar_input<std::int64_t>(c, "batch_size");
  if (batch_size <= 0) invalid_argument("Batch size must be greater than zero.");
  const Tensor& row_shape = input_named(c, "row_shape");
  if (row_shape.rank() != 1) invalid_argument("row_shape must be a vector");
  std::vector<std::int64_t> sizes(row_shape.span<std::int64_t>().begin(), row_shape.span<std::int64_t>().end());
  for (std::int64_t size : sizes)
    if (size < -1) invalid_argument("Dimension ", size, " must be >= -1");
  set_dataset(c, make_ref<SparseBatchDataset>(std::move(input), batch_size, std::move(sizes)));
}

}  // namespace

void register_sparse_datasets(Registry& r) {
  add_dataset(r,
              {.name = "SparseTensorSliceDataset",
               .inputs = {"indices: int64", "values: Tvalues", "dense_shape: int64"},
               .attrs = {"Tvalues: type"},
               .stateful = true,
               .doc = "A dataset of the rows of a sparse tensor, each as places, values and shape.",
               .kernel = sparse_tensor_slice},
              {.types = false, .metadata = false});
  add_dataset(r,
              {.name = "DenseToSparseBatchDataset",
               .inputs = {"input_dataset: variant", "batch_size: int64", "row_shape: int64"},
               .doc = "A dataset of sparse tensors, whose rows are consecutive elements of another.",
               .kernel = dense_to_sparse_batch},
              {.metadata = false});
}

}  // namespace tracefn::data
