#include "ops/input_errors.h"

#include "base/error.h"
#include "ops/op_summary.h"

namespace tracefn {
namespace {

std::string quoted_list(const std::vector<DType>& types) {
  std::string out;
  for (DType t : types) out += concat(out.empty() ? "" : ", ", name(t));
  return out;
}

std::string_view parameter_of(const OpDef& op, const AttrDef& attr) {
  for (const ArgDef& arg : op.signature.inputs)
    if (arg.type_attr == attr.name || arg.type_list_attr == attr.name) return arg.name;
  return attr.name;
}

}  // namespace

void not_allowed(const OpDef& op, const AttrDef& attr, std::string_view value, std::string_view allowed) {
  invalid_argument("Value for attr '", attr.name, "' of ", value, " is not in the list of allowed values: ", allowed,
                   "\n\t; NodeDef: {{node ", op.name(), "}}; ", op_summary(op.signature), " [Op:", op.name(),
                   "] name: ");
}

void check_allowed(const OpDef& op, const AttrDef& attr, DType type) {
  if (attr.allowed_types.empty()) return;
  for (DType t : attr.allowed_types)
    if (t == type) return;
  if (current_target().is_eager()) {
    std::string allowed;
    for (DType t : attr.allowed_types) allowed += concat(allowed.empty() ? "" : ", ", runtime_name(t));
    not_allowed(op, attr, runtime_name(type), allowed);
  }
  fail(ErrorKind::kType, "Value passed to parameter '", parameter_of(op, attr), "' has DataType ", name(type),
       " not in list of allowed values: ", quoted_list(attr.allowed_types));
}

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
