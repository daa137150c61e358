// ShardDataset: every num_shards-th element of another dataset.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

class ShardIterator final : public Iterator {
 public:
  ShardIterator(std::unique_ptr<Iterator> input, std::int64_t num_shards, std::int64_t index, bool require_non_empty)
      : input_(std::move(input)), num_shards_(num_shards), index_(index), require_non_empty_(require_non_empty) {}

  bool next(Element& out) override {
    const bool first = at_start_;
    if (done_ || !go_to_next() || !input_->next(out)) return end(first);
    return true;
  }
  RowSource* rows() override { return require_non_empty_ ? nullptr : input_->rows(); }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override {
    std::int64_t done = 0;
    while (done < n && !done_) {
      if (!go_to_next() || input_->next_rows(1, numbers + done) == 0) {
        done_ = true;
        break;
      }
      ++done;
    }
    return done;
  }

  void save(StateWriter& state) override {
    state.flag(at_start_);
    state.flag(done_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    at_start_ = state.flag();
    done_ = state.flag();
    input_->restore(state);
  }

 private:
  // Leaves out the elements of the other shards.
  bool go_to_next() {
    const std::int64_t left_out = at_start_ ? index_ : num_shards_ - 1;
    at_start_ = false;
    return input_->skip(left_out) == left_out;
  }
  bool end(bool first) {
    done_ = true;
    if (first && require_non_empty_)
      invalid_argument("Could not apply FILE based sharding: the dataset only has fewer files than the ", num_shards_,
                       " shards, which is not enough for the required non-empty shard ", index_, ".");
    return false;
  }

  const std::unique_ptr<Iterator> input_;
  const std::int64_t num_shards_, index_;
  const bool require_non_empty_;
  bool at_start_ = true, done_ = false;
};

class ShardDataset final : public Dataset {
 public:
  ShardDataset(ElementSpec spec, Ref<Dataset> input, std::int64_t num_shards, std::int64_t index,
               bool require_non_empty)
      : Dataset("Shard", std::move(spec), {std::move(input)}),
        num_shards_(num_shards),
        index_(index),
        require_non_empty_(require_non_empty) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<ShardIterator>(input().make_iterator(context), num_shards_, index_, require_non_empty_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    numbered_elements(*this);
    return renumbered_reader(input().make_reader(context),
                             [n = num_shards_, first = index_](std::int64_t i) { return first + n * i; });
  }
  std::int64_t cardinality() const override {
    const std::int64_t n = input().cardinality();
    return n < 0 ? n : n / num_shards_ + (index_ < n % num_shards_);
  }

 private:
  const std::int64_t num_shards_, index_;
  const bool require_non_empty_;
};

void shard(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  const auto num_shards = scalar_input<std::int64_t>(c, "num_shards"), index = scalar_input<std::int64_t>(c, "index");
  if (num_shards <= 0)
    invalid_argument("Number of shards must be greater than zero (currently num_shards = ", num_shards, ").");
  if (index < 0 || index >= num_shards)
    invalid_argument("Index must be between 0 and ", num_shards - 1, " (currently index = ", index, ").");
  ElementSpec spec = input->spec();
  set_dataset(
      c, make_ref<ShardDataset>(std::move(spec), std::move(input), num_shards, index, c.attr("require_non_empty").b()));
}

}  // namespace

void register_shard(Registry& r) {
  add_dataset(r, {.name = "ShardDataset",
                  .inputs = {"input_dataset: variant", "num_shards: int64", "index: int64"},
                  .attrs = {"require_non_empty: bool = false"},
                  .doc = "A dataset of every `num_shards`-th element of another, beginning with element `index`.",
                  .kernel = shard});
}

}  // namespace tracefn::data
