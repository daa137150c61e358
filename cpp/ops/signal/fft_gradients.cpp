// Gradients of Fourier transforms. A transform is symmetric as a matrix, so its gradient is the other transform, but
// for the factor; real transforms also account for the half that they leave out.
#include "ops/signal/fft_gradients.h"

namespace tracefn {
namespace {

std::string_view name_of(std::string_view prefix, int rank) {
  static constexpr std::string_view names[4][3] = {
      {"FFT", "FFT2D", "FFT3D"}, {"IFFT", "IFFT2D", "IFFT3D"}, {"RFFT", "RFFT2D", ""}, {"IRFFT", "IRFFT2D", ""}};
  for (const auto& row : names)
    if (row[0] == prefix) return row[rank - 1];
  return {};
}

Operand int_scalar(std::int32_t value) { return build::scalar(DType::kInt32, value); }

// The last `rank` elements of a vector; the last one as a scalar.
Operand last_elements(const Operand& v, int rank) {
  return emit1("StridedSlice", {v, build::ints({-rank}), build::ints({0}), build::ints({1})}, {{"end_mask", 1}});
}
Operand last_element(const Operand& v) {
  return emit1("StridedSlice", {v, build::ints({-1}), build::ints({0}), build::ints({1})},
               {{"end_mask", 1}, {"shrink_axis_mask", 1}});
}
// x[..., from : from + 1], where `from` is the first or the last place.
Operand first_column(const Operand& x) {
  return emit1("StridedSlice", {x, build::ints({0, 0}), build::ints({0, 1}), build::ints({1, 1})},
               {{"begin_mask", 2}, {"ellipsis_mask", 1}});
}
Operand last_column(const Operand& x) {
  return emit1("StridedSlice", {x, build::ints({0, -1}), build::ints({0, 0}), build::ints({1, 1})},
               {{"end_mask", 2}, {"ellipsis_mask", 1}});
}

// The number of elements in the last `rank` axes of x.
Operand size_of_last(const Operand& x, int rank) {
  return emit1("Prod", {last_elements(build::shape_of(x), rank), build::ints({0})});
}

DType real_of(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kFloat ? DType::kFloat : DType::kDouble;
}
DType complex_of(DType dtype) { return real_of(dtype) == DType::kFloat ? DType::kComplex64 : DType::kComplex128; }

Operand real_part(const Operand& x) { return emit1("Real", {x}, {{"Tout", real_of(x.dtype())}}); }

Operand is_even(const Operand& n) { return emit1("Equal", {emit1("FloorMod", {n, int_scalar(2)}), int_scalar(0)}); }
Operand range(const Operand& n) { return emit1("Range", {int_scalar(0), n, int_scalar(1)}); }

// `gradient` of the first elements along the axes of x, with zeros for the others.
Operand padded_like(const Operand& gradient, const Operand& x) {
  if (gradient.shape().is_fully_known() && x.shape().is_fully_known() && gradient.shape() == x.shape()) return gradient;
  const Operand missing = build::shape_of(x) - build::shape_of(gradient);
  return emit1("Pad", {gradient, emit1("Pack", {build::zeros_like(missing), missing}, {{"axis", 1}})});
}

// The real part of sum over k of z[..., k, 0] exp(2 pi i j k / n) for each j; z itself over one axis.
Operand real_column(const Operand& z, int rank) {
  if (rank == 1) return real_part(z);
  const Operand row = emit1("Squeeze", {z}, {{"squeeze_dims", std::vector<std::int64_t>{-1}}});
  const Operand size = build::cast(size_of_last(row, 1), real_of(z.dtype()));
  return emit1("ExpandDims", {real_part(emit1("IFFT", {row})) * size, int_scalar(-1)});
}

}  // namespace

void grad_fft_of_rank(GradContext& c, int rank) {
  const Operand dy = c.dy(0);
  c.to_input(0, emit1(name_of("IFFT", rank), {dy}) * build::cast(size_of_last(dy, rank), dy.dtype()));
}

void grad_inverse_fft_of_rank(GradContext& c, int rank) {
  const Operand dy = c.dy(0), size = build::cast(size_of_last(dy, rank), real_of(dy.dtype()));
  c.to_input(0, emit1(name_of("FFT", rank), {dy}) * build::cast(emit1("Reciprocal", {size}), dy.dtype()));
}

// The transform of dy as if it were the half of a transform of real numbers counts all but the first number, and the
// last one of an even length, twice; half of it with these added is right.
void grad_rfft_of_rank(GradContext& c, int rank) {
  const Operand &x = c.input(0), &lengths = c.input(1), dy = c.dy(0);
  const DType real = real_of(x.dtype());
  const Operand n = last_element(lengths);
  const Operand size = build::cast(emit1("Prod", {lengths, build::ints({0})}), real);
  const Operand whole = emit1(name_of("IRFFT", rank), {dy, lengths}, {{"Treal", real}}) * size;
  const Operand sign = int_scalar(1) - int_scalar(2) * emit1("FloorMod", {range(n), int_scalar(2)});  // exp(pi i j)
  const Operand last = real_column(last_column(dy), rank) * build::cast(is_even(n), real) * build::cast(sign, real);
  const Operand gradient = build::scale(whole + real_column(first_column(dy), rank) + last, 0.5);
  c.to_input(0, padded_like(gradient, x));
}

void grad_inverse_rfft_of_rank(GradContext& c, int rank) {
  const Operand &x = c.input(0), &lengths = c.input(1), dy = c.dy(0);
  const DType real = dy.dtype(), complex = complex_of(real);
  const Operand transformed = emit1(name_of("RFFT", rank), {dy, lengths}, {{"Tcomplex", complex}});
  // The numbers that stand for two, for themselves and their conjugates.
  const Operand place = range(last_element(build::shape_of(transformed))), n = last_element(lengths);
  const Operand single =
      emit1("LogicalOr", {emit1("Equal", {place, int_scalar(0)}), emit1("Equal", {place * int_scalar(2), n})});
  const Operand weight = build::select(single, build::scalar(real, 1), build::scalar(real, 2));
  const Operand size = build::cast(emit1("Prod", {lengths, build::ints({0})}), real);
  c.to_input(0, padded_like(transformed * build::cast(weight / size, complex), x));
}

}  // namespace tracefn
