// Ops that make generators of seeds.
#include "data/seed_generator.h"

#include <random>

#include "data/dataset_ops.h"

namespace tracefn::data {
namespace {

SeedPair known(SeedPair seeds) {
  if (seeds.seed || seeds.seed2) return seeds;
  std::random_device device;
  auto word = [&] { return static_cast<std::int64_t>(static_cast<std::uint64_t>(device()) << 32 | device()); };
  return {word(), word()};
}

Philox generator_of(const SeedPair& seeds) {
  return Philox::of(static_cast<std::uint64_t>(seeds.seed), 0, static_cast<std::uint64_t>(seeds.seed2));
}

// Stands for "the dataset makes its own".
class NoSeedGenerator final : public RefCounted {};

void make(KernelContext& c, bool reshuffle) {
  const SeedPair seeds{scalar_input<std::int64_t>(c, "seed"), scalar_input<std::int64_t>(c, "seed2")};
  c.set_output(0, Tensor::handle(DType::kResource, make_ref<SeedGenerator>(seeds, reshuffle)));
  c.set_output(1, Tensor::handle(DType::kVariant, make_deleter()));
}

void seed_generator(KernelContext& c) { make(c, scalar_input<bool>(c, "reshuffle")); }
void random_seed_generator(KernelContext& c) { make(c, true); }
void dummy(KernelContext& c) { c.set_output(0, Tensor::handle(DType::kResource, make_ref<NoSeedGenerator>())); }
}  // namespace

SeedGenerator::SeedGenerator(SeedPair seeds, bool reshuffle) : seeds_(known(seeds)), reshuffle_(reshuffle) {}

SeedPair SeedGenerator::next() {
  if (!reshuffle_) return seeds_;
  std::lock_guard lock(mutex_);
  Philox at = generator_of(seeds_);
  at.skip(static_cast<std::uint64_t>(passes_ / 2));
  PhiloxWords words(at);
  if (passes_++ % 2) {
    words.next();
    words.next();
  }
  const std::int64_t seed = words.next(), seed2 = words.next();
  return {seed, seed2};
}

std::int64_t SeedGenerator::passes() {
  std::lock_guard lock(mutex_);
  return passes_;
}

void SeedGenerator::set_passes(std::int64_t n) {
  std::lock_guard lock(mutex_);
  passes_ = n;
}

Ref<SeedGenerator> seed_generator_input(const KernelContext& c, SeedPair seeds, bool reshuffle) {
  const Tensor& handle = input_named(c, "seed_generator");
  RefCounted* object = handle.rank() == 0 ? handle.object().get() : nullptr;
  if (auto* generator = dynamic_cast<SeedGenerator*>(object)) return Ref<SeedGenerator>(generator);
  if (!dynamic_cast<NoSeedGenerator*>(object))
    invalid_argument("Trying to access a handle's resource using the wrong type: the resource given to ", c.op().name(),
                     " is not a generator of seeds.");
  return make_ref<SeedGenerator>(seeds, reshuffle);
}

void register_seed_generators(Registry& r) {
  OpRecord record{
      .stateful = true, .infer = infer::scalar, .allocation = Allocation::kObjects, .grad = not_differentiable};
  record.name = "AnonymousSeedGenerator";
  record.inputs = {"seed: int64", "seed2: int64", "reshuffle: bool"};
  record.outputs = {"handle: resource", "deleter: variant"};
  record.doc = "A generator of the seeds of shuffled datasets.";
  record.kernel = seed_generator;
  r.add(record);
  record.name = "AnonymousRandomSeedGenerator";
  record.inputs = {"seed: int64", "seed2: int64"};
  record.kernel = random_seed_generator;
  r.add(record);
  record.name = "DummySeedGenerator";
  record.inputs = {};
  record.outputs = {"handle: resource"};
  record.doc = "A handle that stands for a dataset's own generator of seeds.";
  record.kernel = dummy;
  r.add(record);
  record.name = "DeleteSeedGenerator";
  record.inputs = {"handle: resource", "deleter: variant"};
  record.outputs = {};
  record.doc = "Does nothing: a generator of seeds lives as long as its handles.";
  record.infer = infer::nothing;
  record.kernel = do_nothing;
  r.add(record);
  record.name = "DeleteRandomSeedGenerator";
  r.add(record);
}

}  // namespace tracefn::data
