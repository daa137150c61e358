// RangeDataset: numbers from start, below stop, by step. Its elements are rows: row i is start + i * step.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

struct Numbers {
  std::int64_t start, step, count;
  // Wraps around where TensorFlow's would overflow.
  std::int64_t at(std::int64_t i) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                     static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
  }
};

Numbers numbers(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto ustart = static_cast<std::uint64_t>(start), ustop = static_cast<std::uint64_t>(stop);
  std::uint64_t count = 0;
  if (step > 0 && start < stop) {
    count = (ustop - ustart - 1) / static_cast<std::uint64_t>(step) + 1;
  } else if (step < 0 && start > stop) {
    count = (ustart - ustop - 1) / (std::uint64_t{0} - static_cast<std::uint64_t>(step)) + 1;
  }
  return {start, step, static_cast<std::int64_t>(std::min<std::uint64_t>(count, INT64_MAX))};
}

// Calls f with a value of the C++ type for an integer or floating-point dtype.
template <typename F>
void for_number_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt64:
      return f(std::int64_t{});
    case DType::kInt32:
      return f(std::int32_t{});
    case DType::kInt16:
      return f(std::int16_t{});
    case DType::kInt8:
      return f(std::int8_t{});
    case DType::kUInt64:
      return f(std::uint64_t{});
    case DType::kUInt32:
      return f(std::uint32_t{});
    case DType::kUInt16:
      return f(std::uint16_t{});
    case DType::kUInt8:
      return f(std::uint8_t{});
    case DType::kFloat:
      return f(float{});
    case DType::kDouble:
      return f(double{});
    case DType::kHalf:
      return f(Half{});
    case DType::kBFloat16:
      return f(BFloat16{});
    case DType::kBool:
      return f(bool{});
    default:
      invalid_argument("Unsupported data type: ", runtime_name(dtype));
  }
}

template <typename T>
T number_as(std::int64_t value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

class RangeIterator final : public Iterator, public RowSource {
 public:
  RangeIterator(const Numbers& numbers, DType dtype) : numbers_(numbers), dtype_(dtype) {}

  bool next(Element& out) override {
    if (next_ >= numbers_.count) return false;
    get(next_++, out);
    return true;
  }
  std::int64_t skip(std::int64_t n) override {
    const std::int64_t skipped = std::min(n, numbers_.count - next_);
    next_ += skipped;
    return skipped;
  }
  RowSource* rows() override { return this; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* rows) override {
    n = std::min(n, numbers_.count - next_);
    for (std::int64_t i = 0; i < n; ++i) rows[i] = next_ + i;
    next_ += n;
    return n;
  }

  void get(std::int64_t row, Element& out) override {
    if (out.size() != 1) out.assign(1, Tensor());
    Tensor& t = out[0];
    if (!(t.dtype() == dtype_ && t.writable() && t.shape().is_scalar())) t = Tensor(dtype_, Shape());
    for_number_type(
        dtype_, [&](auto kind) { *t.mutable_data<decltype(kind)>() = number_as<decltype(kind)>(numbers_.at(row)); });
  }
  void gather(std::span<const std::int64_t> rows, Element& out) override {
    if (out.size() != 1) out.assign(1, Tensor());
    Tensor& t = out[0];
    const Shape shape({static_cast<std::int64_t>(rows.size())});
    if (!(t.dtype() == dtype_ && t.writable() && t.shape() == shape)) t = Tensor(dtype_, shape);
    for_number_type(dtype_, [&](auto kind) {
      auto* to = t.mutable_data<decltype(kind)>();
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = number_as<decltype(kind)>(numbers_.at(rows[i]));
    });
  }

  std::int64_t num_rows() const override { return numbers_.count; }

  void save(StateWriter& state) override { state.number(next_); }
  void restore(StateReader& state) override { next_ = state.count(numbers_.count); }

 private:
  const Numbers numbers_;
  const DType dtype_;
  std::int64_t next_ = 0;
};

class RangeDataset final : public Dataset {
 public:
  RangeDataset(ElementSpec spec, std::int64_t start, std::int64_t stop, std::int64_t step)
      : Dataset("Range", std::move(spec)), start_(start), stop_(stop), step_(step) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<RangeIterator>(numbers(start_, stop_, step_), spec().dtypes[0]);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return row_reader(*this, context);
  }
  // A counter has no end, as far as anyone asks.
  std::int64_t cardinality() const override {
    const bool endless = step_ > 0 ? stop_ == INT64_MAX : stop_ == INT64_MIN;
    return endless ? kInfinite : numbers(start_, stop_, step_).count;
  }
  std::string type_name() const override {
    return concat("RangeDatasetOp(", start_, ", ", stop_, ", ", step_, ")::Dataset");
  }

 private:
  const std::int64_t start_, stop_, step_;
};

void range(KernelContext& c) {
  const std::int64_t start = scalar_input<std::int64_t>(c, "start"), stop = scalar_input<std::int64_t>(c, "stop"),
                     step = scalar_input<std::int64_t>(c, "step");
  if (step == 0) invalid_argument("step must be a non-zero integer.");
  ElementSpec spec = spec_attrs(c);
  if (spec.dtypes.size() != 1) invalid_argument("RangeDataset has one component, not ", spec.dtypes.size(), ".");
  spec.shapes = {Shape()};
  set_dataset(c, make_ref<RangeDataset>(std::move(spec), start, stop, step));
}

}  // namespace

void register_range(Registry& r) {
  add_dataset(r, {.name = "RangeDataset",
                  .inputs = {"start: int64", "stop: int64", "step: int64"},
                  .attrs = {"replicate_on_split: bool = false"},
                  .stateful = true,
                  .doc = "A dataset of the numbers `start`, `start + step`, ... up to but not including `stop`.",
                  .kernel = range});
}

}  // namespace tracefn::data
