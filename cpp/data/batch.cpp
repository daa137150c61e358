// BatchDataset, BatchDatasetV2, ParallelBatchDataset: consecutive elements, stacked. Rows are gathered in one step.
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"
#include "data/stack.h"

namespace tracefn::data {
namespace {

class BatchIterator final : public Iterator {
 public:
  BatchIterator(std::unique_ptr<Iterator> input, std::int64_t batch_size, bool drop_remainder, std::size_t components,
                bool from_map)
      : input_(std::move(input)),
        rows_(input_->rows()),
        batch_size_(batch_size),
        drop_remainder_(drop_remainder),
        components_(components),
        from_map_(from_map) {}

  bool next(Element& out) override { return rows_ ? next_of_rows(out) : next_of_elements(out); }
  std::int64_t skip(std::int64_t n) override {
    std::int64_t done = 0;
    for (; done < n; ++done) {
      const std::int64_t skipped = input_->skip(batch_size_);
      if (skipped == 0 || (skipped < batch_size_ && drop_remainder_)) break;
    }
    return done;
  }

  void save(StateWriter& state) override { input_->save(state); }
  void restore(StateReader& state) override { input_->restore(state); }

 private:
  // Of a huge batch size, only as much memory is taken as there are elements.
  static constexpr std::int64_t kFirst = 4096;

  bool next_of_rows(Element& out) {
    std::int64_t count = 0;
    for (std::int64_t wanted = std::min(batch_size_, kFirst); wanted > 0;) {
      numbers_.resize(static_cast<std::size_t>(count + wanted));
      const std::int64_t got = input_->next_rows(wanted, numbers_.data() + count);
      count += got;
      if (got < wanted) break;
      wanted = std::min(batch_size_ - count, count);
      if (wanted) poll();
    }
    if (count == 0 || (drop_remainder_ && count < batch_size_)) return false;
    rows_->gather({numbers_.data(), static_cast<std::size_t>(count)}, out);
    return true;
  }

  bool next_of_elements(Element& out) {
    Stacker stacker(components_, std::min(batch_size_, kFirst), from_map_);
    PolledSteps polled(16);
    Element element;
    for (std::int64_t i = 0; i < batch_size_; ++i, polled.step()) {
      if (!input_->next(element)) break;
      stacker.add(element);
    }
    if (stacker.size() == 0 || (drop_remainder_ && stacker.size() < batch_size_)) return false;
    stacker.finish(out);
    return true;
  }

  const std::unique_ptr<Iterator> input_;
  RowSource* const rows_;
  const std::int64_t batch_size_;
  const bool drop_remainder_;
  const std::size_t components_;
  const bool from_map_;
  std::vector<std::int64_t> numbers_;
};

class BatchReader final : public ElementReader {
 public:
  BatchReader(std::unique_ptr<ElementReader> input, std::int64_t size, std::int64_t batch_size, std::size_t components)
      : input_(std::move(input)), size_(size), batch_size_(batch_size), components_(components) {}
  void get(std::int64_t index, Element& out) override {
    const std::int64_t begin = index * batch_size_, end = begin + std::min(batch_size_, size_ - begin);
    Stacker stacker(components_, end - begin);
    PolledSteps polled(16);
    Element element;
    for (std::int64_t i = begin; i < end; ++i, polled.step()) {
      input_->get(i, element);
      stacker.add(element);
    }
    stacker.finish(out);
  }

 private:
  const std::unique_ptr<ElementReader> input_;
  const std::int64_t size_, batch_size_;  // `size_` of the input
  const std::size_t components_;
};

class BatchDataset final : public Dataset {
 public:
  BatchDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, std::int64_t batch_size,
               bool drop_remainder)
      : Dataset(kind, std::move(spec), {std::move(input)}), batch_size_(batch_size), drop_remainder_(drop_remainder) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    const bool of_map = kind() == "Batch" && (input().kind() == "Map" || input().kind() == "ParallelMap");
    return std::make_unique<BatchIterator>(input().make_iterator(context), batch_size_, drop_remainder_,
                                           spec().dtypes.size(), of_map && context.joins_map_and_batch());
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return std::make_unique<BatchReader>(input().make_reader(context), numbered_elements(input()), batch_size_,
                                         spec().dtypes.size());
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    if (n < 0) return n;
    return n / batch_size_ + (n % batch_size_ != 0 && !drop_remainder_);
  }

 private:
  const std::int64_t batch_size_;
  const bool drop_remainder_;
};

// The shape of a component, as far as it is known: that of its elements, behind the size of a batch.
ElementSpec batched(const Dataset& input, std::int64_t batch_size, bool drop_remainder) {
  ElementSpec spec = input.spec();
  const std::int64_t n = input.cardinality();
  const bool always_full = drop_remainder || n == kInfinite || (n >= 0 && n % batch_size == 0);
  for (Shape& shape : spec.shapes) shape = with_front(always_full ? batch_size : kUnknownDim, shape);
  return spec;
}

void make(KernelContext& c, std::string_view kind, bool drop_remainder) {
  Ref<Dataset> input = dataset_input(c);
  const auto batch_size = scalar_input<std::int64_t>(c, "batch_size");
  if (batch_size <= 0) invalid_argument("Batch size must be greater than zero.");
  ElementSpec spec = batched(*input, batch_size, drop_remainder);
  set_dataset(c, make_ref<BatchDataset>(kind, std::move(spec), std::move(input), batch_size, drop_remainder));
}

void batch(KernelContext& c) { make(c, "Batch", false); }
void batch_v2(KernelContext& c) { make(c, "Batch", scalar_input<bool>(c, "drop_remainder")); }
void parallel_batch(KernelContext& c) {
  if (const auto n = scalar_input<std::int64_t>(c, "num_parallel_calls"); n != -1 && n < 1)
    invalid_argument("num_parallel_calls must be greater than zero.");
  make(c, "ParallelBatch", scalar_input<bool>(c, "drop_remainder"));
}

// A mapped batch: the function is called for several elements at a time.
void map_and_batch(KernelContext& c) {
  const auto batch_size = scalar_input<std::int64_t>(c, "batch_size"),
             parallel = scalar_input<std::int64_t>(c, "num_parallel_calls");
  if (batch_size <= 0) invalid_argument("batch_size must be greater than zero.");
  if (parallel <= 0 && parallel != -1) invalid_argument("num_parallel_calls must be greater than zero.");
  ElementSpec elements = spec_attrs(c);
  for (Shape& shape : elements.shapes)
    shape = shape.has_rank() && shape.rank() > 0 ? without_front(shape) : Shape::unknown();
  set_dataset(c, batch_of(parallel_map_of(c, std::move(elements), parallel), batch_size,
                          scalar_input<bool>(c, "drop_remainder")));
}

}  // namespace

Ref<Dataset> batch_of(Ref<Dataset> input, std::int64_t batch_size, bool drop_remainder) {
  ElementSpec spec = batched(*input, batch_size, drop_remainder);
  return make_ref<BatchDataset>("Batch", std::move(spec), std::move(input), batch_size, drop_remainder);
}

void register_batch(Registry& r) {
  constexpr std::string_view kDoc =
      "A dataset of consecutive elements of another, stacked.\n\nThe last batch may be smaller, unless "
      "`drop_remainder`. Raises InvalidArgumentError unless `batch_size` is positive.";
  add_dataset(r, {.name = "BatchDataset",
                  .inputs = {"input_dataset: variant", "batch_size: int64"},
                  .doc = "A dataset of consecutive elements of another, stacked. The last batch may be smaller.",
                  .kernel = batch});
  add_dataset(r, {.name = "BatchDatasetV2",
                  .inputs = {"input_dataset: variant", "batch_size: int64", "drop_remainder: bool"},
                  .attrs = {"parallel_copy: bool = false"},
                  .doc = kDoc,
                  .kernel = batch_v2});
  add_dataset(r, {.name = "ParallelBatchDataset",
                  .inputs = {"input_dataset: variant", "batch_size: int64", "num_parallel_calls: int64",
                             "drop_remainder: bool"},
                  .attrs = {"parallel_copy: bool = false", "deterministic: string = 'default'"},
                  .doc = kDoc,
                  .kernel = parallel_batch});
  add_dataset(r, {.name = "MapAndBatchDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments", "batch_size: int64",
                             "num_parallel_calls: int64", "drop_remainder: bool"},
                  .attrs = {"f: func", "Targuments: list(type) >= 0", "preserve_cardinality: bool = false"},
                  .doc = "A dataset of stacks of `f(element)` for consecutive elements of another.",
                  .kernel = map_and_batch});
}

}  // namespace tracefn::data
