// RandomDataset, RandomDatasetV2: random numbers. SamplingDataset: elements chosen at random. In TensorFlow's order.
#include <bit>

#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/iterator_context.h"
#include "data/seed_generator.h"

namespace tracefn::data {
namespace {

Philox generator_of(const SeedPair& seeds) {
  return Philox::of(static_cast<std::uint64_t>(seeds.seed), 0, static_cast<std::uint64_t>(seeds.seed2));
}

// The words of a generator, with its position.
class Draws {
 public:
  explicit Draws(const SeedPair& seeds) : seeds_(seeds), words_(generator_of(seeds)) {}
  std::uint32_t next() {
    ++drawn_;
    return words_.next();
  }
  void save(StateWriter& state) const {
    state.number(seeds_.seed);
    state.number(seeds_.seed2);
    state.number(drawn_);
  }
  void restore(StateReader& state) {
    seeds_.seed = state.number();
    seeds_.seed2 = state.number();
    drawn_ = state.count();
    Philox at = generator_of(seeds_);
    at.skip(static_cast<std::uint64_t>(drawn_ / 4));
    words_ = PhiloxWords(at);
    for (std::int64_t i = 0; i < drawn_ % 4; ++i) words_.next();
  }

 private:
  SeedPair seeds_;
  PhiloxWords words_;
  std::int64_t drawn_ = 0;
};

class RandomIterator final : public Iterator {
 public:
  explicit RandomIterator(const SeedPair& seeds) : draws_(seeds) {}
  bool next(Element& out) override {
    out.assign(1, Tensor::scalar(static_cast<std::int64_t>(draws_.next())));
    return true;
  }
  void save(StateWriter& state) override { draws_.save(state); }
  void restore(StateReader& state) override { draws_.restore(state); }

 private:
  Draws draws_;
};

class RandomDataset final : public Dataset {
 public:
  RandomDataset(ElementSpec spec, Ref<SeedGenerator> seeds)
      : Dataset("Random", std::move(spec)), seeds_(std::move(seeds)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<RandomIterator>(seeds_->next());
  }
  std::int64_t cardinality() const override { return kInfinite; }

 private:
  const Ref<SeedGenerator> seeds_;
};

class SamplingIterator final : public Iterator {
 public:
  SamplingIterator(std::unique_ptr<Iterator> input, float rate, const SeedPair& seeds)
      : input_(std::move(input)), rate_(rate), draws_(seeds) {}
  bool next(Element& out) override {
    for (PolledSteps polled;; polled.step()) {
      if (!input_->next(out)) return false;
      const std::uint32_t word = draws_.next();
      if (std::bit_cast<float>((word & 0x7fffffu) | 0x3f800000u) - 1.0f < rate_) return true;
    }
  }
  void save(StateWriter& state) override {
    input_->save(state);
    draws_.save(state);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    draws_.restore(state);
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const float rate_;
  Draws draws_;
};

class SamplingDataset final : public Dataset {
 public:
  SamplingDataset(ElementSpec spec, Ref<Dataset> input, float rate, Ref<SeedGenerator> seeds)
      : Dataset("Sampling", std::move(spec), {std::move(input)}), rate_(rate), seeds_(std::move(seeds)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<SamplingIterator>(input().make_iterator(context), rate_, seeds_->next());
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }

 private:
  const float rate_;
  const Ref<SeedGenerator> seeds_;
};

SeedPair seed_inputs(const KernelContext& c) {
  return {scalar_input<std::int64_t>(c, "seed"), scalar_input<std::int64_t>(c, "seed2")};
}

ElementSpec one_number(const KernelContext& c) {
  check_types(c.attr("output_types").types(), std::vector<DType>{DType::kInt64});
  return {{DType::kInt64}, {Shape()}};
}

void random(KernelContext& c) {
  set_dataset(c, make_ref<RandomDataset>(one_number(c), make_ref<SeedGenerator>(seed_inputs(c), false)));
}
void random_v2(KernelContext& c) {
  set_dataset(c, make_ref<RandomDataset>(
                     one_number(c), seed_generator_input(c, seed_inputs(c), c.attr("rerandomize_each_iteration").b())));
}
void sampling(KernelContext& c) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  const auto rate = scalar_input<float>(c, "rate");
  set_dataset(c, make_ref<SamplingDataset>(std::move(spec), std::move(input), rate,
                                           make_ref<SeedGenerator>(seed_inputs(c), false)));
}

}  // namespace

void register_random_dataset(Registry& r) {
  add_dataset(r, {.name = "RandomDataset",
                  .inputs = {"seed: int64", "seed2: int64"},
                  .stateful = true,
                  .doc = "An infinite dataset of random numbers in [0, 2**32).",
                  .kernel = random});
  add_dataset(r, {.name = "RandomDatasetV2",
                  .inputs = {"seed: int64", "seed2: int64", "seed_generator: resource"},
                  .attrs = {"rerandomize_each_iteration: bool = false"},
                  .stateful = true,
                  .doc = "An infinite dataset of random numbers in [0, 2**32).",
                  .kernel = random_v2});
  add_dataset(r,
              {.name = "SamplingDataset",
               .inputs = {"input_dataset: variant", "rate: float", "seed: int64", "seed2: int64"},
               .doc = "A dataset of the elements of another that are chosen at random, each with probability `rate`.",
               .kernel = sampling},
              {.metadata = false});
}

}  // namespace tracefn::data
