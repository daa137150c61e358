// GlobalShuffleDataset: the elements of another dataset, read by their numbers in an order that takes no memory.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/seed_generator.h"
#include "ops/random/shuffled_index.h"

namespace tracefn::data {
namespace {

constexpr std::int64_t kRounds = 8;

struct Key {
  std::uint32_t parts[3];
};

// Of one pass: three of the numbers that TensorFlow asks for.
Key next_key(SeedGenerator& seeds) {
  const SeedPair one = seeds.next(), other = seeds.next();
  auto low = [](std::int64_t seed) { return static_cast<std::uint32_t>(seed); };
  return {{low(one.seed), low(one.seed2), low(other.seed)}};
}

class GlobalShuffleIterator final : public Iterator {
 public:
  GlobalShuffleIterator(std::unique_ptr<ElementReader> reader, std::int64_t count, const Key& key,
                        Ref<IteratorContext> context)
      : context_(std::move(context)), reader_(std::move(reader)), count_(count), key_(key) {}

  bool next(Element& out) override {
    if (next_ >= count_) return false;
    reader_->get(place(next_++), out);
    return true;
  }
  std::int64_t skip(std::int64_t n) override {
    n = std::min(n, count_ - next_);
    next_ += n;
    return n;
  }
  void save(StateWriter& state) override {
    for (std::uint32_t part : key_.parts) state.number(part);
    state.number(next_);
  }
  void restore(StateReader& state) override {
    for (std::uint32_t& part : key_.parts) part = static_cast<std::uint32_t>(state.count(UINT32_MAX));
    next_ = state.count(count_);
  }

 private:
  std::int64_t place(std::int64_t i) const {
    return static_cast<std::int64_t>(
        shuffled_index(static_cast<std::uint64_t>(i), key_.parts, static_cast<std::uint64_t>(count_ - 1), kRounds));
  }

  const Ref<IteratorContext> context_;
  const std::unique_ptr<ElementReader> reader_;
  const std::int64_t count_;
  Key key_;
  std::int64_t next_ = 0;
};

class GlobalShuffleDataset final : public Dataset {
 public:
  GlobalShuffleDataset(ElementSpec spec, Ref<Dataset> input, Ref<SeedGenerator> seeds)
      : Dataset("GlobalShuffle", std::move(spec), {std::move(input)}), seeds_(std::move(seeds)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<GlobalShuffleIterator>(input().make_reader(context), input().cardinality(),
                                                   next_key(*seeds_), Ref<IteratorContext>(&context));
  }
  std::int64_t cardinality() const override { return input().cardinality(); }

 private:
  const Ref<SeedGenerator> seeds_;
};

void global_shuffle(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  auto context = make_ref<IteratorContext>();
  try {
    input->make_reader(*context);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kUnimplemented && e.kind() != ErrorKind::kFailedPrecondition) throw;
    fail(ErrorKind::kFailedPrecondition,
         "`global_shuffle` requires all upstream transformations be compatible with random access. Got: ", e.message());
  }
  if (const std::int64_t n = input->cardinality(); n <= 0)
    invalid_argument(
        "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got cardinality ", n,
        " for dataset ", input->type_name());
  const SeedPair seeds{scalar_input<std::int64_t>(c, "seed"), scalar_input<std::int64_t>(c, "seed2")};
  ElementSpec spec = input->spec();
  set_dataset(c,
              make_ref<GlobalShuffleDataset>(std::move(spec), std::move(input),
                                             seed_generator_input(c, seeds, c.attr("reshuffle_each_iteration").b())));
}

}  // namespace

void register_global_shuffle(Registry& r) {
  add_dataset(r, {.name = "GlobalShuffleDataset",
                  .inputs = {"input_dataset: variant", "seed: int64", "seed2: int64", "seed_generator: resource"},
                  .attrs = {"reshuffle_each_iteration: bool = true"},
                  .stateful = true,
                  .doc = "A dataset of the elements of another, which can be read by their numbers, in random order.",
                  .kernel = global_shuffle});
}

}  // namespace tracefn::data
