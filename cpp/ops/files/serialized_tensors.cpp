// SerializeTensor and ParseTensor: tensors as TensorProto messages.
#include "base/error.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

void serialize(KernelContext& c) {
  Message proto;
  write_tensor_content(proto, c.input(0));
  *c.output(0).mutable_data<std::string>() = proto.binary();
}

void parse_tensor(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() != 0)
    invalid_argument("Expected `serialized` to be a scalar, got shape: ", serialized.shape().text());
  const std::string& bytes = serialized.item<std::string>();
  std::size_t repeated_left = kMostRepeatedBytes;
  Tensor tensor;
  try {
    tensor = read_tensor(WireReader(bytes), repeated_left);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kInvalidArgument) invalid_argument("Cannot parse tensor from proto: ", e.message());
    if (e.kind() != ErrorKind::kValue) throw;
    constexpr std::size_t kShown = 300;
    invalid_argument("Could not parse `serialized` as TensorProto, base64: ",
                     base64_text(std::string_view(bytes).substr(0, kShown), false, true),
                     bytes.size() > kShown ? "..." : "", " (", e.message(), ")");
  }
  const DType expected = c.attr("out_type").type();
  if (tensor.dtype() != expected)
    invalid_argument("Type mismatch between parsed tensor (", runtime_name(tensor.dtype()), ") and dtype (",
                     runtime_name(expected), ")");
  c.set_output(0, std::move(tensor));
}

}  // namespace

void register_serialized_tensors(Registry& r) {
  r.add({.name = "SerializeTensor",
         .python = "io.serialize_tensor(tensor)",
         .aliases = {"compat.v1.serialize_tensor"},
         .inputs = {"tensor: T"},
         .outputs = {"serialized: string"},
         .attrs = {"T: type"},
         .doc = "A tensor as a serialized TensorProto message, which `tf.io.parse_tensor` reads.\n\nThe result is a "
                "scalar string.",
         .infer = infer::scalar,
         .kernel = serialize,
         .grad = not_differentiable});
  r.add({.name = "ParseTensor",
         .python = "io.parse_tensor(serialized, out_type)",
         .aliases = {"compat.v1.parse_tensor"},
         .inputs = {"serialized: string"},
         .outputs = {"output: out_type"},
         .attrs = {"out_type: type"},
         .doc = "The tensor in a serialized TensorProto message.\n\n`serialized` is a scalar string. Raises "
                "InvalidArgumentError if it holds no tensor of dtype `out_type`.",
         .infer = infer::unknown,
         .kernel = parse_tensor,
         .allocation = Allocation::kByValues,
         .grad = not_differentiable});
}

}  // namespace tracefn
