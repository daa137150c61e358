// SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse: sparse tensors as three TensorProto
// messages, or as three variants that hold their parts.
#include "ops/sparse/serialized.h"

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/variant_object.h"
#include "ops/without_gradient.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

// A tensor in a variant, immutable.
class HeldTensor final : public VariantObject {
 public:
  explicit HeldTensor(Tensor held) : tensor(std::move(held)) {}
  std::string type_name() const override { return "Tensor"; }
  Ref<VariantObject> zeros_like() const override {
    return make_ref<HeldTensor>(Tensor::zeros(tensor.dtype(), tensor.shape()));
  }
  Ref<VariantObject> add(const VariantObject& other) const override {
    auto* that = dynamic_cast<const HeldTensor*>(&other);
    if (!that || that->tensor.dtype() != tensor.dtype() || !(that->tensor.shape() == tensor.shape()))
      invalid_argument("Only variants that hold tensors of one dtype and shape have a sum.");
    return make_ref<HeldTensor>(add_held(tensor, that->tensor));
  }

  const Tensor tensor;
};

// Parts as three strings or variants, from element `at` of the output on.
void put(const SparseValue& s, Tensor& out, std::int64_t at) {
  const Tensor* parts[] = {&s.indices, &s.values, &s.shape};
  for (const Tensor* part : parts) {
    if (out.dtype() == DType::kVariant) {
      out.mutable_data<Ref<RefCounted>>()[at++] = make_ref<HeldTensor>(*part);
    } else {
      Message proto;
      write_tensor_content(proto, *part);
      out.mutable_data<std::string>()[at++] = proto.binary();
    }
  }
}

Tensor taken(const Tensor& serialized, std::int64_t at, DType dtype) {
  if (serialized.dtype() == DType::kVariant) {
    auto* held = dynamic_cast<const HeldTensor*>(serialized.data<Ref<RefCounted>>()[at].get());
    if (!held) invalid_argument("Could not parse serialized_sparse[", at / 3, ", ", at % 3, "]: it holds no tensor.");
    if (held->tensor.dtype() != dtype && at % 3 != 1)
      invalid_argument("Could not parse serialized_sparse[", at / 3, ", ", at % 3, "]");
    return held->tensor;
  }
  std::size_t repeated_left = kMostRepeatedBytes;
  try {
    Tensor tensor = read_tensor(WireReader(serialized.data<std::string>()[at]), repeated_left);
    if (tensor.dtype() == dtype || at % 3 == 1) return tensor;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kInvalidArgument && e.kind() != ErrorKind::kValue) throw;
  }
  invalid_argument("Could not parse serialized proto");
}

SparseValue value_at(const Tensor& serialized, std::int64_t i, DType dtype) {
  return {taken(serialized, 3 * i, DType::kInt64), taken(serialized, 3 * i + 1, dtype),
          taken(serialized, 3 * i + 2, DType::kInt64)};
}

void serialize(KernelContext& c) {
  const SparseParts s(c, 0);
  require_parts(s);
  put({s.indices, s.values, s.shape}, c.output(0), 0);
}

void serialize_many(KernelContext& c) {
  const std::vector<SparseValue> parts = split_batch(SparseParts(c, 0));
  Tensor& out = c.allocate_output(0, c.attr("out_type").type(), Shape({static_cast<std::int64_t>(parts.size()), 3}));
  PolledSteps polled(64);
  for (std::size_t i = 0; i < parts.size(); ++i, polled.step()) put(parts[i], out, 3 * static_cast<std::int64_t>(i));
}

void read_all(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  const DType dtype = c.attr("dtype").type();
  std::vector<std::int64_t> batch(serialized.shape().dims().begin(), serialized.shape().dims().end() - 1);
  std::vector<SparseValue> parts;
  PolledSteps polled(64);
  for (std::int64_t i = 0; 3 * i < serialized.num_elements(); ++i, polled.step())
    parts.push_back(value_at(serialized, i, dtype));
  join_batch(c, parts, batch, dtype);
}

void deserialize(KernelContext& c) {
  const Tensor& serialized = c.input(0);
  if (serialized.rank() < 1)
    invalid_argument("Serialized sparse should have non-zero rank ", serialized.shape().text());
  if (serialized.dim(serialized.rank() - 1) != 3)
    invalid_argument("Serialized sparse should have 3 as the last dimension ", serialized.shape().text());
  if (serialized.num_elements() == 0)
    invalid_argument("Serialized sparse should have non-zero first dimension ", serialized.shape().text());
  read_all(c);
}

void infer_parts(InferContext& c) { set_sparse_outputs(c, 0, kUnknownDim, kUnknownDim); }

}  // namespace

Tensor sparse_as_variants(SparseValue s) {
  Tensor out(DType::kVariant, Shape({3}));
  put(s, out, 0);
  return out;
}

void register_serialized_sparse(Registry& r) {
  constexpr std::string_view out_type = "out_type: {string, variant} = DT_STRING";
  r.add({.name = "SerializeSparse",
         .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
         .outputs = {"serialized_sparse: out_type"},
         .attrs = {"T: type", out_type},
         .doc = "A sparse tensor as a vector of three serialized tensors: its indices, values and shape.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               c.set_output(0, Shape({3}));
             },
         .kernel = serialize,
         .grad = without_gradient});
  r.add({.name = "SerializeManySparse",
         .inputs = {"sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"},
         .outputs = {"serialized_sparse: out_type"},
         .attrs = {"T: type", out_type},
         .doc = "The sparse tensors of a batch [N, ...], ordered by the first dimension, as a matrix [N, 3] of "
                "serialized tensors.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               c.set_output(0, Shape({kUnknownDim, 3}));
             },
         .kernel = serialize_many,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "DeserializeSparse",
         .inputs = {"serialized_sparse: Tserialized"},
         .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
         .attrs = {"dtype: type", "Tserialized: {string, variant} = DT_STRING"},
         .doc = "Sparse tensors that were serialized, [..., 3], as one whose first dimensions are those but the last.",
         .infer = infer_parts,
         .kernel = deserialize,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add({.name = "DeserializeManySparse",
         .inputs = {"serialized_sparse: string"},
         .outputs = {"sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"},
         .attrs = {"dtype: type"},
         .doc = "Sparse tensors that were serialized, [N, 3], as one with N as its first dimension.",
         .infer =
             [](InferContext& c) {
               const Shape& s = c.shape(0);
               c.require_rank(0, 2);
               if (s.has_rank() && s.rank() == 2 && s[1] >= 0) require_equal(s[1], 3);
               infer_parts(c);
             },
         .kernel = deserialize,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
