// CapturedFunction: the function attribute of a dataset op with the tensors that it captured. BoundFunction: one that
// an iterator calls.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/iterator_context.h"
#include "ops/kernel.h"

namespace tracefn::data {

class BoundFunction;

// Immutable.
class CapturedFunction {
 public:
  CapturedFunction() = default;
  // `name` is the attribute's, `captured` the input list's.
  CapturedFunction(const KernelContext& c, std::string_view name, std::string_view captured);

  const FuncRef& function() const { return function_; }
  const std::vector<Tensor>& captured() const { return captured_; }
  std::unique_ptr<BoundFunction> bind(IteratorContext& context) const;
  void visit_owned(OwnedVisitor& visitor) const { visitor.shared(function_.body); }

 private:
  FuncRef function_;
  std::vector<Tensor> captured_;
};

// Any thread may call it, several at once.
class BoundFunction {
 public:
  BoundFunction(IteratorContext& context, const FuncRef& function, std::vector<Tensor> captured);

  // Consumes `args`. `results` is overwritten; scalars in it that nobody else owns are written in place. An Error has
  // the node, the user's lines and the function around it.
  void run(Element& args, Element& results) const;
  std::size_t num_results() const { return body_->program->num_results(); }

  // Whether its result for stacked arguments is the stack of its results: it consists of elementwise ops that cannot
  // fail, on arguments of the shapes that it was traced with. `args` of other shapes must not be passed to run_rows().
  bool works_on_rows() const { return works_on_rows_; }
  void run_rows(Element& args, Element& results) const { run(args, results); }

 private:
  std::shared_ptr<Body> body_;
  std::vector<Tensor> captured_;
  bool works_on_rows_;
};

// "Error in element 5 ..." around what a function that is called for the elements of a dataset throws.
[[noreturn]] void rethrow_for_element(const Error& error, std::string_view kind, std::int64_t number);

// A scalar bool result. Error(kInvalidArgument) otherwise.
bool predicate_result(const Element& results);

}  // namespace tracefn::data
