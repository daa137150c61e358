// UnbatchDataset: the rows of the elements of another dataset. RebatchDatasetV2, RebatchDataset: batches of other
// sizes.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/iterator_context.h"
#include "data/stack.h"

namespace tracefn::data {
namespace {

// The rows of elements one by one.
class UnbatchIterator final : public Iterator {
 public:
  explicit UnbatchIterator(std::unique_ptr<Iterator> input) : input_(std::move(input)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (; at_ == size_; polled.step()) {
      at_ = size_ = 0;
      if (!input_->next(batch_)) return false;
      if (batch_.empty()) return false;
      for (const Tensor& t : batch_)
        if (t.rank() == 0) invalid_argument("Input element must have a non-scalar value in each component.");
      for (std::size_t i = 1; i < batch_.size(); ++i)
        if (batch_[i].dim(0) != batch_[0].dim(0))
          invalid_argument("Input element must have the same batch size in each component. Component 0 had size ",
                           batch_[0].dim(0), " but component ", i, " had size, ", batch_[i].dim(0), ".");
      size_ = batch_[0].dim(0);
    }
    out.resize(batch_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = row_of(batch_[i], at_);
    ++at_;
    return true;
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(at_);
    state.number(size_);
    state.element(at_ < size_ ? batch_ : Element());
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    at_ = state.count();
    size_ = state.count();
    batch_ = state.element();
    if (at_ > size_) StateReader::fail_to_read();
    for (const Tensor& t : batch_)
      if (t.rank() == 0 || t.dim(0) != size_) StateReader::fail_to_read();
    if (at_ < size_ && batch_.empty()) StateReader::fail_to_read();
  }

 private:
  const std::unique_ptr<Iterator> input_;
  Element batch_;
  std::int64_t at_ = 0, size_ = 0;
};

class UnbatchDataset final : public Dataset {
 public:
  UnbatchDataset(ElementSpec spec, Ref<Dataset> input) : Dataset("Unbatch", std::move(spec), {std::move(input)}) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<UnbatchIterator>(input().make_iterator(context));
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (n < 0) return n;
    const Shape& shape = input().spec().shapes[0];
    std::int64_t all;
    if (!shape.has_rank() || shape.rank() < 1 || shape[0] < 0 || __builtin_mul_overflow(n, shape[0], &all))
      return kUnknownCardinality;
    return all;
  }
};

class RebatchIterator final : public Iterator {
 public:
  RebatchIterator(std::unique_ptr<Iterator> input, std::vector<std::int64_t> sizes, bool drop_remainder)
      : rows_(std::move(input)), sizes_(std::move(sizes)), drop_remainder_(drop_remainder) {}

  bool next(Element& out) override {
    const std::int64_t wanted = sizes_[static_cast<std::size_t>(at_)];
    at_ = (at_ + 1) % static_cast<std::int64_t>(sizes_.size());
    std::unique_ptr<Stacker> stacker;
    Element row;
    std::vector<Shape> shapes;
    PolledSteps polled;
    for (std::int64_t n = 0; n < wanted && rows_.next(row); ++n, polled.step()) {
      if (!stacker) {
        stacker = std::make_unique<Stacker>(row.size(), std::min<std::int64_t>(wanted, 4096));
        for (const Tensor& t : row) shapes.push_back(t.shape());
      }
      check_shapes_of(row, shapes, wanted);
      stacker->add(row);
    }
    if (!stacker || (drop_remainder_ && stacker->size() < wanted)) return false;
    stacker->finish(out);
    return true;
  }

  void save(StateWriter& state) override {
    rows_.save(state);
    state.number(at_);
  }
  void restore(StateReader& state) override {
    rows_.restore(state);
    at_ = state.count(static_cast<std::int64_t>(sizes_.size()) - 1);
  }

 private:
  static void check_shapes_of(const Element& row, const std::vector<Shape>& first, std::int64_t wanted) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!(row[i].shape() == first[i]))
        fail(ErrorKind::kFailedPrecondition,
             "MaybeMoveContiguousSlices cannot perform copy: source and dst shapes arenot compatible. Source shape: ",
             with_front(1, row[i].shape()).text(), ", dst shape: ", with_front(wanted, first[i]).text());
  }

  UnbatchIterator rows_;
  const std::vector<std::int64_t> sizes_;
  const bool drop_remainder_;
  std::int64_t at_ = 0;
};

class RebatchDataset final : public Dataset {
 public:
  RebatchDataset(ElementSpec spec, Ref<Dataset> input, std::vector<std::int64_t> sizes, bool drop_remainder)
      : Dataset("RebatchV2", std::move(spec), {std::move(input)}),
        sizes_(std::move(sizes)),
        drop_remainder_(drop_remainder) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<RebatchIterator>(input().make_iterator(context), sizes_, drop_remainder_);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }

 private:
  const std::vector<std::int64_t> sizes_;
  const bool drop_remainder_;
};

void unbatch(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  for (Shape& shape : spec.shapes)
    shape = shape.has_rank() && shape.rank() > 0 ? without_front(shape) : Shape::unknown();
  set_dataset(c, make_ref<UnbatchDataset>(std::move(spec), std::move(input)));
}

void rebatch(KernelContext& c) {
  const Tensor& sizes = input_named(c, "batch_sizes");
  if (sizes.rank() > 1) invalid_argument("`batch_sizes` must be a scalar or a vector.");
  std::vector<std::int64_t> list(sizes.span<std::int64_t>().begin(), sizes.span<std::int64_t>().end());
  if (list.empty()) invalid_argument("`batch_sizes` must not be empty.");
  for (std::int64_t size : list)
    if (size <= 0) invalid_argument("Batch sizes must be greater than zero, got ", size, ".");
  const auto drop_remainder = scalar_input<bool>(c, "drop_remainder");
  set_dataset(c, make_ref<RebatchDataset>(spec_attrs(c), dataset_input(c), std::move(list), drop_remainder));
}

}  // namespace

void register_unbatch(Registry& r) {
  add_dataset(r, {.name = "UnbatchDataset",
                  .inputs = {"input_dataset: variant"},
                  .doc = "A dataset of the rows of the elements of another.",
                  .kernel = unbatch});
  add_dataset(r,
              {.name = "RebatchDatasetV2",
               .inputs = {"input_dataset: variant", "batch_sizes: int64", "drop_remainder: bool"},
               .doc = "A dataset of the rows of the elements of another, in batches of the given sizes, in turn.",
               .kernel = rebatch},
              {.metadata = false});
}

}  // namespace tracefn::data
