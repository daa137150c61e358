// A crop of an image drawn at random, of some area and shape, that covers enough of one of the given boxes. The draws
// are TensorFlow's for the same seeds.
#include <bit>
#include <cmath>
#include <limits>

#include "math/philox.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/random/random_state.h"
#include "ops/random/seeds.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_sample(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 3);
  if (c.num_inputs() > 2) c.require_rank(2, 0);
  if (c.num_inputs() > 3) c.require_rank(3, 1);
  require_size(dim_of(c.shape(0), 0), 3);
  require_size(dim_of(c.shape(1), 2), 4);
  if (c.num_inputs() > 3) require_size(dim_of(c.shape(3), 0), 2);
  c.set_output(0, Shape({3}));
  c.set_output(1, Shape({3}));
  c.set_output(2, Shape({1, 1, 4}));
}

void require_covered(float covered) {
  if (!(covered >= 0)) invalid_argument("Min object covered must be non-negative: ", covered);
}

// The image's size as TensorFlow reads it: negative numbers are huge ones.
std::uint64_t size_at(const Tensor& size, std::int64_t i) { return static_cast<std::uint64_t>(index_at(size, i)); }

void check_sample(const KernelContext& c) {
  if (c.num_inputs() == 2) require_covered(c.attr("min_object_covered").f());
  const std::vector<float>&ratios = c.attr("aspect_ratio_range").floats(), &areas = c.attr("area_range").floats();
  if (ratios.size() != 2) invalid_argument("Aspect ratio range field must specify 2 dimensions");
  if (!(ratios[0] > 0 && ratios[1] > 0))
    invalid_argument("Aspect ratio range must be non-negative: [", ratios[0], ", ", ratios[1], "]");
  if (areas.size() != 2) invalid_argument("Area range field must specify 2 dimensions");
  if (!(areas[0] > 0 && areas[1] > 0))
    invalid_argument("Area range must be non-negative: [", areas[0], ", ", areas[1], "]");
  if (!(areas[0] <= 1 && areas[1] <= 1))
    invalid_argument("Area range must be less then or equal to 1.0: [", areas[0], ", ", areas[1], "]");
  const std::int64_t attempts = c.attr("max_attempts").i();
  if (attempts <= 0) invalid_argument("Max attempts must be non-negative: ", attempts);
  const Tensor &size = c.input(0), &boxes = c.input(1);
  if (c.num_inputs() > 3 && (c.input(3).rank() != 1 || c.input(3).dim(0) != 2))
    invalid_argument("seed must have shape [2], not ", c.input(3).shape().text());
  if (size.rank() != 1) invalid_argument("image_size must be 1-dimensional", size.shape().text());
  if (size.dim(0) != 3) invalid_argument("image_size must contain 3 elements", size.shape().text());
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (size_at(size, 0) >= kMost) invalid_argument("image height cannot be >= int32 max");
  if (size_at(size, 1) >= kMost) invalid_argument("image width cannot be >= int32 max");
  if (boxes.rank() != 3)
    invalid_argument("input boxes must be 3-dimensional [batch, num_boxes, coords]: ", boxes.shape().text());
  if (boxes.dim(2) != 4) invalid_argument("bounding boxes must have shape [4] or [*, 4], got ", boxes.shape().text());
  if (c.num_inputs() > 2) {
    const Tensor& covered = c.input(2);
    if (covered.rank() != 0) invalid_argument("min_object_covered must be 0-D, got shape ", covered.shape().text());
    require_covered(covered.item<float>());
  }
  for (float v : boxes.span<float>())
    if (!(v >= 0 && v <= 1)) invalid_argument("All bounding box coordinates must be in [0.0, 1.0]: ", v);
  if (boxes.num_elements() == 0 && !c.attr("use_image_if_no_bounding_boxes").b())
    invalid_argument(
        "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish "
        "to not provide any bounding boxes.");
}

struct Rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;

  // As a float of an int, which wraps around as TensorFlow's does.
  float area() const {
    const std::uint32_t area = static_cast<std::uint32_t>(right - left) * static_cast<std::uint32_t>(bottom - top);
    return static_cast<float>(static_cast<std::int32_t>(area));
  }
  Rectangle common(const Rectangle& r) const {
    const Rectangle both{std::max(left, r.left), std::max(top, r.top), std::min(right, r.right),
                         std::min(bottom, r.bottom)};
    return both.left > both.right || both.top > both.bottom ? Rectangle() : both;
  }
};

class Draws {
 public:
  explicit Draws(const Philox& start) : words_(start) {}
  float unit() { return std::bit_cast<float>((words_.next() & 0x7fffffu) | 127u << 23) - 1.0f; }
  // From 0 to n - 1: a word takes part only if all results are equally likely.
  int below(std::uint32_t n) {
    if ((n & (n - 1)) == 0) return static_cast<int>(words_.next() & (n - 1));
    const std::uint32_t refused = ~std::uint32_t{0} % n + 1;
    std::uint32_t word = words_.next();
    while (word < refused) word = words_.next();
    return static_cast<int>(word % n);
  }

 private:
  PhiloxWords words_;
};

int nearest(float x) { return static_cast<int>(std::lrintf(x)); }

// A crop of a random height and place with this ratio of width to height; false if none is possible.
bool draw_crop(int width, int height, float least_area, float most_area, float ratio, Draws& draws, Rectangle& crop) {
  if (most_area <= 0 || ratio <= 0 || width <= 0 || height <= 0 || least_area > most_area) return false;
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  const float least = least_area * w * h, most = most_area * w * h;
  auto width_of = [&](int of_height) { return nearest(static_cast<float>(of_height) * ratio); };
  int tall = nearest(std::sqrt(least / ratio)), tallest = nearest(std::sqrt(most / ratio));
  if (width_of(tallest) > width) {
    constexpr float kEps = 0.0000001f;
    tallest = static_cast<int>((width + 0.5 - kEps) / ratio);
    if (width_of(tallest) > width) --tallest;
  }
  tallest = std::min(tallest, height);
  tall = std::min(tall, tallest);
  if (tall < tallest) tall += draws.below(static_cast<std::uint32_t>(tallest - tall + 1));
  int wide = width_of(tall);
  auto area = [&] { return Rectangle{0, 0, wide, tall}.area(); };
  // Rounding may have left the range.
  if (area() < least) wide = width_of(++tall);
  if (area() > most) wide = width_of(--tall);
  if (area() < least || area() > most || wide > width || tall > height || wide <= 0 || tall <= 0) return false;
  const int top = tall < height ? draws.below(static_cast<std::uint32_t>(height - tall)) : 0;
  const int left = wide < width ? draws.below(static_cast<std::uint32_t>(width - wide)) : 0;
  crop = {left, top, left + wide, top + tall};
  return true;
}

bool covers(const Rectangle& crop, float least, const std::vector<Rectangle>& boxes) {
  if (crop.area() < 1) return false;
  for (const Rectangle& box : boxes)
    if (box.area() >= 1 && crop.common(box).area() / box.area() >= least) return true;
  return false;
}

template <typename T>
void set_three(Tensor& out, int a, int b, int c) {
  T* to = out.mutable_data<T>();
  to[0] = static_cast<T>(a);
  to[1] = static_cast<T>(b);
  to[2] = static_cast<T>(c);
}

void sample_from(KernelContext& c, const Philox& start) {
  const Tensor &size = c.input(0), &given = c.input(1);
  const int height = static_cast<int>(size_at(size, 0)), width = static_cast<int>(size_at(size, 1));
  const float least = c.num_inputs() > 2 ? c.input(2).item<float>() : c.attr("min_object_covered").f();
  std::vector<Rectangle> boxes;
  for (std::int64_t i = 0; i < given.num_elements(); i += 4) {
    const float* b = given.data<float>() + i;
    auto place = [](float part, int whole) { return static_cast<int>(part * static_cast<float>(whole)); };
    boxes.push_back({place(b[1], width), place(b[0], height), place(b[3], width), place(b[2], height)});
  }
  const Rectangle image{0, 0, width, height};
  if (boxes.empty()) boxes.push_back(image);
  const std::vector<float>&ratios = c.attr("aspect_ratio_range").floats(), &areas = c.attr("area_range").floats();
  Draws draws(start);
  Rectangle crop;
  bool found = false;
  for (std::int64_t i = 0; i < c.attr("max_attempts").i() && !found; ++i) {
    const float ratio = draws.unit() * (ratios[1] - ratios[0]) + ratios[0];
    found = draw_crop(width, height, areas[0], areas[1], ratio, draws, crop) && covers(crop, least, boxes);
  }
  if (!found) crop = image;
  with_integer(size.dtype(), [&]<typename T>(std::type_identity<T>) {
    set_three<T>(c.output(0), crop.top, crop.left, 0);
    set_three<T>(c.output(1), crop.bottom - crop.top, crop.right - crop.left, -1);
  });
  float* box = c.output(2).mutable_data<float>();
  const auto h = static_cast<float>(height), w = static_cast<float>(width);
  box[0] = static_cast<float>(crop.top) / h;
  box[1] = static_cast<float>(crop.left) / w;
  box[2] = static_cast<float>(crop.bottom) / h;
  box[3] = static_cast<float>(crop.right) / w;
}

void sample(KernelContext& c) {
  sample_from(c, random_state(c).reserve(static_cast<std::uint64_t>(c.attr("max_attempts").i())));
}
void sample_stateless(KernelContext& c) { sample_from(c, from_seed(c.input(3))); }

}  // namespace

void register_sample_box(Registry& r) {
  const std::string_view type = "T: {uint8, int8, int16, int32, int64}", seed = "seed: int = 0",
                         seed2 = "seed2: int = 0", ratios = "aspect_ratio_range: list(float) = [0.75, 1.33]",
                         areas = "area_range: list(float) = [0.05, 1.0]", attempts = "max_attempts: int = 100",
                         whole = "use_image_if_no_bounding_boxes: bool = false",
                         doc = "A random crop (begin, size) of an image that covers enough of one of the boxes.";
  const std::vector<std::string_view> outputs = {"begin: T", "size: T", "bboxes: float"};
  r.add({.name = "SampleDistortedBoundingBox",
         .inputs = {"image_size: T", "bounding_boxes: float"},
         .outputs = outputs,
         .attrs = {type, seed, seed2, "min_object_covered: float = 0.1", ratios, areas, attempts, whole},
         .stateful = true,
         .doc = doc,
         .infer = infer_sample,
         .check = check_sample,
         .kernel = sample,
         .grad = not_differentiable,
         .keeps_state = true});
  r.add({.name = "SampleDistortedBoundingBoxV2",
         .inputs = {"image_size: T", "bounding_boxes: float", "min_object_covered: float"},
         .outputs = outputs,
         .attrs = {type, seed, seed2, ratios, areas, attempts, whole},
         .stateful = true,
         .doc = doc,
         .infer = infer_sample,
         .check = check_sample,
         .kernel = sample,
         .grad = not_differentiable,
         .keeps_state = true});
  r.add({.name = "StatelessSampleDistortedBoundingBox",
         .inputs = {"image_size: T", "bounding_boxes: float", "min_object_covered: float", "seed: Tseed"},
         .outputs = outputs,
         .attrs = {type, "Tseed: {int32, int64}", ratios, areas, attempts, whole},
         .doc = doc,
         .infer = infer_sample,
         .check = check_sample,
         .kernel = sample_stateless,
         .grad = without_gradient});
}

}  // namespace tracefn
