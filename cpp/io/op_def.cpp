// OpDef: the declaration of an op.
#include <string>

#include "io/graph_def.h"
#include "ops/op_summary.h"

namespace tracefn {
namespace {

void write_arg(Message& to, const ArgDef& arg) {
  to.add_text(1, "name", arg.name);
  if (arg.type != DType::kInvalid) write_dtype(to, 3, "type", arg.type);
  if (!arg.type_attr.empty()) to.add_text(4, "type_attr", arg.type_attr);
  if (!arg.number_attr.empty()) to.add_text(5, "number_attr", arg.number_attr);
  if (!arg.type_list_attr.empty()) to.add_text(6, "type_list_attr", arg.type_list_attr);
}

void write_attr_def(Message& to, const AttrDef& attr) {
  to.add_text(1, "name", attr.name);
  to.add_text(2, "type", kind_text(attr.kind));
  if (attr.default_value.has_value()) write_attr(to.add_message(3, "default_value"), attr.default_value);
  if (attr.minimum) {
    to.add_bool(5, "has_minimum", true);
    if (*attr.minimum != 0) to.add_int(6, "minimum", *attr.minimum);
  }
  if (!attr.allowed_types.empty()) write_attr(to.add_message(7, "allowed_values"), Attr(attr.allowed_types));
  if (!attr.allowed_strings.empty()) write_attr(to.add_message(7, "allowed_values"), Attr(attr.allowed_strings));
}

}  // namespace

Message op_def_message(const OpSignature& op) {
  Message def;
  def.add_text(1, "name", op.name);
  for (const ArgDef& arg : op.inputs) write_arg(def.add_message(2, "input_arg"), arg);
  for (const ArgDef& arg : op.outputs) write_arg(def.add_message(3, "output_arg"), arg);
  for (const AttrDef& attr : op.attrs) write_attr_def(def.add_message(4, "attr"), attr);
  if (op.stateful) def.add_bool(17, "is_stateful", true);
  if (op.commutative) def.add_bool(18, "is_commutative", true);
  return def;
}

}  // namespace tracefn
