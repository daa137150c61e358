// Discrete Fourier transforms: of complex numbers, from real numbers to half of their transform, and back.
#include <optional>

#include "base/poll.h"
#include "math/number_arithmetic.h"
#include "ops/build.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/signal/fft_gradients.h"
#include "ops/signal/fourier.h"
#include "ops/signal/signal_families.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Whether a transform starts from real numbers, or leads to them.
enum class Kind : std::uint8_t { kComplex, kFromReal, kToReal };

// The axes of a transform. Real transforms keep one half of the last one.
struct Along {
  Dims axes, lengths;  // one length for each axis; of real transforms those of the real tensor

  int last_axis() const { return static_cast<int>(axes[axes.size() - 1]); }
  std::int64_t last_length() const { return lengths[lengths.size() - 1]; }
};

// The number of independent results of a real transform of length n.
std::int64_t half_length(std::int64_t n) { return n < 0 ? kUnknownDim : n == 0 ? 0 : n / 2 + 1; }

// `input` with the lengths of the transform: `halved` if the last axis keeps one half.
Shape with_lengths(Shape input, const Along& along, bool halved) {
  for (std::size_t i = 0; i < along.axes.size(); ++i) input[static_cast<int>(along.axes[i])] = along.lengths[i];
  if (halved && !along.axes.empty()) input[along.last_axis()] = half_length(along.last_length());
  return input;
}
Shape used_shape(const Shape& input, const Along& along, Kind kind) {
  return with_lengths(input, along, kind == Kind::kToReal);
}
Shape result_shape(const Shape& input, const Along& along, Kind kind) {
  return with_lengths(input, along, kind == Kind::kFromReal);
}

// The last `rank` axes of a tensor of shape `s`.
Along last_axes(const Shape& s, int rank) {
  Along along;
  for (int i = 0; i < rank; ++i) {
    along.axes.push_back(s.rank() - rank + i);
    along.lengths.push_back(s[s.rank() - rank + i]);
  }
  return along;
}

template <int rank>
void infer_complex(InferContext& c) {
  c.require_rank_at_least(0, rank);
  c.set_output(0, c.shape(0));
}

Shape given_lengths(const InferContext& c) {
  if (const std::optional<Dims> known = c.int_values(1))
    for (std::int64_t d : *known)
      if (d < -1) invalid_argument("Dimension ", d, " must be >= 0");
  return c.shape_value(1, true);
}

template <int rank, Kind kind>
void infer_real(InferContext& c) {
  c.require_rank_at_least(0, rank);
  c.require_rank(1, 1);
  const std::int64_t given = dim_of(c.shape(1), 0);
  if (given >= 0 && given != rank) invalid_argument("Dimension must be ", rank, " but is ", given);
  const Shape& s = c.shape(0);
  if (!s.has_rank()) return c.set_output(0, Shape::unknown());
  Along along = last_axes(s, rank);
  const Shape lengths = given_lengths(c);
  for (int i = 0; i < rank; ++i) along.lengths[static_cast<std::size_t>(i)] = dim_of(lengths, i);
  c.set_output(0, result_shape(s, along, kind));
}

void require_rank_of(const KernelContext& c, int rank) {
  const Shape& s = c.input(0).shape();
  if (s.rank() < rank) invalid_argument("Input must have rank of at least ", rank, " but got: ", s.text());
}

// Each axis is long enough, or empty.
void require_lengths(const Shape& s, const Along& along, Kind kind) {
  const Shape used = used_shape(s, along, kind);
  for (std::size_t i = 0; i < along.axes.size(); ++i) {
    const int axis = static_cast<int>(along.axes[i]);
    if (along.lengths[i] < 0) invalid_argument("fft_length[", i, "] must >= 0, but got: ", along.lengths[i]);
    if (s[axis] != 0 && s[axis] < used[axis])
      invalid_argument("Input dimension ", axis, " must have length of at least ", used[axis], " but got: ", s[axis]);
  }
}

void require_dtypes(const KernelContext& c, Kind kind) {
  if (kind == Kind::kComplex) return;
  const DType in = c.input(0).dtype(), out = c.attr(kind == Kind::kFromReal ? "Tcomplex" : "Treal").type();
  const bool twice = in == DType::kDouble || in == DType::kComplex128;
  if (twice != (out == DType::kDouble || out == DType::kComplex128))
    invalid_argument("Wrong types for ", kind == Kind::kFromReal ? "forward" : "backward",
                     " real FFT: in=", static_cast<int>(in), " out=", static_cast<int>(out));
}

Along lengths_of(const KernelContext& c, Along along) {
  for (std::size_t i = 0; i < along.axes.size(); ++i)
    along.lengths[i] = index_at(c.input(1), static_cast<std::int64_t>(i));
  return along;
}

template <int rank>
void check_complex(const KernelContext& c) {
  require_rank_of(c, rank);
}

template <int rank, Kind kind>
void check_real(const KernelContext& c) {
  require_rank_of(c, rank);
  if (!(c.input(1).shape() == Shape({rank}))) invalid_argument("fft_length must have shape [", rank, "]");
  require_dtypes(c, kind);
  require_lengths(c.input(0).shape(), lengths_of(c, last_axes(c.input(0).shape(), rank)), kind);
}

// Copies the first elements along every axis of `from` into a tensor that is no longer along any axis.
template <typename From, typename To>
void copy_block(const KernelContext& c, const From* from, const Shape& from_shape, To* to, const Shape& to_shape) {
  const int rank = to_shape.rank();
  const std::int64_t row = rank ? to_shape[rank - 1] : 1, step = rank ? from_shape[rank - 1] : 1;
  const std::int64_t rows = row ? to_shape.num_elements() / row : 0;
  c.parallel_for(rows, 2 + 0.5 * static_cast<double>(row), [&](std::int64_t begin, std::int64_t end) {
    PolledSteps polled(1 << 16);
    for (std::int64_t r = begin; r < end; ++r, polled.step(row)) {
      std::int64_t rest = r, at = 0, stride = 1;
      for (int i = rank - 2; i >= 0; --i) {
        at += rest % to_shape[i] * stride;
        rest /= to_shape[i];
        stride *= from_shape[i];
      }
      std::copy_n(from + at * step, row, to + r * row);
    }
  });
}

// [outer, n, inner] around an axis.
struct Around {
  std::int64_t outer = 1, inner = 1;
  Around(const Shape& s, int axis) {
    for (int i = 0; i < axis; ++i) outer *= s[i];
    for (int i = axis + 1; i < s.rank(); ++i) inner *= s[i];
  }
};

template <typename T>
void transform(const KernelContext& c, std::complex<T>* data, const Shape& shape, int axis, bool inverse) {
  const Around around(shape, axis);
  const std::int64_t n = shape[axis];
  transform_axis(c, data, around.outer, n, around.inner, inverse, inverse ? 1 / static_cast<double>(n) : 1);
}
// All axes but the last one.
template <typename T>
void transform_others(const KernelContext& c, std::complex<T>* data, const Shape& shape, const Along& along,
                      bool inverse) {
  for (std::size_t i = along.axes.size() - 1; i-- > 0;)
    transform(c, data, shape, static_cast<int>(along.axes[i]), inverse);
}

template <typename T>
std::complex<T> times_i(std::complex<T> a) {
  return {-a.imag(), a.real()};
}

template <typename F>
void for_rows(const KernelContext& c, std::int64_t rows, std::int64_t n, const F& f) {
  c.parallel_for(rows, 5 + 2 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    PolledSteps polled(1 << 14);
    for (std::int64_t r = begin; r < end; ++r, polled.step(n)) f(r);
  });
}

// Real rows of even length n as n / 2 complex numbers z, whose transform gives that of the numbers at even places and
// that of those at odd places.
template <typename T>
void halves_of_even(const KernelContext& c, const std::complex<T>* z, std::complex<T>* out, std::int64_t rows,
                    std::int64_t n) {
  const auto kept = half_roots<T>(n);
  const std::complex<T>* roots = kept->data();
  const std::int64_t m = n / 2;
  for_rows(c, rows, n, [&](std::int64_t r) {
    const std::complex<T>* from = z + r * m;
    std::complex<T>* to = out + r * (m + 1);
    for (std::int64_t k = 0; k <= m; ++k) {
      const std::complex<T> a = from[k == m ? 0 : k], b = std::conj(from[k == 0 ? 0 : m - k]);
      to[k] = T(0.5) * (a + b - times_i(product(roots[k], a - b)));
    }
  });
}
// The reverse: z of which the inverse transform over n / 2, without a factor, is the real row times n. The imaginary
// parts of the first and the last number of a row are not used.
template <typename T>
void pairs_of_even(const KernelContext& c, const std::complex<T>* in, std::complex<T>* z, std::int64_t rows,
                   std::int64_t n) {
  const auto kept = half_roots<T>(n);
  const std::complex<T>* roots = kept->data();
  const std::int64_t m = n / 2;
  for_rows(c, rows, n, [&](std::int64_t r) {
    const std::complex<T>* from = in + r * (m + 1);
    std::complex<T>* to = z + r * m;
    to[0] = {from[0].real() + from[m].real(), from[0].real() - from[m].real()};
    for (std::int64_t k = 1; k < m; ++k) {
      const std::complex<T> a = from[k], b = std::conj(from[m - k]);
      to[k] = a + b + times_i(product(std::conj(roots[k]), a - b));
    }
  });
}

template <typename T>
void run_complex(const KernelContext& c, const Along& along, bool inverse, Tensor& out) {
  auto* data = out.mutable_data<std::complex<T>>();
  copy_block(c, c.input(0).data<std::complex<T>>(), c.input(0).shape(), data, out.shape());
  for (std::size_t i = along.axes.size(); i-- > 0;)
    transform(c, data, out.shape(), static_cast<int>(along.axes[i]), inverse);
}

template <typename T>
void run_from_real(const KernelContext& c, const Along& along, Tensor& out) {
  using C = std::complex<T>;
  const Tensor& in = c.input(0);
  const Shape used = used_shape(in.shape(), along, Kind::kFromReal);
  const std::int64_t n = along.last_length();
  C* to = out.mutable_data<C>();
  if (along.last_axis() == used.rank() - 1 && n % 2 == 0) {
    const std::int64_t rows = used.num_elements() / n;
    Tensor pairs(out.dtype(), Shape({rows, n / 2}));
    copy_block(c, in.data<T>(), in.shape(), reinterpret_cast<T*>(pairs.mutable_data<C>()), used);
    transform_axis(c, pairs.mutable_data<C>(), rows, n / 2, 1, false, 1);
    halves_of_even(c, pairs.data<C>(), to, rows, n);
  } else {
    Tensor whole(out.dtype(), used);
    copy_block(c, in.data<T>(), in.shape(), whole.mutable_data<C>(), used);
    transform(c, whole.mutable_data<C>(), used, along.last_axis(), false);
    copy_block(c, whole.data<C>(), used, to, out.shape());
  }
  transform_others(c, to, out.shape(), along, false);
}

// The whole of a transform of real numbers from its half along `axis`; the imaginary part of the first number, and of
// the last one of an even length, is not used.
template <typename T>
void complete(const KernelContext& c, const Tensor& half, int axis, std::int64_t n, Tensor& whole) {
  const Around around(half.shape(), axis);
  const std::int64_t m = half.dim(axis), inner = around.inner;
  const auto* from = half.data<std::complex<T>>();
  auto* to = whole.mutable_data<std::complex<T>>();
  for_rows(c, around.outer * n, inner, [&](std::int64_t row) {
    const std::int64_t k = row % n, mirrored = k < m ? k : n - k;
    const std::complex<T>* source = from + (row / n * m + mirrored) * inner;
    for (std::int64_t i = 0; i < inner; ++i) {
      std::complex<T> z = k < m ? source[i] : std::conj(source[i]);
      if (mirrored == 0 || 2 * mirrored == n) z = z.real();
      to[row * inner + i] = z;
    }
  });
}

template <typename T>
void run_to_real(const KernelContext& c, const Along& along, Tensor& out) {
  using C = std::complex<T>;
  const Tensor& in = c.input(0);
  const Shape used = used_shape(in.shape(), along, Kind::kToReal);
  const std::int64_t n = along.last_length();
  Tensor half(in.dtype(), used);
  copy_block(c, in.data<C>(), in.shape(), half.mutable_data<C>(), used);
  transform_others(c, half.mutable_data<C>(), used, along, true);
  T* to = out.mutable_data<T>();
  if (along.last_axis() == used.rank() - 1 && n % 2 == 0) {
    const std::int64_t rows = out.num_elements() / n;
    auto* pairs = reinterpret_cast<C*>(to);
    pairs_of_even(c, half.data<C>(), pairs, rows, n);
    transform_axis(c, pairs, rows, n / 2, 1, true, 1 / static_cast<double>(n));
    return;
  }
  Tensor whole(in.dtype(), out.shape());
  complete<T>(c, half, along.last_axis(), n, whole);
  transform(c, whole.mutable_data<C>(), out.shape(), along.last_axis(), true);
  const C* from = whole.data<C>();
  c.parallel_for(out.num_elements(), 0.5, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = from[i].real();
  });
}

void run(KernelContext& c, const Along& along, Kind kind, bool inverse) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  if (c.input(0).num_elements() == 0) return out.fill_zeros();
  const DType dtype = c.input(0).dtype();
  const bool twice = dtype == DType::kComplex128 || dtype == DType::kDouble;
  auto of_type = [&]<typename T>(std::type_identity<T>) {
    switch (kind) {
      case Kind::kComplex:
        return run_complex<T>(c, along, inverse, out);
      case Kind::kFromReal:
        return run_from_real<T>(c, along, out);
      case Kind::kToReal:
        return run_to_real<T>(c, along, out);
    }
  };
  twice ? of_type(std::type_identity<double>()) : of_type(std::type_identity<float>());
}

template <int rank, bool inverse>
void complex_kernel(KernelContext& c) {
  run(c, last_axes(c.input(0).shape(), rank), Kind::kComplex, inverse);
}
template <int rank, Kind kind>
void real_kernel(KernelContext& c) {
  run(c, lengths_of(c, last_axes(c.input(0).shape(), rank)), kind, kind == Kind::kToReal);
}

// The axes in input 2, with the lengths in input 1; nothing if they are not known.
std::optional<Along> given_axes(InferContext& c) {
  const Shape& s = c.shape(0);
  const std::optional<Dims> axes = s.has_rank() ? c.int_values(2) : std::nullopt;
  if (!axes) return std::nullopt;
  const Shape lengths = given_lengths(c);
  if (lengths.has_rank() && lengths.rank() != static_cast<int>(axes->size()))
    invalid_argument("fft_length and axes must have the same length, but have ", lengths.rank(), " and ", axes->size());
  Along along;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    along.axes.push_back(normalize_axis((*axes)[i], s.rank(), "axes"));
    along.lengths.push_back(dim_of(lengths, static_cast<int>(i)));
    for (std::size_t j = 0; j < i; ++j)
      if (along.axes[j] == along.axes[i])
        invalid_argument("axes must differ, but axis ", along.axes[i], " is repeated");
  }
  return along;
}

template <Kind kind>
void infer_given(InferContext& c) {
  c.require_rank(1, 1);
  c.require_rank(2, 1);
  const Shape& s = c.shape(0);
  if (const auto along = given_axes(c)) return c.set_output(0, result_shape(s, *along, kind));
  c.set_output(0, s.has_rank() ? Shape::of_rank(s.rank()) : Shape::unknown());
}

Along axes_of(const KernelContext& c) {
  Along along;
  for (std::int64_t i = 0; i < c.input(2).num_elements(); ++i) {
    along.axes.push_back(normalize_axis(index_at(c.input(2), i), c.input(0).rank(), "axes"));
    along.lengths.push_back(0);
  }
  return lengths_of(c, along);
}

template <Kind kind>
void check_given(const KernelContext& c) {
  const Shape &lengths = c.input(1).shape(), &axes = c.input(2).shape();
  if (lengths.rank() != 1 || !(lengths == axes))
    invalid_argument("fft_length and axes must be vectors of the same length, but have the shapes ", lengths.text(),
                     " and ", axes.text());
  if (kind != Kind::kComplex && axes[0] == 0) invalid_argument("axes must not be empty");
  require_dtypes(c, kind);
  require_lengths(c.input(0).shape(), axes_of(c), kind);
}

template <Kind kind, bool inverse>
void given_kernel(KernelContext& c) {
  run(c, axes_of(c), kind, inverse);
}

constexpr std::string_view kComplexType = "Tcomplex: {complex64, complex128} = DT_COMPLEX64";
constexpr std::string_view kRealType = "Treal: {float, double} = DT_FLOAT";

template <int rank>
void register_of_rank(Registry& r, std::string_view suffix, std::string_view path, std::string_view axes) {
  for (const bool inverse : {false, true}) {
    const std::string doc =
        concat(inverse ? "The inverse of the discrete Fourier transform" : "The discrete Fourier transform",
               " over the last ", axes, " of the input.\n\n",
               inverse ? "The mean of input[k] * exp(2 pi i j k / n) over k."
                       : "The sum of input[k] * exp(-2 pi i j k / n) over k.");
    r.add({.name = concat(inverse ? "IFFT" : "FFT", suffix),
           .python = concat("signal.", inverse ? "ifft" : "fft", path, "(input)"),
           .aliases = {concat("compat.v1.", inverse ? "ifft" : "fft", path),
                       concat("compat.v1.spectral.", inverse ? "ifft" : "fft", path)},
           .inputs = {"input: Tcomplex"},
           .outputs = {"output: Tcomplex"},
           .attrs = {kComplexType},
           .doc = doc,
           .infer = infer_complex<rank>,
           .check = check_complex<rank>,
           .kernel = inverse ? complex_kernel<rank, true> : complex_kernel<rank, false>,
           .grad = inverse ? grad_inverse_fft<rank> : grad_fft<rank>});
    // TensorFlow declares these without a kernel for a CPU.
    r.add({.name = concat(inverse ? "BatchIFFT" : "BatchFFT", suffix),
           .inputs = {"input: complex64"},
           .outputs = {"output: complex64"},
           .doc = doc,
           .infer = infer::same_as_first,
           .check = check_complex<rank>,
           .kernel = inverse ? complex_kernel<rank, true> : complex_kernel<rank, false>,
           .grad = without_gradient});
  }
  r.add(
      {.name = concat("RFFT", suffix),
       .inputs = {"input: Treal", "fft_length: int32"},
       .outputs = {"output: Tcomplex"},
       .attrs = {kRealType, kComplexType},
       .doc = concat("The discrete Fourier transform of real numbers over the last ", axes,
                     " of the input.\n\nOnly the first n / 2 + 1 numbers of the last axis are returned: the others are "
                     "conjugates of these. Input beyond `fft_length` is not used."),
       .infer = infer_real<rank, Kind::kFromReal>,
       .check = check_real<rank, Kind::kFromReal>,
       .kernel = real_kernel<rank, Kind::kFromReal>,
       .grad = grad_rfft<rank>});
  r.add({.name = concat("IRFFT", suffix),
         .inputs = {"input: Tcomplex", "fft_length: int32"},
         .outputs = {"output: Treal"},
         .attrs = {kRealType, kComplexType},
         .doc = concat("Real numbers from the first half of their discrete Fourier transform over the last ", axes,
                       ": the inverse of RFFT", suffix, ".\n\n`fft_length` is the shape of the result along these."),
         .infer = infer_real<rank, Kind::kToReal>,
         .check = check_real<rank, Kind::kToReal>,
         .kernel = real_kernel<rank, Kind::kToReal>,
         .grad = grad_inverse_rfft<rank>});
}

// TensorFlow declares these without a kernel for a CPU.
void register_of_given_axes(Registry& r) {
  r.add({.name = "FFTND",
         .python = "fftnd(input, fft_length, axes)",
         .aliases = {"compat.v1.fftnd"},
         .inputs = {"input: Tcomplex", "fft_length: int32", "axes: int32"},
         .outputs = {"output: Tcomplex"},
         .attrs = {kComplexType},
         .doc = "The discrete Fourier transform over some axes, of the first fft_length[i] elements along axes[i].",
         .infer = infer_given<Kind::kComplex>,
         .check = check_given<Kind::kComplex>,
         .kernel = given_kernel<Kind::kComplex, false>,
         .grad = without_gradient});
  r.add({.name = "IFFTND",
         .python = "ifftnd(input, fft_length, axes)",
         .aliases = {"compat.v1.ifftnd"},
         .inputs = {"input: Tcomplex", "fft_length: int32", "axes: int32"},
         .outputs = {"output: Tcomplex"},
         .attrs = {kComplexType},
         .doc = "The inverse of the discrete Fourier transform over some axes, of the first fft_length[i] elements "
                "along axes[i].",
         .infer = infer_given<Kind::kComplex>,
         .check = check_given<Kind::kComplex>,
         .kernel = given_kernel<Kind::kComplex, true>,
         .grad = without_gradient});
  r.add({.name = "RFFTND",
         .python = "rfftnd(input, fft_length, axes, Tcomplex)",
         .aliases = {"compat.v1.rfftnd"},
         .inputs = {"input: Treal", "fft_length: int32", "axes: int32"},
         .outputs = {"output: Tcomplex"},
         .attrs = {kRealType, kComplexType},
         .doc = "The discrete Fourier transform of real numbers over some axes, of the first fft_length[i] elements "
                "along axes[i]. The last of these axes keeps its first n / 2 + 1 numbers.",
         .infer = infer_given<Kind::kFromReal>,
         .check = check_given<Kind::kFromReal>,
         .kernel = given_kernel<Kind::kFromReal, false>,
         .grad = without_gradient});
  r.add({.name = "IRFFTND",
         .python = "irfftnd(input, fft_length, axes, Treal)",
         .aliases = {"compat.v1.irfftnd"},
         .inputs = {"input: Tcomplex", "fft_length: int32", "axes: int32"},
         .outputs = {"output: Treal"},
         .attrs = {kRealType, kComplexType},
         .doc = "Real numbers from the first half of their discrete Fourier transform over some axes: the inverse of "
                "RFFTND.",
         .infer = infer_given<Kind::kToReal>,
         .check = check_given<Kind::kToReal>,
         .kernel = given_kernel<Kind::kToReal, true>,
         .grad = without_gradient});
}

}  // namespace

void register_fft(Registry& r) {
  register_of_rank<1>(r, "", "", "axis");
  register_of_rank<2>(r, "2D", "2d", "two axes");
  register_of_rank<3>(r, "3D", "3d", "three axes");
  register_of_given_axes(r);
}

}  // namespace tracefn
