// IteratorContext: what all iterators of one pass share: the functions that they call, with the state that the nodes of
// these keep. As in TensorFlow, a new pass begins with new states: a random op with a seed draws the same numbers
// again. And the options of the dataset that is read. Counted; any thread may use it.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "exec/executor.h"
#include "exec/program.h"
#include "ir/attr.h"

namespace tracefn::data {

// A compiled function and its state.
struct Body {
  explicit Body(std::shared_ptr<const Program> p) : program(std::move(p)), state(*program) {}
  const std::shared_ptr<const Program> program;
  ProgramState state;
};

class Dataset;

// Whether a parallel transformation keeps the order of elements; kDefault: as the options say.
enum class InOrder : std::uint8_t { kYes, kNo, kDefault };

class IteratorContext : public RefCounted {
 public:
  IteratorContext() = default;
  // With the options of the dataset that is read, and of those that it is made of.
  explicit IteratorContext(const Dataset& root);

  bool keeps_order(InOrder order) const { return order == InOrder::kYes || (order == InOrder::kDefault && in_order_); }

  // Whether TensorFlow would make one op of a map and the batch behind it, whose errors read otherwise.
  bool joins_map_and_batch() const { return joins_map_and_batch_; }

  // The body of `function`: the same one for all calls with its graph.
  std::shared_ptr<Body> body(const FuncRef& function);

 private:
  struct Known {
    std::shared_ptr<const Graph> graph;  // keeps its address from being another one's
    std::shared_ptr<Body> body;
  };
  bool in_order_ = true, joins_map_and_batch_ = true;
  std::mutex mutex_;
  std::unordered_map<const Graph*, Known> bodies_;
};

}  // namespace tracefn::data
