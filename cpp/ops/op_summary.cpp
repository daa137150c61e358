// An op's declaration in one line.
#include "ops/op_summary.h"

#include "base/error.h"
#include "tensor/dtype.h"

namespace tracefn {
namespace {

std::string arguments(const std::vector<ArgDef>& args) {
  std::string out;
  for (const ArgDef& arg : args) {
    out += concat(out.empty() ? "" : ", ", arg.name, ":");
    if (!arg.number_attr.empty()) out += concat(arg.number_attr, "*");
    if (!arg.type_attr.empty()) {
      out += arg.type_attr;
    } else if (!arg.type_list_attr.empty()) {
      out += arg.type_list_attr;
    } else {
      out += runtime_name(arg.type);
    }
  }
  return out;
}

}  // namespace

const char* kind_text(Attr::Kind kind) {
  using Kind = Attr::Kind;
  switch (kind) {
    case Kind::kInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kBool:
      return "bool";
    case Kind::kType:
      return "type";
    case Kind::kString:
      return "string";
    case Kind::kShape:
      return "shape";
    case Kind::kTensor:
      return "tensor";
    case Kind::kFunc:
      return "func";
    case Kind::kInts:
      return "list(int)";
    case Kind::kFloats:
      return "list(float)";
    case Kind::kBools:
      return "list(bool)";
    case Kind::kTypes:
      return "list(type)";
    case Kind::kStrings:
      return "list(string)";
    case Kind::kShapes:
      return "list(shape)";
    case Kind::kFuncs:
      return "list(func)";
    case Kind::kHost:
      return "host";
    case Kind::kNone:
      break;
  }
  return "none";
}

std::string op_summary(const OpSignature& op) {
  std::string out = concat("Op<name=", op.name, "; signature=", arguments(op.inputs), " -> ", arguments(op.outputs));
  for (const AttrDef& attr : op.attrs) {
    out += concat("; attr=", attr.name, ":", kind_text(attr.kind));
    if (attr.default_value.has_value()) out += concat(",default=", attr.default_value.text());
    if (attr.minimum) out += concat(",min=", *attr.minimum);
    std::string allowed;
    for (DType t : attr.allowed_types) allowed += concat(allowed.empty() ? "" : ", ", enum_name(t));
    for (const std::string& t : attr.allowed_strings) allowed += concat(allowed.empty() ? "" : ", ", '"', t, '"');
    if (!allowed.empty()) out += concat(",allowed=[", allowed, "]");
  }
  if (op.commutative) out += "; is_commutative=true";
  if (op.stateful) out += "; is_stateful=true";
  return out + ">";
}

}  // namespace tracefn
