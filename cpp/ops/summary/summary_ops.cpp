// The summary ops of TensorFlow 1: tensors as serialized Summary messages.
#include <set>

#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/summary/summary_values.h"
#include "ops/type_sets.h"
#include "wire/wire_reader.h"

namespace tracefn {
namespace {

void give(KernelContext& c, const Message& summary) { *c.output(0).mutable_data<std::string>() = summary.binary(); }

const std::string& tag(KernelContext& c, std::string_view words) {
  if (c.input(0).rank() != 0) invalid_argument(words, c.input(0).shape().text());
  return c.input(0).item<std::string>();
}

void scalars(KernelContext& c) {
  const Tensor &tags = c.input(0), &values = c.input(1);
  const bool same = tags.shape() == values.shape() || (tags.num_elements() == 1 && values.num_elements() == 1);
  if (!same) {
    const std::string one = tags.num_elements() == 1 ? concat(" (tag '", tags.data<std::string>()[0], "')") : "";
    invalid_argument("tags and values are not the same shape: ", tags.shape().text(), " != ", values.shape().text(),
                     one);
  }
  Message summary;
  for (std::int64_t i = 0; i < tags.num_elements(); ++i)
    add_scalar_value(summary, tags.data<std::string>()[i], values, i);
  give(c, summary);
}

void histogram(KernelContext& c) {
  Message summary;
  add_histogram_value(summary, tag(c, "tags must be scalar: "), c.input(1));
  give(c, summary);
}

void image(KernelContext& c) {
  Message summary;
  add_image_values(summary, tag(c, "Tags must be a scalar: "), c.input(1), c.attr("max_images").i(),
                   c.attr("bad_color").tensor());
  give(c, summary);
}

void audio(KernelContext& c) {
  const Tensor& rate = c.input(2);
  if (rate.rank() != 0) invalid_argument("sample_rate must be scalar: ", rate.shape().text());
  Message summary;
  add_audio_values(summary, tag(c, "Tag must be a scalar: "), c.input(1), c.attr("max_outputs").i(),
                   rate.item<float>());
  give(c, summary);
}

void tensor(KernelContext& c) {
  const Tensor& metadata = c.input(2);
  if (metadata.rank() != 0) invalid_argument("serialized_summary_metadata must be scalar");
  Message summary;
  add_tensor_value(summary, tag(c, "tag must be scalar: "), c.input(1), metadata.item<std::string>(), true);
  give(c, summary);
}

// Adds the tags of a Summary to `tags`.
void note_tags(std::string_view bytes, std::set<std::string, std::less<>>& tags) {
  for (WireReader summary(bytes); summary.next();) {
    if (summary.key() != delimited_field(1)) continue;
    for (WireReader value = summary.message(); value.next();) {
      if (value.key() != delimited_field(1)) continue;
      if (!tags.emplace(value.bytes()).second)
        invalid_argument("Duplicate tag ", value.bytes(), " found in summary inputs");
    }
  }
}

void merge(KernelContext& c) {
  std::string all;
  std::set<std::string, std::less<>> tags;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    for (const std::string& bytes : c.input(i).span<std::string>()) {
      try {
        note_tags(bytes, tags);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::kValue) throw;
        invalid_argument("Could not parse one of the summary inputs");
      }
      all += bytes;
    }
  }
  *c.output(0).mutable_data<std::string>() = std::move(all);
}

void add_summary(Registry& r, std::string_view name, std::vector<std::string_view> inputs,
                 std::vector<std::string_view> attrs, KernelFn kernel, std::string_view doc) {
  r.add({.name = name,
         .inputs = std::move(inputs),
         .outputs = {"summary: string"},
         .attrs = std::move(attrs),
         .doc = doc,
         .infer = infer::scalar,
         .kernel = kernel,
         .grad = not_differentiable});
}

}  // namespace

void register_summaries(Registry& r) {
  add_summary(r, "ScalarSummary", {"tags: string", "values: T"}, {kScalarTypes}, scalars,
              "Numbers as a serialized Summary. `tags` has the shape of `values`.");
  add_summary(r, "HistogramSummary", {"tag: string", "values: T"}, {"T: " TRACEFN_REAL_NUMBERS " = DT_FLOAT"},
              histogram, "How often numbers occur, as a serialized Summary.");
  add_summary(r, "ImageSummary", {"tag: string", "tensor: T"},
              {"max_images: int >= 1 = 3", "T: {uint8, float, half, double} = DT_FLOAT",
               "bad_color: tensor = [255, 0, 0, 255]"},
              image, "Images [batch, height, width, channels] as a serialized Summary with PNG files.");
  add_summary(r, "AudioSummaryV2", {"tag: string", "tensor: float", "sample_rate: float"},
              {"max_outputs: int >= 1 = 3"}, audio,
              "Sound [batch, frames, channels] as a serialized Summary with WAV files.");
  add_summary(r, "TensorSummaryV2", {"tag: string", "tensor: T", "serialized_summary_metadata: string"}, {"T: type"},
              tensor, "A tensor as a serialized Summary.");
  add_summary(r, "MergeSummary", {"inputs: N * string"}, {"N: int >= 1"}, merge,
              "Serialized Summary messages as one.\n\nRaises InvalidArgumentError if a tag occurs twice.");
}

}  // namespace tracefn
