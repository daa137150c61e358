// IteratorResource: an iterator behind a handle of dtype resource. Owned by its handles: when the last one is dropped,
// the iterator's threads stop. Any thread may call.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "data/dataset.h"
#include "data/iterator_context.h"
#include "ops/element_source.h"

namespace tracefn::data {

class IteratorResource final : public ElementSource {
 public:
  explicit IteratorResource(ElementSpec spec);
  // Another handle of the iterator with this name. Error(kNotFound) if there is none any more, Error(kInvalidArgument)
  // if its elements are of other types or shapes than `spec`, unless that has none.
  IteratorResource(const std::string& name, const ElementSpec& spec);

  // Begins a pass over the dataset. Error(kInvalidArgument) if its elements are of other types or shapes.
  void set(Ref<Dataset> dataset);
  // The next element; false at the end. Error(kFailedPrecondition) before set(), Error(kInvalidArgument) if the element
  // is of other types or shapes.
  bool next(Element& out, const std::vector<DType>& types, const std::vector<Shape>& shapes) override;

  // The position, which another iterator of an equal dataset takes.
  std::vector<Tensor> save();
  void restore(std::vector<Tensor> state);
  // See op_with_external_state(); empty before set().
  std::string op_with_external_state();

  // The name by which other handles are made of it.
  std::string name();

  void visit_owned(OwnedVisitor& visitor) const override;

 private:
  class Hold;
  bool take(Element& out);
  struct Shared;
  struct Names;

  ElementSpec spec_;
  std::shared_ptr<Shared> shared_;
};

// The iterator behind a handle. Error(kInvalidArgument) if it is not one.
Ref<IteratorResource> iterator_in(const Tensor& handle);

}  // namespace tracefn::data
