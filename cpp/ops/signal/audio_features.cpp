// AudioSpectrogram and Mfcc: what speech recognizers make of sound.
#include <bit>
#include <cmath>
#include <numbers>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/signal/fourier.h"
#include "ops/signal/signal_families.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Windows of `size` samples, `stride` samples apart, padded to a power of two.
struct Windows {
  std::int64_t size, stride;

  bool valid() const { return size >= 2 && stride >= 1 && size <= kLongest; }
  std::int64_t padded() const { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size))); }
  std::int64_t frequencies() const { return padded() / 2 + 1; }
  std::int64_t count(std::int64_t samples) const { return samples < size ? 0 : 1 + (samples - size) / stride; }
  // Of which the transform fits in memory and in TensorFlow's integers.
  static constexpr std::int64_t kLongest = std::int64_t{1} << 30;
};
template <typename Context>
Windows windows_of(const Context& c) {
  return {c.attr("window_size").i(), c.attr("stride").i()};
}

void require_valid(const Windows& w) {
  if (!w.valid())
    invalid_argument("Spectrogram initialization failed for window size ", w.size, " and stride ", w.stride);
}

void infer_spectrogram(InferContext& c) {
  c.require_rank(0, 2);
  const Windows windows = windows_of(c);
  require_valid(windows);
  const std::int64_t samples = dim_of(c.shape(0), 0), channels = dim_of(c.shape(0), 1);
  c.set_output(0, Shape({channels, samples < 0 ? kUnknownDim : windows.count(samples), windows.frequencies()}));
}

void check_spectrogram(const KernelContext& c) {
  if (c.input(0).rank() != 2) invalid_argument("input must be 2-dimensional", c.input(0).shape().text());
  require_valid(windows_of(c));
}

// In double, as in TensorFlow: one window after the other, all channels of it at once.
void spectrogram(KernelContext& c) {
  const Windows windows = windows_of(c);
  const Tensor& in = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const std::int64_t channels = in.dim(1), count = out.dim(1), n = windows.padded(), width = windows.frequencies();
  const bool squared = c.attr("magnitude_squared").b();
  std::vector<double> window(static_cast<std::size_t>(windows.size));  // Hann's, periodic
  for (std::int64_t i = 0; i < windows.size; ++i)
    window[static_cast<std::size_t>(i)] = 0.5 - 0.5 * root_of_unity(i, windows.size).real();
  // So many windows at once that the threads have work, and memory stays small.
  const std::int64_t at_once = std::max<std::int64_t>(1, (1 << 18) / (n * channels));
  Tensor buffer(DType::kComplex128, Shape({std::min(at_once, count), n, channels}));
  auto* z = buffer.mutable_data<std::complex<double>>();
  for (std::int64_t first = 0; first < count; first += at_once, poll()) {
    const std::int64_t group = std::min(at_once, count - first);
    c.parallel_for(group, 2.0 * static_cast<double>(n * channels), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t w = begin; w < end; ++w) {
        const float* from = in.data<float>() + (first + w) * windows.stride * channels;
        for (std::int64_t k = 0; k < n * channels; ++k)
          z[w * n * channels + k] =
              k < windows.size * channels ? from[k] * window[static_cast<std::size_t>(k / channels)] : 0.0;
      }
    });
    transform_axis(c, z, group, n, channels, false, 1);
    c.parallel_for(group, 2.0 * static_cast<double>(width * channels), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t w = begin; w < end; ++w)
        for (std::int64_t channel = 0; channel < channels; ++channel)
          for (std::int64_t k = 0; k < width; ++k) {
            const double power = std::norm(z[(w * n + k) * channels + channel]);
            out.mutable_data<float>()[(channel * count + first + w) * width + k] =
                static_cast<float>(squared ? power : std::sqrt(power));
          }
    });
  }
}

// The mel scale of the Hidden Markov Model Toolkit (S. Young et al., The HTK book, section 5.4).
double mel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

// Bands on the mel scale, each a triangle from the middle of the one before to that of the one after, and the cosine
// transform of their logarithms.
class Cepstrum {
 public:
  std::int64_t length, bands, coefficients;  // of a spectrum
  double rate, lowest, highest;              // in hertz

  template <typename Context>
  explicit Cepstrum(const Context& c, std::int64_t spectrum, double sample_rate)
      : length(spectrum),
        bands(c.attr("filterbank_channel_count").i()),
        coefficients(c.attr("dct_coefficient_count").i()),
        rate(sample_rate),
        lowest(c.attr("lower_frequency_limit").f()),
        highest(c.attr("upper_frequency_limit").f()) {}

  bool valid() const {
    return bands >= 1 && bands <= kMostBands && rate > 0 && length >= 2 && lowest >= 0 && highest > lowest &&
           coefficients >= 1 && coefficients <= bands;
  }

  void prepare() {
    step_ = 0.5 * rate / static_cast<double>(length - 1);
    first_ = static_cast<std::int64_t>(1.5 + lowest / step_);
    last_ = static_cast<std::int64_t>(std::min(highest / step_, static_cast<double>(length)));
    const double spacing = (mel(highest) - mel(lowest)) / static_cast<double>(bands + 1);
    for (std::int64_t k = first_; k <= last_ && last_ < length; ++k) {
      // The place between the middles of two bands; band -1 is below the first one.
      const double place = (mel(static_cast<double>(k) * step_) - mel(lowest)) / spacing;
      const std::int64_t band =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(place)) - 2, -1, bands - 1);
      parts_.push_back({band, static_cast<double>(band + 2) - place});
    }
    const double angle = std::numbers::pi / static_cast<double>(bands),
                 size = std::sqrt(2.0 / static_cast<double>(bands));
    for (std::int64_t i = 0; i < coefficients; ++i)
      for (std::int64_t j = 0; j < bands; ++j)
        cosines_.push_back(size * std::cos(static_cast<double>(i) * angle * (static_cast<double>(j) + 0.5)));
  }

  // `spectrum` has powers. A spectrum that ends below the highest frequency has no coefficients: they are zero.
  void compute(const float* spectrum, float* to) const {
    if (last_ >= length) return static_cast<void>(std::fill_n(to, coefficients, 0.0f));
    std::vector<double> sums(static_cast<std::size_t>(bands + 2));  // of bands -1 to `bands`
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double size = std::sqrt(spectrum[first_ + static_cast<std::int64_t>(i)]), part = size * parts_[i].lower;
      sums[static_cast<std::size_t>(parts_[i].band + 1)] += part;
      sums[static_cast<std::size_t>(parts_[i].band + 2)] += size - part;
    }
    for (double& sum : sums) sum = std::log(sum < kFloor ? kFloor : sum);  // NaN stays
    for (std::int64_t i = 0; i < coefficients; ++i) {
      double total = 0;
      for (std::int64_t j = 0; j < bands; ++j)
        total += cosines_[static_cast<std::size_t>(i * bands + j)] * sums[static_cast<std::size_t>(j + 1)];
      to[i] = static_cast<float>(total);
    }
  }

 private:
  struct Part {
    std::int64_t band;  // the lower of the two bands that a frequency belongs to
    double lower;       // its part of that band; the rest is of the band above
  };
  static constexpr double kFloor = 1e-12;
  static constexpr std::int64_t kMostBands = 1 << 20;

  double step_ = 0;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<Part> parts_;
  std::vector<double> cosines_;
};

void infer_mfcc(InferContext& c) {
  c.require_rank(0, 3);
  c.require_rank(1, 0);
  const Shape& s = c.shape(0);
  c.set_output(0, Shape({dim_of(s, 0), dim_of(s, 1), c.attr("dct_coefficient_count").i()}));
}

Cepstrum cepstrum_of(const KernelContext& c) { return Cepstrum(c, c.input(0).dim(2), c.input(1).item<std::int32_t>()); }

void check_mfcc(const KernelContext& c) {
  const Shape &s = c.input(0).shape(), &rate = c.input(1).shape();
  if (s.rank() != 3) invalid_argument("spectrogram must be 3-dimensional", s.text());
  if (!rate.is_scalar())
    invalid_argument("Input sample_rate should be a scalar tensor, got ", rate.text(), " instead.");
  const Cepstrum cepstrum = cepstrum_of(c);
  if (!cepstrum.valid())
    invalid_argument("Mfcc initialization failed for channel count ", s[2], ", sample rate ",
                     c.input(1).item<std::int32_t>(), " and filterbank_channel_count ", cepstrum.bands);
}

void mfcc(KernelContext& c) {
  const Tensor& in = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  Cepstrum cepstrum = cepstrum_of(c);
  cepstrum.prepare();
  const double cost = 3.0 * static_cast<double>(cepstrum.length + cepstrum.bands * cepstrum.coefficients);
  c.parallel_for(in.dim(0) * in.dim(1), cost, [&](std::int64_t begin, std::int64_t end) {
    PolledSteps polled(1 << 14);
    for (std::int64_t i = begin; i < end; ++i, polled.step(cepstrum.length))
      cepstrum.compute(in.data<float>() + i * cepstrum.length, out.mutable_data<float>() + i * cepstrum.coefficients);
  });
}

}  // namespace

void register_audio_features(Registry& r) {
  r.add({.name = "AudioSpectrogram",
         .inputs = {"input: float"},
         .outputs = {"spectrogram: float"},
         .attrs = {"window_size: int", "stride: int", "magnitude_squared: bool = false"},
         .doc =
             "The spectra of windows of a signal: [samples, channels] becomes [channels, windows, frequencies].\n\nA "
             "window has window_size samples, weighted by a Hann window and padded to a power of two, and begins "
             "`stride` samples behind the one before. A spectrum has absolute values, or their squares if "
             "`magnitude_squared`.",
         .infer = infer_spectrogram,
         .check = check_spectrogram,
         .kernel = spectrogram,
         .grad = without_gradient});
  r.add({.name = "Mfcc",
         .inputs = {"spectrogram: float", "sample_rate: int32"},
         .outputs = {"output: float"},
         .attrs = {"upper_frequency_limit: float = 4000", "lower_frequency_limit: float = 20",
                   "filterbank_channel_count: int = 40", "dct_coefficient_count: int = 13"},
         .doc =
             "Mel-frequency cepstral coefficients of spectra [channels, windows, frequencies] of squared magnitudes: "
             "the cosine transform of the logarithms of what filterbank_channel_count bands of the mel scale "
             "hold.\n\nThe frequencies go up to sample_rate / 2.",
         .infer = infer_mfcc,
         .check = check_mfcc,
         .kernel = mfcc,
         .grad = without_gradient});
}

}  // namespace tracefn
