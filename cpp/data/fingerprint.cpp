// Fingerprints of datasets, and of the functions in them. DatasetFingerprint.
#include "data/fingerprint.h"

#include <string_view>
#include <unordered_map>

#include "data/dataset_ops.h"
#include "ir/graph.h"

namespace tracefn::data {
namespace {

// FNV-1a (Fowler, Noll and Vo), of 64 bits.
class Digest {
 public:
  void bytes(const void* data, std::size_t n) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < n; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3u;
  }
  void number(std::uint64_t n) { bytes(&n, sizeof n); }
  void text(std::string_view s) {
    number(s.size());
    bytes(s.data(), s.size());
  }

  void tensor(const Tensor& t) {
    number(static_cast<std::uint64_t>(t.dtype()));
    number(static_cast<std::uint64_t>(t.rank()));
    for (std::int64_t d : t.shape().dims()) number(static_cast<std::uint64_t>(d));
    if (t.dtype() == DType::kString) {
      for (const std::string& s : t.span<std::string>()) text(s);
    } else if (t.dtype() == DType::kVariant) {
      for (const Ref<RefCounted>& object : t.span<Ref<RefCounted>>()) variant(object.get());
    } else if (is_plain(t.dtype())) {
      bytes(t.raw(), t.bytes());
    }
  }

  void attr(const Attr& a) {
    if (a.kind() == Attr::Kind::kTensor) return tensor(a.tensor());
    if (a.kind() == Attr::Kind::kFunc) return function(a.func());
    if (a.kind() == Attr::Kind::kFuncs) {
      number(a.funcs().size());
      for (const FuncRef& f : a.funcs()) function(f);
      return;
    }
    text(a.has_value() ? a.text() : "");
  }

  std::uint64_t value() const { return value_; }

  void variant(const RefCounted* object) {
    if (const auto* dataset = dynamic_cast<const Dataset*>(object)) return number(dataset->fingerprint());
    if (const auto* other = dynamic_cast<const VariantObject*>(object)) text(other->type_name());
  }

 private:
  // The nodes in their order, without names.
  void function(const FuncRef& f) {
    if (!f.body) return text(f.name);
    if (const auto found = seen_.find(f.body.get()); found != seen_.end()) return number(found->second);
    seen_.emplace(f.body.get(), seen_.size());
    const Graph& graph = *f.body;
    number(static_cast<std::uint64_t>(graph.size()));
    auto value = [&](Value v) {
      number(static_cast<std::uint64_t>(v.node));
      number(static_cast<std::uint64_t>(v.output));
    };
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(id);
      text(node.op->name);
      for (Value v : node.inputs) value(v);
      for (NodeId before : node.control_inputs) number(static_cast<std::uint64_t>(before));
      for (const Attr& a : node.attrs) attr(a);
    }
    for (Value v : graph.inputs) value(v);
    for (Value v : graph.outputs) value(v);
  }

  std::uint64_t value_ = 0xcbf29ce484222325u;
  std::unordered_map<const Graph*, std::uint64_t> seen_;
};

void fingerprint(KernelContext& c) { c.set_output(0, Tensor::scalar(dataset_in(c.input(0))->fingerprint())); }

}  // namespace

Recipe::Recipe(const KernelContext& c) : op_(c.op()), attrs_(c.attrs()) {
  inputs_.reserve(c.num_inputs());
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    if ((t.dtype() == DType::kVariant || t.dtype() == DType::kResource) && t.rank() == 0) {
      inputs_.push_back({{}, t.object()});
    } else {
      inputs_.push_back({t, {}});
    }
  }
}

std::uint64_t Recipe::fingerprint() const {
  Digest digest;
  digest.text(op_.name());
  for (std::size_t i = 0; i < attrs_.size(); ++i)
    if (op_.signature.attrs[i].name != "metadata") digest.attr(attrs_[i]);
  for (const Input& input : inputs_) input.object ? digest.variant(input.object.get()) : digest.tensor(input.tensor);
  return digest.value();
}

void Recipe::visit_owned(OwnedVisitor& visitor) const {
  for (const Attr& a : attrs_) a.visit_owned(visitor);
  for (const Input& input : inputs_) visitor.counted(input.object);
}

std::uint64_t Dataset::fingerprint() const {
  if (recipe_) return recipe_->fingerprint();
  Digest digest;
  digest.text(kind_);
  return digest.value();
}

void register_fingerprint(Registry& r) {
  r.add({.name = "DatasetFingerprint",
         .inputs = {"input_dataset: variant"},
         .outputs = {"fingerprint: uint64"},
         .doc = "A number that is the same for datasets that are made in the same way, and so have the same elements.",
         .infer = infer::scalar,
         .kernel = fingerprint,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
}

}  // namespace tracefn::data
