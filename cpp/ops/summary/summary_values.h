// The values in Summary messages: what a summary op adds for a tensor. `tag` names the value in TensorBoard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ops/type_sets.h"
#include "tensor/tensor.h"
#include "wire/message.h"

namespace tracefn {

// The attribute T of ops that take real numbers.
inline constexpr std::string_view kScalarTypes = "T: " TRACEFN_REAL_NUMBERS;

// The tensor itself. `metadata` is a serialized SummaryMetadata; without `keep_empty`, an empty one is left out.
void add_tensor_value(Message& summary, std::string tag, const Tensor& tensor, const std::string& metadata,
                      bool keep_empty = false);
// A real number. `element` of `values` is written as a float.
void add_scalar_value(Message& summary, std::string tag, const Tensor& values, std::int64_t element);
// How many elements lie in each of about 1500 buckets, whose borders grow by a tenth from 1e-12 on.
// Error(kInvalidArgument) for NaN and infinity.
void add_histogram_value(Message& summary, std::string tag, const Tensor& values);
// Up to `most` images [batch, height, width, channels] as PNG files; floats are scaled to what a byte holds, and pixels
// that are not finite get `bad_color`, uint8. Error(kInvalidArgument) unless they are images.
void add_image_values(Message& summary, const std::string& tag, const Tensor& images, std::int64_t most,
                      const Tensor& bad_color);
// Up to `most` clips [batch, frames, channels] or [batch, frames] as WAV files.
void add_audio_values(Message& summary, const std::string& tag, const Tensor& clips, std::int64_t most,
                      float sample_rate);

}  // namespace tracefn
