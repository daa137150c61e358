// The places of extremes along an axis: ArgMax, ArgMin. Long axes are searched in parts, whose bounds depend only on
// the sizes.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/reduce/reduce_elements.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds per element, for the choice of shards.
constexpr double kArgCost = 0.2;
constexpr std::int64_t kPartElements = std::int64_t{1} << 20;
constexpr std::int64_t kPanelOfArg = 512;
constexpr std::int64_t kShortRow = 32;

void infer_arg(InferContext& c) {
  c.require_rank(1, 0);
  const Shape& in = c.shape(0);
  if (!in.has_rank()) return c.set_output(0, Shape::unknown());
  std::optional<std::int64_t> axis = known_index(c, 1);
  if (in.rank() <= 1) return c.set_output(0, Shape());  // TensorFlow checks the axis when it runs
  if (!axis) return c.set_output(0, Shape::of_rank(in.rank() - 1));
  if (*axis < -in.rank() || *axis >= in.rank())
    invalid_argument("Dimension (", *axis, ") must be in the range [", -in.rank(), ", ", in.rank(), "), where ",
                     in.rank(), " is the number of dimensions in the input.");
  Dims dims = in.dims();
  dims.erase(dims.begin() + (*axis < 0 ? *axis + in.rank() : *axis));
  c.set_output(0, Shape(std::move(dims)));
}

void check_arg(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 0)
    invalid_argument("dim must be a scalar, but received tensor of shape: ", c.input(1).shape().text());
  std::int64_t axis = index_at(c.input(1), 0), rank = x.rank();
  if (axis < -rank || axis >= rank)
    invalid_argument("Expected dimension in the range [", -rank, ", ", rank, "), but got ", axis);
  if (axis < 0) axis += rank;
  if (x.dim(static_cast<int>(axis)) == 0)
    invalid_argument("Reduction axis ", axis, " is empty in shape ", x.shape().text());
}

// The input as [outer, n, inner], searched along n.
struct Search {
  const Tensor& x;
  const ArgKernel& kernel;
  std::int64_t outer = 1, n = 1, inner = 1;

  // Rows [begin, end) of `width` columns from `column` on; the rows are counted from the first of all.
  void find(std::int64_t o, std::int64_t begin, std::int64_t end, std::int64_t column, std::int64_t width,
            std::int64_t* places) const {
    const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
    const char* from = x.data<char>() + ((o * n + begin) * inner + column) * size;
    if (inner == 1) {
      *places = kernel.row(from, end - begin);
    } else {
      kernel.columns(from, end - begin, inner, width, places);
    }
    for (std::int64_t j = 0; j < width; ++j) places[j] += begin;
  }
};

// The best of the places that the parts found, each of which is before the next.
template <bool largest, typename T>
std::int64_t best_place(const T* x, std::int64_t inner, const std::int64_t* places, std::int64_t parts,
                        std::int64_t stride) {
  std::int64_t at = places[0];
  auto best = compute_value(x[at * inner]);
  for (std::int64_t i = 1; i < parts; ++i) {
    const auto v = compute_value(x[places[i * stride] * inner]);
    if ((largest ? v > best : v < best) || (best != best && v == v)) {
      best = v;
      at = places[i * stride];
    }
  }
  return at;
}

template <bool largest>
void search_parts(const KernelContext& c, const Search& s, std::int64_t part, const Places& out) {
  const std::int64_t parts = (s.n + part - 1) / part, panels = (s.inner + kPanelOfArg - 1) / kPanelOfArg;
  Tensor found(DType::kInt64, Shape({s.outer * parts * s.inner}));
  auto* places = found.mutable_data<std::int64_t>();
  const double cost = kArgCost * static_cast<double>(part * std::min(kPanelOfArg, s.inner));
  c.parallel_for(s.outer * parts * panels, cost, [&](std::int64_t first, std::int64_t last) {
    PolledSteps polled(slice_length(cost));
    for (std::int64_t i = first; i < last; ++i, polled.step()) {
      const std::int64_t panel = i % panels, at = i / panels, begin = at % parts * part;
      s.find(at / parts, begin, std::min(s.n, begin + part), panel * kPanelOfArg,
             std::min(kPanelOfArg, s.inner - panel * kPanelOfArg), places + at * s.inner + panel * kPanelOfArg);
    }
  });
  auto merge = [&]<typename T>(std::type_identity<T>) {
    c.parallel_for(s.outer * s.inner, 5.0 * static_cast<double>(parts), [&](std::int64_t first, std::int64_t last) {
      PolledSteps polled;
      for (std::int64_t i = first; i < last; ++i, polled.step()) {
        const std::int64_t o = i / s.inner, column = i % s.inner;
        const T* x = s.x.data<T>() + o * s.n * s.inner + column;
        out.set(i, best_place<largest>(x, s.inner, places + o * parts * s.inner + column, parts, s.inner));
      }
    });
  };
  if (s.x.dtype() == DType::kBool) return merge(std::type_identity<std::uint8_t>());
  with_number(s.x.dtype(), merge);
}

// Rows too short for vectors become columns, some of them at once.
void search_short_rows(const KernelContext& c, const Search& s, const Places& out) {
  constexpr std::int64_t kRows = 64;
  with_element(s.x.dtype(), [&]<typename T>(std::type_identity<T>) {
    if constexpr (sizeof(T) <= 8 && std::is_trivially_copyable_v<T>) {
      const T* x = s.x.data<T>();
      const std::int64_t n = s.n, groups = (s.outer + kRows - 1) / kRows;
      c.parallel_for(groups, 1.5 * static_cast<double>(n * kRows) + 50, [&](std::int64_t first, std::int64_t last) {
        T columns[kShortRow * kRows];
        std::int64_t places[kRows];
        for (std::int64_t g = first; g < last; ++g) {
          const std::int64_t begin = g * kRows, rows = std::min(kRows, s.outer - begin);
          const T* from = x + begin * n;
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t i = 0; i < n; ++i) columns[i * kRows + r] = from[r * n + i];
          s.kernel.columns(columns, n, kRows, rows, places);
          for (std::int64_t r = 0; r < rows; ++r) out.set(begin + r, places[r]);
        }
      });
    }
  });
}

template <bool largest>
void arg(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t axis = index_at(c.input(1), 0);
  if (axis < 0) axis += x.rank();
  const ArgKernel& kernel = kernel_table().array.arg[largest][slot(x.dtype())];
  if (!kernel.row) no_kernel();
  Search s{x, kernel};
  for (int i = 0; i < x.rank(); ++i) (i < axis ? s.outer : i > axis ? s.inner : s.n) *= x.dim(i);
  const Places out(c.output(0));
  if (c.output(0).num_elements() == 0) return;
  const std::int64_t part = kPartElements / std::min(kPanelOfArg, s.inner);
  if (s.n > part) return search_parts<largest>(c, s, part, out);
  if (s.inner == 1 && s.n <= kShortRow && s.outer > 1) return search_short_rows(c, s, out);
  const std::int64_t panels = (s.inner + kPanelOfArg - 1) / kPanelOfArg;
  const double cost = kArgCost * static_cast<double>(s.n * std::min(kPanelOfArg, s.inner)) + 5;
  c.parallel_for(s.outer * panels, cost, [&](std::int64_t first, std::int64_t last) {
    std::int64_t places[kPanelOfArg];
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t column = i % panels * kPanelOfArg, width = std::min(kPanelOfArg, s.inner - column);
      s.find(i / panels, 0, s.n, column, width, places);
      for (std::int64_t j = 0; j < width; ++j) out.set(i / panels * s.inner + column + j, places[j]);
    }
  });
}

}  // namespace

void register_arg(Registry& r) {
  constexpr std::string_view types = "T: {" TRACEFN_EVERY_REAL_NUMBER ", " TRACEFN_EVERY_QUANTIZED ", bool}";
  r.add({.name = "ArgMax",
         .inputs = {"input: T", "dimension: Tidx"},
         .outputs = {"output: output_type"},
         .attrs = {types, "Tidx: {int16, int32, int64} = DT_INT32",
                   "output_type: {int16, uint16, int32, int64} = DT_INT64"},
         .facts = {.elements = [](ElementsContext& c) { return arg_elements(c, true); }},
         .doc = "The index of the largest element along an axis; the first one if there are several.",
         .infer = infer_arg,
         .check = check_arg,
         .kernel = arg<true>,
         .grad = not_differentiable});
  r.add({.name = "ArgMin",
         .inputs = {"input: T", "dimension: Tidx"},
         .outputs = {"output: output_type"},
         .attrs = {types, "Tidx: {int32, int64} = DT_INT32", "output_type: {int32, int64} = DT_INT64"},
         .facts = {.elements = [](ElementsContext& c) { return arg_elements(c, false); }},
         .doc = "The index of the smallest element along an axis; the first one if there are several.",
         .infer = infer_arg,
         .check = check_arg,
         .kernel = arg<false>,
         .grad = not_differentiable});
}

}  // namespace tracefn
