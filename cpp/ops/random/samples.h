// Shared by the ops that draw samples of distributions with parameters, many for each.
#pragma once

#include <vector>

#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/random/sample_stream.h"

namespace tracefn {

// The blocks that TensorFlow reserves for a sample.
inline constexpr std::uint64_t kBlocksPerSample = 256;

// The elements of a tensor of numbers.
std::vector<double> as_doubles(const Tensor& t);

// Writes element i of a tensor: rounded to a floating type; for integers truncated, the least one if it does not fit,
// and 0 for NaN.
using Store = void (*)(void* out, std::int64_t i, double value);
// Null for other dtypes.
Store store_of(DType dtype);

// Output 0 has the shape in input 0, or that followed by the shape of a parameter.
void infer_sample_shape(InferContext& c);
template <std::size_t kParameter>
void infer_sample_shape_and(InferContext& c) {
  c.require_rank(0, 1);
  Shape shape = c.result_shape(0);
  const Shape& parameter = c.shape(kParameter);
  if (!shape.has_rank() || !parameter.has_rank()) return c.set_output(0, Shape::unknown());
  for (std::int64_t d : parameter.dims()) shape.push_back(d);
  c.set_output(0, shape);
}

// Throws unless the elements of input 0, a vector, are the dimensions to be drawn.
void check_sample_shape(const KernelContext& c);
// Error(kInvalidArgument) unless `shape` ends with the parameters' shape.
void require_ends_with(const Shape& shape, const Shape& parameters);

// Draws several samples at once: sampler.draw(i, n, values) writes samples [i, i + n), n <= kMostSamples.
inline constexpr std::int64_t kMostSamples = 256;
template <typename Sampler>
concept DrawsMany = requires(const Sampler& sampler, double* values) {
  sampler.draw(std::uint64_t{}, std::int64_t{}, values);
};

// Fills output 0, whose last dimensions are those of the parameters: prepare(p) makes a sampler of parameter p, and
// sampler(i) sample i, counted through all samples of the first parameter, then of the second, and so on.
template <typename Prepare>
void draw_samples(KernelContext& c, std::int64_t parameters, double cost, const Prepare& prepare) {
  Tensor& out = c.output(0);
  const std::int64_t n = out.num_elements();
  if (n == 0) return;
  const std::int64_t samples = n / parameters;
  const Store store = store_of(out.dtype());
  void* to = out.mutable_raw();
  c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t parameter = begin / samples, first = parameter * samples;
      const std::int64_t last = std::min(end, first + samples);
      auto sampler = prepare(parameter);
      if constexpr (DrawsMany<decltype(sampler)>) {
        constexpr std::int64_t kLeast = 8;
        double values[kMostSamples];
        while (last - begin >= kLeast) {
          const std::int64_t count = std::min(kMostSamples, last - begin);
          sampler.draw(static_cast<std::uint64_t>(begin), count, values);
          for (std::int64_t i = 0; i < count; ++i, ++begin)
            store(to, (begin - first) * parameters + parameter, values[i]);
        }
      }
      for (; begin < last; ++begin)
        store(to, (begin - first) * parameters + parameter, sampler(static_cast<std::uint64_t>(begin)));
    }
  });
}

}  // namespace tracefn
