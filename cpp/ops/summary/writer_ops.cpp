// The ops behind tf.summary: writers of event files, and what is written to them.
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/summary/event_writer.h"
#include "ops/summary/summary_values.h"
#include "ops/type_sets.h"
#include "wire/wire_reader.h"

namespace tracefn {
namespace {

void make_writer(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) {
    const std::string& shared = c.attr("shared_name").s();
    state = make_ref<EventWriter>(shared.empty() ? std::string(c.node_name_) : shared);
  }
  c.set_output(0, Tensor::handle(DType::kResource, state));
}

EventWriter& writer(KernelContext& c) {
  const Tensor& handle = c.input(0);
  auto* found = handle.rank() == 0 ? dynamic_cast<EventWriter*>(handle.object().get()) : nullptr;
  if (!found)
    invalid_argument("Trying to access a handle's resource using the wrong type: the resource given to ", c.op().name(),
                     " is not a summary writer.");
  return *found;
}

// A scalar input.
template <typename T>
const T& scalar(KernelContext& c, std::size_t i) {
  const Tensor& t = c.input(i);
  if (t.num_elements() != 1)
    invalid_argument("Input ", c.op().signature.inputs[i].name, " of ", c.op().name(),
                     " must be a scalar, not of shape ", t.shape().text());
  return t.data<T>()[0];
}

void open_writer(KernelContext& c) {
  writer(c).open(scalar<std::string>(c, 1), {scalar<std::int32_t>(c, 2), scalar<std::int32_t>(c, 3)},
                 scalar<std::string>(c, 4));
}
void flush_writer(KernelContext& c) { writer(c).flush(); }
void close_writer(KernelContext& c) { writer(c).close(); }

// Writes the summary that add(summary) fills.
template <typename Add>
void write_summary_with(KernelContext& c, Add&& add) {
  Message summary;
  add(summary);
  writer(c).write(event_of(scalar<std::int64_t>(c, 1), kSummaryField, summary.binary()));
}

void write_tensor_summary(KernelContext& c) {
  write_summary_with(c, [&](Message& summary) {
    add_tensor_value(summary, scalar<std::string>(c, 3), c.input(2), scalar<std::string>(c, 4));
  });
}
void write_scalar(KernelContext& c) {
  write_summary_with(c, [&](Message& summary) {
    if (c.input(3).num_elements() == 0) invalid_argument("A summary of a scalar was given an empty tensor.");
    add_scalar_value(summary, scalar<std::string>(c, 2), c.input(3), 0);
  });
}
void write_histogram(KernelContext& c) {
  write_summary_with(c, [&](Message& summary) { add_histogram_value(summary, scalar<std::string>(c, 2), c.input(3)); });
}
void write_image(KernelContext& c) {
  write_summary_with(c, [&](Message& summary) {
    add_image_values(summary, scalar<std::string>(c, 2), c.input(3), c.attr("max_images").i(), c.input(4));
  });
}
void write_audio(KernelContext& c) {
  write_summary_with(c, [&](Message& summary) {
    add_audio_values(summary, scalar<std::string>(c, 2), c.input(3), c.attr("max_outputs").i(), scalar<float>(c, 4));
  });
}

// Whether the fields of a message can be told apart, and those with `number`, which are messages, too.
bool is_message(std::string_view bytes, std::uint32_t number = 0) {
  try {
    for (WireReader reader(bytes); reader.next();)
      if (number != 0 && reader.key() == delimited_field(number))
        for (WireReader part = reader.message(); part.next();) {
        }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    return false;
  }
  return true;
}

void write_raw(KernelContext& c) {
  // The values of a Summary are one repeated field: a row of messages is one with the values of all.
  std::string all;
  const auto summaries = c.input(2).span<std::string>();
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (!is_message(summaries[i], 1))
      fail(ErrorKind::kDataLoss, "Bad tf.compat.v1.Summary binary proto tensor string at index ", i);
    all += summaries[i];
  }
  writer(c).write(event_of(scalar<std::int64_t>(c, 1), kSummaryField, std::move(all)));
}
void write_graph(KernelContext& c) {
  const std::string& graph = scalar<std::string>(c, 2);
  if (!is_message(graph, 1)) fail(ErrorKind::kDataLoss, "Bad tf.GraphDef binary proto tensor string");
  writer(c).write(event_of(scalar<std::int64_t>(c, 1), kGraphDefField, graph));
}
void import_event(KernelContext& c) {
  const std::string& event = scalar<std::string>(c, 1);
  if (!is_message(event)) fail(ErrorKind::kDataLoss, "Bad tf.Event binary proto tensor string");
  writer(c).write(event);
}

void add_to_writer(Registry& r, std::string_view name, std::vector<std::string_view> inputs,
                   std::vector<std::string_view> attrs, KernelFn kernel, std::string_view doc) {
  inputs.insert(inputs.begin(), "writer: resource");
  r.add({.name = name,
         .inputs = std::move(inputs),
         .attrs = std::move(attrs),
         .stateful = true,
         .doc = doc,
         .infer = infer::nothing,
         .kernel = kernel,
         .grad = not_differentiable});
}

}  // namespace

void register_summary_writers(Registry& r) {
  r.add({.name = "SummaryWriter",
         .outputs = {"writer: resource"},
         .attrs = {"shared_name: string = ''", "container: string = ''"},
         .stateful = true,
         .doc = "A writer of summaries, which `CreateSummaryFileWriter` opens.",
         .infer = infer::scalar,
         .kernel = make_writer,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  add_to_writer(
      r, "CreateSummaryFileWriter",
      {"logdir: string", "max_queue: int32", "flush_millis: int32", "filename_suffix: string"}, {}, open_writer,
      "Makes a file of events in the directory `logdir` for a writer; nothing if it has one.\n\nEvents are kept until "
      "there are more than `max_queue`, or `flush_millis` have passed.");
  add_to_writer(r, "FlushSummaryWriter", {}, {}, flush_writer, "Writes the events that a writer keeps.");
  add_to_writer(r, "CloseSummaryWriter", {}, {}, close_writer,
                "Writes the events that a writer keeps, and closes its file.");
  add_to_writer(r, "WriteSummary", {"step: int64", "tensor: T", "tag: string", "summary_metadata: string"}, {"T: type"},
                write_tensor_summary, "Writes a tensor, with a serialized SummaryMetadata.");
  add_to_writer(r, "WriteRawProtoSummary", {"step: int64", "tensor: string"}, {}, write_raw,
                "Writes serialized Summary messages as one.");
  add_to_writer(r, "ImportEvent", {"event: string"}, {}, import_event, "Writes a serialized Event.");
  add_to_writer(r, "WriteScalarSummary", {"step: int64", "tag: string", "value: T"}, {kScalarTypes}, write_scalar,
                "Writes a number.");
  add_to_writer(r, "WriteHistogramSummary", {"step: int64", "tag: string", "values: T"},
                {"T: {" TRACEFN_EVERY_REAL_NUMBER ", bool} = DT_FLOAT"}, write_histogram,
                "Writes how often numbers occur.");
  add_to_writer(r, "WriteImageSummary", {"step: int64", "tag: string", "tensor: T", "bad_color: uint8"},
                {"max_images: int >= 1 = 3", "T: {uint8, double, float, half} = DT_FLOAT"}, write_image,
                "Writes images [batch, height, width, channels] as PNG files.");
  add_to_writer(r, "WriteAudioSummary", {"step: int64", "tag: string", "tensor: float", "sample_rate: float"},
                {"max_outputs: int >= 1 = 3"}, write_audio, "Writes sound [batch, frames, channels] as WAV files.");
  add_to_writer(r, "WriteGraphSummary", {"step: int64", "tensor: string"}, {}, write_graph,
                "Writes a serialized GraphDef.");
}

}  // namespace tracefn
