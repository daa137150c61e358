// Calls the function and checks what it returns.
#include "data/inner_dataset.h"

#include "data/dataset_ops.h"

namespace tracefn::data {

std::unique_ptr<Iterator> InnerDatasets::make(Element& args, std::int64_t number) const {
  Element results;
  try {
    function_->run(args, results);
  } catch (const Error& e) {
    rethrow_for_element(e, kind_, number);
  }
  if (results.size() != 1 || results[0].dtype() != DType::kVariant || results[0].rank() != 0)
    invalid_argument("`f` must return a single scalar of dtype DT_VARIANT.");
  const Ref<Dataset> dataset = dataset_in(results[0]);
  check_types(spec_.dtypes, dataset->spec().dtypes);
  check_shapes(spec_.shapes, dataset->spec().shapes);
  return dataset->make_iterator(*context_);
}

}  // namespace tracefn::data
