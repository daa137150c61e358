// WindowDataset: datasets of consecutive elements. SlidingWindowDataset: such elements, stacked.
#include <deque>

#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_list.h"
#include "data/iterator_context.h"
#include "data/stack.h"

namespace tracefn::data {
namespace {

struct WindowShape {
  std::int64_t size, shift, stride;
  bool drop_remainder;
  // The number of elements of the input from a full window's first to its last one.
  std::int64_t span() const { return (size - 1) * stride + 1; }
  std::int64_t count(std::int64_t n) const {
    if (n < 0) return n;
    if (!drop_remainder) return (n + shift - 1) / shift;
    return n < span() ? 0 : (n - span()) / shift + 1;
  }
};

// Gives the elements of each window.
class WindowReader {
 public:
  WindowReader(std::unique_ptr<Iterator> input, const WindowShape& shape) : input_(std::move(input)), shape_(shape) {}

  // False at the end.
  bool next(std::vector<Element>& window) {
    if (ended_ && buffer_.empty()) return false;
    PolledSteps polled(64);
    while (!ended_ && static_cast<std::int64_t>(buffer_.size()) < shape_.span()) {
      Element element;
      if (!input_->next(element)) {
        ended_ = true;
        break;
      }
      buffer_.push_back(std::move(element));
      polled.step();
    }
    if (buffer_.empty() || (shape_.drop_remainder && static_cast<std::int64_t>(buffer_.size()) < shape_.span())) {
      buffer_.clear();
      return false;
    }
    window.clear();
    const auto n = static_cast<std::int64_t>(buffer_.size());
    for (std::int64_t i = 0, taken = 0; i < n && taken < shape_.size; i += shape_.stride, ++taken)
      window.push_back(buffer_[static_cast<std::size_t>(i)]);
    const std::int64_t dropped = std::min(shape_.shift, n);
    buffer_.erase(buffer_.begin(), buffer_.begin() + dropped);
    // Between windows that are further apart than they are long.
    if (!ended_ && shape_.shift > dropped && input_->skip(shape_.shift - dropped) < shape_.shift - dropped)
      ended_ = true;
    return true;
  }

  void save(StateWriter& state) {
    input_->save(state);
    state.flag(ended_);
    state.number(static_cast<std::int64_t>(buffer_.size()));
    for (const Element& element : buffer_) state.element(element);
  }
  // The elements fit `spec`, if it is given.
  void restore(StateReader& state, const ElementSpec* spec) {
    input_->restore(state);
    ended_ = state.flag();
    buffer_.clear();
    for (std::int64_t n = state.count(shape_.span()); n > 0; --n)
      buffer_.push_back(spec ? state.element(*spec) : state.element());
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const WindowShape shape_;
  std::deque<Element> buffer_;
  bool ended_ = false;
};

class WindowIterator final : public Iterator {
 public:
  WindowIterator(std::unique_ptr<Iterator> input, const WindowShape& shape, ElementSpec inner)
      : reader_(std::move(input), shape), inner_(std::move(inner)) {}

  bool next(Element& out) override {
    std::vector<Element> window;
    if (!reader_.next(window)) return false;
    out.resize(inner_.dtypes.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::vector<Element> column;
      for (const Element& element : window) column.push_back({element.at(i)});
      out[i] = Tensor::handle(DType::kVariant,
                              dataset_of("Window", {{inner_.dtypes[i]}, {inner_.shapes[i]}}, std::move(column)));
    }
    return true;
  }
  void save(StateWriter& state) override { reader_.save(state); }
  void restore(StateReader& state) override { reader_.restore(state, &inner_); }

 private:
  WindowReader reader_;
  const ElementSpec inner_;
};

class SlidingIterator final : public Iterator {
 public:
  SlidingIterator(std::unique_ptr<Iterator> input, const WindowShape& shape) : reader_(std::move(input), shape) {}

  bool next(Element& out) override {
    std::vector<Element> window;
    if (!reader_.next(window)) return false;
    Stacker stacker(window[0].size(), static_cast<std::int64_t>(window.size()));
    for (const Element& element : window) stacker.add(element);
    stacker.finish(out);
    return true;
  }
  void save(StateWriter& state) override { reader_.save(state); }
  void restore(StateReader& state) override { reader_.restore(state, nullptr); }

 private:
  WindowReader reader_;
};

class WindowDataset final : public Dataset {
 public:
  WindowDataset(std::string_view kind, ElementSpec spec, Ref<Dataset> input, const WindowShape& shape, bool stacked)
      : Dataset(kind, std::move(spec), {std::move(input)}), shape_(shape), stacked_(stacked) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::unique_ptr<Iterator> iterator = input().make_iterator(context);
    if (stacked_) return std::make_unique<SlidingIterator>(std::move(iterator), shape_);
    return std::make_unique<WindowIterator>(std::move(iterator), shape_, input().spec());
  }
  std::int64_t cardinality() const override { return shape_.count(input().cardinality()); }

 private:
  const WindowShape shape_;
  const bool stacked_;
};

std::int64_t positive(const KernelContext& c, std::string_view name, std::string_view shown) {
  const auto n = scalar_input<std::int64_t>(c, name);
  if (n <= 0) invalid_argument(shown, " must be greater than zero.");
  return n;
}

void check_span(const WindowShape& shape) {
  std::int64_t span;
  if (__builtin_mul_overflow(shape.size - 1, shape.stride, &span) || span == INT64_MAX)
    invalid_argument("The window is too long: size ", shape.size, ", stride ", shape.stride, ".");
}

void window(KernelContext& c) {
  const WindowShape shape{positive(c, "size", "Window size"), positive(c, "shift", "Window shift"),
                          positive(c, "stride", "Window stride"), scalar_input<bool>(c, "drop_remainder")};
  check_span(shape);
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec;
  spec.dtypes.assign(input->spec().dtypes.size(), DType::kVariant);
  spec.shapes.assign(input->spec().dtypes.size(), Shape());
  set_dataset(c, make_ref<WindowDataset>("Window", std::move(spec), std::move(input), shape, false));
}

void sliding_window(KernelContext& c) {
  const WindowShape shape{positive(c, "window_size", "Window size"), positive(c, "window_shift", "Window shift"),
                          positive(c, "window_stride", "window_stride"), c.attr("drop_remainder").b()};
  check_span(shape);
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  for (Shape& s : spec.shapes) s = with_front(shape.drop_remainder ? shape.size : kUnknownDim, s);
  set_dataset(c, make_ref<WindowDataset>("SlidingWindow", std::move(spec), std::move(input), shape, true));
}

}  // namespace

void register_window_dataset(Registry& r) {
  add_dataset(
      r, {.name = "WindowDataset",
          .inputs = {"input_dataset: variant", "size: int64", "shift: int64", "stride: int64", "drop_remainder: bool"},
          .doc = "A dataset of windows: datasets of `size` elements, `stride` apart, which begin `shift` "
                 "elements after each other.",
          .kernel = window});
  add_dataset(
      r,
      {.name = "SlidingWindowDataset",
       .inputs = {"input_dataset: variant", "window_size: int64", "window_shift: int64", "window_stride: int64"},
       .attrs = {"drop_remainder: bool = true"},
       .doc = "A dataset of stacks of `window_size` elements, which begin `window_shift` elements after each "
              "other.",
       .kernel = sliding_window},
      {.metadata = false});
}

}  // namespace tracefn::data
