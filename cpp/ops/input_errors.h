// The errors of inputs whose types are not those that an op takes. An eager call reports as TensorFlow's runtime does,
// a traced one as its graph builder. Any thread may call.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/signature.h"
#include "ops/emit.h"
#include "ops/op_def.h"

namespace tracefn {

// The error of an eager op whose attribute has another value than the allowed ones.
[[noreturn]] void not_allowed(const OpDef& op, const AttrDef& attr, std::string_view value, std::string_view allowed);
// Throws if the op does not take `type` for the attribute.
void check_allowed(const OpDef& op, const AttrDef& attr, DType type);

// An input before `arg` whose type is that of the same attribute; null if there is none.
const ArgDef* earlier_of_type(const OpSignature& op, const ArgDef& arg);

// One input has another type than `wanted`; it is part of `list`, the tensors given for `arg`. `position` counts the
// op's inputs, with lists flattened.
[[noreturn]] void type_mismatch(const OpDef& op, const ArgDef& arg, std::size_t position, DType got, DType wanted,
                                std::span<const Operand> list);

// While tracing: an input has the type `got` and not `wanted`, that of the argument `earlier`; of the op itself if that
// is empty.
[[noreturn]] void input_mismatch(std::string_view op, std::string_view input, DType got, DType wanted,
                                 std::string_view earlier);

// The beginning of the errors of lists while tracing; `types` is the text of the types of the elements.
std::string list_with_types(const OpSignature& op, const ArgDef& arg, std::string_view types);

// The error of a list whose elements should all have the same type, while tracing.
[[noreturn]] void list_type_mismatch(const OpSignature& op, const ArgDef& arg, std::string_view types, DType wanted);

}  // namespace tracefn
