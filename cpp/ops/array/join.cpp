// Ops that combine tensors: ConcatV2, ConcatOffset, Pack.
#include <span>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/axis.h"
#include "ops/array/strided_copy.h"
#include "ops/contents.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Two dimensions that must be equal if both are known.
std::int64_t merge_dim(const Shape& a, const Shape& b, int axis) {
  if (a[axis] >= 0 && b[axis] >= 0 && a[axis] != b[axis])
    invalid_argument("Dimension ", axis, " in both shapes must be equal, but are ", a[axis], " and ", b[axis],
                     ". Shapes are ", a.text(), " and ", b.text(), ".");
  return a[axis] >= 0 ? a[axis] : b[axis];
}

void infer_concat(InferContext& c) {
  std::size_t n = c.num_inputs() - 1;
  if (c.shape(n).has_rank() && (c.shape(n).rank() > 1 || c.shape(n).maybe_num_elements().value_or(1) != 1))
    invalid_argument("axis tensor should be a scalar integer, but got shape ", c.shape(n).text());
  int rank = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const Shape& s = c.shape(i);
    if (!s.has_rank()) continue;
    if (rank >= 0 && s.rank() != rank) invalid_argument("Shape must be rank ", rank, " but is rank ", s.rank());
    rank = s.rank();
  }
  if (rank == 0) invalid_argument("Can't concatenate scalars (use tf.stack instead)");
  std::optional<std::int64_t> axis = c.int_value(n);
  if (rank < 0) return c.set_output(0, Shape::unknown());
  if (!axis) return c.set_output(0, Shape::of_rank(rank));
  require_axis(*axis, rank);
  int along = static_cast<int>(*axis < 0 ? *axis + rank : *axis);
  Shape out = Shape::of_rank(rank);
  out[along] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Shape& s = c.shape(i);
    for (int k = 0; k < rank && s.has_rank(); ++k)
      if (k != along) out[k] = merge_dim(out, s, k);
    out[along] = out[along] < 0 || !s.has_rank() || s[along] < 0 ? kUnknownDim : out[along] + s[along];
  }
  c.set_output(0, std::move(out));
}

void check_concat(const KernelContext& c) {
  std::size_t n = c.num_inputs() - 1;
  const Tensor& axis_tensor = c.input(n);
  if (axis_tensor.num_elements() != 1)
    invalid_argument("axis tensor should be a scalar integer, but got shape ", axis_tensor.shape().text());
  const Shape& first = c.input(0).shape();
  int rank = first.rank();
  if (rank == 0) invalid_argument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  std::int64_t axis = axis_tensor.int_at(0);
  if (axis < -rank || axis >= rank)
    invalid_argument("ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ", rank, "), but got ",
                     axis);
  int along = static_cast<int>(axis < 0 ? axis + rank : axis);
  std::int64_t length = first[along];
  for (std::size_t i = 1; i < n; ++i) {
    const Shape& s = c.input(i).shape();
    if (s.rank() != rank)
      invalid_argument("ConcatOp : Ranks of all input tensors should match: shape[0] = ", first.text(), " vs. shape[",
                       i, "] = ", s.text());
    for (int k = 0; k < rank; ++k)
      if (k != along && s[k] != first[k])
        invalid_argument("ConcatOp : Dimension ", k, " in both shapes must be equal: shape[0] = ", first.text(),
                         " vs. shape[", i, "] = ", s.text());
    if (__builtin_add_overflow(length, s[along], &length))
      invalid_argument("ConcatOp : The joined dimension is too large.");
  }
}

// Rows of one input: `width` elements of each row of the result.
struct Piece {
  const void* from;
  std::int64_t width;
};

// Writes `outer` rows, each the rows of the pieces one after the other.
void join_pieces(const KernelContext& c, DType dtype, std::int64_t outer, std::span<const Piece> pieces, Tensor& out) {
  if (out.num_elements() == 0) return;
  const std::int64_t row = out.num_elements() / outer;
  with_element(dtype, [&]<typename T>(std::type_identity<T>) {
    T* to = reinterpret_cast<T*>(out.mutable_raw());
    if (outer == 1) {
      for (const Piece& piece : pieces) {
        const T* from = static_cast<const T*>(piece.from);
        c.parallel_for(piece.width, copy_cost<T>,
                       [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to + begin); });
        to += piece.width;
      }
      return;
    }
    // So many rows at once stay in the cache while the pieces fill them.
    const std::int64_t block = std::max<std::int64_t>(1, 4096 / row);
    c.parallel_for(outer, copy_cost<T> * static_cast<double>(row) + 2 * static_cast<double>(pieces.size()),
                   [&](std::int64_t begin, std::int64_t end) {
                     PolledSteps polled;
                     for (std::int64_t o = begin; o < end; o += block) {
                       const std::int64_t rows = std::min(block, end - o);
                       T* at = to + o * row;
                       for (const Piece& piece : pieces) {
                         polled.step();
                         copy_rows(static_cast<const T*>(piece.from) + o * piece.width, piece.width, at, row, rows,
                                   piece.width);
                         at += piece.width;
                       }
                     }
                   });
  });
}

void join(KernelContext& c) {
  std::size_t n = c.num_inputs() - 1;
  Tensor& out = c.output(0);
  const Shape& shape = out.shape();
  int rank = shape.rank();
  std::int64_t axis = c.input(n).int_at(0), outer = 1, inner = 1;
  int along = static_cast<int>(axis < 0 ? axis + rank : axis);
  for (int k = 0; k < along; ++k) outer *= shape[k];
  for (int k = along + 1; k < rank; ++k) inner *= shape[k];
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < n; ++i) pieces.push_back({c.input(i).raw(), c.input(i).dim(along) * inner});
  join_pieces(c, out.dtype(), outer, pieces, out);
}

void check_concat_offset(const KernelContext& c) {
  if (c.input(0).rank() != 0)
    invalid_argument("Concat dim tensor should be a scalar, but got shape ", c.input(0).shape().text());
  std::int64_t axis = c.input(0).int_at(0);
  std::int64_t rank = c.input(1).num_elements();
  if (axis < -rank || axis >= rank) invalid_argument("Concat dim is out of range: ", axis, " vs. ", rank);
  for (std::size_t i = 0; i + 1 < c.num_inputs(); ++i) {
    const Tensor& shape = c.input(i + 1);
    if (shape.rank() != 1) invalid_argument("input ", i, " should be a vector, but got shape ", shape.shape().text());
    if (shape.num_elements() != rank)
      invalid_argument("input ", i, " should contain ", rank, " elements, but got ", shape.num_elements());
  }
}

// The start of each input of a ConcatV2 in its result.
void concat_offset(KernelContext& c) {
  const Tensor& first = c.input(1);
  std::int64_t axis = c.input(0).int_at(0), rank = first.num_elements();
  if (axis < 0) axis += rank;
  auto text = [](const Tensor& t) {
    std::string out;
    for (std::int64_t i = 0; i < t.num_elements(); ++i) out += concat(i ? " " : "", t.int_at(i));
    return "[" + out + "]";
  };
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < c.num_outputs(); ++i) {
    const Tensor& shape = c.input(i + 1);
    Tensor& out = c.output(i);
    out.fill_zeros();
    if (out.dtype() == DType::kInt32) {
      out.mutable_data<std::int32_t>()[axis] = static_cast<std::int32_t>(offset);
    } else {
      out.mutable_data<std::int64_t>()[axis] = offset;
    }
    for (std::int64_t k = 0; k < rank; ++k)
      if (k != axis && shape.int_at(k) != first.int_at(k))
        invalid_argument("All dimensions except ", axis, " must match. Input ", i, " has shape ", text(shape),
                         " and doesn't match input 0 with shape ", text(first), ".");
    if (__builtin_add_overflow(offset, shape.int_at(axis), &offset))
      invalid_argument("The joined dimension is too large.");
  }
}

// Concatenated sizes of vectors and scalars; unknown elements of known length stay unknown.
Shape joined_contents(const ContentsContext& c, std::size_t parts) {
  Shape all;
  for (std::size_t i = 0; i < parts; ++i) {
    const Shape part = c.contents(i);
    if (!part.has_rank()) return part;
    for (std::int64_t d : part.dims()) all.push_back(d);
  }
  return all;
}

Shape concat_contents(const ContentsContext& c) { return joined_contents(c, c.node.inputs.size() - 1); }
Shape pack_contents(const ContentsContext& c) { return joined_contents(c, c.node.inputs.size()); }

void infer_concat_offset(InferContext& c) {
  for (std::size_t i = 0; i < c.num_outputs(); ++i) {
    c.require_rank(i + 1, 1);
    c.set_output(i, c.shape(i + 1));
  }
}

// The pieces of dy for the inputs.
void grad_concat(GradContext& c) {
  std::size_t n = c.num_inputs() - 1;
  const Operand& axis = c.input(n);
  Operand dy = c.dy(0);
  Tensor known = current_target().constant_value(axis);
  if (known.defined() && c.input(0).shape().has_rank()) {
    int rank = c.input(0).shape().rank();
    std::int64_t along = normalize_axis(known.int_at(0), rank);
    std::vector<std::int32_t> sizes;
    for (std::size_t i = 0; i < n; ++i) {
      const Shape& s = c.input(i).shape();
      std::int64_t d = s.has_rank() ? s[static_cast<int>(along)] : kUnknownDim;
      if (d >= 0) sizes.push_back(static_cast<std::int32_t>(d));
    }
    if (sizes.size() == n) {
      Operand args[] = {dy, build::ints(sizes), build::scalar(DType::kInt32, static_cast<double>(along))};
      Operands parts = emit_all("SplitV", args, {{"num_split", static_cast<std::int64_t>(n)}});
      for (std::size_t i = 0; i < n; ++i) c.to_input(i, parts[i]);
      return;
    }
  }
  Operands values, shapes;
  for (std::size_t i = 0; i < n; ++i) values.push_back(c.input(i));
  shapes = emit_all("ShapeN", values);
  Operand rank = emit1("Rank", {c.input(0)});
  Operands args;
  args.push_back(emit1("FloorMod", {build::cast(build::reshape(axis, build::ints({})), DType::kInt32), rank}));
  for (const Operand& s : shapes) args.push_back(s);
  Operands offsets = emit_all("ConcatOffset", args);
  for (std::size_t i = 0; i < n; ++i) c.to_input(i, emit1("Slice", {dy, offsets[i], shapes[i]}));
}

void infer_pack(InferContext& c) {
  Shape in = c.shape(0);
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    const Shape& s = c.shape(i);
    if (in.has_rank() && s.has_rank() && !in.is_compatible_with(s)) {
      if (in.rank() != s.rank())
        invalid_argument("Shapes must be equal rank, but are ", in.rank(), " and ", s.rank(), "\n\tFrom merging shape ",
                         i - 1, " with other shapes.");
      for (int k = 0; k < in.rank(); ++k)
        if (in[k] >= 0 && s[k] >= 0 && in[k] != s[k])
          invalid_argument("Dimension ", k, " in both shapes must be equal, but are ", in[k], " and ", s[k],
                           ". Shapes are ", in.text(), " and ", s.text(), ".\n\tFrom merging shape ", i - 1,
                           " with other shapes.");
    }
    in = merge(in, s);
  }
  if (!in.has_rank()) return c.set_output(0, Shape::unknown());
  std::int64_t rank = in.rank() + 1, axis = c.attr("axis").i();
  if (axis < -rank || axis >= rank) invalid_argument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
  Dims dims = in.dims();
  dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis), static_cast<std::int64_t>(c.num_inputs()));
  c.set_output(0, Shape(std::move(dims)));
}

void pack(KernelContext& c) {
  const Shape& in = c.input(0).shape();
  std::size_t n = c.num_inputs();
  for (std::size_t i = 1; i < n; ++i)
    if (!(c.input(i).shape() == in))
      invalid_argument("Shapes of all inputs must match: values[0].shape = ", in.text(), " != values[", i,
                       "].shape = ", c.input(i).shape().text());
  std::int64_t rank = in.rank() + 1, axis = c.attr("axis").i();
  if (axis < -rank || axis >= rank) invalid_argument("axis = ", axis, " not in [", -rank, ", ", rank, ")");
  if (axis < 0) axis += rank;
  check_rank(static_cast<std::size_t>(rank));
  Dims dims = in.dims();
  dims.insert(dims.begin() + axis, static_cast<std::int64_t>(n));
  if (n == 1) return c.set_output(0, c.take_input(0).reshaped(Shape(std::move(dims))));
  DType dtype = c.input(0).dtype();
  Tensor& out = c.allocate_output(0, dtype, Shape(std::move(dims)));
  std::int64_t outer = 1, inner = 1;
  for (int k = 0; k < in.rank(); ++k) (k < axis ? outer : inner) *= in[k];
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < n; ++i) pieces.push_back({c.input(i).raw(), inner});
  join_pieces(c, dtype, outer, pieces, out);
}

void grad_pack(GradContext& c) {
  Operand args[] = {c.dy(0)};
  Operands parts = emit_all("Unpack", args, {{"num", c.attr("N")}, {"axis", c.attr("axis")}});
  for (std::size_t i = 0; i < c.num_inputs(); ++i) c.to_input(i, parts[i]);
}

}  // namespace

void register_join(Registry& r) {
  r.add({.name = "ConcatV2",
         .inputs = {"values: N * T", "axis: Tidx"},
         .outputs = {"output: T"},
         .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"},
         .facts = {.contents = concat_contents, .moves = "T"},
         .doc = "The tensors concatenated along an axis. Their other dimensions must be equal.",
         .infer = infer_concat,
         .check = check_concat,
         .kernel = join,
         .grad = grad_concat});
  r.add({.name = "ConcatOffset",
         .inputs = {"concat_dim: int32", "shape: N * shape_type"},
         .outputs = {"offset: N * shape_type"},
         .attrs = {"N: int >= 2", "shape_type: {int32, int64} = DT_INT32"},
         .doc = "The offsets of tensors of the given shapes in their concatenation along concat_dim.",
         .infer = infer_concat_offset,
         .check = check_concat_offset,
         .kernel = concat_offset,
         .grad = not_differentiable});
  r.add({.name = "Pack",
         .inputs = {"values: N * T"},
         .outputs = {"output: T"},
         .attrs = {"N: int >= 1", "T: type", "axis: int = 0"},
         .facts = {.contents = pack_contents, .moves = "T"},
         .doc = "Tensors of the same shape stacked along a new axis.",
         .infer = infer_pack,
         .kernel = pack,
         .allocation = Allocation::kShared,
         .grad = grad_pack});
}

}  // namespace tracefn
