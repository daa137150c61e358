// Runs array programs: passes values in and out.
#include "exec/scalar/array_program.h"

#include <algorithm>

#include "jit/scalar/register_copies.h"
#include "ops/node_kinds.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Of larger tensors, the kernels of ops use threads and tiles, and their calls cost little beside the work.
constexpr std::int64_t kMostElementsOfArrays = 4096;
// Of fewer nodes the calls cost as little; of more, compiling takes milliseconds.
constexpr NodeId kFewestNodes = 3, kMostNodesOfArrays = 512;

bool is_few(const OutputInfo& info) {
  if (!is_plain(info.dtype)) return info.dtype == DType::kResource;
  const std::optional<std::int64_t> count = info.shape.maybe_num_elements();
  return count && *count <= kMostElementsOfArrays;
}

}  // namespace

bool ArrayProgram::may_help(const Graph& graph) {
  if (graph.size() < kFewestNodes || graph.size() > kMostNodesOfArrays) return false;
  for (Value v : graph.inputs)
    if (!is_few(graph.info(v))) return false;
  for (NodeId id : live_nodes(graph)) {
    const Node& node = graph.node(id);
    if (node.form == NodeForm::kArrayLoop || op_def(*node.op).keeps_state) return false;
    // Lists are the program's own.
    const auto fits = [](const OutputInfo& info) { return info.dtype == DType::kVariant || is_few(info); };
    if (!std::ranges::all_of(node.outputs, fits)) return false;
  }
  return true;
}

bool ArrayProgram::fits(std::span<const TensorRef> arguments) const {
  return std::ranges::all_of(arguments_, [&](const Argument& a) {
    const Tensor& t = *arguments[a.index].tensor;
    return a.kind == Argument::kHandle || (t.dtype() == a.dtype && t.shape() == a.shape);
  });
}

bool ArrayProgram::run(std::span<TensorRef> arguments, std::span<Tensor> results, ShardRunner&,
                       const Node*& failed) const {
  if (!fits(arguments)) return false;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].kind == Result::kArgument) results[i] = *arguments[results_[i].number].tensor;
    if (results_[i].kind == Result::kConstant) results[i] = results_[i].constant;
  }
  ScalarRoutine::Registers registers(routine_);
  SmallVector<scalar::ScalarList, 8> arrays(routine_.arrays.size());
  for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k].declare(routine_.arrays[k]);
  for (const auto& [k, value] : routine_.given) {
    TensorRef given = borrowed(value);
    arrays[k].load_array(given);
  }
  for (const Argument& a : arguments_) {
    if (a.kind == Argument::kArray) {
      arrays[a.array].load_array(arguments[a.index]);
    } else if (a.kind == Argument::kHandle) {
      arrays[a.array].hold(*arguments[a.index].tensor);
    } else {
      scalar::copy_to_registers(arguments[a.index].tensor->raw(), size_of(a.dtype), a.slots, registers.data());
    }
  }
  registers.run(arrays.data(), failed);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Result& r = results_[i];
    if (r.kind == Result::kArray) {
      results[i] = r.shared ? arrays[r.number].whole() : arrays[r.number].array();
    } else if (r.kind == Result::kElements) {
      if (results[i].dtype() != r.dtype || !(results[i].shape() == r.shape) || !results[i].writable())
        results[i] = Tensor(r.dtype, r.shape);
      scalar::copy_from_registers(registers.data(), r.slots, size_of(r.dtype), results[i].mutable_raw());
    }
  }
  return true;
}

}  // namespace tracefn
