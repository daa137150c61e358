// Reductions over any axes: Sum, Prod, Max, Min, Mean, EuclideanNorm, All, Any. The driver reduces every case to the
// form [outer, reduced, inner] and shards it into pieces that depend only on the sizes.
#include "ops/reduce/reduce.h"

#include <cstring>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/transpose.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/reduce/reduce_elements.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_reduction(InferContext& c) {
  const Shape& in = c.shape(0);
  if (!c.running() && c.shape(1).has_rank() && c.shape(1).rank() > 1)  // TensorFlow's kernel takes any rank
    invalid_argument("Shape must be at most rank 1 but is rank ", c.shape(1).rank());
  bool keep = c.attr("keep_dims").b();
  std::optional<Dims> axes = c.int_values(1);
  if (!in.has_rank()) return c.set_output(0, Shape::unknown());
  if (!axes) return c.set_output(0, keep ? Shape::of_rank(in.rank()) : Shape::unknown());
  AxisMask reduced(static_cast<std::size_t>(in.rank()), false);
  for (std::int64_t axis : *axes) {
    if (axis < -in.rank() || axis >= in.rank())
      invalid_argument("Invalid reduction dimension ", axis, " for input with ", in.rank(), " dimensions.");
    reduced[static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis)] = true;
  }
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    if (!reduced[static_cast<std::size_t>(i)]) {
      out.push_back(in[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  c.set_output(0, std::move(out));
}

AxisMask read_axes(const Tensor& axes, int rank) {
  AxisMask reduced(static_cast<std::size_t>(rank), false);
  for (std::int64_t i = 0; i < axes.num_elements(); ++i) {
    std::int64_t axis = axes.int_at(i);
    if (axis < -rank || axis >= rank)
      invalid_argument("Invalid reduction dimension (", axis, " for input with ", rank, " dimension(s)");
    if (axis < 0) axis += rank;
    if (reduced[static_cast<std::size_t>(axis)])
      invalid_argument("Invalid reduction arguments: Axes contains duplicate dimension: ", axis);
    reduced[static_cast<std::size_t>(axis)] = true;
  }
  return reduced;
}

// The reduced axes behind the others.
ReducedSizes move_to_end(const KernelContext& c, Tensor& x, const AxisMask& reduced) {
  ReducedSizes sizes;
  SmallVector<int, 8> perm;
  for (bool kind : {false, true})
    for (int i = 0; i < x.rank(); ++i)
      if (reduced[static_cast<std::size_t>(i)] == kind) perm.push_back(i);
  for (int i = 0; i < x.rank(); ++i) (reduced[static_cast<std::size_t>(i)] ? sizes.n : sizes.outer) *= x.dim(i);
  x = transposed(c, x, std::span<const int>(perm.data(), perm.size()));
  return sizes;
}

// Below this many elements, columns are not split.
constexpr std::int64_t kReductionPiece = 65536;
// Parts of rows are multiples of the kernels' leaf size.
constexpr std::int64_t kRowAlignment = 1024;
constexpr std::int64_t kColumnPiece = 1024;
// Nanoseconds per element, for the choice of shards.
constexpr double kReductionCost = 0.3;

// Column results: each is reduced from elements `inner` apart.
void reduce_columns(ParallelFor parallel_for, const ReduceKernel& kernel, const char* x, std::int64_t size,
                    const ReducedSizes& p, char* y, std::int64_t y_bytes) {
  std::int64_t acc_size = kernel.accumulator_bytes;
  std::int64_t parts = 1, part = p.n;
  if (p.n * p.inner > kReductionPiece && p.inner < kColumnPiece) {
    part = std::max<std::int64_t>(64, kReductionPiece / p.inner);
    parts = (p.n + part - 1) / part;
  }
  std::int64_t blocks = (p.inner + kColumnPiece - 1) / kColumnPiece;
  auto reduce = [&](std::int64_t outer, std::int64_t k, std::int64_t block, char* acc) {
    std::int64_t begin = k * part, n = std::min(part, p.n - begin);
    const char* from = x + ((outer * p.n + begin) * p.inner + block * kColumnPiece) * size;
    kernel.columns(from, n, p.inner, std::min(kColumnPiece, p.inner - block * kColumnPiece), acc);
  };
  if (parts == 1) {
    const double cost = kReductionCost * static_cast<double>(p.n * std::min(kColumnPiece, p.inner)) + 1;
    parallel_for(p.outer * blocks, cost, [&](std::int64_t begin, std::int64_t end) {
      alignas(16) char acc[kColumnPiece * 16];
      PolledSteps polled(slice_length(cost));
      for (std::int64_t i = begin; i < end; ++i, polled.step()) {
        std::int64_t outer = i / blocks, block = i % blocks;
        reduce(outer, 0, block, acc);
        std::int64_t k = std::min(kColumnPiece, p.inner - block * kColumnPiece);
        kernel.finish(acc, k, p.n, y + (outer * p.inner + block * kColumnPiece) * y_bytes);
      }
    });
    return;
  }
  // Few results from many elements: parts are reduced separately, then combined.
  Tensor partial(DType::kUInt8, Shape({p.outer * parts * p.inner * acc_size}));
  char* accs = partial.mutable_data<char>();
  parallel_for(p.outer * parts, kReductionCost * static_cast<double>(part * p.inner),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   reduce(i / parts, i % parts, 0, accs + i * p.inner * acc_size);
               });
  Tensor merged(DType::kUInt8, Shape({p.inner * acc_size}));
  PolledSteps polled;
  for (std::int64_t outer = 0; outer < p.outer; ++outer, polled.step()) {
    kernel.merge(accs + outer * parts * p.inner * acc_size, parts, p.inner, p.inner, merged.mutable_raw());
    kernel.finish(merged.raw(), p.inner, p.n, y + outer * p.inner * y_bytes);
  }
}

// So few elements that the other ways would be one piece: the same calls of the kernel without asking for threads.
// False if there are more.
bool reduce_few(const ReduceKernel& kernel, const char* x, std::int64_t size, const ReducedSizes& p, char* y,
                std::int64_t y_bytes) {
  constexpr std::int64_t kFew = 2048, kFewResults = 256;
  const bool by_rows = p.inner == 1;
  const std::int64_t results = by_rows ? p.outer : p.inner;
  if (p.outer * p.n * p.inner > kFew || results > kFewResults) return false;
  alignas(16) char acc[kFewResults * 16];
  if (by_rows) {
    kernel.rows(x, p.outer, p.n, acc);
    kernel.finish(acc, p.outer, p.n, y);
    return true;
  }
  for (std::int64_t outer = 0; outer < p.outer; ++outer) {
    kernel.columns(x + outer * p.n * p.inner * size, p.n, p.inner, p.inner, acc);
    kernel.finish(acc, p.inner, p.n, y + outer * p.inner * y_bytes);
  }
  return true;
}

auto parallel_for_of(const KernelContext& c) {
  return [&c](std::int64_t n, double cost, ShardRunner::Shard shard) { c.parallel_for(n, cost, shard); };
}

void check_axes(const KernelContext& c) { read_axes(c.input(1), c.input(0).rank()); }

template <ReduceFunction function>
void reduce(KernelContext& c) {
  // Along no axis everything stays as it is, zeros with their signs.
  if (function != kReduceNorm && c.input(1).num_elements() == 0) return c.set_output(0, c.take_input(0));
  const Tensor& x = c.input(0);
  reduce_into(c, function, x, read_axes(c.input(1), x.rank()), c.output(0));
}

// Broadcasts dy to the input's shape.
Operand spread(const Operand& y, const Operand& shape) { return emit1("BroadcastTo", {y, shape}); }

// The input's shape with the reduced axes as 1.
Operand kept_shape(GradContext& c) {
  const Shape& in = c.input(0).shape();
  Tensor axes = current_target().constant_value(c.input(1));
  if (in.is_fully_known() && axes.defined()) {
    AxisMask reduced = read_axes(axes, in.rank());
    std::vector<std::int32_t> dims;
    for (int i = 0; i < in.rank(); ++i)
      dims.push_back(reduced[static_cast<std::size_t>(i)] ? 1 : static_cast<std::int32_t>(in[i]));
    return build::ints(dims);
  }
  Operand shape = build::shape_of(c.input(0));
  Operand rank = emit1("Size", {shape});
  Operand axis = build::cast(c.input(1), DType::kInt32);
  axis = emit1("FloorMod", {build::add(axis, rank), rank});
  axis = build::reshape(axis, build::ints({-1}));
  Operand all = emit1("Range", {build::scalar(DType::kInt32, 0), rank, build::scalar(DType::kInt32, 1)});
  Operand indices[] = {all, axis, shape, emit1("Fill", {build::shape_of(axis), build::scalar(DType::kInt32, 1)})};
  return emit_all("DynamicStitch", indices)[0];
}

void grad_sum(GradContext& c) {
  c.to_input(0, spread(build::reshape(c.dy(0), kept_shape(c)), build::shape_of(c.input(0))));
}

void grad_mean(GradContext& c) {
  Operand sum = spread(build::reshape(c.dy(0), kept_shape(c)), build::shape_of(c.input(0)));
  const Shape& in = c.input(0).shape();
  const Shape& out = c.output(0).shape();
  DType dtype = c.input(0).dtype();
  Operand count;
  if (in.is_fully_known() && out.is_fully_known()) {
    std::int64_t outputs = std::max<std::int64_t>(out.num_elements(), 1);
    count = build::scalar(dtype, static_cast<double>(in.num_elements() / outputs));
  } else {
    Operand outputs = emit1("Maximum", {emit1("Size", {c.output(0)}), build::scalar(DType::kInt32, 1)});
    count = build::cast(emit1("FloorDiv", {emit1("Size", {c.input(0)}), outputs}), dtype);
  }
  c.to_input(0, build::div(sum, count));
}

// Equal extremes share the gradient.
void grad_extreme(GradContext& c) {
  Operand shape = kept_shape(c);
  Operand y = build::reshape(c.output(0), shape);
  Operand chosen = build::cast(emit1("Equal", {y, c.input(0)}), c.input(0).dtype());
  Operand count = build::reshape(build::sum(chosen, c.input(1)), shape);
  c.to_input(0, build::mul(build::div(chosen, count), build::reshape(c.dy(0), shape)));
}

void grad_norm(GradContext& c) {
  Operand shape = kept_shape(c);
  Operand y = build::reshape(c.output(0), shape);
  Operand dy = build::reshape(c.dy(0), shape);
  c.to_input(0, build::div(c.input(0), build::div(y, dy)));
}

// The product of the others, by exclusive products from both sides, which handles zeros. The reduced axes are moved to
// the front and merged for it.
void grad_prod(GradContext& c) {
  Operand x = c.input(0);
  Operand shape = build::shape_of(x);
  Operand dy = spread(build::reshape(c.dy(0), kept_shape(c)), shape);
  Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  Operand rank = emit1("Rank", {x});
  Operand axis = build::reshape(build::cast(c.input(1), DType::kInt32), build::ints({-1}));
  axis = emit1("FloorMod", {build::add(axis, rank), rank});
  // A mask of the reduced axes, one number for each axis of x; then their indices, and the others'.
  Operand mask = emit1("ScatterNd", {emit1("ExpandDims", {axis, one}), emit1("Fill", {build::shape_of(axis), one}),
                                     build::reshape(rank, build::ints({1}))});
  auto numbers = [&](double kind) {
    Operand where = emit1("Where", {emit1("Equal", {mask, build::scalar(DType::kInt32, kind)})});
    return build::cast(build::reshape(where, build::ints({-1})), DType::kInt32);
  };
  Operand reduced = numbers(1), kept = numbers(0);
  Operand perm = emit1("ConcatV2", {reduced, kept, zero});
  Operand front = emit1("Transpose", {x, perm});
  auto product = [&](const Operand& axes) { return emit1("Prod", {emit1("GatherV2", {shape, axes, zero}), zero}); };
  Operand ends[] = {product(reduced), product(kept)};
  Operand matrix = build::reshape(front, emit_all("Pack", ends)[0]);
  Operand left = emit1("Cumprod", {matrix, zero}, {{"exclusive", true}});
  Operand right = emit1("Cumprod", {matrix, zero}, {{"exclusive", true}, {"reverse", true}});
  Operand others = build::reshape(build::conj(build::mul(left, right)), build::shape_of(front));
  others = emit1("Transpose", {others, emit1("InvertPermutation", {perm})});
  c.to_input(0, build::reshape(build::mul(dy, others), shape));
}

template <ReduceFunction kFunction>
void add_reduction(Registry& r, std::string_view name, std::string_view types, std::string_view doc, GradFn grad) {
  OpRecord record{.name = name,
                  .inputs = {"input: T", "reduction_indices: Tidx"},
                  .outputs = {"output: T"},
                  .attrs = {"keep_dims: bool = false", types, "Tidx: {int32, int64} = DT_INT32"},
                  .facts = {.cannot_fail = true, .reduction = kFunction, .elements = reduce_elements},
                  .raw_names = {"reduction_indices:axis"},
                  .doc = doc,
                  .infer = infer_reduction,
                  .check = check_axes,
                  .kernel = reduce<kFunction>,
                  .grad = grad};
  if (types.empty()) {
    record.inputs[0] = "input: bool";
    record.outputs[0] = "output: bool";
    record.attrs.erase(record.attrs.begin() + 1);
  }
  r.add(record);
}

}  // namespace

void reduce_into(const KernelContext& c, ReduceFunction function, const Tensor& x, const AxisMask& axes, Tensor& out) {
  const ReduceKernel& kernel = kernel_table().array.reduce[function][slot(x.dtype())];
  if (!kernel.rows) no_kernel();
  if (out.num_elements() == 0) return;
  std::optional<ReducedSizes> sizes;
  Tensor moved;  // in the order that the kernels take
  if (x.num_elements() == 0) {
    sizes = {.outer = out.num_elements(), .n = 0, .inner = 1};
  } else if (sizes = reduced_sizes(x.shape(), axes); !sizes) {
    moved = x;
    sizes = move_to_end(c, moved, axes);
  }
  const char* const from = moved.defined() ? moved.data<char>() : x.data<char>();
  reduce_contiguous(parallel_for_of(c), kernel, from, static_cast<std::int64_t>(size_of(x.dtype())), *sizes,
                    out.mutable_data<char>(), static_cast<std::int64_t>(size_of(out.dtype())));
}

std::optional<ReducedSizes> reduced_sizes(const Shape& shape, const AxisMask& axes) {
  // Adjacent axes of one kind are merged; axes of size 1 are dropped.
  AxisMask kinds;
  Dims sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 0) return std::nullopt;
    if (shape[i] == 1) continue;
    const bool kind = axes[static_cast<std::size_t>(i)];
    if (!kinds.empty() && kinds.back() == kind) {
      sizes.back() *= shape[i];
    } else {
      kinds.push_back(kind);
      sizes.push_back(shape[i]);
    }
  }
  if (kinds.size() > 3 || (kinds.size() == 3 && kinds[0])) return std::nullopt;
  ReducedSizes found;
  std::size_t at = 0;
  if (at < kinds.size() && !kinds[at]) found.outer = sizes[at++];
  if (at < kinds.size()) found.n = sizes[at++];
  if (at < kinds.size()) found.inner = sizes[at++];
  return found;
}

void reduce_contiguous(ParallelFor parallel_for, const ReduceKernel& kernel, const char* x, std::int64_t size,
                       const ReducedSizes& sizes, char* y, std::int64_t y_bytes) {
  if (reduce_few(kernel, x, size, sizes, y, y_bytes)) return;
  if (sizes.inner != 1) return reduce_columns(parallel_for, kernel, x, size, sizes, y, y_bytes);
  const auto rows = [&](std::int64_t begin, std::int64_t count, std::int64_t n, char* acc) {
    kernel.rows(x + begin * size, count, n, acc);
  };
  reduce_rows(parallel_for, kernel, rows, sizes.outer, sizes.n, kReductionCost, y, y_bytes);
}

void reduce_leading(const KernelContext& c, const ReduceKernel& kernel, const char* x, std::int64_t size,
                    std::int64_t n, std::int64_t inner, char* y) {
  reduce_contiguous(parallel_for_of(c), kernel, x, size, {.outer = 1, .n = n, .inner = inner}, y, size);
}

void reduce_rows(ParallelFor parallel_for, const ReduceKernel& kernel, RowAccumulator accumulate, std::int64_t outer,
                 std::int64_t n, double cost, char* y, std::int64_t y_bytes) {
  std::int64_t acc_size = kernel.accumulator_bytes;
  if (n <= kLongestWholeRow) {
    // A chunk of rows in one call.
    constexpr std::int64_t kChunk = 256;
    const auto chunks = [&](std::int64_t begin, std::int64_t end) {
      alignas(16) char acc[kChunk * 16];
      for (std::int64_t i = begin; i < end; i += kChunk) {
        std::int64_t rows = std::min(kChunk, end - i);
        accumulate(i * n, rows, n, acc);
        kernel.finish(acc, rows, n, y + i * y_bytes);
      }
    };
    return parallel_for(outer, cost * static_cast<double>(n) + 1, chunks);
  }
  // Few results from many elements: parts are reduced separately, then combined.
  std::int64_t parts = (n + kLongestWholeRow - 1) / kLongestWholeRow;
  const std::int64_t part = ((n + parts - 1) / parts + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  parts = (n + part - 1) / part;
  Tensor partial(DType::kUInt8, Shape({outer * parts * acc_size}));
  char* accs = partial.mutable_data<char>();
  parallel_for(outer * parts, cost * static_cast<double>(part), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t from = i % parts * part;
      accumulate(i / parts * n + from, 1, std::min(part, n - from), accs + i * acc_size);
    }
  });
  PolledSteps polled;
  for (std::int64_t i = 0; i < outer; ++i) {
    char* row = accs + i * parts * acc_size;
    // Pairwise, which preserves the precision of sums.
    for (std::int64_t left = parts; left > 1; left = (left + 1) / 2) {
      for (std::int64_t k = 0; k < left / 2; ++k, polled.step())
        kernel.merge(row + 2 * k * acc_size, 2, 1, 1, row + k * acc_size);
      if (left % 2)
        std::memmove(row + left / 2 * acc_size, row + (left - 1) * acc_size, static_cast<std::size_t>(acc_size));
    }
    kernel.finish(row, 1, n, y + i * y_bytes);
  }
}

void register_reduce(Registry& r) {
  constexpr std::string_view numbers = "T: " TRACEFN_NUMBERS,
                             reals = "T: {" TRACEFN_EVERY_REAL_NUMBER ", " TRACEFN_EVERY_QUANTIZED "}";
  add_reduction<kReduceSum>(r, "Sum", numbers, "The sum over the given axes.", grad_sum);
  add_reduction<kReduceProd>(r, "Prod", numbers, "The product over the given axes.", grad_prod);
  add_reduction<kReduceMax>(r, "Max", reals, "The maximum over the given axes. NaN if any element is NaN.",
                            grad_extreme);
  add_reduction<kReduceMin>(r, "Min", reals, "The minimum over the given axes. NaN if any element is NaN.",
                            grad_extreme);
  add_reduction<kReduceMean>(r, "Mean", numbers, "The mean over the given axes. For integers it is truncated.",
                             grad_mean);
  add_reduction<kReduceNorm>(r, "EuclideanNorm", numbers,
                             "The Euclidean norm over the given axes: the square root of the sum of squares.",
                             grad_norm);
  add_reduction<kReduceAll>(r, "All", "", "The logical AND over the given axes.", not_differentiable);
  add_reduction<kReduceAny>(r, "Any", "", "The logical OR over the given axes.", not_differentiable);
}

}  // namespace tracefn
