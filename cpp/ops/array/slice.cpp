// Slices and their assignment: StridedSlice, StridedSliceGrad, TensorStridedSliceUpdate, Slice.
#include "ops/array/array_families.h"
#include "ops/array/indexed_elements.h"
#include "ops/array/slice_spec.h"
#include "ops/array/strided_copy.h"
#include "ops/contents.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// The masks of the op being differentiated, for an op of the same family.
Operand emit_sliced(const GradContext& c, std::string_view op, std::initializer_list<Operand> inputs) {
  return emit1(op, inputs,
               {{"begin_mask", c.attr("begin_mask")},
                {"end_mask", c.attr("end_mask")},
                {"ellipsis_mask", c.attr("ellipsis_mask")},
                {"new_axis_mask", c.attr("new_axis_mask")},
                {"shrink_axis_mask", c.attr("shrink_axis_mask")}});
}

void infer_strided_slice(InferContext& c) {
  const Shape& in = c.shape(0);
  for (std::size_t i = 1; i < 4; ++i) c.require_rank(i, 1);
  if (!in.has_rank() || !c.value(3)) return c.set_output(0, Shape::unknown());
  std::int64_t n = c.value(3)->num_elements();
  for (std::size_t i = 1; i < 3; ++i)
    if (c.shape(i).has_rank() && c.shape(i)[0] >= 0 && c.shape(i)[0] != n)
      invalid_argument("Dimension 0 in both shapes must be equal, but are ", c.shape(i)[0], " and ", n, ". Shapes are ",
                       c.shape(i).text(), " and [", n, "].");
  c.set_output(0, resolve_slice(c.value(1), c.value(2), *c.value(3), slice_masks(c), in).shape);
}

ResolvedSlice resolve(const KernelContext& c, std::size_t begin, const Shape& in) {
  const Tensor& b = c.input(begin);
  const Tensor& e = c.input(begin + 1);
  const Tensor& s = c.input(begin + 2);
  if (b.rank() != 1 || e.rank() != 1 || s.rank() != 1 || b.num_elements() != s.num_elements() ||
      e.num_elements() != s.num_elements())
    invalid_argument("Expected begin, end, and strides to be 1D equal size tensors, but got shapes ", b.shape().text(),
                     ", ", e.shape().text(), ", and ", s.shape().text(), " instead.");
  return resolve_slice(&b, &e, s, slice_masks(c), in);
}

// The block as a view of the tensor it selects from.
View view_of(const ResolvedSlice& s, const Shape& in) {
  View v = View::whole(in);
  for (std::size_t i = 0; i < s.begin.size(); ++i) {
    v.offset += s.begin[i] * v.strides[i];
    v.strides[i] *= s.stride[i];
  }
  return v;
}

void strided_slice(KernelContext& c) {
  const Tensor& x = c.input(0);
  ResolvedSlice s = resolve(c, 1, x.shape());
  if (s.identity) return c.set_output(0, c.take_input(0).reshaped(s.shape));
  if (s.rows_only && x.rank() > 0 && s.block[0] > 0)
    return c.set_output(0, leading_rows(x, s.begin[0], s.begin[0] + s.block[0]).reshaped(s.shape));
  Tensor& out = c.allocate_output(0, x.dtype(), s.shape);
  if (out.num_elements() == 0) return;
  copy_strided(c, x.dtype(), s.block.dims(), x.raw(), view_of(s, x.shape()), out.mutable_raw(), View::whole(s.block));
}

void infer_slice_grad(InferContext& c) { c.set_output(0, c.shape_value(0)); }

void strided_slice_grad(KernelContext& c) {
  Shape shape;
  if (c.input(0).rank() != 1) invalid_argument("shape must be 1-D, got shape.shape = ", c.input(0).shape().text());
  for (std::int64_t i = 0; i < c.input(0).num_elements(); ++i) {
    shape.push_back(c.input(0).int_at(i));
    if (shape.dims().back() < 0) invalid_argument("Dimension ", shape.dims().back(), " must be >= 0");
  }
  ResolvedSlice s = resolve(c, 1, shape);
  const Tensor& dy = c.input(4);
  if (!(dy.shape() == s.shape)) invalid_argument("shape of dy was ", dy.shape().text(), " instead of ", s.shape.text());
  if (s.identity) return c.set_output(0, c.take_input(4).reshaped(shape));
  Tensor out = Tensor::zeros(dy.dtype(), shape);
  copy_strided(c, dy.dtype(), s.block.dims(), dy.raw(), View::whole(s.block), out.mutable_raw(), view_of(s, shape));
  c.set_output(0, std::move(out));
}

void infer_update(InferContext& c) { c.set_output(0, c.shape(0)); }

// The value broadcast to the result's shape: strides over its elements, 0 where it repeats.
View broadcast_view(const Shape& value, const ResolvedSlice& s) {
  auto mismatch = [&] {
    invalid_argument("Cannot broadcast input shape ", value.text(), " into final shape ", s.shape.text());
  };
  View own = View::whole(value);
  Dims strides(static_cast<std::size_t>(s.shape.rank()), 0);
  for (int i = 1; i <= value.rank(); ++i) {
    std::int64_t d = value[value.rank() - i];
    if (i > s.shape.rank()) {
      if (d != 1) mismatch();
    } else if (d == s.shape[s.shape.rank() - i]) {
      strides[strides.size() - static_cast<std::size_t>(i)] =
          own.strides[own.strides.size() - static_cast<std::size_t>(i)];
    } else if (d != 1) {
      mismatch();
    }
  }
  return {0, strides};
}

// The target of the update, with one dimension for each of the result's.
View target_view(const ResolvedSlice& s, const Shape& in) {
  View block = view_of(s, in), out{block.offset, {}};
  for (int axis : s.axes) out.strides.push_back(axis < 0 ? 0 : block.strides[static_cast<std::size_t>(axis)]);
  return out;
}

void strided_slice_update(KernelContext& c) {
  Shape shape = c.input(0).shape();
  ResolvedSlice s = resolve(c, 1, shape);
  View from = broadcast_view(c.input(4).shape(), s);
  View to = target_view(s, shape);
  Tensor out = c.take_input(0);
  if (!out.writable()) out = out.copy();
  if (c.input(4).num_elements() > 0)
    copy_strided(c, out.dtype(), s.shape.dims(), c.input(4).raw(), from, out.mutable_raw(), to);
  c.set_output(0, std::move(out));
}

void grad_slice_update(GradContext& c) {
  const Operand& begin = c.input(1);
  const Operand& end = c.input(2);
  const Operand& strides = c.input(3);
  Operand zeros = build::zeros_like(c.input(4));
  c.to_input(0, emit_sliced(c, "TensorStridedSliceUpdate", {c.dy(0), begin, end, strides, zeros}));
  Operand piece = emit_sliced(c, "StridedSlice", {c.dy(0), begin, end, strides});
  c.to_input(4, build::unbroadcast(piece, c.input(4), piece));
}

void infer_slice(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  int rank = in.has_rank() ? in.rank() : -1;
  for (std::size_t i = 1; i < 3; ++i) {
    if (!c.shape(i).has_rank() || c.shape(i)[0] < 0) continue;
    if (rank >= 0 && rank != c.shape(i)[0])
      invalid_argument("Shape must be rank ", c.shape(i)[0], " but is rank ", rank);
    rank = static_cast<int>(c.shape(i)[0]);
  }
  if (rank < 0) return c.set_output(0, Shape::unknown());
  Shape out = Shape::of_rank(rank);
  Shape sizes = c.shape_value(2, true);
  Shape begins = c.value(1) ? c.shape_value(1, true) : Shape::of_rank(rank);
  const Tensor* given = c.value(2);
  for (int i = 0; i < rank && sizes.has_rank() && sizes.rank() == rank; ++i) {
    if (sizes[i] >= 0) {
      out[i] = sizes[i];
    } else if (given && given->int_at(i) == -1 && in.has_rank() && in[i] >= 0 && begins[i] >= 0) {
      if (!c.running() && begins[i] > in[i])
        invalid_argument("Negative dimension size caused by subtracting ", begins[i], " from ", in[i]);
      out[i] = std::max<std::int64_t>(in[i] - begins[i], 0);
    }
  }
  c.set_output(0, std::move(out));
}

void slice(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& begin = c.input(1);
  const Tensor& size = c.input(2);
  if (begin.rank() != 1 || size.rank() != 1 || begin.num_elements() != x.rank() || size.num_elements() != x.rank())
    invalid_argument("Expected begin and size arguments to be 1-D tensors of size ", x.rank(), ", but got shapes ",
                     begin.shape().text(), " and ", size.shape().text(), " instead.");
  Shape shape;
  View from = View::whole(x.shape());
  bool identity = true, rows_only = true;
  for (int i = 0; i < x.rank(); ++i) {
    std::int64_t b = begin.int_at(i), n = size.int_at(i), dim = x.dim(i);
    if (b < 0 || b > dim) invalid_argument("Expected begin[", i, "] in [0, ", dim, "], but got ", b);
    if (n == -1) n = dim - b;
    if (n < 0 || n > dim - b) invalid_argument("Expected size[", i, "] in [0, ", dim - b, "], but got ", n);
    shape.push_back(n);
    from.offset += b * from.strides[static_cast<std::size_t>(i)];
    identity = identity && n == dim;
    rows_only = rows_only && (i == 0 || n == dim);
  }
  if (identity) return c.set_output(0, c.take_input(0));
  if (rows_only) return c.set_output(0, leading_rows(x, begin.int_at(0), begin.int_at(0) + shape[0]));
  Tensor& out = c.allocate_output(0, x.dtype(), shape);
  copy_strided(c, x.dtype(), shape.dims(), x.raw(), from, out.mutable_raw(), View::whole(shape));
}

// dy with zeros around it.
void grad_slice(GradContext& c) {
  DType index = c.input(1).dtype();
  Operand begin = c.input(1);
  Operand rest = build::cast(build::shape_of(c.input(0)), index) - begin - build::cast(build::shape_of(c.dy(0)), index);
  Operand both[] = {begin, rest};
  c.to_input(0, emit1("Pad", {c.dy(0), emit_all("Pack", both, {{"axis", 1}})[0]}));
}

void grad_strided_slice(GradContext& c) {
  // StridedSliceGrad does not support int16.
  DType index = c.input(1).dtype() == DType::kInt64 ? DType::kInt64 : DType::kInt32;
  auto as_index = [&](const Operand& x) { return build::cast(x, index); };
  c.to_input(0, emit_sliced(c, "StridedSliceGrad",
                            {as_index(build::shape_of(c.input(0))), as_index(c.input(1)), as_index(c.input(2)),
                             as_index(c.input(3)), c.dy(0)}));
}

Shape sliced_contents(const ContentsContext& c) {
  const Shape from = c.contents(0);
  if (!from.has_rank() || !c.shape(0).has_rank() || c.shape(0).rank() != 1) return Shape::unknown();
  const auto slice = slice_of_vector(c.value(1), c.value(2), c.value(3), slice_masks(c.node), from.rank());
  if (!slice) return Shape::unknown();
  Shape out;
  for (std::int64_t i = 0; i < slice->size; ++i)
    out.push_back(from[static_cast<int>(slice->begin + i * slice->stride)]);
  return out;
}

OpRecord sliced(std::string_view name, std::string_view index, std::string_view doc) {
  return {.name = name,
          .outputs = {"output: T"},
          .attrs = {"T: type", index, "begin_mask: int = 0", "end_mask: int = 0", "ellipsis_mask: int = 0",
                    "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"},
          .doc = doc,
          .allocation = Allocation::kShared};
}

}  // namespace

void register_slice(Registry& r) {
  OpRecord record = sliced(
      "StridedSlice", "Index: {int16, int32, int64}",
      "A strided slice of the tensor, as input[begin:end:strides].\n\nThe masks have one bit for each entry of begin. "
      "They say where begin or end is ignored, and which entries are an ellipsis, a new axis or a single index.");
  record.inputs = {"input: T", "begin: Index", "end: Index", "strides: Index"};
  record.infer = infer_strided_slice;
  record.kernel = strided_slice;
  record.grad = grad_strided_slice;
  record.facts.contents = sliced_contents;
  record.facts.scopes = "strided_slice";
  record.facts.moves = "T";
  record.facts.elements = strided_slice_elements;
  record.facts.sequence = SequenceRule::kSlice;
  record.facts.indexing = Indexing::kReads;
  r.add(record);
  record = sliced("StridedSliceGrad", "Index: {int32, int64}",
                  "The gradient of StridedSlice: zeros of the given shape with dy in place of the slice.");
  record.inputs = {"shape: Index", "begin: Index", "end: Index", "strides: Index", "dy: T"};
  record.facts.moves = "T";
  record.infer = infer_slice_grad;
  record.kernel = strided_slice_grad;
  record.grad = [](GradContext& c) {
    c.to_input(4, emit_sliced(c, "StridedSlice", {c.dy(0), c.input(1), c.input(2), c.input(3)}));
  };
  r.add(record);
  record = sliced("TensorStridedSliceUpdate", "Index: {int32, int64}",
                  "The tensor with a strided slice replaced by `value`, which is broadcast to the shape of the slice.");
  record.inputs = {"input: T", "begin: Index", "end: Index", "strides: Index", "value: T"};
  record.facts.moves = "T";
  record.infer = infer_update;
  record.kernel = strided_slice_update;
  record.grad = grad_slice_update;
  r.add(record);
  r.add({.name = "Slice",
         .inputs = {"input: T", "begin: Index", "size: Index"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Index: {int32, int64}"},
         .facts = {.moves = "T", .elements = slice_elements, .indexing = Indexing::kReads},
         .doc = "The slice of size[i] elements from begin[i] along each dimension i. A size of -1 takes the rest.",
         .infer = infer_slice,
         .kernel = slice,
         .allocation = Allocation::kShared,
         .grad = grad_slice});
}

}  // namespace tracefn
