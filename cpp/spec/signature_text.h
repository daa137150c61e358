// The text of a trace's signature, in TensorFlow 2.12's form and in today's (tracing rules 81-88).
#pragma once

#include <string>
#include <string_view>

#include "spec/function_type.h"

namespace tracefn {

enum class SignatureStyle { kLeaves, kTypes };

// kLeaves: the summary line "f(a, b=2)", then "  Args:" and "  Returns:" unless not `verbose`.
// kTypes: "Input Parameters:", "Output Type:", "Captures:"; without `verbose`, the type on one line after the name.
// Precondition: every parameter has a type, except in the long form of kTypes.
std::string signature_text(std::string_view function_name, const FunctionType& type, SignatureStyle style,
                           bool verbose = true);

// "f(a, b=2)".
std::string summary_text(std::string_view function_name, const FunctionType& type);

}  // namespace tracefn
