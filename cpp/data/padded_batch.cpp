// PaddedBatchDataset, PaddedBatchDatasetV2: consecutive elements, padded to a common shape and stacked.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

// Every element of `out` becomes the scalar `value`.
void fill_with(const Tensor& value, Tensor& out) {
  const std::int64_t n = out.num_elements();
  if (n == 0) return;
  auto* to = static_cast<char*>(out.mutable_raw());
  const std::size_t size = size_of(out.dtype());
  copy_elements(out.dtype(), value.raw(), to, 1);
  // Doubles what is filled.
  for (std::int64_t done = 1; done < n;) {
    const std::int64_t more = std::min(done, n - done);
    copy_elements(out.dtype(), to, to + static_cast<std::size_t>(done) * size, more);
    done += more;
  }
}

// Copies `from` into the corner of a block of shape `shape` (of the same rank, at least as large) at `to`.
void copy_to_corner(const Tensor& from, const Shape& shape, char* to) {
  const std::int64_t n = from.num_elements();
  if (n == 0) return;
  const int rank = from.rank();
  const std::size_t size = size_of(from.dtype());
  const std::int64_t row = rank ? from.dim(rank - 1) : 1;
  const auto* source = static_cast<const char*>(from.raw());
  Dims at(static_cast<std::size_t>(rank), 0);
  for (std::int64_t done = 0; done < n; done += row) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) offset = offset * shape[axis] + at[static_cast<std::size_t>(axis)];
    copy_elements(from.dtype(), source + static_cast<std::size_t>(done) * size,
                  to + static_cast<std::size_t>(offset) * size, row);
    for (int axis = rank - 2; axis >= 0; --axis) {
      if (++at[static_cast<std::size_t>(axis)] < from.dim(axis)) break;
      at[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

struct Padding {
  std::int64_t batch_size;
  bool drop_remainder;
  std::vector<Shape> shapes;  // unknown dimensions: the largest of the batch
  std::vector<Tensor> values;
};

class PaddedBatchIterator final : public Iterator {
 public:
  PaddedBatchIterator(std::unique_ptr<Iterator> input, const Padding& padding)
      : input_(std::move(input)), padding_(padding) {}

  bool next(Element& out) override {
    std::vector<Element> elements;
    PolledSteps polled(16);
    for (Element element; static_cast<std::int64_t>(elements.size()) < padding_.batch_size; polled.step()) {
      if (!input_->next(element)) break;
      elements.push_back(std::move(element));
    }
    const auto n = static_cast<std::int64_t>(elements.size());
    if (n == 0 || (padding_.drop_remainder && n < padding_.batch_size)) return false;
    out.resize(padding_.values.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Shape shape = common_shape(elements, i);
      out[i] = Tensor(padding_.values[i].dtype(), with_front(n, shape));
      fill_with(padding_.values[i], out[i]);
      const std::size_t bytes = static_cast<std::size_t>(shape.num_elements()) * size_of(out[i].dtype());
      auto* to = static_cast<char*>(out[i].mutable_raw());
      for (std::size_t k = 0; k < elements.size(); ++k, polled.step())
        copy_to_corner(elements[k][i], shape, to + k * bytes);
    }
    return true;
  }

  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  Shape common_shape(const std::vector<Element>& elements, std::size_t i) const {
    Shape shape = padding_.shapes[i];
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] < 0) shape[axis] = -1;
    for (const Element& element : elements) {
      const Tensor& t = element.at(i);
      if (t.dtype() != padding_.values[i].dtype())
        invalid_argument("Data type mismatch at component ", i, ": expected ", runtime_name(padding_.values[i].dtype()),
                         " but got ", runtime_name(t.dtype()), ".");
      if (t.rank() != shape.rank())
        invalid_argument("All elements in a batch must have the same rank as the padded shape for component ", i,
                         ": expected rank ", shape.rank(), " but got element with rank ", t.rank());
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (padding_.shapes[i][axis] < 0) {
          shape[axis] = std::max(shape[axis], t.dim(axis));
        } else if (t.dim(axis) > shape[axis]) {
          fail(ErrorKind::kDataLoss, "Attempted to pad to a smaller size than the input element.");
        }
      }
    }
    return shape;
  }

  const std::unique_ptr<Iterator> input_;
  const Padding padding_;
};

class PaddedBatchDataset final : public Dataset {
 public:
  PaddedBatchDataset(ElementSpec spec, Ref<Dataset> input, Padding padding)
      : Dataset("PaddedBatch", std::move(spec), {std::move(input)}), padding_(std::move(padding)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<PaddedBatchIterator>(input().make_iterator(context), padding_);
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (n < 0) return n;
    return n / padding_.batch_size + (n % padding_.batch_size != 0 && !padding_.drop_remainder);
  }

 private:
  const Padding padding_;
};

void make(KernelContext& c, bool drop_remainder) {
  Ref<Dataset> input = dataset_input(c);
  Padding padding{scalar_input<std::int64_t>(c, "batch_size"), drop_remainder, {}, list_input(c, "padding_values")};
  if (padding.batch_size <= 0) invalid_argument("Batch size must be greater than zero.");
  const std::vector<Tensor> shapes = list_input(c, "padded_shapes");
  const ElementSpec& elements = input->spec();
  if (shapes.size() != elements.dtypes.size())
    invalid_argument("Number of padded shapes (", shapes.size(),
                     ") must match the number of components in the input dataset's elements (", elements.dtypes.size(),
                     ")");
  if (padding.values.size() != elements.dtypes.size())
    invalid_argument("Number of padding values (", padding.values.size(),
                     ") must match the number of components in the input dataset's elements (", elements.dtypes.size(),
                     ")");
  for (const Tensor& t : shapes) {
    if (t.rank() != 1) invalid_argument("All padded shapes must be vectors");
    Shape shape;
    for (std::int64_t d : t.span<std::int64_t>()) {
      if (d < -1) invalid_argument("Dimension ", d, " must be >= -1");
      shape.push_back(d);
    }
    padding.shapes.push_back(std::move(shape));
  }
  for (std::size_t i = 0; i < padding.values.size(); ++i) {
    if (padding.values[i].rank() != 0) invalid_argument("All padding values must be scalars");
    if (padding.values[i].dtype() != elements.dtypes[i])
      invalid_argument("Mismatched type between padding value ", i, " and input dataset's component ", i, ": ",
                       runtime_name(padding.values[i].dtype()), " vs. ", runtime_name(elements.dtypes[i]));
    if (!is_plain(elements.dtypes[i]) && elements.dtypes[i] != DType::kString)
      fail(ErrorKind::kUnimplemented, "Padding values of type ", runtime_name(elements.dtypes[i]),
           " are not supported.");
  }
  const std::int64_t n = input->cardinality();
  const bool always_full = drop_remainder || n == kInfinite || (n >= 0 && n % padding.batch_size == 0);
  ElementSpec spec{elements.dtypes, {}};
  for (const Shape& shape : padding.shapes)
    spec.shapes.push_back(with_front(always_full ? padding.batch_size : kUnknownDim, shape));
  set_dataset(c, make_ref<PaddedBatchDataset>(std::move(spec), std::move(input), std::move(padding)));
}

void padded_batch(KernelContext& c) { make(c, false); }
void padded_batch_v2(KernelContext& c) { make(c, scalar_input<bool>(c, "drop_remainder")); }

}  // namespace

void register_padded_batch(Registry& r) {
  constexpr std::string_view kDoc =
      "A dataset of consecutive elements of another, padded to a common shape and stacked.\n\nA dimension of -1 in "
      "`padded_shapes` is the largest one in the batch. Raises DataLossError if an element is larger than a shape.";
  // Here, output_types are those of padding_values.
  add_dataset(r,
              {.name = "PaddedBatchDataset",
               .inputs = {"input_dataset: variant", "batch_size: int64", "padded_shapes: N * int64",
                          "padding_values: Toutput_types"},
               .attrs = {"Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "N: int >= 1"},
               .doc = kDoc,
               .kernel = padded_batch},
              {.types = false});
  add_dataset(r,
              {.name = "PaddedBatchDatasetV2",
               .inputs = {"input_dataset: variant", "batch_size: int64", "padded_shapes: N * int64",
                          "padding_values: Toutput_types", "drop_remainder: bool"},
               .attrs = {"parallel_copy: bool = false", "Toutput_types: list(type) >= 1",
                         "output_shapes: list(shape) >= 1", "N: int >= 1"},
               .doc = kDoc,
               .kernel = padded_batch_v2},
              {.types = false});
}

}  // namespace tracefn::data
