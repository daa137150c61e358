// EncodeProto: serialized protocol buffer messages of the values of their fields.
#include <bit>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/files/proto_fields.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"
#include "wire/proto_tree.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

// Element `place` of a number's tensor, as ProtoItem::bits.
std::uint64_t bits_at(const Tensor& tensor, std::int64_t place, ProtoType type) {
  const auto at = static_cast<std::size_t>(place);
  switch (tensor.dtype()) {
    case DType::kBool:
      return tensor.span<bool>()[at];
    case DType::kFloat:
      return std::bit_cast<std::uint32_t>(tensor.span<float>()[at]);
    case DType::kDouble: {
      const double value = tensor.span<double>()[at];
      return type == ProtoType::kFloat ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                       : std::bit_cast<std::uint64_t>(value);
    }
    case DType::kInt32:
      return static_cast<std::uint64_t>(std::int64_t{tensor.span<std::int32_t>()[at]});
    case DType::kUInt32:
      return tensor.span<std::uint32_t>()[at];
    case DType::kInt64:
      return static_cast<std::uint64_t>(tensor.span<std::int64_t>()[at]);
    default:
      return tensor.span<std::uint64_t>()[at];
  }
}

void put_field(std::string& out, const ProtoField& field, const Tensor& values, std::int64_t from, std::int64_t n) {
  if (n <= 0) return;
  if (!is_packable(field.type)) {
    for (std::int64_t i = from; i < from + n; ++i)
      put_delimited(out, field.number, values.span<std::string>()[static_cast<std::size_t>(i)]);
    return;
  }
  std::string packed;
  std::string& target = field.packed ? packed : out;
  for (std::int64_t i = from; i < from + n; ++i) {
    if (!field.packed) put_key(out, field.number, static_cast<std::uint64_t>(wire_type(field.type)));
    put_number(target, field.type, bits_at(values, i, field.type));
  }
  if (field.packed) put_delimited(out, field.number, packed);
}

// Inputs: sizes, values.
void check_shapes(const KernelContext& c) {
  const Shape& sizes = c.input(0).shape();
  const auto fields = static_cast<std::int64_t>(c.num_inputs()) - 1;
  const std::vector<std::string>& names = c.attr("field_names").strings();
  if (static_cast<std::int64_t>(names.size()) != fields)
    invalid_argument("Length of inputs list must match field_names");
  for (std::size_t i = 1; i < c.num_inputs(); ++i)
    if (c.input(i).rank() < 2)
      invalid_argument("Invalid shape for field ", names[i - 1], ".  Saw shape ", c.input(i).shape().text(),
                       " but it should be at least a matrix.");
  const Shape& first = c.input(1).shape();
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    const Shape& shape = c.input(i).shape();
    bool same = shape.rank() == first.rank();
    for (int d = 0; same && d + 1 < shape.rank(); ++d) same = shape[d] == first[d];
    if (!same) invalid_argument("Values must match up to the last dimension");
  }
  Dims expected(first.dims());
  expected.back() = fields;
  if (sizes != Shape(expected))
    invalid_argument("sizes should be batch_size + [len(field_names)].  Saw: ", sizes.text(),
                     " but expected: ", Shape(expected).text());
}

void encode(KernelContext& c) {
  const ProtoFields found = proto_fields(c, c.attr("Tinput_types").types(), true);
  const std::vector<std::size_t> order = found.by_number();
  const std::span<const std::int32_t> sizes = c.input(0).span<std::int32_t>();
  const std::int64_t messages = c.output(0).num_elements();
  auto* out = c.output(0).mutable_data<std::string>();
  PolledSteps polled(64);
  for (std::int64_t m = 0; m < messages; ++m) {
    for (std::size_t i : order) {
      const Tensor& values = c.input(i + 1);
      const std::int64_t most = values.shape()[values.rank() - 1];
      const std::int64_t n = sizes[static_cast<std::size_t>(m) * found.fields.size() + i];
      if (n > most)
        invalid_argument("Size to write must not be larger than value tensor; but saw: ", n, " > ", most,
                         " at message ", m, " field ", i);
      put_field(out[m], *found.fields[i], values, m * most, n);
    }
    polled.step();
  }
}

void infer_encode(InferContext& c) {
  const Shape& sizes = c.shape(0);
  c.require_rank_at_least(0, 1);
  Shape batch = Shape::unknown();
  if (sizes.has_rank()) {
    Dims dims(sizes.dims());
    dims.pop_back();
    batch = Shape(dims);
  }
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    if (!c.shape(i).has_rank()) continue;
    c.require_rank_at_least(i, 1);
    Dims dims(c.shape(i).dims());
    dims.pop_back();
    batch = merge_or_explain(batch, Shape(dims));
  }
  c.set_output(0, batch);
}

}  // namespace

void register_encode_proto(Registry& r) {
  r.add({.name = "EncodeProto",
         .python = "io.encode_proto(sizes, values, field_names, message_type, descriptor_source)",
         .inputs = {"sizes: int32", "values: Tinput_types"},
         .outputs = {"bytes: string"},
         .attrs = {"field_names: list(string)", "message_type: string", "descriptor_source: string = 'local://'",
                   "Tinput_types: list(type) >= 1"},
         .doc =
             "Serialized protocol buffer messages of the type `message_type`.\n\n`values` holds a tensor of shape "
             "`batch + [most]` for each of `field_names`, `sizes` is int32 of shape `batch + [len(field_names)]` and "
             "says how many of these values each message gets. The result has shape `batch`. A message in a message "
             "is given as a string. `descriptor_source` is as in `tf.io.decode_proto`. Raises InvalidArgumentError if "
             "there is no such type or field, or the shapes, sizes or dtypes do not fit.",
         .infer = infer_encode,
         .check = check_shapes,
         .kernel = encode,
         .grad = without_gradient});
}

}  // namespace tracefn
