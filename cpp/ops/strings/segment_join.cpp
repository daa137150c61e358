// UnsortedSegmentJoin: joins the strings of each segment.
#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

void infer_segment_join(InferContext& c) {
  const Shape& inputs = c.shape(0);
  const Shape& ids = c.shape(1);
  c.require_rank(2, 0);
  if (!ids.has_rank() || !inputs.has_rank()) return c.set_output(0, Shape::unknown());
  if (ids.rank() > inputs.rank())
    invalid_argument("Shape must be at least rank ", ids.rank(), " but is rank ", inputs.rank());
  for (int i = 0; i < ids.rank(); ++i) require_equal(inputs[i], ids[i]);
  Shape out;
  out.push_back(c.dim_value(2));
  for (int i = ids.rank(); i < inputs.rank(); ++i) out.push_back(inputs[i]);
  c.set_output(0, std::move(out));
}

void check_segment_join(const KernelContext& c) {
  const Shape& inputs = c.input(0).shape();
  const Shape& ids = c.input(1).shape();
  if (c.input(2).rank() != 0) invalid_argument("Number of segments must be a scalar");
  const std::int64_t segments = c.input(2).int_at(0);
  if (segments < 0) invalid_argument("Number of segments must be non-negative but got ", segments);
  if (ids.rank() == 0) invalid_argument("Segment_id cannot have rank 0");
  if (ids.rank() > inputs.rank())
    fail(ErrorKind::kOutOfRange, "Invalid segment_id rank ", ids.rank(), " for input with ", inputs.rank(),
         " dimension(s)");
  for (int i = 0; i < ids.rank(); ++i)
    if (ids[i] != inputs[i])  // TensorFlow says the rank where it means the size
      invalid_argument("Segment dimension is ", ids[i], " while input dimension is ", inputs.rank(), " in rank ", i);
  for (std::int64_t i = 0; i < c.input(1).num_elements(); ++i)
    if (c.input(1).int_at(i) < 0 || c.input(1).int_at(i) >= segments)
      invalid_argument("segment_ids are not allowed to exceed num_segments or to have negative values.");
}

void segment_join(KernelContext& c) {
  const Tensor& ids = c.input(1);
  const std::string* in = c.input(0).data<std::string>();
  const std::string& separator = c.attr("separator").s();
  Tensor& out = c.output(0);
  const std::int64_t rows = ids.num_elements();
  const std::int64_t width = rows ? c.input(0).num_elements() / rows : 0;
  PolledSteps polled;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t segment = ids.int_at(row);
    for (std::int64_t k = 0; k < width; ++k, polled.step()) {
      std::string& text = out.mutable_data<std::string>()[segment * width + k];
      if (!text.empty()) text += separator;  // as in TensorFlow, no separator follows empty strings
      text += in[row * width + k];
    }
  }
}

}  // namespace

void register_segment_join(Registry& r) {
  r.add({.name = "UnsortedSegmentJoin",
         .python = "strings.unsorted_segment_join(inputs, segment_ids, num_segments, separator)",
         .inputs = {"inputs: string", "segment_ids: Tindices", "num_segments: Tnumsegments"},
         .outputs = {"output: string"},
         .attrs = {"separator: string = ''", "Tindices: {int32, int64}", "Tnumsegments: {int32, int64} = DT_INT32"},
         .doc =
             "Joins the strings of each segment, with `separator` in between. `segment_ids` has the first dimensions "
             "of `inputs`; segments without strings are empty.",
         .infer = infer_segment_join,
         .check = check_segment_join,
         .kernel = segment_join,
         .grad = not_differentiable});
}

}  // namespace tracefn
