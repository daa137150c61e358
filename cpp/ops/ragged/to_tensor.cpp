// RaggedTensorToTensor: a ragged tensor in a rectangle, with a default where rows end early.
#include <algorithm>
#include <string>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/rows.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

enum class Partition : std::uint8_t { kFirstDimSize, kValueRowids, kRowSplits };

std::vector<Partition> partition_types(const Attr& attr) {
  std::vector<Partition> types;
  for (const std::string& text : attr.strings()) {
    if (text == "FIRST_DIM_SIZE") {
      types.push_back(Partition::kFirstDimSize);
    } else if (text == "VALUE_ROWIDS") {
      types.push_back(Partition::kValueRowids);
    } else if (text == "ROW_SPLITS") {
      types.push_back(Partition::kRowSplits);
    } else if (text == "ROW_LENGTHS" || text == "ROW_LIMITS" || text == "ROW_STARTS") {
      invalid_argument("Cannot handle type ", text);
    } else {
      invalid_argument("Unknown string for partition info type: ", text);
    }
  }
  return types;
}

int ragged_rank_of(const std::vector<Partition>& types) {
  return static_cast<int>(
      std::count_if(types.begin(), types.end(), [](Partition type) { return type != Partition::kFirstDimSize; }));
}

std::string bracketed(const Shape& shape) {
  if (!shape.has_rank()) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += concat(i ? "," : "", shape[i] < 0 ? "?" : std::to_string(shape[i]));
  return text + "]";
}

// The shape wanted and what is known of the ragged tensor's, together.
Shape combined(const Shape& wanted, const Shape& values, int ragged_rank) {
  if (!values.has_rank()) return wanted;
  const int rank = ragged_rank + values.rank();
  if (wanted.has_rank() && wanted.rank() != rank)
    invalid_argument("rt_input.shape and shape=", bracketed(wanted), " are incompatible: rt_input.rank = ", rank,
                     " but shape.rank = ", wanted.rank());
  Shape shape = wanted.has_rank() ? wanted : Shape::of_rank(rank);
  for (int i = 1; i < values.rank(); ++i) {
    std::int64_t& size = shape[ragged_rank + i];
    if (size < 0) {
      size = values[i];
    } else if (values[i] >= 0 && values[i] != size) {
      invalid_argument("rt_input.shape and shape=", bracketed(wanted), " are incompatible: rt_input.shape[",
                       ragged_rank + i, "] = ", values[i], " but shape[", ragged_rank + i, "] = ", size);
    }
  }
  return shape;
}

void check_default(const Shape& value, const Shape& values) {
  if (!value.has_rank() || !values.has_rank()) return;
  auto start = [&] {
    return concat("default_value.shape=", bracketed(value), " and rt_input.flat_values.shape=", bracketed(values),
                  " are incompatible: ");
  };
  if (value.rank() >= values.rank())
    invalid_argument(start(), "default_value.rank = ", value.rank(),
                     "  must be less than rt_input.flat_values.rank = ", values.rank());
  for (int i = 1; i <= value.rank(); ++i) {
    const std::int64_t a = value[value.rank() - i], b = values[values.rank() - i];
    if (a >= 0 && b >= 0 && a != 1 && a != b)
      invalid_argument(start(), "default_value.shape[", -i, "] = ", a, " but rt_input.flat_values.shape[", -i,
                       "] = ", b);
  }
}

// The shape wanted: -1 for unknown sizes; the scalar -1 if nothing is.
Shape wanted_shape(const Tensor& shape) {
  if (shape.rank() == 0) {
    if (shape.int_at(0) != -1)
      invalid_argument("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    return Shape::unknown();
  }
  if (shape.rank() > 1) invalid_argument("Shape must be at most rank 1 but is rank ", shape.rank());
  check_rank(static_cast<std::size_t>(shape.num_elements()));
  Shape wanted;
  for (std::int64_t i = 0; i < shape.num_elements(); ++i) {
    const std::int64_t size = shape.int_at(i);
    if (size < -1) invalid_argument("Dimension ", size, " must be >= -1");
    wanted.push_back(size);
  }
  return wanted;
}

void infer_to_tensor(InferContext& c) {
  const std::vector<Partition> types = partition_types(c.attr("row_partition_types"));
  const Shape& shape = c.shape(0);
  if (shape.has_rank() && shape.rank() > 1) invalid_argument("Shape must be at most rank 1 but is rank ", shape.rank());
  check_default(c.shape(2), c.shape(1));
  Shape wanted = Shape::unknown();
  if (const Tensor* value = c.value(0)) {
    wanted = wanted_shape(*value);
  } else if (shape.has_rank() && shape.rank() == 1) {
    wanted = c.shape_value(0, true);
    if (!wanted.has_rank() && shape[0] >= 0) wanted = Shape::of_rank(static_cast<int>(shape[0]));
  }
  c.set_output(0, combined(wanted, c.shape(1), ragged_rank_of(types)));
}

// Row splits of every partition but the first size; their ends are those of the next one, or the number of values.
std::vector<Splits> read_partitions(const KernelContext& c, const std::vector<Partition>& types, std::int64_t values,
                                    std::int64_t* rows) {
  std::vector<Splits> nested;
  if (types.size() != c.num_inputs() - 3)
    invalid_argument("Length of row_partition_types (", types.size(), ") must be the number of partition tensors (",
                     c.num_inputs() - 3, ").");
  const Tensor& first = c.input(3);
  if (types.empty() || first.num_elements() == 0)
    invalid_argument("Invalid first partition input. Tensor requires at least one element.");
  if (types[0] == Partition::kValueRowids) invalid_argument("Cannot handle VALUE_ROWIDS in first dimension.");
  *rows = types[0] == Partition::kFirstDimSize ? first.int_at(0) : first.num_elements() - 1;
  if (*rows < 0) invalid_argument("first_dimension must be non-negative, got ", *rows);
  std::int64_t here = *rows;
  for (std::size_t i = types[0] == Partition::kFirstDimSize ? 1 : 0; i < types.size(); ++i) {
    const Tensor& given = c.input(3 + i);
    Splits splits;
    if (types[i] == Partition::kRowSplits) {
      splits = read_splits(given);
      if (static_cast<std::int64_t>(splits.size()) != here + 1) invalid_argument("Invalid row split size.");
    } else if (types[i] == Partition::kValueRowids) {
      if (here > given.num_elements() + (std::int64_t{1} << 40)) invalid_argument("There are too many rows: ", here);
      splits.assign(static_cast<std::size_t>(here) + 1, 0);
      std::int64_t last = 0;
      in_slices(given.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int64_t row = given.int_at(k);
          if (row >= here) invalid_argument("Got next_value_rowid=", row, " which is not less than ", here);
          if (row < last) invalid_argument("Row ids must be sorted and not negative, but ", row, " follows ", last);
          last = row;
          ++splits[static_cast<std::size_t>(row) + 1];
        }
      });
      for (std::size_t k = 1; k < splits.size(); ++k) splits[k] += splits[k - 1];
    } else {
      invalid_argument("FIRST_DIM_SIZE must be the first row partition.");
    }
    if (splits[0] < 0 || !std::is_sorted(splits.begin(), splits.end())) invalid_argument("Invalid row split size.");
    here = splits.back();
    nested.push_back(std::move(splits));
  }
  if (here > values) invalid_argument("Invalid row split size.");
  return nested;
}

std::int64_t longest(const Splits& splits) {
  std::int64_t most = 0;
  for (std::size_t i = 1; i < splits.size(); ++i) most = std::max(most, splits[i] - splits[i - 1]);
  return most;
}

// Copies the rows [begin, end) of level `d` to a rectangle with `sizes` of the levels from d on.
class Placement {
 public:
  Placement(const std::vector<Splits>& nested, std::span<const std::int64_t> sizes) : nested_(nested), sizes_(sizes) {}

  // Calls copy(first value, count, place in the result), where places count rows of inner elements.
  template <typename F>
  void rows(std::size_t d, std::int64_t begin, std::int64_t end, std::int64_t place, F&& copy) {
    if (d == nested_.size()) {
      copy(begin, std::min(end - begin, sizes_[d]), place);
      polled_.step();
      return;
    }
    const std::int64_t stop = std::min(end, begin + sizes_[d]);
    std::int64_t stride = 1;
    for (std::size_t k = d + 1; k < sizes_.size(); ++k) stride *= sizes_[k];
    if (stride == 0) return;
    for (std::int64_t i = begin; i < stop; ++i, place += stride)
      rows(d + 1, nested_[d][static_cast<std::size_t>(i)], nested_[d][static_cast<std::size_t>(i) + 1], place, copy);
  }

 private:
  const std::vector<Splits>& nested_;
  std::span<const std::int64_t> sizes_;
  PolledSteps polled_{64};
};

void to_tensor(KernelContext& c) {
  const std::vector<Partition> types = partition_types(c.attr("row_partition_types"));
  const Tensor& values = c.input(1);
  const Tensor& fill = c.input(2);
  check_default(fill.shape(), values.shape());
  const int ragged_rank = ragged_rank_of(types);
  Shape shape = combined(wanted_shape(c.input(0)), values.shape(), ragged_rank);
  check_rank(static_cast<std::size_t>(shape.rank()));
  std::int64_t rows = 0;
  const std::vector<Splits> nested = read_partitions(c, types, values.dim(0), &rows);
  if (shape[0] < 0) shape[0] = rows;
  for (int d = 0; d < ragged_rank; ++d)
    if (shape[d + 1] < 0) shape[d + 1] = longest(nested[static_cast<std::size_t>(d)]);
  Tensor& out = c.allocate_output(0, values.dtype(), shape);
  if (out.num_elements() == 0) return;
  Dims strides(static_cast<std::size_t>(shape.rank()), 0);
  const View from = View::whole(fill.shape());
  for (int i = 1; i <= fill.rank(); ++i)
    if (fill.dim(fill.rank() - i) != 1)
      strides[static_cast<std::size_t>(shape.rank() - i)] = from.strides[static_cast<std::size_t>(fill.rank() - i)];
  copy_strided(c, values.dtype(), shape.dims(), fill.raw(), {0, strides}, out.mutable_raw(), View::whole(shape));
  const std::int64_t inner = tail(values.shape(), 1).num_elements();
  const std::span<const std::int64_t> sizes(shape.dims().data(), static_cast<std::size_t>(ragged_rank) + 1);
  with_element(values.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = out.mutable_data<T>();
    Placement(nested, sizes).rows(0, 0, rows, 0, [&](std::int64_t first, std::int64_t count, std::int64_t place) {
      std::copy_n(values.data<T>() + first * inner, count * inner, to + place * inner);
    });
  });
}

Operand not_equal(const Operand& x, const Operand& y) { return emit1("NotEqual", {x, y}); }

// The elements of x where the mask, whose shape starts x's, is true: rows of a flattened x.
Operand masked(const Operand& x, const Operand& places, const Operand& flat_shape) {
  return emit1("GatherV2", {build::reshape(x, flat_shape), places, build::scalar(DType::kInt32, 0)});
}

// As in the op itself, the number of the value at each place, or -1, tells where the gradients go.
void grad_to_tensor(GradContext& c) {
  const Operand& values = c.input(1);
  const Operand& fill = c.input(2);
  const int ragged_rank = ragged_rank_of(partition_types(c.attr("row_partition_types")));
  const Operand dy = c.dy(0), sizes = build::shape_of(dy), shape = build::shape_of(values);
  const Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  const Operand rest = emit1("Slice", {sizes, build::ints({1 + ragged_rank}), build::ints({-1})});
  const Operand first = emit1("Slice", {sizes, build::ints({0}), build::ints({1 + ragged_rank})});
  const Operand count = emit1("Slice", {shape, build::ints({0}), build::ints({1})});
  Operand numbers = emit1("Range", {zero, build::reshape(count, build::ints({})), one});
  Operands inputs{first, numbers, build::scalar(DType::kInt32, -1)};
  for (std::size_t i = 3; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  const Operand placed = build::reshape(
      emit_all("RaggedTensorToTensor", inputs, {{"row_partition_types", c.attr("row_partition_types")}})[0],
      build::ints({-1}));
  const Operand is_value = not_equal(placed, build::scalar(DType::kInt32, -1));
  auto where = [&](const Operand& mask) { return build::reshape(emit1("Where", {mask}), build::ints({-1})); };
  const Operand all[] = {build::reshape(emit1("Size", {placed}), build::ints({1})), rest, zero};
  const Operand flat = emit_all("ConcatV2", all, {})[0];
  if (c.wanted(1)) {
    const Operand at = where(is_value);
    c.to_input(1, Gradient(masked(dy, at, flat), emit1("GatherV2", {placed, at, zero}), shape));
  }
  if (!c.wanted(2)) return;
  // Summed over all places, then as the default was broadcast.
  const Operand of_default = masked(dy, where(emit1("LogicalNot", {is_value})), flat);
  const Operand summed = build::sum(of_default, zero);
  c.to_input(2, build::unbroadcast(summed, fill, summed));
}

}  // namespace

void register_ragged_to_tensor(Registry& r) {
  r.add({.name = "RaggedTensorToTensor",
         .inputs = {"shape: Tshape", "values: T", "default_value: T",
                    "row_partition_tensors: num_row_partition_tensors * Tindex"},
         .outputs = {"result: T"},
         .attrs = {"T: type", "Tindex: {int64, int32}", "Tshape: {int64, int32}", "num_row_partition_tensors: int >= 1",
                   "row_partition_types: list(string)"},
         .doc = "A ragged tensor as a tensor.\n\nRows are cut, or filled up with the default value, to the sizes in "
                "`shape`; -1 there stands for the longest row. The partitions are those of TensorFlow's "
                "`row_partition_types`: FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS. Raises InvalidArgumentError if they "
                "or the shapes do not fit.",
         .infer = infer_to_tensor,
         .kernel = to_tensor,
         .allocation = Allocation::kByValues,
         .grad = grad_to_tensor});
}

}  // namespace tracefn
