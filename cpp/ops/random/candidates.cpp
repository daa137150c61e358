// Samplers of candidate classes for losses over many classes (Jean et al., "On using very large target vocabulary for
// neural machine translation", 2015), and ComputeAccidentalHits. They draw the numbers that TensorFlow draws.
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/random/random_state.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

void infer_candidates(InferContext& c) {
  c.require_rank(0, 2);
  const std::int64_t sampled = c.attr("num_sampled").i();
  c.set_output(0, Shape({sampled}));
  c.set_output(1, Shape({dim_of(c.shape(0), 0), c.attr("num_true").i()}));
  c.set_output(2, Shape({sampled}));
}

void check_candidates(const KernelContext& c) {
  const Tensor& classes = c.input(0);
  if (classes.rank() != 2) invalid_argument("true_classes must be a matrix");
  if (classes.dim(1) != c.attr("num_true").i())
    invalid_argument("true_classes must have num_true columns, expected: ", classes.dim(1),
                     " was: ", c.attr("num_true").i());
}

// A number below n without bias: words below the remainder are drawn again.
std::uint32_t below(PhiloxWords& words, std::uint32_t n) {
  if ((n & (n - 1)) == 0) return words.next() & (n - 1);
  const std::uint32_t remainder = ~std::uint32_t{0} % n + 1;
  for (;;)
    if (std::uint32_t word = words.next(); word >= remainder) return word % n;
}
std::uint64_t next64(PhiloxWords& words) {
  const std::uint64_t low = words.next();
  return low | static_cast<std::uint64_t>(words.next()) << 32;
}
std::uint64_t below64(PhiloxWords& words, std::uint64_t n) {
  if ((n & (n - 1)) == 0) return next64(words) & (n - 1);
  const std::uint64_t remainder = ~std::uint64_t{0} % n + 1;
  for (;;)
    if (std::uint64_t word = next64(words); word >= remainder) return word % n;
}
double unit(PhiloxWords& words) {
  const std::uint32_t high = words.next();
  return unit_double(high, words.next());
}

// A distribution over [0, range).
struct Uniform {
  std::int64_t range;
  explicit Uniform(const KernelContext& c) : range(c.attr("range_max").i()) {}
  std::int64_t draw(PhiloxWords& words) const {
    return static_cast<std::int64_t>(below64(words, static_cast<std::uint64_t>(range)));
  }
  float probability(std::int64_t) const { return static_cast<float>(1.0 / static_cast<double>(range)); }
};

// The probability of k falls like 1 / (k + 1): Zipf's law.
struct LogUniform {
  std::int64_t range;
  double log_range;
  explicit LogUniform(const KernelContext& c)
      : range(c.attr("range_max").i()), log_range(std::log1p(static_cast<double>(range))) {}
  std::int64_t draw(PhiloxWords& words) const {
    return (static_cast<std::int64_t>(std::exp(unit(words) * log_range)) - 1) % range;
  }
  float probability(std::int64_t k) const {
    const auto x = static_cast<double>(k);
    return static_cast<float>(std::log((x + 2.0) / (x + 1.0)) / log_range);
  }
};

// How often each class was seen, plus one; in a tree of sums, so that a class is found in logarithmic time.
class Learned final : public RefCounted {
 public:
  explicit Learned(std::int64_t range) : range_(range) {
    while (leaves_ < range) leaves_ *= 2;
    sums_.assign(static_cast<std::size_t>(2 * leaves_), 0);
    for (std::int64_t k = 0; k < range; ++k) sums_[static_cast<std::size_t>(leaves_ + k)] = 1;
    for (std::int64_t i = leaves_ - 1; i > 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      sums_[at] = sums_[2 * at] + sums_[2 * at + 1];
    }
  }
  std::int64_t draw(PhiloxWords& words) const {
    std::int32_t at = static_cast<std::int32_t>(below(words, static_cast<std::uint32_t>(sums_[1])));
    std::size_t node = 1;
    while (node < static_cast<std::size_t>(leaves_)) {
      node *= 2;
      if (at >= sums_[node]) at -= sums_[node++];
    }
    return static_cast<std::int64_t>(node) - leaves_;
  }
  float probability(std::int64_t k) const {
    return static_cast<float>(sums_[static_cast<std::size_t>(leaves_ + k)]) / static_cast<float>(sums_[1]);
  }
  // The counts stop before their sum overflows.
  void see(std::int64_t k) {
    if (sums_[1] == std::numeric_limits<std::int32_t>::max()) return;
    for (auto node = static_cast<std::size_t>(leaves_ + k); node > 0; node /= 2) ++sums_[node];
  }
  std::int64_t range() const { return range_; }

  std::mutex mutex;
  Ref<RandomState> random;

 private:
  std::int64_t range_, leaves_ = 1;
  std::vector<std::int32_t> sums_;
};

// Given weights, drawn by the alias method: M. D. Vose, "A linear algorithm for generating random numbers with a given
// distribution", 1991.
class Weighted final : public RefCounted {
 public:
  explicit Weighted(std::vector<float> weights) : weights_(std::move(weights)) {
    const std::size_t n = weights_.size();
    double sum = 0;
    for (float w : weights_) sum += static_cast<double>(w);
    for (float w : weights_) total_ += w;
    std::vector<double> share(n);
    std::vector<std::size_t> high, low;
    for (std::size_t i = 0; i < n; ++i) {
      share[i] = static_cast<double>(weights_[i] * static_cast<float>(n)) / sum;
      (share[i] < 1 ? low : high).push_back(i);
    }
    own_.assign(n, 1);
    other_.resize(n);
    for (std::size_t i = 0; i < n; ++i) other_[i] = i;
    while (!high.empty() && !low.empty()) {
      const std::size_t l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      other_[l] = h;
      own_[l] = static_cast<float>(share[l]);
      share[h] -= 1 - share[l];
      (share[h] < 1 ? low : high).push_back(h);
    }
  }
  std::int64_t draw(PhiloxWords& words) const {
    const float part = std::bit_cast<float>((words.next() & 0x7fffffu) | 0x3f800000u) - 1.0f;
    const std::size_t i = below(words, static_cast<std::uint32_t>(weights_.size()));
    return static_cast<std::int64_t>(part < own_[i] ? i : other_[i]);
  }
  float probability(std::int64_t k) const { return weights_[static_cast<std::size_t>(k)] / total_; }
  std::int64_t size() const { return static_cast<std::int64_t>(weights_.size()); }

  Ref<RandomState> random;

 private:
  std::vector<float> weights_, own_;
  std::vector<std::size_t> other_;
  float total_ = 0;
};

// The last field of each line of a file is the weight of the class with the line's number.
std::vector<float> weights_of_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorKind::kNotFound, path, "; No such file or directory");
  std::vector<float> weights;
  for (std::string line; std::getline(file, line); poll()) {
    const std::string field = line.substr(line.rfind(',') + 1);
    std::istringstream in(field);
    float weight = 0;
    if (!(in >> weight)) invalid_argument("Wrong vocabulary format at line: ", line);
    weights.push_back(weight);
  }
  return weights;
}

std::vector<float> weights_of(const KernelContext& c) {
  const std::string vocabulary(c.attr("vocab_file").s());
  const std::vector<float>& unigrams = c.attr("unigrams").floats();
  if (vocabulary.empty() && unigrams.empty()) invalid_argument("Must provide either vocab_file or unigrams.");
  if (!vocabulary.empty() && !unigrams.empty()) invalid_argument("Must only provide one of vocab_file and unigrams.");
  const std::int64_t shards = c.attr("num_shards").i(), shard = c.attr("shard").i();
  const float distortion = c.attr("distortion").f();
  std::vector<float> found;
  std::int64_t k = 0;
  auto add = [&](float weight) {
    if (k++ % shards == shard) found.push_back(weight);
  };
  for (std::int64_t i = 0; i < c.attr("num_reserved_ids").i(); ++i) add(0);
  for (float weight : vocabulary.empty() ? unigrams : weights_of_file(vocabulary)) add(std::pow(weight, distortion));
  const std::int64_t range = c.attr("range_max").i();
  if (static_cast<std::int64_t>(found.size()) != range)
    invalid_argument("range is ", range, " must be equal to weights size  ", found.size());
  return found;
}

// The expected number of times that a class of that probability is among the results.
float expected_count(float p, std::int64_t sampled, std::int64_t tries) {
  if (tries == sampled) return p * static_cast<float>(sampled);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
}

void check_range(const Tensor& classes, std::int64_t range) {
  const auto* given = classes.data<std::int64_t>();
  for (std::int64_t i = 0; i < classes.num_elements(); ++i)
    if (given[i] < 0 || given[i] >= range)
      invalid_argument("`true_candidate` out of range [0, ", range, "), received ", given[i]);
}

template <typename Distribution>
void sample(KernelContext& c, const Distribution& from, std::int64_t range, RandomState& random) {
  const std::int64_t n = c.attr("num_sampled").i();
  const bool unique = c.attr("unique").b();
  if (unique && n > range) invalid_argument("Sampler's range is too small.");
  check_range(c.input(0), range);
  const Tensor& classes = c.input(0);
  const auto* given = classes.data<std::int64_t>();
  constexpr std::uint64_t kBlocksPerSample = 2048 / 4;  // as many as TensorFlow reserves
  PhiloxWords words(random.reserve(static_cast<std::uint64_t>(n) * kBlocksPerSample));
  auto* out = c.output(0).mutable_data<std::int64_t>();
  std::unordered_set<std::int64_t> used;
  std::int64_t tries = 0;
  PolledSteps polled;
  for (std::int64_t i = 0; i < n; ++tries, polled.step()) {
    out[i] = from.draw(words);
    if (!unique || used.insert(out[i]).second) ++i;
  }
  auto* of_true = c.output(1).mutable_data<float>();
  for (std::int64_t i = 0; i < classes.num_elements(); ++i)
    of_true[i] = expected_count(from.probability(given[i]), n, tries);
  auto* of_sampled = c.output(2).mutable_data<float>();
  for (std::int64_t i = 0; i < n; ++i) of_sampled[i] = expected_count(from.probability(out[i]), n, tries);
}

template <typename Distribution>
void simple_sampler(KernelContext& c) {
  const Distribution from(c);
  sample(c, from, from.range, random_state(c));
}

Ref<RandomState> new_random(const KernelContext& c) {
  return make_ref<RandomState>(c.attr("seed").i(), c.attr("seed2").i());
}

void learned_sampler(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) {
    if (c.attr("range_max").i() >= std::numeric_limits<std::int32_t>::max())
      invalid_argument("range_max must fit in 32 bits.");
    auto made = make_ref<Learned>(c.attr("range_max").i());
    made->random = new_random(c);
    state = made;
  }
  c.close_state();
  auto& learned = static_cast<Learned&>(*state);
  WithoutPolls whole;
  std::lock_guard lock(learned.mutex);
  sample(c, learned, learned.range(), *learned.random);
  for (std::int64_t i = 0; i < c.input(0).num_elements(); ++i) learned.see(c.input(0).data<std::int64_t>()[i]);
}

void fixed_sampler(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) {
    auto made = make_ref<Weighted>(weights_of(c));
    made->random = new_random(c);
    state = made;
  }
  c.close_state();
  auto& weighted = static_cast<Weighted&>(*state);
  sample(c, weighted, weighted.size(), *weighted.random);
}

void all_sampler(KernelContext& c) {
  check_range(c.input(0), c.attr("num_sampled").i());
  auto* out = c.output(0).mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < c.output(0).num_elements(); ++i) out[i] = i;
  for (std::size_t j = 1; j < 3; ++j) {
    auto* counts = c.output(j).mutable_data<float>();
    std::fill(counts, counts + c.output(j).num_elements(), 1.0f);
  }
}

void infer_hits(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  const std::int64_t columns = dim_of(c.shape(0), 1), expected = c.attr("num_true").i();
  if (columns >= 0 && columns != expected && !c.running())
    invalid_argument("Dimension must be ", expected, " but is ", columns);
  for (std::size_t j = 0; j < 3; ++j) c.set_output(j, Shape({kUnknownDim}));
}

// The places where a sampled class is one of the row's true classes.
void accidental_hits(KernelContext& c) {
  const Tensor &classes = c.input(0), &sampled = c.input(1);
  if (classes.rank() != 2 || classes.dim(1) != c.attr("num_true").i())
    invalid_argument("true_candidates must be a batch_size * num_true matrix");
  if (sampled.rank() != 1)
    invalid_argument("sampled_candidates must be a vector, which is typically an output from CandidateSampler");
  std::unordered_map<std::int64_t, std::int64_t> place;
  for (std::int64_t i = 0; i < sampled.dim(0); ++i) place[sampled.data<std::int64_t>()[i]] = i;
  std::vector<std::int32_t> rows;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < classes.num_elements(); ++i)
    if (auto found = place.find(classes.data<std::int64_t>()[i]); found != place.end()) {
      rows.push_back(static_cast<std::int32_t>(i / classes.dim(1)));
      places.push_back(found->second);
    }
  const auto n = static_cast<std::int64_t>(rows.size());
  std::copy(rows.begin(), rows.end(), c.allocate_output(0, DType::kInt32, Shape({n})).mutable_data<std::int32_t>());
  std::copy(places.begin(), places.end(), c.allocate_output(1, DType::kInt64, Shape({n})).mutable_data<std::int64_t>());
  auto* weights = c.allocate_output(2, DType::kFloat, Shape({n})).mutable_data<float>();
  std::fill(weights, weights + n, std::numeric_limits<float>::lowest());
}

OpRecord sampler(std::string_view name, std::vector<std::string_view> more, std::string_view doc, KernelFn kernel) {
  std::vector<std::string_view> attrs = {"num_true: int >= 1", "num_sampled: int >= 1", "unique: bool"};
  attrs.insert(attrs.end(), more.begin(), more.end());
  attrs.insert(attrs.end(), {"seed: int = 0", "seed2: int = 0"});
  return {.name = name,
          .inputs = {"true_classes: int64"},
          .outputs = {"sampled_candidates: int64", "true_expected_count: float", "sampled_expected_count: float"},
          .attrs = attrs,
          .stateful = true,
          .doc = doc,
          .infer = infer_candidates,
          .check = check_candidates,
          .kernel = kernel,
          .grad = not_differentiable,
          .keeps_state = true};
}

}  // namespace

void register_candidates(Registry& r) {
  constexpr std::string_view range = "range_max: int >= 1";
  r.add(
      sampler("UniformCandidateSampler", {range}, "Classes drawn with equal probabilities.", simple_sampler<Uniform>));
  r.add(sampler("LogUniformCandidateSampler", {range},
                "Classes drawn with probabilities log(1 + 1 / (k + 1)) / log(range_max + 1).",
                simple_sampler<LogUniform>));
  constexpr std::string_view learned =
      "Classes drawn in proportion to how often they were true classes before, plus one.";
  r.add(sampler("LearnedUnigramCandidateSampler", {range}, learned, learned_sampler));
  r.add(sampler("ThreadUnsafeUnigramCandidateSampler", {range}, learned, learned_sampler));
  r.add(sampler("FixedUnigramCandidateSampler",
                {range, "vocab_file: string = ''", "distortion: float = 1.0", "num_reserved_ids: int = 0",
                 "num_shards: int >= 1 = 1", "shard: int >= 0 = 0", "unigrams: list(float) = []"},
                "Classes drawn in proportion to given weights, each raised to the power `distortion`.", fixed_sampler));
  r.add(sampler("AllCandidateSampler", {}, "All classes: 0, 1, ..., num_sampled - 1.", all_sampler));
  r.add({.name = "ComputeAccidentalHits",
         .inputs = {"true_classes: int64", "sampled_candidates: int64"},
         .outputs = {"indices: int32", "ids: int64", "weights: float"},
         .attrs = {"num_true: int", "seed: int = 0", "seed2: int = 0"},
         .doc = "The places where a sampled class is a true class: row, place among the sampled, and the lowest float.",
         .infer = infer_hits,
         .kernel = accidental_hits,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
