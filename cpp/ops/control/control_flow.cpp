// Functional control flow: If, Case, While and calls, each in a stateful and a stateless form. The kernels run bodies
// through the context; how a body is compiled is up to the executor.
#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

// Shapes come from an attribute `output_shapes`, one for each output, else from what the op can infer without it.
bool take_output_shapes(InferContext& c) {
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.empty()) return false;
  for (std::size_t j = 0; j < shapes.size(); ++j) c.set_output(j, shapes[j]);
  return true;
}

void take_handle(OutputInfo& to, const OutputInfo& from) {
  to.handle_dtype = from.handle_dtype;
  to.handle_shape = from.handle_shape;
}

// The outputs of the traced `body`; null if there is none.
const OutputInfo* body_output(const FuncRef& f, std::size_t j) {
  if (!f.body || j >= f.body->outputs.size()) return nullptr;
  return &f.body->info(f.body->outputs[j]);
}

void handles_of_body(InferContext& c, const FuncRef& f) {
  for (std::size_t j = 0; j < c.num_outputs(); ++j)
    if (const OutputInfo* info = body_output(f, j)) take_handle(c.output(j), *info);
}

void infer_if(InferContext& c) {
  if (!take_output_shapes(c)) infer::unknown(c);
  handles_of_body(c, c.attr("then_branch").func());
}

void infer_case(InferContext& c) {
  if (!take_output_shapes(c)) infer::unknown(c);
  if (const auto& branches = c.attr("branches").funcs(); !branches.empty()) handles_of_body(c, branches[0]);
}

void infer_while(InferContext& c) {
  bool given = take_output_shapes(c);
  const FuncRef& body = c.attr("body").func();
  for (std::size_t j = 0; j < c.num_outputs(); ++j) {
    const OutputInfo* next = given ? nullptr : body_output(body, j);
    if (next) c.set_output(j, c.shape(j).is_supertype_of(next->shape) ? c.shape(j) : Shape::unknown());
    if (const OutputInfo* info = c.input(j).info) take_handle(c.output(j), *info);
  }
}

void infer_call(InferContext& c) {
  const FuncRef& f = c.attr("f").func();
  for (std::size_t j = 0; j < c.num_outputs(); ++j) {
    const OutputInfo* info = body_output(f, j);
    c.set_output(j, info ? info->shape : Shape::unknown());
    if (info) take_handle(c.output(j), *info);
  }
}

// A scalar as a condition. The error is that of TensorFlow's graphs, where a branch is a switch with the condition as
// its second input.
bool is_true(const Tensor& t) {
  if (t.rank() > 0) invalid_argument("The second input must be a scalar, but it has shape ", t.shape().text());
  switch (t.dtype()) {
    case DType::kBool:
      return t.item<bool>();
    case DType::kFloat:
      return t.item<float>() != 0;
    case DType::kDouble:
      return t.item<double>() != 0;
    case DType::kInt8:
      return t.item<std::int8_t>() != 0;
    case DType::kInt16:
      return t.item<std::int16_t>() != 0;
    case DType::kInt32:
      return t.item<std::int32_t>() != 0;
    case DType::kInt64:
      return t.item<std::int64_t>() != 0;
    case DType::kUInt8:
      return t.item<std::uint8_t>() != 0;
    case DType::kUInt16:
      return t.item<std::uint16_t>() != 0;
    case DType::kUInt32:
      return t.item<std::uint32_t>() != 0;
    case DType::kUInt64:
      return t.item<std::uint64_t>() != 0;
    case DType::kString:
      return !t.item<std::string>().empty();
    default:
      invalid_argument(runtime_name(t.dtype()), " cannot be converted to a boolean");
  }
}

void set_outputs(KernelContext& c, std::vector<Tensor>& values, std::string_view types_attr) {
  const std::vector<DType>& types = c.attr(types_attr).types();
  if (values.size() != types.size())
    invalid_argument("Expected the function to return ", types.size(), " tensors, got ", values.size(), ".");
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j].dtype() != types[j])
      invalid_argument("Type mismatch: actual ", name(values[j].dtype()), " vs. expect ", runtime_name(types[j]));
    c.set_output(j, std::move(values[j]));
  }
}

void run_branch(KernelContext& c, std::size_t index) {
  std::vector<Tensor> results;
  c.run_body(index, c.operands().subspan(1), results);
  set_outputs(c, results, "Tout");
}

void run_if(KernelContext& c) { run_branch(c, is_true(c.input(0)) ? 0 : 1); }

// An out-of-range index selects the last branch.
void run_case(KernelContext& c) {
  if (c.input(0).rank() != 0) invalid_argument("branch_index must be a scalar, got shape ", c.input(0).shape().text());
  std::int64_t n = static_cast<std::int64_t>(c.attr("branches").funcs().size());
  std::int64_t index = c.input(0).int_at(0);
  run_branch(c, static_cast<std::size_t>(index < 0 || index >= n ? n - 1 : index));
}

void run_call(KernelContext& c) {
  std::vector<Tensor> results;
  c.run_body(0, c.operands(), results);
  set_outputs(c, results, "Tout");
}

void run_while(KernelContext& c) {
  const std::size_t n = c.num_inputs();
  std::vector<Tensor> vars, results, condition;
  vars.reserve(n);
  for (std::size_t i = 0; i < n; ++i) vars.push_back(c.take_input(i));
  std::vector<TensorRef> refs(n);
  auto pass = [&](bool last_use) {
    for (std::size_t i = 0; i < n; ++i) refs[i] = {&vars[i], last_use};
    return std::span<const TensorRef>(refs);
  };
  for (;;) {
    poll();
    c.run_body(0, pass(false), condition);
    if (condition.size() != 1) invalid_argument("`cond` must be a single tensor, got ", condition.size(), " tensors.");
    if (!is_true(condition[0])) break;
    c.run_body(1, pass(true), results);
    if (results.size() != n)
      invalid_argument("Expected loop body to return ", n, " outputs, but got ", results.size(), ".");
    std::swap(vars, results);
  }
  set_outputs(c, vars, "T");
}

BodyGradients body_gradients;

template <GradFn BodyGradients::*kRule>
void differentiate(GradContext& c) {
  if (!(body_gradients.*kRule))
    fail(ErrorKind::kUnimplemented, "The gradient of ", c.op().name(), " needs a program that can trace functions.");
  (body_gradients.*kRule)(c);
}

void add_pair(Registry& r, OpRecord record, std::string_view stateless, std::string_view stateful) {
  record.allocation = Allocation::kObjects;
  record.name = stateless;
  r.add(record);
  record.name = stateful;
  record.stateful = true;
  r.add(record);
}

}  // namespace

BodyGradients set_body_gradients(const BodyGradients& rules) { return std::exchange(body_gradients, rules); }

void register_control_flow(Registry& r) {
  add_pair(r,
           {.inputs = {"cond: Tcond", "input: Tin"},
            .outputs = {"output: Tout"},
            .attrs = {"Tcond: type", "Tin: list(type) >= 0", "Tout: list(type) >= 0", "then_branch: func",
                      "else_branch: func", "output_shapes: list(shape) = []"},
            .kind = OpKind::kConditional,
            .doc = "Calls `then_branch` with the inputs if `cond` is true, else `else_branch`.\n\n`cond` is a scalar. "
                   "A number is true if it is not zero, a string if it is not empty.",
            .infer = infer_if,
            .kernel = run_if,
            .grad = differentiate<&BodyGradients::conditional>},
           "StatelessIf", "If");
  add_pair(r,
           {.inputs = {"branch_index: int32", "input: Tin"},
            .outputs = {"output: Tout"},
            .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "branches: list(func) >= 1",
                      "output_shapes: list(shape) = []"},
            .kind = OpKind::kCase,
            .doc = "Calls the branch with index `branch_index`. An index out of range selects the last branch.",
            .infer = infer_case,
            .kernel = run_case,
            .grad = differentiate<&BodyGradients::conditional>},
           "StatelessCase", "Case");
  add_pair(r,
           {.inputs = {"input: T"},
            .outputs = {"output: T"},
            .attrs = {"T: list(type) >= 0", "cond: func", "body: func", "output_shapes: list(shape) = []",
                      "parallel_iterations: int = 10"},
            .kind = OpKind::kLoop,
            .doc = "Runs a while loop: calls `body` as long as `cond` returns true.\n\nThe inputs are the initial "
                   "values of the loop variables. `cond` and `body` take the current values, and `body` returns the "
                   "next ones. The outputs are the final values.",
            .infer = infer_while,
            .kernel = run_while,
            .grad = differentiate<&BodyGradients::loop>},
           "StatelessWhile", "While");
  add_pair(r,
           {.inputs = {"args: Tin"},
            .outputs = {"output: Tout"},
            .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func", "config: string = ''",
                      "config_proto: string = ''", "executor_type: string = ''"},
            .kind = OpKind::kCall,
            .doc = "Calls the function `f` with `args` and returns its outputs.",
            .infer = infer_call,
            .kernel = run_call,
            .grad = differentiate<&BodyGradients::call>},
           "PartitionedCall", "StatefulPartitionedCall");
}

}  // namespace tracefn
