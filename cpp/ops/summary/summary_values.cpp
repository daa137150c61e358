// Builds the values of Summary messages. Field numbers are those of TensorFlow's summary.proto.
#include "ops/summary/summary_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/poll.h"
#include "ops/image/png.h"
#include "ops/signal/wav.h"
#include "ops/typed.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

Message& add_value(Message& summary, std::string tag) {
  Message& value = summary.add_message(1, "value");
  value.add_text(1, "tag", std::move(tag));
  return value;
}

// The borders of a histogram's buckets: 0 and, on both sides, from 1e-12 to 1e20 and the largest number.
const std::vector<double>& bucket_limits() {
  static const std::vector<double> limits = [] {
    constexpr double kFirst = 1e-12, kLast = 1e20, kFactor = 1.1;
    std::vector<double> positive;
    for (double v = kFirst; v < kLast; v *= kFactor) positive.push_back(v);
    positive.push_back(std::numeric_limits<double>::max());
    std::vector<double> all;
    for (std::size_t i = positive.size(); i > 0; --i) all.push_back(-positive[i - 1]);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

class Histogram {
 public:
  Histogram() : counts_(bucket_limits().size(), 0.0), min_(bucket_limits().back()), max_(-min_) {}

  void add(double v) {
    const std::vector<double>& limits = bucket_limits();
    // The largest number belongs to the last bucket.
    const auto above = std::upper_bound(limits.begin(), limits.end() - 1, v);
    counts_[static_cast<std::size_t>(above - limits.begin())] += 1;
    min_ = std::min(min_, v);
    max_ = std::max(max_, v);
    num_ += 1;
    sum_ += v;
    squares_ += v * v;
  }

  // Buckets without elements that follow each other become one.
  void write(Message& proto) const {
    const std::vector<double>& limits = bucket_limits();
    std::vector<double> ends, counts;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (i > 0 && counts_[i] == 0 && counts_[i - 1] == 0) {
        ends.back() = limits[i];
        continue;
      }
      ends.push_back(limits[i]);
      counts.push_back(counts_[i]);
    }
    auto add = [&](int number, const char* name, double v) {
      if (v != 0) proto.add_double(number, name, v);
    };
    add(1, "min", min_);
    add(2, "max", max_);
    add(3, "num", num_);
    add(4, "sum", sum_);
    add(5, "sum_squares", squares_);
    proto.add_doubles(6, "bucket_limit", std::move(ends));
    proto.add_doubles(7, "bucket", std::move(counts));
  }

 private:
  std::vector<double> counts_;
  double min_, max_, num_ = 0, sum_ = 0, squares_ = 0;
};

// f(i, element i) for each element, as a double.
template <typename F>
void for_each_number(const Tensor& t, F&& f) {
  const std::int64_t n = t.num_elements();
  auto walk = [&](auto type) {
    using T = typename decltype(type)::type;
    const T* data = t.data<T>();
    in_slices(n, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i, static_cast<double>(compute_value(data[i])));
    });
  };
  if (t.dtype() == DType::kBool) return walk(std::type_identity<bool>());
  with_number(t.dtype(), walk);
}

// How the floats of an image become bytes: v * scale + offset.
struct Range {
  float scale, offset;
};
Range range_of(const float* pixels, std::int64_t n, std::int64_t channels) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (std::int64_t i = 0; i < n; ++i) {
    const float* pixel = pixels + i * channels;
    if (!std::all_of(pixel, pixel + channels, [](float v) { return std::isfinite(v); })) continue;
    for (std::int64_t k = 0; k < channels; ++k) {
      low = std::min(low, pixel[k]);
      high = std::max(high, pixel[k]);
    }
  }
  constexpr float kNothing = 1e-6f;
  if (low < 0) {  // 0 is in the middle
    const float most = std::max(std::abs(low), std::abs(high));
    return {most < kNothing ? 0 : 127 / most, 128};
  }
  return {high < kNothing ? 0 : 255 / high, 0};
}

std::string float_image(const float* pixels, std::int64_t n, std::int64_t channels, const std::uint8_t* bad_color) {
  const Range range = range_of(pixels, n, channels);
  std::string bytes(static_cast<std::size_t>(n * channels), '\0');
  for (std::int64_t i = 0; i < n; ++i) {
    const float* pixel = pixels + i * channels;
    const bool finite = std::all_of(pixel, pixel + channels, [](float v) { return std::isfinite(v); });
    for (std::int64_t k = 0; k < channels; ++k) {
      const float v = finite ? pixel[k] * range.scale + range.offset : bad_color[k];
      bytes[static_cast<std::size_t>(i * channels + k)] =
          static_cast<char>(static_cast<std::uint8_t>(std::clamp(v, 0.0f, 255.0f)));
    }
  }
  return bytes;
}

std::string numbered(const std::string& tag, std::string_view kind, std::int64_t most, std::int64_t i) {
  return most > 1 ? concat(tag, "/", kind, "/", i) : concat(tag, "/", kind);
}

}  // namespace

void add_tensor_value(Message& summary, std::string tag, const Tensor& tensor, const std::string& metadata,
                      bool keep_empty) {
  Message& value = add_value(summary, std::move(tag));
  write_tensor_content(value.add_message(8, "tensor"), tensor);
  if (keep_empty || !metadata.empty()) value.add_bytes(9, "metadata", metadata);
}

void add_scalar_value(Message& summary, std::string tag, const Tensor& values, std::int64_t element) {
  float number = 0;
  with_number(values.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    number = static_cast<float>(compute_value(values.data<T>()[element]));
  });
  add_value(summary, std::move(tag)).add_float(2, "simple_value", number);
}

void add_histogram_value(Message& summary, std::string tag, const Tensor& values) {
  Histogram histogram;
  for_each_number(values, [&](std::int64_t, double v) {
    if (std::isnan(v)) invalid_argument("Nan in summary histogram for: ", tag);
    if (std::isinf(v)) invalid_argument("Infinity in summary histogram for: ", tag);
    histogram.add(v);
  });
  histogram.write(add_value(summary, std::move(tag)).add_message(5, "histo"));
}

void add_image_values(Message& summary, const std::string& tag, const Tensor& images, std::int64_t most,
                      const Tensor& bad_color) {
  constexpr std::int64_t kMostImages = std::int64_t{1} << 31, kMostPixels = std::int64_t{1} << 29;
  const bool is_image = images.rank() == 4 && (images.dim(3) == 1 || images.dim(3) == 3 || images.dim(3) == 4);
  if (!is_image) invalid_argument("Tensor must be 4-D with last dim 1, 3, or 4, not ", images.shape().text());
  const std::int64_t batch = images.dim(0), height = images.dim(1), width = images.dim(2), channels = images.dim(3);
  if (batch >= kMostImages || height >= kMostImages || width >= kMostImages ||
      (height > 0 && width >= (kMostPixels + height - 1) / height))
    invalid_argument("Tensor too large for summary ", images.shape().text());
  if (bad_color.dtype() != DType::kUInt8 || bad_color.rank() != 1 || bad_color.num_elements() < channels)
    invalid_argument("expected depth <= bad_color.size, got depth = ", channels,
                     ", bad_color.size = ", bad_color.num_elements());
  const std::int64_t size = height * width * channels;
  if (size == 0 && batch > 0) fail(ErrorKind::kInternal, "PNG encoding failed");
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < std::min(most, batch); ++i) {
    std::string bytes;
    if (images.dtype() == DType::kUInt8) {
      bytes.assign(images.data<char>() + i * size, static_cast<std::size_t>(size));
    } else {
      pixels.resize(static_cast<std::size_t>(size));
      with_float(images.dtype(), [&](auto type) {
        using T = typename decltype(type)::type;
        const T* from = images.data<T>() + i * size;
        std::transform(from, from + size, pixels.begin(), [](T v) { return static_cast<float>(compute_value(v)); });
      });
      bytes = float_image(pixels.data(), height * width, channels, bad_color.data<std::uint8_t>());
    }
    Message& image = add_value(summary, numbered(tag, "image", most, i)).add_message(4, "image");
    image.add_int(1, "height", height);
    image.add_int(2, "width", width);
    image.add_int(3, "colorspace", channels);
    image.add_bytes(4, "encoded_image_string",
                    write_png(bytes.data(), height, width, static_cast<int>(channels), 8, -1));
  }
}

void add_audio_values(Message& summary, const std::string& tag, const Tensor& clips, std::int64_t most,
                      float sample_rate) {
  if (clips.rank() != 2 && clips.rank() != 3)
    invalid_argument("Tensor must be 3-D or 2-D, got: ", clips.shape().text());
  if (!(sample_rate > 0)) invalid_argument("sample_rate must be > 0");
  const std::int64_t frames = clips.dim(1), channels = clips.rank() == 2 ? 1 : clips.dim(2);
  constexpr std::int64_t kMostChannels = 1 << 16;
  if (channels <= 0 || channels >= kMostChannels)
    invalid_argument("num_channels must be in (0, 2^16), got: ", channels);
  const auto rate = static_cast<std::uint32_t>(
      std::clamp(std::lrint(sample_rate), 1l, long{std::numeric_limits<std::uint32_t>::max()}));
  for (std::int64_t i = 0; i < std::min(most, clips.dim(0)); ++i) {
    Message& audio = add_value(summary, numbered(tag, "audio", most, i)).add_message(6, "audio");
    audio.add_float(1, "sample_rate", sample_rate);
    audio.add_int(2, "num_channels", channels);
    if (frames != 0) audio.add_int(3, "length_frames", frames);
    audio.add_bytes(4, "encoded_audio_string",
                    write_wav(clips.data<float>() + i * frames * channels, frames, channels, rate));
    audio.add_text(5, "content_type", "audio/wav");
  }
}

}  // namespace tracefn
