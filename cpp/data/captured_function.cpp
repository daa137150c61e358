// Compiles and calls the functions of datasets.
#include "data/captured_function.h"

#include "base/check.h"
#include "base/kept_few.h"
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "exec/placement.h"
#include "ops/elementwise/elementwise.h"
#include "ops/node_kinds.h"
#include "passes/pass.h"

namespace tracefn::data {
namespace {

// A program keeps its graph alive; only some, so that a dropped function's memory is freed soon.
constexpr std::size_t kMostKept = 32;

struct Compiled {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Program> program;
};

std::shared_ptr<const Program> compiled(const FuncRef& f) {
  static auto* kept = new KeptFew<Compiled>(kMostKept);
  TRACEFN_CHECK(f.body);
  WithoutPolls whole;  // the cache is locked
  return kept
      ->find_or_make([&](const Compiled& known) { return known.graph == f.body; },
                     [&] {
                       check_placement(*f.body, f.name);
                       return std::make_shared<Compiled>(Compiled{f.body, Program::compile(optimize(f.body), f.name)});
                     })
      ->program;
}

// The rank of a value in a graph that is run with a dimension more in front of each argument, before that dimension is
// added; for values that do not depend on arguments, their own.
struct RowRank {
  bool stacked = false;
  int rank = 0;
};

// The graph as traced, with one argument more for each captured tensor.
bool can_work_on_rows(const Graph& graph, std::span<const Tensor> captured) {
  std::vector<RowRank> known(static_cast<std::size_t>(graph.size()));
  const std::size_t num_args = graph.inputs.size() - captured.size();
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const Shape& shape = graph.info(graph.inputs[i]).shape;
    RowRank& rank = known[static_cast<std::size_t>(graph.inputs[i].node)];
    if (i < num_args) {
      // The rows have one shape if the argument's shape is known.
      if (!shape.is_fully_known()) return false;
      rank = {true, shape.rank()};
    } else {
      rank = {false, captured[i - num_args].rank()};
    }
  }
  if (num_args == 0 || !graph.control_outputs.empty()) return false;
  std::vector<bool> is_input(known.size());
  for (Value v : graph.inputs) is_input[static_cast<std::size_t>(v.node)] = true;
  for (NodeId id : live_nodes(graph)) {
    const auto at = static_cast<std::size_t>(id);
    if (is_input[at]) continue;
    const Node& node = graph.node(id);
    if (node.outputs.size() != 1 || !node.control_inputs.empty()) return false;
    if (node.is(OpKind::kConst)) {
      known[at] = {false, node.attr("value").tensor().rank()};
      continue;
    }
    const OpDef& op = op_def(*node.op);
    if (is_alias(node)) {
      known[at] = known[static_cast<std::size_t>(node.inputs[0].node)];
      continue;
    }
    if (!op.elementwise() || op.can_fail(node.outputs[0].dtype) || op.signature.stateful) return false;
    RowRank out;
    for (Value v : node.inputs) {
      const RowRank& in = known[static_cast<std::size_t>(v.node)];
      out.stacked |= in.stacked;
      out.rank = std::max(out.rank, in.rank);
    }
    // Whatever has no stack of its own is broadcast over the rows.
    for (Value v : node.inputs) {
      const RowRank& in = known[static_cast<std::size_t>(v.node)];
      if (out.stacked && in.stacked && in.rank != out.rank) return false;
    }
    known[at] = out;
  }
  for (Value v : graph.outputs)
    if (!known[static_cast<std::size_t>(v.node)].stacked) return false;
  return !graph.outputs.empty();
}

}  // namespace

std::shared_ptr<Body> IteratorContext::body(const FuncRef& function) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = bodies_.find(function.body.get()); found != bodies_.end()) return found->second.body;
  }
  auto made = std::make_shared<Body>(compiled(function));
  std::lock_guard lock(mutex_);
  return bodies_.try_emplace(function.body.get(), Known{function.body, std::move(made)}).first->second.body;
}

CapturedFunction::CapturedFunction(const KernelContext& c, std::string_view name, std::string_view captured)
    : function_(c.attr(name).func()) {
  for (const Tensor& t : list_input(c, captured)) captured_.push_back(t);
}

std::unique_ptr<BoundFunction> CapturedFunction::bind(IteratorContext& context) const {
  return std::make_unique<BoundFunction>(context, function_, captured_);
}

BoundFunction::BoundFunction(IteratorContext& context, const FuncRef& function, std::vector<Tensor> captured)
    : body_(context.body(function)),
      captured_(std::move(captured)),
      works_on_rows_(function.body->inputs.size() >= captured_.size() && can_work_on_rows(*function.body, captured_)) {}

void BoundFunction::run(Element& args, Element& results) const {
  const Program& program = *body_->program;
  if (args.size() + captured_.size() != program.num_arguments())
    invalid_argument("Function ", program.name(), " takes ", program.num_arguments(),
                     " arguments, but was called with ", args.size() + captured_.size(), ".");
  SmallVector<TensorRef, 8> refs;
  const std::vector<Value>& inputs = program.graph().inputs;
  auto add = [&](const Tensor& t, bool last_use) {
    const DType expected = program.graph().info(inputs[refs.size()]).dtype;
    if (t.dtype() != expected)
      invalid_argument("Argument ", refs.size(), " of function ", program.name(), " has dtype ",
                       runtime_name(t.dtype()), ", expected ", runtime_name(expected), ".");
    refs.push_back({const_cast<Tensor*>(&t), last_use});
  };
  for (Tensor& t : args) add(t, true);
  for (const Tensor& t : captured_) add(t, false);
  results.resize(program.num_results());
  const Node* failed = nullptr;
  try {
    tracefn::run(program, {refs.data(), refs.size()}, {results.data(), results.size()}, body_->state, failed);
  } catch (const Error& e) {
    rethrow_with_place(e, failed, program.name());
  }
}

void rethrow_for_element(const Error& error, std::string_view kind, std::int64_t number) {
  if (!is_status(error.kind()) || error.reraise()) throw error;
  Error placed(error.kind(), concat("Error in user-defined function passed to ", kind,
                                    "Dataset transformation, at element ", number, ": ", error.message()));
  placed.set_node_name(error.node_name());
  placed.set_cause(error.cause());
  throw placed;
}

bool predicate_result(const Element& results) {
  if (results.size() != 1 || results[0].dtype() != DType::kBool || results[0].num_elements() != 1)
    invalid_argument("`predicate` must returns a scalar bool tensor.");
  return results[0].item<bool>();
}

}  // namespace tracefn::data
