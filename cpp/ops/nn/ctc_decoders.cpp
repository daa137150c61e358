// CTCGreedyDecoder and CTCBeamSearchDecoder: the most probable label sequences, given logits [time, batch, classes].
// Beam search: Graves and Jaitly, "Towards end-to-end speech recognition with recurrent neural networks", 2014.
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/nn/log_sum.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

using Labels = std::vector<std::int64_t>;

void infer_decoded(InferContext& c, std::int64_t paths) {
  c.require_rank(0, 3);
  c.require_rank(1, 1);
  const std::int64_t batch = merge_dims(dim_of(c.shape(0), 1), dim_of(c.shape(1), 0));
  const auto n = static_cast<std::size_t>(paths);
  for (std::size_t i = 0; i < n; ++i) {
    c.set_output(i, Shape({kUnknownDim, 2}));
    c.set_output(n + i, Shape({kUnknownDim}));
    c.set_output(2 * n + i, Shape({2}));
  }
  c.set_output(3 * n, Shape({batch, paths}));
}

void check_logits(const KernelContext& c) {
  const Tensor &inputs = c.input(0), &lengths = c.input(1);
  if (inputs.rank() != 3) invalid_argument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) invalid_argument("sequence_length is not a vector");
  if (inputs.num_elements() == 0) invalid_argument("inputs must not be empty");
  if (lengths.dim(0) != inputs.dim(1))
    fail(ErrorKind::kFailedPrecondition, "len(sequence_length) != batch_size.  len(sequence_length):  ", lengths.dim(0),
         " batch_size: ", inputs.dim(1));
  for (std::int64_t b = 0; b < inputs.dim(1); ++b)
    if (lengths.data<std::int32_t>()[b] > inputs.dim(0))
      fail(ErrorKind::kFailedPrecondition, "sequence_length(", b, ") <= ", inputs.dim(0));
}

// The sequences of a batch as the parts of a sparse matrix, in outputs `path`, paths + path and 2 * paths + path.
void put_sparse(KernelContext& c, const std::vector<Labels>& batch, std::size_t path, std::size_t paths) {
  std::int64_t n = 0, longest = 0;
  for (const Labels& labels : batch) {
    n += static_cast<std::int64_t>(labels.size());
    longest = std::max(longest, static_cast<std::int64_t>(labels.size()));
  }
  auto* indices = c.allocate_output(path, DType::kInt64, Shape({n, 2})).mutable_data<std::int64_t>();
  auto* values = c.allocate_output(paths + path, DType::kInt64, Shape({n})).mutable_data<std::int64_t>();
  auto* shape = c.allocate_output(2 * paths + path, DType::kInt64, Shape({2})).mutable_data<std::int64_t>();
  for (std::size_t b = 0; b < batch.size(); ++b)
    for (std::size_t i = 0; i < batch[b].size(); ++i) {
      *indices++ = static_cast<std::int64_t>(b);
      *indices++ = static_cast<std::int64_t>(i);
      *values++ = batch[b][i];
    }
  shape[0] = static_cast<std::int64_t>(batch.size());
  shape[1] = longest;
}

template <typename T>
void greedy_as(KernelContext& c) {
  check_logits(c);
  const Tensor& inputs = c.input(0);
  const std::int64_t batch = inputs.dim(1), classes = inputs.dim(2);
  std::int64_t blank = c.attr("blank_index").i();
  if (blank < -classes || blank >= classes)
    invalid_argument("blank_index expected to be between ", -classes, " and ", classes - 1, " but was ", blank);
  if (blank < 0) blank += classes;
  const bool merge = c.attr("merge_repeated").b();
  std::vector<Labels> found(static_cast<std::size_t>(batch));
  T* scores = c.allocate_output(3, inputs.dtype(), Shape({batch, 1})).template mutable_data<T>();
  PolledSteps polled;
  for (std::int64_t b = 0; b < batch; ++b) {
    Labels& labels = found[static_cast<std::size_t>(b)];
    scores[b] = 0;
    std::int64_t before = -1;
    for (std::int64_t t = 0; t < c.input(1).data<std::int32_t>()[b]; ++t) {
      const T* x = inputs.data<T>() + (t * batch + b) * classes;
      const T* most = std::max_element(x, x + classes);
      scores[b] -= *most;
      const std::int64_t label = most - x;
      if (label != blank && !(merge && label == before)) labels.push_back(label);
      before = label;
      polled.step(classes);
    }
  }
  put_sparse(c, found, 0, 1);
}

void greedy(KernelContext& c) {
  if (c.input(0).dtype() == DType::kFloat) return greedy_as<float>(c);
  greedy_as<double>(c);
}

// The logarithms of the probabilities that a prefix ends in a blank, in its label, and of their sum.
struct Probability {
  double total = kLogZero, blank = kLogZero, label = kLogZero;
};

// A prefix: its last label below the prefix without it.
struct Prefix {
  Prefix* parent;
  std::int64_t label;
  Probability before, now;
  std::map<std::int64_t, std::unique_ptr<Prefix>> longer;

  bool active() const { return now.total != kLogZero; }
};

class Search {
 public:
  Search(std::int64_t classes, std::size_t width) : blank_(classes - 1), width_(width) {
    root_.now.total = root_.now.blank = 0;
    beam_.push_back(&root_);
  }

  // One time step with the log-probabilities of the classes.
  void step(const double* log_y) {
    const std::vector<Prefix*> branches = std::move(beam_);
    beam_.clear();
    for (Prefix* p : branches) p->before = p->now;
    for (Prefix* p : branches) {
      if (p->parent) {
        if (p->parent->active()) p->now.label = log_sum(p->now.label, grown(*p->parent, p->label));
        p->now.label += log_y[p->label];
      }
      p->now.blank = p->before.total + log_y[blank_];
      p->now.total = log_sum(p->now.blank, p->now.label);
      push(p);
    }
    for (Prefix* p : branches) {
      if (!fits(p->before.total)) continue;
      for (std::int64_t label = 0; label < blank_; ++label) {
        std::unique_ptr<Prefix>& place = p->longer[label];
        if (!place) place = std::make_unique<Prefix>(Prefix{p, label, {}, {}, {}});
        Prefix& child = *place;
        if (child.active()) continue;
        child.now.blank = kLogZero;
        child.now.label = child.now.total = log_y[label] + grown(*p, label);
        if (fits(child.now.total)) {
          if (beam_.size() == width_) {
            beam_.back()->now = {};
            beam_.pop_back();
          }
          push(&child);
        } else {
          child.before = child.now = {};
        }
      }
    }
  }

  // The most probable prefixes, the best first.
  const std::vector<Prefix*>& best() const { return beam_; }

 private:
  // The probability that `prefix` is followed by `label`: after a blank only if it ends in that label.
  static double grown(const Prefix& prefix, std::int64_t label) {
    return prefix.parent && prefix.label == label ? prefix.before.blank : prefix.before.total;
  }
  bool fits(double total) const {
    return total > kLogZero && (beam_.size() < width_ || total > beam_.back()->now.total);
  }
  void push(Prefix* p) {
    auto place = std::upper_bound(beam_.begin(), beam_.end(), p,
                                  [](const Prefix* a, const Prefix* b) { return a->now.total > b->now.total; });
    beam_.insert(place, p);
  }

  const std::int64_t blank_;
  const std::size_t width_;
  Prefix root_{nullptr, -1, {}, {}, {}};
  std::vector<Prefix*> beam_;  // in descending order of probability
};

Labels labels_of(const Prefix* p, bool merge) {
  Labels labels;
  for (std::int64_t after = -1; p->parent; p = p->parent) {
    if (!merge || p->label != after) labels.insert(labels.begin(), p->label);
    after = p->label;
  }
  return labels;
}

template <typename T>
void beam_search_as(KernelContext& c) {
  check_logits(c);
  const Tensor& inputs = c.input(0);
  const std::int64_t batch = inputs.dim(1), classes = inputs.dim(2);
  const auto width = static_cast<std::size_t>(c.attr("beam_width").i()),
             paths = static_cast<std::size_t>(c.attr("top_paths").i());
  const bool merge = c.attr("merge_repeated").b();
  T* scores = c.allocate_output(3 * paths, inputs.dtype(), Shape({batch, static_cast<std::int64_t>(paths)}))
                  .template mutable_data<T>();
  std::vector<std::vector<Labels>> found(paths, std::vector<Labels>(static_cast<std::size_t>(batch)));
  std::vector<double> log_y(static_cast<std::size_t>(classes));
  for (std::int64_t b = 0; b < batch; ++b) {
    Search search(classes, width);
    for (std::int64_t t = 0; t < c.input(1).data<std::int32_t>()[b]; ++t) {
      log_softmax(inputs.data<T>() + (t * batch + b) * classes, classes, log_y.data());
      search.step(log_y.data());
      poll();
    }
    if (paths > width) invalid_argument("requested more paths than the beam width.");
    if (paths > search.best().size()) invalid_argument("Less leaves in the beam search than requested.");
    for (std::size_t p = 0; p < paths; ++p) {
      found[p][static_cast<std::size_t>(b)] = labels_of(search.best()[p], merge);
      scores[static_cast<std::size_t>(b) * paths + p] = static_cast<T>(search.best()[p]->now.total);
    }
  }
  for (std::size_t p = 0; p < paths; ++p) put_sparse(c, found[p], p, paths);
}

void beam_search(KernelContext& c) {
  if (c.input(0).dtype() == DType::kFloat) return beam_search_as<float>(c);
  beam_search_as<double>(c);
}

}  // namespace

void register_ctc_decoders(Registry& r) {
  r.add({.name = "CTCGreedyDecoder",
         .inputs = {"inputs: T", "sequence_length: int32"},
         .outputs = {"decoded_indices: int64", "decoded_values: int64", "decoded_shape: int64", "log_probability: T"},
         .attrs = {"merge_repeated: bool = false", "blank_index: int = -1", "T: {float, double} = DT_FLOAT"},
         .doc = "The most probable class at each time, without blanks, as the parts of a sparse matrix.",
         .infer = [](InferContext& c) { infer_decoded(c, 1); },
         .kernel = greedy,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
  r.add({.name = "CTCBeamSearchDecoder",
         .inputs = {"inputs: T", "sequence_length: int32"},
         .outputs = {"decoded_indices: top_paths * int64", "decoded_values: top_paths * int64",
                     "decoded_shape: top_paths * int64", "log_probability: T"},
         .attrs = {"beam_width: int >= 1", "top_paths: int >= 1", "merge_repeated: bool = true",
                   "T: {float, double} = DT_FLOAT"},
         .doc = "The most probable label sequences that a beam search finds, each as the parts of a sparse matrix.",
         .infer = [](InferContext& c) { infer_decoded(c, c.attr("top_paths").i()); },
         .kernel = beam_search,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
