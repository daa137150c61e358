// InnerDatasets: makes an iterator of the dataset that a function returns for an element.
#pragma once

#include <memory>

#include "data/captured_function.h"
#include "data/dataset.h"
#include "data/iterator_context.h"

namespace tracefn::data {

// Any thread may call.
class InnerDatasets {
 public:
  InnerDatasets(std::string_view kind, std::shared_ptr<BoundFunction> function, IteratorContext& context,
                ElementSpec spec)
      : kind_(kind), function_(std::move(function)), context_(&context), spec_(std::move(spec)) {}

  // Consumes `args`, element `number` of the outer dataset. Error(kInvalidArgument) unless a dataset with elements of
  // the expected types is returned.
  std::unique_ptr<Iterator> make(Element& args, std::int64_t number) const;

 private:
  std::string_view kind_;
  std::shared_ptr<BoundFunction> function_;
  Ref<IteratorContext> context_;
  ElementSpec spec_;
};

}  // namespace tracefn::data
