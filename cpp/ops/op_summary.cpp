// An op's declaration in one line.
#include "ops/op_summary.h"

#include <algorithm>
#include <iterator>

#include "base/consecutive.h"
#include "base/error.h"
#include "tensor/dtype.h"

namespace tracefn {
namespace {

// In the order of Attr::Kind.
constexpr const char* kKinds[] = {"none",       "int",        "float",        "bool",        "type",      "string",
                                  "shape",      "tensor",     "func",         "host",        "list(int)", "list(float)",
                                  "list(bool)", "list(type)", "list(string)", "list(shape)", "list(func)"};
using Kind = Attr::Kind;
static_assert(consecutive(Kind::kNone, Kind::kInt, Kind::kFloat, Kind::kBool, Kind::kType, Kind::kString, Kind::kShape,
                          Kind::kTensor, Kind::kFunc, Kind::kHost, Kind::kInts, Kind::kFloats, Kind::kBools,
                          Kind::kTypes, Kind::kStrings, Kind::kShapes, Kind::kFuncs));
static_assert(static_cast<int>(Kind::kNone) == 0 && std::size(kKinds) == static_cast<std::size_t>(Kind::kFuncs) + 1);

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

const char* kind_text(Attr::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Attr::Kind kind_of(std::string_view text) {
  auto found = std::find(std::begin(kKinds), std::end(kKinds), text);
  return found == std::end(kKinds) ? Attr::Kind::kNone : static_cast<Attr::Kind>(found - std::begin(kKinds));
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
