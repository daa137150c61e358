// ReduceDataset: folds a dataset into a state. DatasetToSingleElement, DatasetCardinality.
#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"

namespace tracefn::data {
namespace {

void infer_components(InferContext& c) {
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.size() != c.num_outputs())
    invalid_argument("`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
                     c.num_outputs(), ").");
  for (std::size_t i = 0; i < shapes.size(); ++i) c.set_output(i, shapes[i]);
}

void set_components(KernelContext& c, Element& element) {
  check_element(spec_attrs(c), element);
  for (std::size_t i = 0; i < element.size(); ++i) c.set_output(i, std::move(element[i]));
}

// Gives the elements one by one; rows are fetched in blocks.
class Reader {
 public:
  explicit Reader(Iterator& input) : input_(input), rows_(input.rows()) {}

  bool next(Element& out) {
    if (!rows_) return input_.next(out);
    if (at_ == count_) {
      // The first blocks are small: a reduction may end early, by an error.
      wanted_ = std::min<std::int64_t>(wanted_ * 2, kBlock);
      count_ = input_.next_rows(wanted_, numbers_);
      at_ = 0;
      if (count_ == 0) return false;
      rows_->gather({numbers_, static_cast<std::size_t>(count_)}, block_);
    }
    out.resize(block_.size());
    for (std::size_t i = 0; i < block_.size(); ++i) {
      Tensor& to = out[i];
      const Tensor& from = block_[i];
      // A scalar is copied into the memory of the last one.
      if (from.rank() == 1 && is_plain(from.dtype())) {
        if (!(to.dtype() == from.dtype() && to.rank() == 0 && to.writable())) to = Tensor(from.dtype(), Shape());
        const std::size_t size = size_of(from.dtype());
        copy_elements(from.dtype(), static_cast<const char*>(from.raw()) + static_cast<std::size_t>(at_) * size,
                      to.mutable_raw(), 1);
      } else {
        to = row_of(from, at_);
      }
    }
    ++at_;
    return true;
  }

 private:
  static constexpr std::int64_t kBlock = 256;

  Iterator& input_;
  RowSource* const rows_;
  std::int64_t numbers_[kBlock];
  std::int64_t count_ = 0, at_ = 0, wanted_ = 4;
  Element block_;
};

void reduce(KernelContext& c) {
  const Ref<Dataset> input = dataset_input(c);
  const ElementSpec spec = spec_attrs(c);
  auto context = make_ref<IteratorContext>(*input);
  const std::unique_ptr<Iterator> iterator = input->make_iterator(*context);
  const auto function = CapturedFunction(c, "f", "other_arguments").bind(*context);
  Element state = list_input(c, "initial_state"), args, element, results;
  const std::size_t n = state.size();
  Reader reader(*iterator);
  PolledSteps polled;
  for (std::int64_t number = 0; reader.next(element); ++number, polled.step()) {
    args.resize(n + element.size());
    for (std::size_t i = 0; i < n; ++i) args[i] = std::move(state[i]);
    for (std::size_t i = 0; i < element.size(); ++i) args[n + i] = std::move(element[i]);
    try {
      function->run(args, results);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kOutOfRange)
        invalid_argument("Function invocation produced OutOfRangeError: ", e.message());
      rethrow_for_element(e, "Reduce", number);
    }
    if (results.size() != n)
      invalid_argument("The reduction function returned ", results.size(), " tensors, expected ", n, ".");
    // What the function has not taken is reused.
    for (std::size_t i = 0; i < element.size(); ++i) element[i] = std::move(args[n + i]);
    state.swap(results);
  }
  set_components(c, state);
}

void single_element(KernelContext& c) {
  const Ref<Dataset> input = dataset_input(c, "dataset");
  auto context = make_ref<IteratorContext>(*input);
  const std::unique_ptr<Iterator> iterator = input->make_iterator(*context);
  Element element, second;
  if (!iterator->next(element)) invalid_argument("Dataset was empty.");
  Element kept = element;
  if (iterator->next(second)) invalid_argument("Dataset had more than one element.");
  set_components(c, kept);
}

void cardinality(KernelContext& c) {
  const Tensor& input = c.input(0);
  const std::int64_t n = dataset_in(input)->cardinality();
  c.set_output(0, Tensor::scalar(n));
}

}  // namespace

void register_reduce(Registry& r) {
  r.add({.name = "ReduceDataset",
         .inputs = {"input_dataset: variant", "initial_state: Tstate", "other_arguments: Targuments"},
         .outputs = {"components: output_types"},
         .attrs = {"f: func", "Tstate: list(type) >= 1", "Targuments: list(type) >= 0", "output_types: list(type) >= 1",
                   "output_shapes: list(shape) >= 1", "use_inter_op_parallelism: bool = true", "metadata: string = ''"},
         .stateful = true,
         .facts = {.keeps_functions = true},
         .doc = "The last state of a reduction: `f(state, element)` is the next state for each element of a dataset.",
         .infer = infer_components,
         .kernel = reduce,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "DatasetToSingleElement",
         .inputs = {"dataset: variant"},
         .outputs = {"components: output_types"},
         .attrs = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "metadata: string = ''"},
         .stateful = true,
         .doc = "The only element of a dataset.\n\nRaises InvalidArgumentError if it has none, or more than one.",
         .infer = infer_components,
         .kernel = single_element,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "DatasetCardinality",
         .inputs = {"input_dataset: variant"},
         .outputs = {"cardinality: int64"},
         .attrs = {"cardinality_options: string = ''"},
         .doc = "The number of elements of a dataset: -1 if it is infinite, -2 if it is not known.",
         .infer = infer::scalar,
         .kernel = cardinality,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
}

}  // namespace tracefn::data
