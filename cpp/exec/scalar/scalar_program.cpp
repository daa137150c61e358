// Runs scalar programs: passes values in and out.
#include "exec/scalar/scalar_program.h"

#include <cstring>

#include "base/subnormals.h"

namespace tracefn {

bool ScalarProgram::run(std::span<const TensorRef> arguments, std::span<Tensor> results, const Node*& failed) const {
  for (const Argument& a : arguments_)
    if (!arguments[a.index].tensor->shape().is_scalar() || arguments[a.index].tensor->dtype() != a.dtype) return false;
  if (floats_) {
    FlushSubnormals flush;
    run_instructions(arguments, results, failed);
  } else {
    run_instructions(arguments, results, failed);
  }
  return true;
}

void ScalarProgram::run_instructions(std::span<const TensorRef> arguments, std::span<Tensor> results,
                                     const Node*& failed) const {
  ScalarRoutine::Registers registers(routine_);
  for (const Argument& a : arguments_) std::memcpy(registers[a.slot].bytes, arguments[a.index].tensor->raw(), a.bytes);
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (results_[i].argument != kNone) results[i] = *arguments[results_[i].argument].tensor;
  registers.run(nullptr, failed);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Result& r = results_[i];
    if (r.argument != kNone) continue;
    if (results[i].dtype() != r.dtype || !results[i].shape().is_scalar() || !results[i].writable())
      results[i] = Tensor(r.dtype, Shape());
    std::memcpy(results[i].mutable_raw(), registers[r.slot].bytes, r.bytes);
  }
}

}  // namespace tracefn
