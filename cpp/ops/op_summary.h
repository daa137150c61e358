// Summaries of an op's declaration for messages. Any thread may call.
#pragma once

#include <string>
#include <string_view>

#include "ir/signature.h"

namespace tracefn {

// The kind of an attribute as OpDef spells it: "int", "list(type)", ...
const char* kind_text(Attr::Kind kind);
// The inverse; kNone if there is no such kind.
Attr::Kind kind_of(std::string_view text);

// The op's summary as TensorFlow's runtime writes it: "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[...]>".
std::string op_summary(const OpSignature& op);

}  // namespace tracefn
