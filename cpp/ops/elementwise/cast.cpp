// Converts elements (Cast) and reinterprets bytes (Bitcast).
#include "ops/contents.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/elementwise_record.h"
#include "ops/without_gradient.h"
#include "tensor/stored_types.h"

namespace tracefn {
namespace {

constexpr BlockSpec kCastBlock{BlockArity::kCast, 0, 0.3, BlockResult::kDstT};

// The pairs that TensorFlow has, of types of which at least one has no arithmetic.
bool casts_stored(DType from, DType to) {
  auto is_integer_like = [](DType d) { return is_integer(d) || is_quantized(d) || is_four_bits(d); };
  if (is_float8(to)) return is_floating(from) || is_float8(from);
  if (is_four_bits(from)) return is_integer_like(to);
  if (is_four_bits(to)) return is_integer_like(from);
  return (is_numeric(from) || is_stored_only(from) || from == DType::kBool) &&
         (is_numeric(to) || is_stored_only(to) || to == DType::kBool);
}

void cast_stored(KernelContext& c, DType to) {
  Tensor numbers = numbers_of(c.input(0));
  const DType wide = dtype_before_storing(numbers.dtype(), to);
  if (numbers.dtype() != wide) {
    Tensor cast(wide, numbers.shape());
    TensorRef operand[] = {{&numbers}};
    run_spec(c, kCastBlock, operand, cast, wide);
    numbers = std::move(cast);
  }
  c.set_output(0, stored_as(numbers, to));
}

// Pairs without a block: a dtype and itself, types without arithmetic, and pairs with strings or handles.
void cast_kernel(KernelContext& c) {
  DType from = c.input(0).dtype(), to = c.attr("DstT").type();
  if (from != to) {
    if ((is_stored_only(from) || is_stored_only(to)) && casts_stored(from, to)) return cast_stored(c, to);
    const char* instead = from == DType::kString ? "; tf.strings.to_number reads numbers from strings"
                          : to == DType::kString ? "; tf.strings.as_string writes them as strings"
                                                 : "";
    fail(ErrorKind::kUnimplemented, "Cast ", runtime_name(from), " to ", runtime_name(to), " is not supported",
         instead);
  }
  c.set_output(0, c.take_input(0));
}

// One element may become several, or vice versa, which adds or removes the last dimension;
// nothing if the shape does not allow it.
std::optional<Shape> bitcast_shape(const Shape& shape, DType from, DType to) {
  if (!shape.has_rank() || size_of(from) == size_of(to)) return shape;
  Shape out = shape;
  if (size_of(from) > size_of(to)) {
    out.push_back(static_cast<std::int64_t>(size_of(from) / size_of(to)));
    return out;
  }
  std::int64_t ratio = static_cast<std::int64_t>(size_of(to) / size_of(from));
  std::int64_t last = shape.rank() ? shape[shape.rank() - 1] : 1;
  if (shape.rank() == 0 || (last >= 0 && last != ratio)) return std::nullopt;
  Dims dims(shape.dims().begin(), shape.dims().end() - 1);
  return Shape(std::move(dims));
}

void infer_bitcast(InferContext& c) {
  const DType from = c.dtype(0), to = c.attr("type").type();
  const Shape& shape = c.shape(0);
  std::optional<Shape> out = bitcast_shape(shape, from, to);
  if (!out)
    invalid_argument("Cannot bitcast from ", static_cast<int>(from), " to ", static_cast<int>(to), " due to shape. ",
                     shape.rank() ? shape[shape.rank() - 1] : 1, " does not match ", size_of(to) / size_of(from));
  c.set_output(0, std::move(*out));
}

void bitcast(KernelContext& c) {
  DType from = c.input(0).dtype(), to = c.attr("type").type();
  std::optional<Shape> shape = bitcast_shape(c.input(0).shape(), from, to);
  if (!shape) invalid_argument("Cannot bitcast from ", static_cast<int>(from), " to ", static_cast<int>(to));
  Tensor input = c.take_input(0);
  c.set_output(0, Tensor(to, std::move(*shape), input.buffer(), const_cast<void*>(input.raw())));
}

}  // namespace

void register_cast(Registry& r) {
  r.add({
      .name = "Cast",
      .inputs = {"x: SrcT"},
      .outputs = {"y: DstT"},
      .attrs = {"SrcT: type", "DstT: type", "Truncate: bool = false"},
      .facts = {.contents = contents::of_input, .scopes = "Cast"},
      .doc = "x converted to DstT, elementwise.\n\nConversion from floating point to integer truncates toward zero. "
             "Conversion to bool gives True where x is not zero. Conversion from complex to real drops the imaginary "
             "part.",
      .infer = infer::same_as_first,
      .kernel = cast_kernel,
      .block = &kCastBlock,
      .grad =
          [](GradContext& g) {
            DType from = g.input(0).dtype(), to = g.output(0).dtype();
            bool flows = (is_floating(from) || is_complex(from)) && (is_floating(to) || is_complex(to));
            if (flows) g.to_input(0, build::cast(g.dy(0), from));
          },
  });
  constexpr std::string_view kPlain =
      "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
      "complex128, qint8, quint8, qint16, quint16, qint32}";
  static const std::string t = concat("T: ", kPlain), type = concat("type: ", kPlain);
  r.add({
      .name = "Bitcast",
      .python = "bitcast(input, type)",
      .inputs = {"input: T"},
      .outputs = {"output: type"},
      .attrs = {t, type},
      .doc =
          "The bytes of input reinterpreted as elements of another type, without a copy.\n\nA smaller type adds a last "
          "dimension. A larger type removes the last dimension, which must hold exactly one element of that type.",
      .infer = infer_bitcast,
      .kernel = bitcast,
      .allocation = Allocation::kShared,
      .grad = without_gradient,
  });
}

}  // namespace tracefn
