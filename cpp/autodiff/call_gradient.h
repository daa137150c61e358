// Calls of traced functions under tapes: a forward program that also returns what the backward one needs, and the
// record of the call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/func_graph.h"

namespace tracefn {

// Runs `body` on eager inputs, which include its captures, and records the call on the tapes of this thread that track
// an input; if none does, calls `run_plainly`. `constants` are outside tensors that the body holds as constants, and
// where: a tape may watch those too. The pair of programs is built once for each set of tracked inputs and cached with
// the body. `name` is the function's.
std::vector<Operand> call_under_tapes(const std::shared_ptr<const Graph>& body, const std::string& name,
                                      std::span<const Operand> inputs, std::span<const FuncGraph::Capture> constants,
                                      void (*run_plainly)(void* context, std::vector<Operand>& outputs), void* context,
                                      std::span<const Operand> related = {});

}  // namespace tracefn
