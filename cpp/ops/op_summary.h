// What messages say of an op's declaration. Any thread may call.
#pragma once

#include <string>
#include <string_view>

#include "ir/signature.h"

namespace tracefn {

// The kind of an attribute as OpDef spells it: "int", "list(type)", ...
const char* kind_text(Attr::Kind kind);
// The kind that is spelt so; kNone where there is none.
Attr::Kind kind_of(std::string_view text);

// As TensorFlow's runtime sums an op up: "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[...]>".
std::string op_summary(const OpSignature& op);

}  // namespace tracefn
