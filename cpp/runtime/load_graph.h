// Loads a function from a file's bytes, for programs that run graphs without tracing any. Any thread may call.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/compiled_function.h"

namespace tracefn {

// A part of the GraphDef `bytes` as a function: its arguments are the Placeholders of these names, its results these
// values ("node" or "node:1"). Nodes that no result needs do not run. Error(kValue) if the bytes are not a GraphDef,
// a node does not fit its op, or a name is not there or, for an input, not a Placeholder's or given twice;
// Error(kNotFound) for an unknown op or function.
std::unique_ptr<CompiledFunction> load_graph(std::string_view bytes, std::span<const std::string> inputs,
                                             std::span<const std::string> outputs, const std::string& name);

// The function `name` of the GraphDef's library, with its arguments and results. Errors as above.
std::unique_ptr<CompiledFunction> load_function(std::string_view bytes, const std::string& name);

}  // namespace tracefn
