// Whole graphs: of scalars alone, and of arrays, too.
#include <algorithm>
#include <map>

#include "exec/compile_mode.h"
#include "exec/scalar/array_program.h"
#include "exec/scalar/compiler.h"

namespace tracefn {
namespace {

bool may_float(DType dtype) { return dtype != DType::kInvalid && dtype != DType::kBool && !is_integer(dtype); }

}  // namespace

bool ScalarCompiler::compile(const Graph& g, std::span<const std::uint32_t> arguments, ScalarProgram& program) {
  Places inputs;
  for (Value v : g.inputs) {
    const OutputInfo& info = g.info(v);
    const bool scalar = !info.shape.has_rank() || info.shape.rank() == 0;
    inputs.push_back(scalar && fits(info.dtype) ? new_elements(info.dtype, Shape()) : opaque());
  }
  routine_.instructions.reserve(static_cast<std::size_t>(g.size()));
  routine_.initial.reserve(static_cast<std::size_t>(g.size()));
  const std::optional<Places> outputs = graph(g, inputs);
  if (!outputs || !routine_.arrays.empty()) return false;
  for (const Place& out : *outputs) {
    // An argument passed through stays that argument; anything else gets its own slot.
    ScalarProgram::Result made;
    for (std::uint32_t k = 0; k < arguments.size(); ++k)
      if (inputs[arguments[k]] == out) made.argument = arguments[k];
    if (made.argument == ScalarProgram::kNone) {
      if (!out.is_scalar()) return false;
      made.dtype = out.dtype;
      made.bytes = static_cast<std::uint8_t>(size_of(out.dtype));
      made.slot = code_.new_slot(made.bytes);
      code_.move(out.slot(), made.slot);
      routine_.variables.push_back(made.slot);
    }
    program.results_.push_back(made);
  }
  for (std::uint32_t k = 0; k < arguments.size(); ++k) {
    const Place& p = inputs[arguments[k]];
    if (!p.has_elements()) continue;
    program.arguments_.push_back({arguments[k], p.slot(), p.dtype, static_cast<std::uint8_t>(size_of(p.dtype))});
    routine_.variables.push_back(p.slot());
  }
  tighten();
  for (const scalar::BytecodeInstruction& instruction : routine_.instructions)
    program.floats_ |= may_float(instruction.operand) || may_float(instruction.result);
  return true;
}

bool ScalarCompiler::compile(const Graph& g, std::span<const std::uint32_t> arguments, ArrayProgram& program) {
  takes_arrays_ = true;
  Places inputs;
  for (Value v : g.inputs) inputs.push_back(new_variable(g.info(v), false));
  std::optional<Places> outputs = call(g, inputs);
  if (!outputs || !in_memory(*outputs)) return false;
  for (const Place& out : *outputs) {
    std::optional<ArrayProgram::Result> result = program_result(out, inputs, arguments);
    if (!result) return false;
    program.results_.push_back(std::move(*result));
  }
  // The last of several results takes the array.
  std::map<std::uint32_t, ArrayProgram::Result*> takers;
  for (ArrayProgram::Result& result : program.results_) {
    if (result.kind != ArrayProgram::Result::kArray) continue;
    const auto [taker, is_new] = takers.try_emplace(result.number, &result);
    if (!is_new) std::exchange(taker->second, &result)->shared = true;
  }
  for (const std::uint32_t i : arguments) {
    const Place& in = inputs[i];
    ArrayProgram::Argument a;
    a.index = i;
    if (const auto handle = handles_.find(in.number); in.kind == Place::kOpaque && handle != handles_.end()) {
      a.kind = ArrayProgram::Argument::kHandle;
      a.array = handle->second;
    } else if (in.kind == Place::kElements) {
      a.kind = ArrayProgram::Argument::kElements;
      a.slots = in.slots;
      for (Slot s : in.slots) routine_.variables.push_back(s);
    } else if (in.kind == Place::kArray) {
      a.kind = ArrayProgram::Argument::kArray;
      a.array = in.number;
    } else {
      continue;  // handed on
    }
    a.dtype = in.dtype;
    a.shape = in.shape;
    program.arguments_.push_back(std::move(a));
  }
  if (stale_) return refuse("an array that is used after it was updated");
  tighten();
  routine_.runs_often = true;  // it has run often already
  for (const auto& work : routine_.works) work->expect_runs();
  return true;
}

std::optional<ArrayProgram::Result> ScalarCompiler::program_result(const Place& out, const Places& inputs,
                                                                   std::span<const std::uint32_t> arguments) {
  using Result = ArrayProgram::Result;
  Result result;
  result.dtype = out.dtype;
  result.shape = out.shape;
  const auto same = std::ranges::find_if(arguments, [&](std::uint32_t i) { return inputs[i] == out; });
  if (same != arguments.end()) {
    result.kind = Result::kArgument;
    result.number = *same;
  } else if (const auto text = constants_.find(out.number); out.kind == Place::kOpaque && text != constants_.end()) {
    result.kind = Result::kConstant;
    result.constant = text->second;
  } else if (std::optional<Tensor> value = known(out)) {
    result.kind = Result::kConstant;
    result.constant = std::move(*value);
  } else if (out.has_elements()) {
    // Slots of its own, which are read at the end.
    result.kind = Result::kElements;
    for (Slot s : out.slots) {
      result.slots.push_back(code_.new_slot(size_of(out.dtype)));
      code_.move(s, result.slots.back());
      routine_.variables.push_back(result.slots.back());
    }
  } else if (out.kind == Place::kArray && is_latest(out)) {
    result.kind = Result::kArray;
    result.number = out.number;
  } else {
    return std::nullopt;
  }
  return result;
}

std::unique_ptr<const ScalarProgram> ScalarProgram::compile(const Graph& graph,
                                                            std::span<const std::uint32_t> arguments) {
  if (compile_mode() == CompileMode::kOff) return nullptr;
  auto made = std::make_unique<ScalarProgram>();
  ScalarFindings findings;
  return ScalarCompiler(made->routine_, findings).compile(graph, arguments, *made) ? std::move(made) : nullptr;
}

std::unique_ptr<const ArrayProgram> ArrayProgram::compile(const Graph& graph,
                                                          std::span<const std::uint32_t> arguments) {
  std::string reason;
  return ScalarCompiler::best<ArrayProgram>(
      [&](ArrayProgram& made, ScalarRoutine& routine, ScalarFindings& findings) {
        return ScalarCompiler(routine, findings).compile(graph, arguments, made);
      },
      reason);
}

}  // namespace tracefn
