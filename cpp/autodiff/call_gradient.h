// Calls of traced functions under tapes: a forward program that also returns what the backward one needs, and the
// record of the call.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/compiled_function.h"
#include "trace/func_graph.h"

namespace tracefn {

// Runs `body` on eager inputs, which include its captures, and records the call on the tapes of this thread that track
// an input; if none does, runs `compiled()`, which takes the first inputs. `constants` are outside tensors that the
// body holds as constants, and where: a tape may watch those too. The pair of programs is built once for each set of
// tracked inputs and cached with the body. `name` is the function's.
std::vector<Operand> call_under_tapes(const std::shared_ptr<const Graph>& body, const std::string& name,
                                      std::span<const Operand> inputs, std::span<const FuncGraph::Capture> constants,
                                      const std::function<const CompiledFunction&()>& compiled,
                                      std::span<const Operand> related = {});

}  // namespace tracefn
