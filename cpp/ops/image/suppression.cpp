// Non-maximum suppression: boxes in the order of their scores, without those that overlap an earlier one. Scores of
// boxes that overlap may be lowered instead (Bodla et al., "Soft-NMS", 2017).
#include "ops/image/suppression.h"

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

bool has_attr(const OpSignature& op, std::string_view name) { return op.attr_index(name) >= 0; }

// Versions differ in which of the inputs iou_threshold, score_threshold and soft_nms_sigma they have.
void infer_suppression(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 1);
  for (std::size_t i = 2; i < c.num_inputs(); ++i) c.require_rank(i, 0);
  require_equal(dim_of(c.shape(0), 0), dim_of(c.shape(1), 0));
  if (c.op().name == "NonMaxSuppressionWithOverlaps") {
    require_equal(dim_of(c.shape(0), 0), dim_of(c.shape(0), 1));
  } else {
    require_size(dim_of(c.shape(0), 1), 4);
  }
  const bool pads = has_attr(c.op(), "pad_to_max_output_size") && c.attr("pad_to_max_output_size").b();
  const std::int64_t size = pads ? c.dim_value(2) : kUnknownDim;
  for (std::size_t j = 0; j + 1 < std::max<std::size_t>(c.num_outputs(), 2); ++j) c.set_output(j, Shape({size}));
  if (c.num_outputs() > 1) c.set_output(c.num_outputs() - 1, Shape());
}

float number_of(const Tensor& t) { return t.dtype() == DType::kHalf ? compute_value(t.item<Half>()) : t.item<float>(); }

void require_scalar(std::string_view name, const Tensor& t, bool explain) {
  if (t.rank() == 0) return;
  const std::string more = explain ? concat(" (Shape must be rank 0 but is rank ", t.rank(), ")") : std::string();
  invalid_argument(name, " must be 0-D, got shape ", t.shape().text(), more);
}

void require_threshold(float threshold) {
  if (!(threshold >= 0 && threshold <= 1)) invalid_argument("iou_threshold must be in [0, 1]");
}

void require_scores(const Tensor& scores, std::int64_t boxes) {
  if (scores.rank() != 1)
    invalid_argument("scores must be 1-D", scores.shape().text(), " (Shape must be rank 1 but is rank ", scores.rank(),
                     ")");
  if (scores.dim(0) != boxes)
    invalid_argument("scores has incompatible shape (Dimensions must be equal, but are ", boxes, " and ", scores.dim(0),
                     ")");
}

void check_suppression(const KernelContext& c) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  const bool explain = c.op().name() == "NonMaxSuppressionV3",
             overlaps = c.op().name() == "NonMaxSuppressionWithOverlaps";
  require_scalar("max_output_size", c.input(2), explain);
  if (overlaps) {
    require_scalar("overlap_threshold", c.input(3), false);
    require_scalar("score_threshold", c.input(4), false);
    if (boxes.rank() != 2) invalid_argument("overlaps must be 2-D", boxes.shape().text());
    if (boxes.dim(0) != boxes.dim(1)) invalid_argument("overlaps must be square", boxes.shape().text());
  } else {
    if (c.num_inputs() > 3) {
      require_scalar("iou_threshold", c.input(3), explain);
      require_threshold(number_of(c.input(3)));
    } else {
      require_threshold(c.attr("iou_threshold").f());
    }
    if (c.num_inputs() > 4) require_scalar("score_threshold", c.input(4), false);
    if (c.num_inputs() > 5) {
      require_scalar("soft_nms_sigma", c.input(5), false);
      if (!(number_of(c.input(5)) >= 0)) invalid_argument("soft_nms_sigma_val must be >= 0");
    }
    if (boxes.rank() != 2)
      invalid_argument("boxes must be 2-D", boxes.shape().text(), " (Shape must be rank 2 but is rank ", boxes.rank(),
                       ")");
    if (boxes.dim(1) != 4)
      invalid_argument("boxes must have 4 columns (Dimension must be 4 but is ", boxes.dim(1), ")");
  }
  require_scores(scores, boxes.dim(0));
  if (c.input(2).item<std::int32_t>() < 0) invalid_argument("output size must be non-negative");
}

// x rounded to T, in which TensorFlow computes.
template <typename T>
float rounded(float x) {
  return static_cast<float>(compute_value(T(x)));
}

struct Settings {
  std::int64_t most;
  float similarity_threshold, score_threshold, sigma;
};

struct Selection {
  std::vector<std::int32_t> boxes;
  std::vector<float> scores;
};

template <typename T>
Selection select(const Tensor& scores, const Settings& s, const std::function<float(int, int)>& similarity) {
  struct Candidate {
    std::int32_t box;
    float score;
    std::size_t compared;  // with how many of the selected boxes
  };
  auto less = [](const Candidate& a, const Candidate& b) {
    return (a.score == b.score && a.box > b.box) || a.score < b.score;
  };
  std::priority_queue<Candidate, std::deque<Candidate>, decltype(less)> candidates(less);
  const T* given = scores.data<T>();
  for (std::int64_t i = 0; i < scores.num_elements(); ++i) {
    const auto score = static_cast<float>(compute_value(given[i]));
    if (score > s.score_threshold) candidates.push({static_cast<std::int32_t>(i), score, 0});
  }
  const bool soft = s.sigma > 0;
  const float factor = soft ? rounded<T>(-0.5f / s.sigma) : 0;
  Selection selected;
  PolledSteps polled(256);
  while (static_cast<std::int64_t>(selected.boxes.size()) < s.most && !candidates.empty()) {
    Candidate next = candidates.top();
    candidates.pop();
    const float before = next.score;
    bool suppressed = false;
    for (std::size_t j = selected.boxes.size(); j-- > next.compared;) {
      const float common = rounded<T>(similarity(next.box, selected.boxes[j]));
      polled.step();
      if (!soft && common > s.similarity_threshold) {
        suppressed = true;
        break;
      }
      const float weight = rounded<T>(std::exp(rounded<T>(rounded<T>(factor * common) * common)));
      next.score = rounded<T>(next.score * weight);
      if (next.score <= s.score_threshold) break;
    }
    next.compared = selected.boxes.size();
    if (suppressed) continue;
    if (next.score == before) {
      selected.boxes.push_back(next.box);
      selected.scores.push_back(next.score);
    } else if (next.score > s.score_threshold) {
      candidates.push(next);
    }
  }
  return selected;
}

template <typename T>
void suppress(KernelContext& c) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  const bool overlaps = c.op().name() == "NonMaxSuppressionWithOverlaps";
  auto input = [&](std::size_t i, float otherwise) {
    return c.num_inputs() > i ? rounded<T>(number_of(c.input(i))) : otherwise;
  };
  const Settings settings = {
      .most = c.input(2).item<std::int32_t>(),
      .similarity_threshold = c.num_inputs() > 3 ? input(3, 0) : c.attr("iou_threshold").f(),
      .score_threshold = input(4, static_cast<float>(lowest_number<T>())),
      .sigma = input(5, 0),
  };
  const T* corners = boxes.data<T>();
  auto box = [&](int i) {
    return BoxCorners::of([&](int k) { return static_cast<float>(compute_value(corners[4 * i + k])); });
  };
  std::function<float(int, int)> similarity = [&](int i, int j) { return intersection_over_union(box(i), box(j)); };
  if (overlaps)
    similarity = [&](int i, int j) { return static_cast<float>(compute_value(corners[i * boxes.dim(0) + j])); };
  Selection selected = select<T>(scores, settings, similarity);

  const auto count = static_cast<std::int32_t>(selected.boxes.size());
  if (has_attr(c.op().signature, "pad_to_max_output_size") && c.attr("pad_to_max_output_size").b()) {
    selected.boxes.resize(static_cast<std::size_t>(settings.most), 0);
    selected.scores.resize(static_cast<std::size_t>(settings.most), 0);
  }
  c.set_output(0, Tensor::vector<std::int32_t>(selected.boxes));
  if (c.num_outputs() == 3) {
    Tensor& out = c.allocate_output(1, scores.dtype(), Shape({static_cast<std::int64_t>(selected.scores.size())}));
    std::transform(selected.scores.begin(), selected.scores.end(), out.mutable_data<T>(), [](float x) { return T(x); });
  }
  if (c.num_outputs() > 1) c.set_output(c.num_outputs() - 1, Tensor::scalar<std::int32_t>(count));
}

void suppression(KernelContext& c) {
  check_suppression(c);
  c.input(1).dtype() == DType::kHalf ? suppress<Half>(c) : suppress<float>(c);
}

}  // namespace

void register_suppression(Registry& r) {
  constexpr std::string_view kThreshold = "T_threshold: {half, float} = DT_FLOAT",
                             kNumbers = "T: {half, float} = DT_FLOAT", kPad = "pad_to_max_output_size: bool = false";
  const std::string_view doc =
      "The indices of boxes in the order of their scores, without those that overlap one before.";
  auto add = [&](OpRecord record) {
    record.doc = doc;
    record.infer = infer_suppression;
    record.kernel = suppression;
    record.allocation = Allocation::kByValues;
    r.add(record);
  };
  add({.name = "NonMaxSuppression",
       .inputs = {"boxes: float", "scores: float", "max_output_size: int32"},
       .outputs = {"selected_indices: int32"},
       .attrs = {"iou_threshold: float = 0.5"},
       .grad = not_differentiable});
  add({.name = "NonMaxSuppressionV2",
       .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T_threshold"},
       .outputs = {"selected_indices: int32"},
       .attrs = {kNumbers, kThreshold},
       .grad = not_differentiable});
  const std::vector<std::string_view> inputs = {"boxes: T", "scores: T", "max_output_size: int32",
                                                "iou_threshold: T_threshold", "score_threshold: T_threshold"};
  add({.name = "NonMaxSuppressionV3",
       .inputs = inputs,
       .outputs = {"selected_indices: int32"},
       .attrs = {kNumbers, kThreshold},
       .grad = without_gradient});
  add({.name = "NonMaxSuppressionV4",
       .inputs = inputs,
       .outputs = {"selected_indices: int32", "valid_outputs: int32"},
       .attrs = {kNumbers, kThreshold, kPad},
       .grad = without_gradient});
  add({.name = "NonMaxSuppressionV5",
       .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T", "score_threshold: T",
                  "soft_nms_sigma: T"},
       .outputs = {"selected_indices: int32", "selected_scores: T", "valid_outputs: int32"},
       .attrs = {kNumbers, kPad},
       .grad = without_gradient});
  add({.name = "NonMaxSuppressionWithOverlaps",
       .inputs = {"overlaps: float", "scores: float", "max_output_size: int32", "overlap_threshold: float",
                  "score_threshold: float"},
       .outputs = {"selected_indices: int32"},
       .grad = not_differentiable});
}

}  // namespace tracefn
