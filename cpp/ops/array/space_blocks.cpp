// Blocks of neighboring elements moved to the batch or to the channels, and back: SpaceToBatchND, SpaceToDepth and
// their like.
#include <algorithm>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// The sizes of blocks and the numbers of elements before and after: of padding, or cropped.
struct Blocks {
  Dims sizes, before, after;
};

bool has_block_attr(const OpSignature& op) { return op.attr_index("block_size") >= 0; }

std::int64_t block_attr(const Attr& attr) {
  const std::int64_t block = attr.i();
  if (block != static_cast<std::int32_t>(block))
    invalid_argument("Attr block_size has value ", block, " out of range for an int32");
  return block;
}

std::int64_t product(const Dims& values) {
  std::int64_t all = 1;
  for (std::int64_t v : values)
    if (__builtin_mul_overflow(all, v, &all)) invalid_argument("The product of the block sizes is too large.");
  return all;
}

// a / b of a dimension, which may be unknown.
std::int64_t divided(std::int64_t a, std::int64_t b) {
  if (b == 1) return a;
  if (a < 0) return kUnknownDim;
  if (a % b) invalid_argument("Dimension size must be evenly divisible by ", b, " but is ", a);
  return a / b;
}

std::int64_t multiplied(std::int64_t a, std::int64_t b) {
  if (b == 1) return a;
  if (a < 0) return kUnknownDim;
  std::int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    invalid_argument("Dimension size overflow from multiplying ", a, " and ", b);
  return result;
}

template <bool to_batch>
void infer_blocks(InferContext& c) {
  const bool attr = has_block_attr(c.op());
  const std::size_t edges = attr ? 1 : 2;
  std::optional<Dims> sizes;
  std::int64_t count = 2;
  if (attr) {
    const std::int64_t block = block_attr(c.attr("block_size"));
    sizes = Dims{block, block};
    c.require_rank(0, 4);
  } else {
    if (c.shape(1).has_rank() && c.shape(1).rank() != 1) invalid_argument("block_shape must have rank 1.");
    count = c.shape(1).has_rank() ? c.shape(1)[0] : kUnknownDim;
    if (count < 0) return c.set_output(0, Shape::unknown());
    if (const Tensor* value = c.value(1)) {
      sizes = Dims();
      for (std::int64_t i = 0; i < count; ++i) sizes->push_back(value->int_at(i));
    }
    c.require_rank_at_least(0, static_cast<int>(std::min<std::int64_t>(count, kMaxRank)) + 1);
  }
  if (!c.running()) merge_or_explain(c.shape(edges), Shape({count, 2}));
  const Tensor* given = c.value(edges);
  const Shape& x = c.shape(0);
  if (sizes)
    for (std::int64_t block : *sizes)
      if (block < 1) invalid_argument("block_shape must be positive");
  if (given)
    for (std::int64_t i = 0; i < given->num_elements(); ++i)
      if (given->int_at(i) < 0) invalid_argument(to_batch ? "paddings" : "crops", " cannot be negative");
  if (!x.has_rank()) return c.set_output(0, attr ? Shape::of_rank(4) : Shape::unknown());
  Shape out = x;
  if (!sizes) {
    for (int i = 0; i <= count; ++i) out[i] = kUnknownDim;
    return c.set_output(0, std::move(out));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t block = (*sizes)[static_cast<std::size_t>(i)];
    out[0] = to_batch ? multiplied(out[0], block) : divided(out[0], block);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t& size = out[static_cast<int>(i) + 1];
    const std::int64_t block = (*sizes)[static_cast<std::size_t>(i)];
    if (!given) {
      size = kUnknownDim;
      continue;
    }
    const std::int64_t before = given->int_at(2 * i), after = given->int_at(2 * i + 1);
    if (to_batch) {
      if (size >= 0 && (__builtin_add_overflow(size, before, &size) || __builtin_add_overflow(size, after, &size)))
        invalid_argument("The padded dimension ", i, " is too large.");
      if (size < 0 && (before || after)) size = kUnknownDim;
      size = divided(size, block);
    } else {
      size = multiplied(size, block);
      for (std::int64_t edge : {before, after}) {
        if (edge == 0) continue;
        if (size >= 0 && edge > size)
          invalid_argument("Negative dimension size caused by subtracting ", edge, " from ", size);
        size = size < 0 ? kUnknownDim : size - edge;
      }
    }
  }
  c.set_output(0, std::move(out));
}

template <bool to_batch>
Blocks read_blocks(const KernelContext& c) {
  const bool attr = has_block_attr(c.op().signature);
  const Tensor& x = c.input(0);
  const Tensor& edges = c.input(attr ? 1 : 2);
  Blocks b;
  if (attr) {
    const std::int64_t block = block_attr(c.attr("block_size"));
    b.sizes = {block, block};
    if (x.rank() != 4) invalid_argument("Input rank should be: 4instead of: ", x.rank());
  } else {
    const Tensor& sizes = c.input(1);
    if (sizes.rank() != 1) invalid_argument("block_shape rank should be 1 instead of ", sizes.rank());
    for (std::int64_t i = 0; i < sizes.num_elements(); ++i) b.sizes.push_back(sizes.int_at(i));
  }
  const auto count = static_cast<std::int64_t>(b.sizes.size());
  if (x.rank() < 1 + count) invalid_argument("input rank should be >= ", 1 + count, " instead of ", x.rank());
  if (edges.rank() != 2 || edges.dim(0) != count || edges.dim(1) != 2)
    invalid_argument(to_batch ? "paddings" : "crops", " should have shape [", count, ", 2] instead of ",
                     edges.shape().text());
  for (std::size_t i = 0; i < b.sizes.size(); ++i)
    if (b.sizes[i] < 1) {
      if (!to_batch) invalid_argument("Product of block sizes must be positive, got ", product(b.sizes));
      invalid_argument("All values in block_shape must be positive, got value, ", b.sizes[i], " at index ", i, ".");
    }
  const std::int64_t all = product(b.sizes);
  if (!to_batch && x.dim(0) % all)
    invalid_argument("Input batch dimension (", x.dim(0), ") is not divisible by product of block sizes (", all, ")");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t before = edges.int_at(2 * i), after = edges.int_at(2 * i + 1);
    const std::int64_t block = b.sizes[static_cast<std::size_t>(i)];
    if (before < 0 || after < 0) invalid_argument(to_batch ? "Paddings" : "Crops", " must be non-negative");
    b.before.push_back(before);
    b.after.push_back(after);
    const std::int64_t size = x.dim(static_cast<int>(i) + 1);
    std::int64_t padded;
    if (to_batch) {
      if (__builtin_add_overflow(size, before, &padded) || __builtin_add_overflow(padded, after, &padded))
        invalid_argument("The padded dimension ", i, " is too large.");
      if (padded % block)
        invalid_argument("padded_shape[", i, "]=", padded, " is not divisible by block_shape[", i, "]=", block);
    } else {
      if (__builtin_mul_overflow(size, block, &padded) || __builtin_sub_overflow(padded, before, &padded) ||
          __builtin_sub_overflow(padded, after, &padded))
        invalid_argument("The dimension ", i, " is too large.");
      if (padded < 0) invalid_argument("cropped_shape[", i, "]=", padded, " must be non-negative");
    }
  }
  return b;
}

// Calls f(offsets, number) for every place in a block.
template <typename F>
void for_places(const Dims& sizes, const F& f) {
  Dims offsets(sizes.size(), 0);
  for (std::int64_t number = 0;; ++number) {
    f(offsets, number);
    std::size_t i = sizes.size();
    while (i-- > 0) {
      if (++offsets[i] < sizes[i]) break;
      offsets[i] = 0;
    }
    if (i == static_cast<std::size_t>(-1)) return;
  }
}

template <bool to_batch>
void move_blocks(KernelContext& c) {
  const Blocks b = read_blocks<to_batch>(c);
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  if (to_batch) out.fill_zeros();
  if (x.num_elements() == 0) return;
  const Shape &space = to_batch ? x.shape() : out.shape(), &batch = to_batch ? out.shape() : x.shape();
  const View of_space = View::whole(space), of_batch = View::whole(batch);
  for_places(b.sizes, [&](const Dims& offsets, std::int64_t number) {
    poll();
    View in_space = of_space, in_batch = of_batch;
    Dims sizes = space.dims();
    in_batch.offset += number * space[0] * of_batch.strides[0];
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::int64_t block = b.sizes[i], distance = offsets[i] - b.before[i];
      // Element k of the batch is element k * block + distance of the space.
      const std::int64_t first = distance >= 0 ? 0 : (-distance + block - 1) / block;
      const std::int64_t size = space[static_cast<int>(i) + 1];
      const std::int64_t end = distance >= size ? 0 : (size - distance + block - 1) / block;
      const std::int64_t count = std::min(end, batch[static_cast<int>(i) + 1]) - first;
      if (count <= 0) return;
      sizes[i + 1] = count;
      in_space.offset += (first * block + distance) * of_space.strides[i + 1];
      in_space.strides[i + 1] *= block;
      in_batch.offset += first * of_batch.strides[i + 1];
    }
    if (to_batch) {
      copy_strided(c, x.dtype(), sizes, x.raw(), in_space, out.mutable_raw(), in_batch);
    } else {
      copy_strided(c, x.dtype(), sizes, x.raw(), in_batch, out.mutable_raw(), in_space);
    }
  });
}

// The dimensions of images: channels, height and width.
struct ImageAxes {
  int channel, height, width;
};
template <typename Context>
ImageAxes axes_of(const Context& c) {
  const std::string& format = c.attr("data_format").s();
  if (format == "NCHW_VECT_C") fail(ErrorKind::kUnimplemented, "The data format NCHW_VECT_C is not supported on CPUs.");
  return format == "NHWC" ? ImageAxes{3, 1, 2} : ImageAxes{1, 2, 3};
}

template <bool to_depth>
void infer_depth(InferContext& c) {
  const std::int64_t block = block_attr(c.attr("block_size"));
  const ImageAxes axes = axes_of(c);
  c.require_rank(0, 4);
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(4);
  std::int64_t area;
  if (__builtin_mul_overflow(block, block, &area)) invalid_argument("The block size is too large: ", block);
  for (int axis : {axes.height, axes.width})
    out[axis] = to_depth ? divided(out[axis], block) : multiplied(out[axis], block);
  out[axes.channel] = to_depth ? multiplied(out[axes.channel], area) : divided(out[axes.channel], area);
  c.set_output(0, std::move(out));
}

template <bool to_depth>
void check_depth(const KernelContext& c) {
  const std::int64_t block = block_attr(c.attr("block_size"));
  const ImageAxes axes = axes_of(c);
  const Shape& x = c.input(0).shape();
  if (x.rank() != 4) {
    if (to_depth) invalid_argument("Input rank should be 4 instead of ", x.rank());
    invalid_argument("Input rank should be: 4 instead of: ", x.rank());
  }
  if (to_depth) {
    if (x[axes.width] % block || x[axes.height] % block)
      invalid_argument("Image width ", x[axes.width], " and height ", x[axes.height],
                       " should be divisible by block_size: ", block);
  } else if (x[axes.channel] % (block * block)) {
    invalid_argument("Input depth dimension ", x[axes.channel], " should be divisible by: ", block * block);
  }
}

template <bool to_depth>
void move_depth(KernelContext& c) {
  const std::int64_t block = c.attr("block_size").i();
  const ImageAxes axes = axes_of(c);
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const Shape &space = to_depth ? x.shape() : out.shape(), &depth = to_depth ? out.shape() : x.shape();
  const View of_space = View::whole(space), of_depth = View::whole(depth);
  struct Loop {
    std::int64_t size, in_space, in_depth;
  };
  std::vector<Loop> loops;
  auto add = [&](int axis, std::int64_t size, std::int64_t step) {
    const auto i = static_cast<std::size_t>(axis);
    loops.push_back({size, of_space.strides[i] * step, of_depth.strides[i]});
  };
  add(0, depth[0], 1);
  add(axes.height, depth[axes.height], block);
  add(axes.width, depth[axes.width], block);
  add(axes.channel, space[axes.channel], 1);
  const std::int64_t place = space[axes.channel] * loops.back().in_depth;
  loops.push_back({block, of_space.strides[static_cast<std::size_t>(axes.height)], block * place});
  loops.push_back({block, of_space.strides[static_cast<std::size_t>(axes.width)], place});
  // In the order of what is written, so that what is adjacent in both moves at once.
  std::sort(loops.begin(), loops.end(), [](const Loop& left, const Loop& right) {
    return to_depth ? left.in_depth > right.in_depth : left.in_space > right.in_space;
  });
  Dims sizes;
  View in_space, in_depth;
  for (const Loop& loop : loops) {
    sizes.push_back(loop.size);
    in_space.strides.push_back(loop.in_space);
    in_depth.strides.push_back(loop.in_depth);
  }
  if (to_depth) {
    copy_strided(c, x.dtype(), sizes, x.raw(), in_space, out.mutable_raw(), in_depth);
  } else {
    copy_strided(c, x.dtype(), sizes, x.raw(), in_depth, out.mutable_raw(), in_space);
  }
}

template <const std::string_view& op>
void block_gradient(GradContext& c) {
  if (c.num_inputs() == 3) {
    c.to_input(0, emit1(op, {c.dy(0), c.input(1), c.input(2)}));
  } else {
    c.to_input(0, emit1(op, {c.dy(0), c.input(1)}, {{"block_size", c.attr("block_size")}}));
  }
}
template <const std::string_view& op>
void depth_gradient(GradContext& c) {
  c.to_input(0, emit1(op, {c.dy(0)}, {{"block_size", c.attr("block_size")}, {"data_format", c.attr("data_format")}}));
}

constexpr std::string_view kToBatch = "SpaceToBatchND", kToSpace = "BatchToSpaceND", kToBatch2 = "SpaceToBatch",
                           kToSpace2 = "BatchToSpace", kToDepth = "SpaceToDepth", kFromDepth = "DepthToSpace";

}  // namespace

void register_space_blocks(Registry& r) {
  constexpr std::string_view block = "block_size: int >= 2",
                             format = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'";
  r.add({.name = kToBatch,
         .python = "space_to_batch(input, block_shape, paddings)",
         .aliases = {"space_to_batch_nd", "nn.space_to_batch"},
         .inputs = {"input: T", "block_shape: Tblock_shape", "paddings: Tpaddings"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tblock_shape: " TRACEFN_INDEX " = DT_INT32", "Tpaddings: " TRACEFN_INDEX " = DT_INT32"},
         .doc =
             "Moves the elements of blocks along the dimensions after the first one, padded with zeros, to the "
             "first: the result has a batch for each place in a block.\n\n"
             "input has any dtype and the shape [batch, spatial dimensions, ...]; block_shape is a vector with a size "
             "of at least 1 for each spatial dimension, paddings a matrix with a row for each, the numbers of zeros "
             "before and after. The result has input's dtype and the shape [batch * product of block_shape, "
             "padded[0] / block_shape[0], ..., ...]. Raises InvalidArgumentError if block_shape does not divide the "
             "padded dimensions, or if a number is negative.",
         .infer = infer_blocks<true>,
         .check = [](const KernelContext& c) { read_blocks<true>(c); },
         .kernel = move_blocks<true>,
         .grad = block_gradient<kToSpace>});
  r.add({.name = kToSpace,
         .python = "batch_to_space(input, block_shape, crops)",
         .inputs = {"input: T", "block_shape: Tblock_shape", "crops: Tcrops"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tblock_shape: " TRACEFN_INDEX " = DT_INT32", "Tcrops: " TRACEFN_INDEX " = DT_INT32"},
         .doc =
             "Moves parts of the first dimension to blocks along those after it, and removes their edges: undoes "
             "space_to_batch.\n\n"
             "input has any dtype and the shape [batch, spatial dimensions, ...]; block_shape is a vector with a size "
             "of at least 1 for each spatial dimension, crops a matrix with a row for each, the numbers of elements "
             "removed before and after. The result has input's dtype and the shape [batch / product of block_shape, "
             "input.shape[1] * block_shape[0] - crops[0][0] - crops[0][1], ..., ...]. Raises InvalidArgumentError "
             "if the product does not divide the batch, if crops remove more than there is, or if a number is "
             "negative.",
         .infer = infer_blocks<false>,
         .check = [](const KernelContext& c) { read_blocks<false>(c); },
         .kernel = move_blocks<false>,
         .grad = block_gradient<kToBatch>});
  r.add({.name = kToBatch2,
         .inputs = {"input: T", "paddings: Tpaddings"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tpaddings: " TRACEFN_INDEX " = DT_INT32", block},
         .doc = "SpaceToBatchND of images [batch, height, width, channels] with square blocks.",
         .infer = infer_blocks<true>,
         .check = [](const KernelContext& c) { read_blocks<true>(c); },
         .kernel = move_blocks<true>,
         .grad = block_gradient<kToSpace2>});
  r.add({.name = kToSpace2,
         .inputs = {"input: T", "crops: Tidx"},
         .outputs = {"output: T"},
         .attrs = {"T: type", block, "Tidx: " TRACEFN_INDEX " = DT_INT32"},
         .doc = "BatchToSpaceND of images [batch, height, width, channels] with square blocks.",
         .infer = infer_blocks<false>,
         .check = [](const KernelContext& c) { read_blocks<false>(c); },
         .kernel = move_blocks<false>,
         .grad = block_gradient<kToBatch2>});
  r.add({.name = kToDepth,
         .python = "nn.space_to_depth(input, block_size, data_format)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", block, format},
         .doc =
             "Moves the pixels of square blocks of images to the channels.\n\n"
             "input has any dtype and the shape [batch, height, width, channels], with NCHW [batch, channels, height, "
             "width]; the result its dtype and the shape [batch, height / block_size, width / block_size, channels * "
             "block_size**2], in the same layout. Raises InvalidArgumentError if block_size does not divide height "
             "and width.",
         .infer = infer_depth<true>,
         .check = check_depth<true>,
         .kernel = move_depth<true>,
         .grad = depth_gradient<kFromDepth>});
  r.add({.name = kFromDepth,
         .python = "nn.depth_to_space(input, block_size, data_format)",
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", block, format},
         .doc =
             "Moves groups of channels to square blocks of pixels of images: undoes space_to_depth.\n\n"
             "input has any dtype and the shape [batch, height, width, channels], with NCHW [batch, channels, height, "
             "width]; the result its dtype and the shape [batch, height * block_size, width * block_size, channels / "
             "block_size**2], in the same layout. Raises InvalidArgumentError if block_size**2 does not divide the "
             "channels.",
         .infer = infer_depth<false>,
         .check = check_depth<false>,
         .kernel = move_depth<false>,
         .grad = depth_gradient<kToDepth>});
}

}  // namespace tracefn
