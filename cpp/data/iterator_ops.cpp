// Ops on iterators: handles, their datasets, elements, positions.
#include <mutex>

#include "base/host_lock.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/iterator_resource.h"
#include "ops/list/optional.h"
#include "ops/stored_variant.h"

namespace tracefn::data {
namespace {

constexpr std::string_view kStoredState = "tracefn::IteratorState";

// An iterator's position, or a part of it, as an element of a variant.
class SavedTensor final : public StoredVariant {
 public:
  explicit SavedTensor(Tensor t) : tensor(std::move(t)) {}
  std::string type_name() const override { return "IteratorStateVariant"; }
  std::string stored_name() const override { return std::string(kStoredState); }
  std::vector<Tensor> stored_tensors() const override { return {tensor}; }
  Ref<VariantObject> zeros_like() const override { invalid_argument("The state of an iterator has no zeros."); }
  Ref<VariantObject> add(const VariantObject&) const override { invalid_argument("States of iterators have no sum."); }

  const Tensor tensor;
};

Ref<VariantObject> stored_state(std::vector<Tensor> tensors) {
  if (tensors.size() != 1) invalid_argument("The state of an iterator is damaged.");
  return make_ref<SavedTensor>(std::move(tensors[0]));
}

void anonymous_iterator(KernelContext& c) {
  c.set_output(0, Tensor::handle(DType::kResource, make_ref<IteratorResource>(spec_attrs(c))));
  if (c.num_outputs() > 1) c.set_output(1, Tensor::handle(DType::kVariant, make_deleter()));
}

void named_iterator(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) state = make_ref<IteratorResource>(spec_attrs(c));
  c.set_output(0, Tensor::handle(DType::kResource, state));
}

// What a node of OneShotIterator keeps: an iterator, once it has begun.
struct OneShot : RefCounted {
  std::mutex mutex;
  Ref<IteratorResource> iterator;
};

void one_shot_iterator(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) state = make_ref<OneShot>();
  const Ref<OneShot> one_shot(static_cast<OneShot*>(state.get()));
  c.close_state();
  std::unique_lock lock(one_shot->mutex, std::try_to_lock);
  if (!lock) {
    HostLockRelease release(true);
    lock.lock();
  }
  if (!one_shot->iterator) {
    auto context = make_ref<IteratorContext>();
    Element no_args, results;
    BoundFunction(*context, c.attr("dataset_factory").func(), {}).run(no_args, results);
    if (results.size() != 1) invalid_argument("`dataset_factory` must return a single dataset.");
    auto made = make_ref<IteratorResource>(spec_attrs(c));
    made->set(dataset_in(results[0]));
    one_shot->iterator = std::move(made);
  }
  c.set_output(0, Tensor::handle(DType::kResource, one_shot->iterator));
}

void to_string_handle(KernelContext& c) { c.set_output(0, Tensor::scalar(iterator_in(c.input(0))->name())); }

void from_string_handle(KernelContext& c) {
  const Tensor& name = c.input(0);
  if (name.rank() != 0) invalid_argument("string_handle must be a scalar");
  const ElementSpec spec{c.attr("output_types").types(), c.attr("output_shapes").shapes()};
  if (!spec.shapes.empty() && spec.dtypes.size() != spec.shapes.size())
    invalid_argument("If both 'output_types' and 'output_shapes' are set, they must have the same length.");
  c.set_output(0, Tensor::handle(DType::kResource, make_ref<IteratorResource>(name.item<std::string>(), spec)));
}

void make_iterator(KernelContext& c) { iterator_in(input_named(c, "iterator"))->set(dataset_input(c, "dataset")); }

void infer_next(InferContext& c) {
  c.require_rank(0, 0);
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.size() != c.num_outputs())
    invalid_argument("`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
                     c.num_outputs(), ").");
  for (std::size_t i = 0; i < shapes.size(); ++i) c.set_output(i, shapes[i]);
}

bool take_element(const KernelContext& c, Element& out) {
  return iterator_in(c.input(0))->next(out, c.attr("output_types").types(), c.attr("output_shapes").shapes());
}

void get_next(KernelContext& c) {
  Element element;
  if (!take_element(c, element)) fail(ErrorKind::kOutOfRange, "End of sequence");
  for (std::size_t i = 0; i < element.size(); ++i) c.set_output(i, std::move(element[i]));
}

void get_next_as_optional(KernelContext& c) {
  Element element;
  const bool any = take_element(c, element);
  c.set_output(0, Tensor::handle(DType::kVariant, any ? optional_of(std::move(element)) : empty_optional()));
}

void serialize(KernelContext& c) {
  constexpr std::int64_t kRefuse = 2;  // tf.data.experimental.ExternalStatePolicy.FAIL
  const Ref<IteratorResource> iterator = iterator_in(c.input(0));
  if (c.attr("external_state_policy").i() == kRefuse)
    if (const std::string op = iterator->op_with_external_state(); !op.empty())
      fail(ErrorKind::kFailedPrecondition, op, " is stateful.");
  const std::vector<Tensor> state = iterator->save();
  Tensor& out = c.allocate_output(0, DType::kVariant, Shape({static_cast<std::int64_t>(state.size())}));
  for (std::size_t i = 0; i < state.size(); ++i)
    out.mutable_data<Ref<RefCounted>>()[i] = make_ref<SavedTensor>(state[i]);
}

void deserialize(KernelContext& c) {
  std::vector<Tensor> state;
  for (const Ref<RefCounted>& element : c.input(1).span<Ref<RefCounted>>()) {
    auto* saved = dynamic_cast<const SavedTensor*>(element.get());
    if (!saved) invalid_argument("The serialized state must be that of an iterator.");
    state.push_back(saved->tensor);
  }
  iterator_in(c.input(0))->restore(std::move(state));
}

void infer_vector(InferContext& c) { c.set_output(0, Shape({kUnknownDim})); }

void infer_device(InferContext& c) { c.set_output(0, Shape()); }
void device(KernelContext& c) {
  iterator_in(c.input(0));
  c.set_output(0, Tensor::scalar(std::string("/job:localhost/replica:0/task:0/device:CPU:0")));
}

}  // namespace

void register_iterators(Registry& r) {
  register_stored_variant(kStoredState, stored_state);
  constexpr std::string_view kTypes = "output_types: list(type) >= 1", kShapes = "output_shapes: list(shape) >= 1";
  auto add = [&](OpRecord record) {
    record.stateful = true;
    record.allocation = Allocation::kObjects;
    record.grad = not_differentiable;
    r.add(record);
  };
  for (std::string_view name : {"AnonymousIterator", "AnonymousIteratorV3"})
    add({.name = name,
         .outputs = {"handle: resource"},
         .attrs = {kTypes, kShapes},
         .doc = "A new iterator, for a dataset with elements of these types and shapes.",
         .infer = infer::scalar,
         .kernel = anonymous_iterator});
  add({.name = "AnonymousIteratorV2",
       .outputs = {"handle: resource", "deleter: variant"},
       .attrs = {kTypes, kShapes},
       .doc = "A new iterator, for a dataset with elements of these types and shapes.",
       .infer = infer::scalar,
       .kernel = anonymous_iterator});
  for (std::string_view name : {"Iterator", "IteratorV2"})
    add({.name = name,
         .outputs = {"handle: resource"},
         .attrs = {"shared_name: string", "container: string", kTypes, kShapes},
         .doc = "The iterator that this node keeps.",
         .infer = infer::scalar,
         .kernel = named_iterator});
  add({.name = "OneShotIterator",
       .outputs = {"handle: resource"},
       .attrs = {"dataset_factory: func", kTypes, kShapes, "container: string = ''", "shared_name: string = ''"},
       .facts = {.keeps_functions = true},
       .doc = "The iterator that this node keeps, over the dataset that `dataset_factory()` returns.",
       .infer = infer::scalar,
       .kernel = one_shot_iterator});
  add({.name = "IteratorToStringHandle",
       .inputs = {"resource_handle: resource"},
       .outputs = {"string_handle: string"},
       .doc = "A name for an iterator, as long as there is one.",
       .infer = infer::scalar,
       .kernel = to_string_handle});
  for (std::string_view name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"})
    add({.name = name,
         .inputs = {"string_handle: string"},
         .outputs = {"resource_handle: resource"},
         .attrs = {"output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"},
         .doc = "The iterator with a name.\n\nRaises NotFoundError if there is none any more.",
         .infer = infer::scalar,
         .kernel = from_string_handle});
  add({.name = "DeleteIterator",
       .inputs = {"handle: resource", "deleter: variant"},
       .doc = "Does nothing: an iterator lives as long as its handles.",
       .infer = infer::nothing,
       .kernel = do_nothing});
  add({.name = "MakeIterator",
       .inputs = {"dataset: variant", "iterator: resource"},
       .doc = "Lets the iterator begin a pass over the dataset.",
       .infer = infer::nothing,
       .kernel = make_iterator});
  for (std::string_view name : {"IteratorGetNext", "IteratorGetNextSync"})
    add({.name = name,
         .inputs = {"iterator: resource"},
         .outputs = {"components: output_types"},
         .attrs = {kTypes, kShapes},
         .doc = "The next element of the iterator.\n\nRaises OutOfRangeError at the end.",
         .infer = infer_next,
         .kernel = get_next});
  add({.name = "IteratorGetNextAsOptional",
       .inputs = {"iterator: resource"},
       .outputs = {"optional: variant"},
       .attrs = {kTypes, kShapes},
       .kind = OpKind::kIteratorGetNext,
       .doc = "The next element of the iterator, or nothing, as an optional.",
       .infer = infer::scalar,
       .kernel = get_next_as_optional});
  add({.name = "SerializeIterator",
       .inputs = {"resource_handle: resource"},
       .outputs = {"serialized: variant"},
       .attrs = {"external_state_policy: int = 0"},
       .doc = "The position of an iterator.",
       .infer = infer_vector,
       .kernel = serialize});
  add({.name = "DeserializeIterator",
       .inputs = {"resource_handle: resource", "serialized: variant"},
       .doc = "Gives an iterator, which has begun a pass over an equal dataset, the saved position of another.",
       .infer = infer::nothing,
       .kernel = deserialize});
  add({.name = "IteratorGetDevice",
       .inputs = {"resource: resource"},
       .outputs = {"device: string"},
       .doc = "The device of an iterator.",
       .infer = infer_device,
       .kernel = device});
}

}  // namespace tracefn::data
