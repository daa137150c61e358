#include "ops/input_errors.h"

#include "base/error.h"

namespace tracefn {

const ArgDef* earlier_of_type(const OpSignature& op, const ArgDef& arg) {
  for (const ArgDef& other : op.inputs) {
    if (other.name == arg.name) return nullptr;
    if (!arg.type_attr.empty() && other.type_attr == arg.type_attr) return &other;
  }
  return nullptr;
}

void type_mismatch(const OpDef& op, const ArgDef& arg, std::size_t position, DType got, DType wanted,
                   std::span<const Operand> list) {
  if (current_target().is_eager())
    invalid_argument("cannot compute ", op.name(), " as input #", position, "(zero-based) was expected to be a ",
                     runtime_name(wanted), " tensor but is a ", runtime_name(got), " tensor [Op:", op.name(),
                     "] name: ");
  if (arg.is_list()) {
    std::string types;
    for (const Operand& x : list) types += concat(types.empty() ? "" : ", ", name(x.dtype()));
    list_type_mismatch(op.signature, arg, types, wanted);
  }
  const ArgDef* earlier = earlier_of_type(op.signature, arg);
  input_mismatch(op.name(), arg.name, got, wanted, earlier ? std::string_view(earlier->name) : "");
}

void input_mismatch(std::string_view op, std::string_view input, DType got, DType wanted, std::string_view earlier) {
  const std::string beginning = concat("Input '", input, "' of '", op, "' Op has type ", name(got));
  if (earlier.empty()) fail(ErrorKind::kType, beginning, " that does not match expected type of ", name(wanted), ".");
  fail(ErrorKind::kType, beginning, " that does not match type ", name(wanted), " of argument '", earlier, "'.");
}

std::string list_with_types(const OpSignature& op, const ArgDef& arg, std::string_view types) {
  return concat("Tensors in list passed to '", arg.name, "' of '", op.name, "' Op have types [", types, "]");
}

void list_type_mismatch(const OpSignature& op, const ArgDef& arg, std::string_view types, DType wanted) {
  const std::string beginning = list_with_types(op, arg, types);
  if (arg.type_attr.empty()) fail(ErrorKind::kType, beginning, " that do not match expected type ", name(wanted), ".");
  if (earlier_of_type(op, arg))
    fail(ErrorKind::kType, beginning, " that do not match type ", name(wanted), " inferred from earlier arguments.");
  fail(ErrorKind::kType, beginning, " that don't all match.");
}

}  // namespace tracefn
