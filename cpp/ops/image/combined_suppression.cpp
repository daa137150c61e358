// Non-maximum suppression for each class of each image of a batch, and the best boxes of all classes.
#include <limits>
#include <queue>

#include "base/poll.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/suppression.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// boxes [batch, boxes, q, 4], scores [batch, boxes, classes], where q is 1 or the number of classes.
void infer_combined(InferContext& c) {
  c.require_rank(0, 4);
  c.require_rank(1, 3);
  for (std::size_t i = 2; i < 6; ++i) c.require_rank(i, 0);
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  require_equal(dim_of(boxes, 0), dim_of(scores, 0));
  require_equal(dim_of(boxes, 1), dim_of(scores, 1));
  require_size(dim_of(boxes, 3), 4);
  const std::int64_t sets = dim_of(boxes, 2), classes = dim_of(scores, 2), batch = dim_of(boxes, 0);
  if (sets >= 0 && classes >= 0 && sets != 1 && sets != classes)
    invalid_argument("third dimension of boxes must be either 1 or equal to the third dimension of scores");
  const std::int64_t total = c.dim_value(3);
  if (total == 0) invalid_argument("max_total_size should be > 0 ");
  const std::int64_t per_class = c.dim_value(2);
  std::int64_t size = total;
  if (c.attr("pad_per_class").b()) {
    if (per_class == 0) invalid_argument("max_output_size_per_class must be > 0 if pad_per_class is set to true ");
    size = per_class >= 0 && classes >= 0 && total >= 0 ? std::min(total, per_class * classes) : kUnknownDim;
  }
  c.set_output(0, Shape({batch, size, 4}));
  c.set_output(1, Shape({batch, size}));
  c.set_output(2, Shape({batch, size}));
  c.set_output(3, Shape({batch}));
}

void require_rank_0(std::string_view name, const Tensor& t) {
  if (t.rank() != 0) invalid_argument(name, " must be 0-D, got shape ", t.shape().text());
}

void check_combined(const KernelContext& c) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  if (boxes.rank() != 4)
    invalid_argument("boxes must be 4-D [batch, num_boxes, q, 4], got shape ", boxes.shape().text());
  if (scores.rank() != 3)
    invalid_argument("scores must be 3-D [batch, num_boxes, num_classes], got shape ", scores.shape().text());
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2))
    invalid_argument("third dimension of boxes must be either 1 or num classes");
  if (boxes.dim(3) != 4) invalid_argument("boxes must have 4 columns");
  if (scores.dim(1) != boxes.dim(1)) invalid_argument("scores has incompatible shape");
  if (boxes.dim(0) != scores.dim(0)) invalid_argument("boxes and scores must have same batch size");
  require_rank_0("max_size_per_class", c.input(2));
  if (c.input(2).item<std::int32_t>() <= 0) invalid_argument("max_size_per_class must be positive");
  require_rank_0("max_total_size", c.input(3));
  if (c.input(3).item<std::int32_t>() <= 0) invalid_argument("max_total_size must be > 0");
  require_rank_0("iou_threshold", c.input(4));
  require_rank_0("score_threshold", c.input(5));
  const float threshold = c.input(4).item<float>();
  if (!(threshold >= 0 && threshold <= 1)) invalid_argument("iou_threshold must be in [0, 1]");
}

struct Detection {
  float score;
  std::int32_t of_class;
  const float* box;
};

struct Limits {
  std::int64_t per_class;
  float overlap, score;
};

BoxCorners corners(const float* box) {
  return BoxCorners::of([box](int k) { return box[k]; });
}

// The boxes of one class: `boxes` and `scores` begin with those of the class, and are apart by these steps.
std::vector<Detection> detect(const float* boxes, std::int64_t box_step, const float* scores, std::int64_t score_step,
                              std::int64_t count, std::int32_t of_class, const Limits& limits) {
  auto less = [](const Detection& a, const Detection& b) { return a.score < b.score; };
  std::priority_queue<Detection, std::vector<Detection>, decltype(less)> candidates(less);
  for (std::int64_t i = 0; i < count; ++i)
    if (scores[i * score_step] > limits.score)
      candidates.push({scores[i * score_step], of_class, boxes + i * box_step});
  std::vector<Detection> selected;
  PolledSteps polled(256);
  while (static_cast<std::int64_t>(selected.size()) < limits.per_class && !candidates.empty()) {
    const Detection next = candidates.top();
    candidates.pop();
    const BoxCorners box = corners(next.box);
    bool suppressed = false;
    for (std::size_t j = selected.size(); j-- > 0 && !suppressed; polled.step())
      suppressed = intersection_over_union(box, corners(selected[j].box)) > limits.overlap;
    if (!suppressed) selected.push_back(next);
  }
  return selected;
}

void combined(KernelContext& c) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  const std::int64_t batch = boxes.dim(0), count = boxes.dim(1), sets = boxes.dim(2), classes = scores.dim(2);
  const Limits limits = {.per_class = std::min<std::int64_t>(c.input(2).item<std::int32_t>(), count),
                         .overlap = c.input(4).item<float>(),
                         .score = c.input(5).item<float>()};
  std::vector<std::vector<Detection>> found(static_cast<std::size_t>(batch * classes));
  c.parallel_for(batch * classes, 50.0 * static_cast<double>(count), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / classes, of_class = i % classes;
      found[static_cast<std::size_t>(i)] =
          detect(boxes.data<float>() + (image * count * sets + (sets > 1 ? of_class : 0)) * 4, sets * 4,
                 scores.data<float>() + image * count * classes + of_class, classes, count,
                 static_cast<std::int32_t>(of_class), limits);
    }
  });
  const std::int64_t size = c.output(1).dim(1);
  const bool clip = c.attr("clip_boxes").b();
  for (std::size_t j = 0; j < 3; ++j) c.output(j).fill_zeros();
  float *box_to = c.output(0).mutable_data<float>(), *score_to = c.output(1).mutable_data<float>(),
        *class_to = c.output(2).mutable_data<float>();
  std::int32_t* valid = c.output(3).mutable_data<std::int32_t>();
  for (std::int64_t image = 0; image < batch; ++image) {
    std::vector<Detection> all;
    for (std::int64_t k = 0; k < classes; ++k) {
      const std::vector<Detection>& of_class = found[static_cast<std::size_t>(image * classes + k)];
      all.insert(all.end(), of_class.begin(), of_class.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const Detection& a, const Detection& b) { return b.score < a.score; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(size)));
    valid[image] = static_cast<std::int32_t>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t at = image * size + static_cast<std::int64_t>(i);
      for (int k = 0; k < 4; ++k) {
        const float v = all[i].box[k];
        box_to[4 * at + k] = clip ? std::max(std::min(v, 1.0f), 0.0f) : v;
      }
      score_to[at] = all[i].score;
      class_to[at] = static_cast<float>(all[i].of_class);
    }
  }
}

}  // namespace

void register_combined_suppression(Registry& r) {
  r.add({.name = "CombinedNonMaxSuppression",
         .inputs = {"boxes: float", "scores: float", "max_output_size_per_class: int32", "max_total_size: int32",
                    "iou_threshold: float", "score_threshold: float"},
         .outputs = {"nmsed_boxes: float", "nmsed_scores: float", "nmsed_classes: float", "valid_detections: int32"},
         .attrs = {"pad_per_class: bool = false", "clip_boxes: bool = true"},
         .doc = "Non-maximum suppression for each class of each image, and the best boxes of all classes.",
         .infer = infer_combined,
         .check = check_combined,
         .kernel = combined,
         .grad = without_gradient});
}

}  // namespace tracefn
