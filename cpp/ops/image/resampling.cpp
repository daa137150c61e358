// Rows of images are shared out among threads. Rows that several rows of the result need are made once, as long as one
// thread makes those.
#include "ops/image/resampling.h"

#include <algorithm>

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

// The last rows that were made; those of one sum are next to each other, so they do not displace one another.
class RecentRows {
 public:
  RecentRows(std::int64_t rows, std::int64_t length)
      : rows_(rows), length_(length), made_(static_cast<std::size_t>(rows), -1) {
    data_.resize(static_cast<std::size_t>(rows * length));
  }
  template <typename F>
  const float* get(std::int64_t row, const F& make) {
    const auto at = static_cast<std::size_t>(row % rows_);
    float* to = data_.data() + at * static_cast<std::size_t>(length_);
    if (made_[at] != row) {
      make(to);
      made_[at] = row;
    }
    return to;
  }

 private:
  std::int64_t rows_, length_;
  std::vector<std::int64_t> made_;
  std::vector<float> data_;
};

class Resampler {
 public:
  Resampler(const Tensor& x, const AxisTaps& rows, const AxisTaps& columns, ResampleOrder order, float scale,
            Tensor& out)
      : x_(x), rows_(rows), columns_(columns), order_(order), scale_(scale), to_(out.mutable_data<float>()) {
    convert_ = kernels_.to_float[slot(x.dtype())];
    channels_ = x.dim(3);
    in_length_ = x.dim(2) * channels_;
    out_length_ = columns.count() * channels_;
    most_ = rows.most();
  }

  // Makes rows [begin, end) of all images of the result.
  void run(std::int64_t begin, std::int64_t end) const {
    const bool pixels_first = order_ != ResampleOrder::kRowsFirst;
    RecentRows read(convert_ ? (pixels_first ? 1 : most_) : 1, convert_ ? in_length_ : 0),
        made(pixels_first ? most_ : 1, pixels_first ? out_length_ : in_length_);
    std::vector<const float*> parts(static_cast<std::size_t>(most_));
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t image = row / rows_.count(), y = row % rows_.count();
      const std::int32_t* taps = rows_.pixels_of(y);
      for (std::int64_t t = 0; t < rows_.taps_of(y); ++t) {
        const std::int64_t number = image * x_.dim(1) + taps[t];
        parts[static_cast<std::size_t>(t)] =
            pixels_first ? made.get(number, [&](float* to) { make_pixels(source(number, read), to); })
                         : source(number, read);
      }
      float* to = to_ + row * out_length_;
      const float* weights = rows_.weights_of(y);
      if (order_ == ResampleOrder::kMixed) {
        kernels_.mix_rows(parts[0], parts[1], weights[1], out_length_, to);
      } else if (pixels_first) {
        kernels_.sum_rows(parts.data(), weights, rows_.taps_of(y), scale_, out_length_, to);
      } else {
        const float* sum = made.get(row, [&](float* sums) {
          kernels_.sum_rows(parts.data(), weights, rows_.taps_of(y), scale_, in_length_, sums);
        });
        make_pixels(sum, to);
      }
      poll();
    }
  }

  double cost() const {
    const double taps =
        static_cast<double>(columns_.pixels.size()) / static_cast<double>(std::max<std::int64_t>(columns_.count(), 1));
    return 0.3 * static_cast<double>(out_length_) * (taps + 1) + 0.1 * static_cast<double>(in_length_ * most_);
  }

 private:
  const float* source(std::int64_t row, RecentRows& read) const {
    if (!convert_) return x_.data<float>() + row * in_length_;
    return read.get(row, [&](float* to) {
      convert_(x_.data<char>() + static_cast<std::size_t>(row * in_length_) * size_of(x_.dtype()), in_length_, to);
    });
  }
  void make_pixels(const float* row, float* to) const {
    (order_ == ResampleOrder::kMixed ? kernels_.mix_pixels : kernels_.gather_pixels)(row, columns_.view(), channels_,
                                                                                     to);
  }

  const ImageKernels& kernels_ = kernel_table().image;
  const Tensor& x_;
  const AxisTaps &rows_, &columns_;
  ResampleOrder order_;
  float scale_;
  float* to_;
  void (*convert_)(const void*, std::int64_t, float*);
  std::int64_t channels_, in_length_, out_length_, most_;
};

template <typename T, typename Product>
void scatter(const KernelContext& c, const Tensor& gradient, const AxisTaps& rows, const AxisTaps& columns,
             Tensor& out) {
  const std::int64_t channels = gradient.dim(3), in_width = out.dim(2), height = out.dim(1);
  const std::int64_t length = columns.count() * channels;
  const float* from = gradient.data<float>();
  T* to = out.mutable_data<T>();
  const double taps = static_cast<double>(rows.pixels.size() + 1) / static_cast<double>(height + 1);
  // Each thread has rows of the images to itself, and reads all rows that were made of them.
  const AxisTaps readers = transposed_taps(rows);
  c.parallel_for(out.dim(0) * height, taps * static_cast<double>(length), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t image = row / height, y = row % height;
      T* line = to + row * in_width * channels;
      std::fill_n(line, in_width * channels, T(0));
      for (std::int64_t r = 0; r < readers.taps_of(y); ++r) {
        const float* given = from + (image * rows.count() + readers.pixels_of(y)[r]) * length;
        const float weight = readers.weights_of(y)[r];
        for (std::int64_t x = 0; x < columns.count(); ++x)
          for (std::int64_t t = 0; t < columns.taps_of(x); ++t) {
            T* pixel = line + columns.pixels_of(x)[t] * channels;
            const float of_pixel = columns.weights_of(x)[t];
            for (std::int64_t k = 0; k < channels; ++k)
              pixel[k] += static_cast<T>(static_cast<Product>(given[x * channels + k]) * weight * of_pixel);
          }
        poll();
      }
    }
  });
}

}  // namespace

void resample(const KernelContext& c, const Tensor& x, const AxisTaps& rows, const AxisTaps& columns,
              ResampleOrder order, float scale, Tensor& out) {
  if (out.num_elements() == 0) return;
  const Tensor wide = as_float(x);
  const Resampler resampler(wide, rows, columns, order, scale, out);
  c.parallel_for(x.dim(0) * rows.count(), resampler.cost(),
                 [&](std::int64_t begin, std::int64_t end) { resampler.run(begin, end); });
}

void images_to_float(const KernelContext& c, const Tensor& x, Tensor& out) {
  const Tensor wide = as_float(x);
  auto convert = kernel_table().image.to_float[slot(wide.dtype())];
  float* to = out.mutable_data<float>();
  constexpr double kCost = 0.3;
  c.parallel_for(x.num_elements(), kCost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, kCost, [&](std::int64_t from, std::int64_t last) {
      if (convert) {
        convert(wide.data<char>() + static_cast<std::size_t>(from) * size_of(wide.dtype()), last - from, to + from);
      } else {
        std::copy(wide.data<float>() + from, wide.data<float>() + last, to + from);
      }
    });
  });
}

void scatter_gradient(const KernelContext& c, const Tensor& gradient, const AxisTaps& rows, const AxisTaps& columns,
                      bool wide, Tensor& out) {
  if (out.num_elements() == 0) return;
  if (out.dtype() == DType::kFloat) return scatter<float, float>(c, gradient, rows, columns, out);
  wide ? scatter<double, double>(c, gradient, rows, columns, out)
       : scatter<double, float>(c, gradient, rows, columns, out);
}

}  // namespace tracefn
