// PrefetchDataset: a thread reads elements ahead.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/fetch_ahead.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class PrefetchIterator final : public Iterator {
 public:
  PrefetchIterator(std::unique_ptr<Iterator> input, std::int64_t depth) : ahead_(std::move(input), depth) {}
  bool next(Element& out) override { return ahead_.next(out); }
  void save(StateWriter& state) override { ahead_.save(state); }
  void restore(StateReader& state) override { ahead_.restore(state); }

 private:
  FetchAhead ahead_;
};

class PrefetchDataset final : public Dataset {
 public:
  PrefetchDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t depth)
      : Dataset("Prefetch", std::move(spec), {std::move(input)}), depth_(depth) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::unique_ptr<Iterator> iterator = input().make_iterator(context);
    if (depth_ == 0) return iterator;
    return std::make_unique<PrefetchIterator>(std::move(iterator), depth_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return input().make_reader(context);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }

 private:
  const std::int64_t depth_;
};

void prefetch(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  const auto depth = scalar_input<std::int64_t>(c, "buffer_size");
  if (depth < 0 && depth != FetchAhead::kTuned)
    invalid_argument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  ElementSpec spec = input->spec();
  set_dataset(c, make_ref<PrefetchDataset>(std::move(spec), std::move(input), depth));
}

}  // namespace

void register_prefetch(Registry& r) {
  add_dataset(r, {.name = "PrefetchDataset",
                  .inputs = {"input_dataset: variant", "buffer_size: int64"},
                  .attrs = {"slack_period: int = 0", "legacy_autotune: bool = true", "buffer_size_min: int = 0"},
                  .doc = "The same dataset, whose elements are read up to `buffer_size` ahead by a thread.\n\n-1: as "
                         "far ahead as it takes that the consumer seldom waits.",
                  .kernel = prefetch});
}

}  // namespace tracefn::data
