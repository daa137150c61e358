// DecodeWav and EncodeWav: sound as a matrix of samples and channels.
#include "base/poll.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/signal/signal_families.h"
#include "ops/signal/wav.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

std::int64_t wanted(const Attr& attr, std::string_view name) {
  if (attr.i() < -1) invalid_argument(name, " must be >= -1, got ", attr.i());
  return attr.i() == -1 ? kUnknownDim : attr.i();
}

void infer_decode(InferContext& c) {
  c.require_rank(0, 0);
  const std::int64_t channels = wanted(c.attr("desired_channels"), "desired_channels");
  const std::int64_t samples = wanted(c.attr("desired_samples"), "desired_samples");
  c.set_output(0, Shape({samples, channels}));
  c.set_output(1, Shape());
}

void decode(KernelContext& c) {
  const Tensor& contents = c.input(0);
  if (!contents.shape().is_scalar()) invalid_argument("contents must be scalar, got shape ", contents.shape().text());
  std::int64_t channels = wanted(c.attr("desired_channels"), "desired_channels");
  std::int64_t samples = wanted(c.attr("desired_samples"), "desired_samples");
  const WavFile file = read_wav(contents.item<std::string>());
  if (channels < 0) channels = file.channels;
  if (samples < 0) samples = file.length();
  Tensor& audio = c.allocate_output(0, DType::kFloat, Shape({samples, channels}));
  float* to = audio.mutable_data<float>();
  in_slices(samples, 2 + static_cast<double>(channels), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      // The last channel stands for those that are missing, silence for samples.
      for (std::int64_t j = 0; j < channels; ++j)
        to[i * channels + j] = i < file.length() ? file.at(i, std::min<std::int64_t>(j, file.channels - 1)) : 0.0f;
  });
  c.set_output(1, Tensor::scalar(static_cast<std::int32_t>(file.sample_rate)));
}

void infer_encode(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 0);
  c.set_output(0, Shape());
}

void check_encode(const KernelContext& c) {
  const Tensor &audio = c.input(0), &rate = c.input(1);
  if (audio.rank() != 2) invalid_argument("audio must be 2-dimensional", audio.shape().text());
  if (!rate.shape().is_scalar())
    invalid_argument("Input sample_rate should be a scalar tensor, got ", rate.shape().text(), " instead.");
  if (const std::int32_t hertz = rate.item<std::int32_t>(); hertz <= 0)
    invalid_argument("sample_rate must be in (0, 2^32), got: ", static_cast<std::uint64_t>(std::int64_t{hertz}));
  if (audio.dim(1) <= 0 || audio.dim(1) >= 1 << 16)
    invalid_argument("num_channels must be in (0, 2^16), got: ", audio.dim(1));
}

void encode(KernelContext& c) {
  const Tensor& audio = c.input(0);
  c.output(0).mutable_data<std::string>()[0] = write_wav(audio.data<float>(), audio.dim(0), audio.dim(1),
                                                         static_cast<std::uint32_t>(c.input(1).item<std::int32_t>()));
}

}  // namespace

void register_audio_files(Registry& r) {
  r.add({.name = "DecodeWav",
         .python = "audio.decode_wav(contents, desired_channels, desired_samples)",
         .inputs = {"contents: string"},
         .outputs = {"audio: float", "sample_rate: int32"},
         .attrs = {"desired_channels: int = -1", "desired_samples: int = -1"},
         .doc =
             "The sound in a WAV file of 16-bit PCM samples: a float tensor [samples, channels] of numbers from -1 to "
             "1, and the number of samples per second.\n\n`contents` is the file. `desired_channels` and "
             "`desired_samples` give the result's shape; -1 is that of the file. Missing channels repeat the last "
             "one, missing samples are 0.",
         .infer = infer_decode,
         .kernel = decode,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "EncodeWav",
         .python = "audio.encode_wav(audio, sample_rate)",
         .inputs = {"audio: float", "sample_rate: int32"},
         .outputs = {"contents: string"},
         .doc = "A WAV file of 16-bit PCM samples as a string.\n\n`audio` [samples, channels] is clipped to -1 to 1; "
                "`sample_rate` is the number of samples per second.",
         .infer = infer_encode,
         .check = check_encode,
         .kernel = encode,
         .grad = without_gradient});
}

}  // namespace tracefn
