// Nodes that run a callable of the host language.
#include "ops/control/host_call.h"

#include <atomic>
#include <random>

#include "base/outside_shards.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"

namespace tracefn {
namespace {

HostCallFinder host_call_finder = nullptr;

Ref<HostCall> callable(const Attr& token) {
  if (auto* call = dynamic_cast<HostCall*>(token.host().get())) return Ref<HostCall>(call);
  Ref<HostCall> found = host_call_finder ? host_call_finder(token.s()) : nullptr;
  if (!found)
    fail(ErrorKind::kInvalidArgument, "ValueError: callback ", token.s(),
         " is not found. It belongs to the program that made this graph.");
  return found;
}

void run_host_call(KernelContext& c) {
  std::vector<Tensor> inputs, outputs;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.take_input(i));
  const Attr& token = c.attr("token");
  {
    const OutsideShards outside;
    callable(token)->run(inputs, outputs);
  }
  const std::vector<DType>& types = c.attr("Tout").types();
  if (outputs.size() != types.size())
    invalid_argument(token.s(), " returns ", outputs.size(), " values, but expects to see ", types.size(), " values.");
  for (std::size_t j = 0; j < types.size(); ++j) {
    if (outputs[j].dtype() != types[j])
      invalid_argument(j, "-th value returned by ", token.s(), " is ", runtime_name(outputs[j].dtype()),
                       ", but expects ", runtime_name(types[j]));
    c.set_output(j, std::move(outputs[j]));
  }
}

void host_call_grad(GradContext& g) {
  Ref<HostCall> gradient = callable(g.attr("token"))->gradient();
  if (!gradient) return;
  SmallVector<Operand, 4> args;
  for (std::size_t i = 0; i < g.num_inputs(); ++i) args.push_back(g.input(i));
  for (std::size_t j = 0; j < g.num_outputs(); ++j) args.push_back(g.dy(j));
  Operands dxs = emit_all("EagerPyFunc", std::span<const Operand>(args.data(), args.size()),
                          {{"token", host_call_token(std::move(gradient))}, {"Tout", g.attr("Tin")}});
  for (std::size_t i = 0; i < g.num_inputs(); ++i) g.to_input(i, dxs[i]);
}

}  // namespace

void set_host_call_finder(HostCallFinder finder) { host_call_finder = finder; }

std::string next_host_call_token() {
  static std::atomic<std::int64_t> next{static_cast<std::int64_t>(std::random_device()()) * 1000};
  return concat("pyfunc_", next++);
}

Attr host_call_token(Ref<HostCall> call) {
  std::string text = call->text();
  return Attr(std::move(text), std::move(call));
}

void register_host_call(Registry& r) {
  r.add({
      .name = "EagerPyFunc",
      .inputs = {"input: Tin"},
      .outputs = {"output: Tout"},
      .attrs = {"token: string", "is_async: bool = false", "Tin: list(type) >= 0", "Tout: list(type) >= 0"},
      .stateful = true,
      .doc = "Calls a Python function with eager tensors.",
      .infer = infer::unknown,
      .kernel = run_host_call,
      .allocation = Allocation::kObjects,
      .grad = host_call_grad,
  });
  r.add({
      .name = "PyFunc",
      .inputs = {"input: Tin"},
      .outputs = {"output: Tout"},
      .attrs = {"token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"},
      .stateful = true,
      .doc = "Calls a Python function with NumPy arrays.",
      .infer = infer::unknown,
      .kernel = run_host_call,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "PyFuncStateless",
      .inputs = {"input: Tin"},
      .outputs = {"output: Tout"},
      .attrs = {"token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"},
      .doc = "Like PyFunc, for a function without side effects.",
      .infer = infer::unknown,
      .kernel = run_host_call,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
