// Sums in the order of the kernels (reduce.kernels.cpp, scan.kernels.cpp, arg.kernels.cpp), so that the bits are
// theirs.
#include "ops/reduce/reduce_elements.h"

#include <limits>
#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

using Element = ElementsContext::Element;
using Elements = ElementsContext::Elements;

class Reduction {
 public:
  Reduction(ElementsContext& c, ReduceFunction function, DType dtype) : c_(c), function_(function), dtype_(dtype) {}

  bool known() const {
    switch (function_) {
      case kReduceSum:
      case kReduceProd:
        return is_float() || is_integer(dtype_);
      case kReduceMax:
      case kReduceMin:
        return is_float() || is_integer(dtype_);
      case kReduceMean:
        return is_float();
      case kReduceAll:
      case kReduceAny:
        return dtype_ == DType::kBool;
      default:
        return false;
    }
  }
  // Rows of adjacent elements are reduced in lanes when they are long enough.
  Element row(const Elements& x) {
    if (!is_float()) return in_any_order(x);
    const auto lanes = 64 / size_of(dtype_);
    std::optional<Element> result;
    std::size_t i = 0;
    if (x.size() >= 2 * lanes) {
      Elements a(x.begin(), x.begin() + lanes), b(x.begin() + lanes, x.begin() + 2 * lanes);
      for (i = 2 * lanes; i + 2 * lanes <= x.size(); i += 2 * lanes)
        for (std::size_t j = 0; j < lanes; ++j) {
          a[j] = merge(a[j], x[i + j]);
          b[j] = merge(b[j], x[i + lanes + j]);
        }
      for (std::size_t j = 0; j < lanes; ++j) a[j] = merge(a[j], b[j]);
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t j = 0; j < half; ++j) a[j] = merge(a[j], a[j + half]);
      result = a[0];
    }
    if (!result && is_extreme() && !x.empty()) result = x[i++];  // which merging it with an infinity gives, too
    if (!result) result = initial();
    for (; i < x.size(); ++i) result = merge(*result, x[i]);
    return finished(*result, x.size());
  }
  // Elements of a column, which are added to the first one in order.
  Element column(const Elements& x) {
    if (!is_float()) return in_any_order(x);
    if (x.empty()) return finished(initial(), 0);
    Element result = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) result = merge(result, x[i]);
    return finished(result, x.size());
  }
  bool is_extreme() const { return function_ == kReduceMax || function_ == kReduceMin; }
  bool is_float() const { return dtype_ == DType::kFloat || dtype_ == DType::kDouble; }

 private:
  // The last half is merged into the first, so that neighbours may become one instruction; halves are multiples of
  // four.
  Element in_any_order(Elements x) {
    if (x.empty()) return initial();
    for (std::size_t n = x.size(); n > 1;) {
      std::size_t half = (n + 1) / 2;
      if (n > 4) half = (half + 3) / 4 * 4;
      for (std::size_t i = half; i < n; ++i) x[i - half] = merge(x[i - half], x[i]);
      n = half;
    }
    return x[0];
  }
  Element merge(Element a, Element b) {
    switch (function_) {
      case kReduceProd:
        return c_.apply<functions::Mul>(dtype_, {a, b});
      case kReduceMax:  // of equal ones the second, as the kernels do
        return c_.apply<functions::Maximum>(dtype_, {b, a});
      case kReduceMin:
        return c_.apply<functions::Minimum>(dtype_, {b, a});
      case kReduceAll:
        return c_.apply<functions::LogicalAnd>(dtype_, {a, b});
      case kReduceAny:
        return c_.apply<functions::LogicalOr>(dtype_, {a, b});
      default:
        return c_.apply<functions::Add>(dtype_, {a, b});
    }
  }
  Element initial() {
    switch (function_) {
      case kReduceProd:
      case kReduceAll:
        return c_.constant(dtype_, 1);
      case kReduceMax:
      case kReduceMin:
        return extreme();
      default:
        return c_.constant(dtype_, 0);
    }
  }
  Element extreme() {
    const bool lowest = function_ == kReduceMax;
    if (is_float()) {
      const double infinity = std::numeric_limits<double>::infinity();
      return c_.constant(dtype_, lowest ? -infinity : infinity);
    }
    if (dtype_ == DType::kInt64) {
      using Limits = std::numeric_limits<std::int64_t>;
      return c_.index(lowest ? Limits::min() : Limits::max());
    }
    if (dtype_ == DType::kUInt64 && !lowest) return c_.cast(c_.index(-1), DType::kInt64, DType::kUInt64);
    double number = 0;
    with_integer(dtype_, [&]<typename T>(std::type_identity<T>) {
      number = static_cast<double>(lowest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
    });
    return c_.constant(dtype_, number);
  }
  Element finished(Element sum, std::size_t count) {
    if (function_ != kReduceMean) return sum;
    return c_.apply<functions::Div>(dtype_, {sum, c_.constant(dtype_, static_cast<double>(count))});
  }

  ElementsContext& c_;
  ReduceFunction function_;
  DType dtype_;
};

// An axis that is given as a constant.
std::optional<int> axis_input(ElementsContext& c) {
  const std::optional<Dims> given = c.integers(1);
  const int rank = c.shape(0).rank();
  if (!given || given->size() != 1) return std::nullopt;
  const std::int64_t axis = (*given)[0] < 0 ? (*given)[0] + rank : (*given)[0];
  return axis >= 0 && axis < rank ? std::optional(static_cast<int>(axis)) : std::nullopt;
}

// The tensor as [outer, n, inner] around an axis.
struct Lines {
  std::size_t outer = 1, n, inner = 1;
  Lines(const Shape& shape, int axis) : n(static_cast<std::size_t>(shape[axis])) {
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= static_cast<std::size_t>(shape[i]);
  }
  std::size_t at(std::size_t o, std::size_t i, std::size_t k) const { return (o * n + i) * inner + k; }
};

}  // namespace

bool reduce_elements(ElementsContext& c) {
  const Shape& in = c.shape(0);
  const std::optional<Dims> axes = c.integers(1);
  const std::optional<Elements> x = c.elements(0);
  if (!axes || !x) return false;
  Reduction reduction(c, *op_def(*c.node.op).facts.reduction, c.dtype(0));
  if (!reduction.known()) return false;
  SmallVector<bool, 8> reduced(static_cast<std::size_t>(in.rank()), false);
  for (std::int64_t axis : *axes) {
    if (axis < -in.rank() || axis >= in.rank()) return false;
    bool& flag = reduced[static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis)];
    if (flag) return false;
    flag = true;
  }
  // Axes of size 1 do not count; adjacent ones of a kind are one.
  SmallVector<bool, 8> kinds;
  std::int64_t inner = 1, rows = 1;
  for (int i = 0; i < in.rank(); ++i) {
    if (in[i] == 1) continue;
    const bool kind = reduced[static_cast<std::size_t>(i)];
    if (kinds.empty() || kinds.back() != kind) kinds.push_back(kind);
  }
  const bool by_columns = kinds.size() == (kinds.empty() || kinds[0] ? 2 : 3) && !kinds.back();
  if (kinds.size() > 3 || (kinds.size() == 3 && kinds[0])) return false;
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    const bool gone = reduced[static_cast<std::size_t>(i)];
    if (!gone) shape.push_back(in[i]);
    if (gone && c.node.attr("keep_dims").b()) shape.push_back(1);
    (gone ? rows : inner) *= in[i];
  }
  // Narrow columns are added in another order.
  if (by_columns && reduction.is_float() && rows >= static_cast<std::int64_t>(128 / size_of(c.dtype(0)))) return false;
  std::vector<Elements> groups(static_cast<std::size_t>(inner));
  Dims at(static_cast<std::size_t>(in.rank()), 0);
  for (std::size_t e = 0; e < x->size(); ++e) {
    std::int64_t group = 0;
    for (int i = 0; i < in.rank(); ++i)
      if (!reduced[static_cast<std::size_t>(i)]) group = group * in[i] + at[static_cast<std::size_t>(i)];
    groups[static_cast<std::size_t>(group)].push_back((*x)[e]);
    for (int i = in.rank(); i-- > 0;) {
      if (++at[static_cast<std::size_t>(i)] < in[i]) break;
      at[static_cast<std::size_t>(i)] = 0;
    }
  }
  Elements out;
  for (const Elements& group : groups) out.push_back(by_columns ? reduction.column(group) : reduction.row(group));
  c.set_output(0, c.dtype(0), std::move(shape), std::move(out));
  return true;
}

bool cumulative_elements(ElementsContext& c, bool product) {
  const DType dtype = c.dtype(0);
  const std::optional<int> axis = axis_input(c);
  const std::optional<Elements> x = c.elements(0);
  if (!axis || !x || (dtype != DType::kFloat && dtype != DType::kDouble && !is_integer(dtype))) return false;
  const bool exclusive = c.node.attr("exclusive").b(), reverse = c.node.attr("reverse").b();
  const Lines lines(c.shape(0), *axis);
  Elements out = *x;
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (std::size_t k = 0; k < lines.inner; ++k) {
      Element state = c.constant(dtype, product ? 1 : 0);
      for (std::size_t i = 0; i < lines.n; ++i) {
        const std::size_t at = lines.at(o, reverse ? lines.n - 1 - i : i, k);
        const Element next = product ? c.apply<functions::Mul>(dtype, {state, (*x)[at]})
                                     : c.apply<functions::Add>(dtype, {state, (*x)[at]});
        out[at] = exclusive ? state : next;
        state = next;
      }
    }
  c.set_output(0, dtype, c.shape(0), std::move(out));
  return true;
}

bool arg_elements(ElementsContext& c, bool largest) {
  const DType dtype = c.dtype(0);
  const std::optional<int> axis = axis_input(c);
  const std::optional<Elements> x = c.elements(0);
  if (!axis || !x || (dtype != DType::kFloat && dtype != DType::kDouble && dtype != DType::kInt32)) return false;
  const Lines lines(c.shape(0), *axis);
  if (lines.n == 0) return false;
  auto limit = [&]<typename T>(T lowest, T highest) { return static_cast<double>(largest ? lowest : highest); };
  using Floats = std::numeric_limits<float>;
  using Doubles = std::numeric_limits<double>;
  using Integers = std::numeric_limits<std::int32_t>;
  const double worst = dtype == DType::kFloat    ? limit(Floats::lowest(), Floats::max())
                       : dtype == DType::kDouble ? limit(Doubles::lowest(), Doubles::max())
                                                 : limit(Integers::lowest(), Integers::max());
  const DType result = c.node.attr("output_type").type();
  Elements out;
  for (std::size_t o = 0; o < lines.outer; ++o)
    for (std::size_t k = 0; k < lines.inner; ++k) {
      Element best = c.constant(dtype, worst), place = c.index(0);
      for (std::size_t i = 0; i < lines.n; ++i) {
        const Element e = (*x)[lines.at(o, i, k)];
        const Element beats =
            largest ? c.apply<functions::Greater>(dtype, {e, best}) : c.apply<functions::Less>(dtype, {e, best});
        place = c.apply<functions::Select>(DType::kInt64, {beats, c.index(static_cast<std::int64_t>(i)), place});
        best = c.apply<functions::Select>(dtype, {beats, e, best});
      }
      out.push_back(c.cast(place, DType::kInt64, result));
    }
  Shape shape;
  for (int i = 0; i < c.shape(0).rank(); ++i)
    if (i != *axis) shape.push_back(c.shape(0)[i]);
  c.set_output(0, result, std::move(shape), std::move(out));
  return true;
}

}  // namespace tracefn
