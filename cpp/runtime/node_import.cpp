// Checks one node of a file against its op's record.
#include "runtime/node_import.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include "base/check.h"
#include "base/error.h"
#include "ir/attr_rules.h"
#include "ir/named_gradient.h"
#include "ops/emit.h"
#include "ops/op_summary.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

bool is_list(Attr::Kind kind) { return kind >= Attr::Kind::kInts; }

std::size_t length(const Attr& attr) {
  switch (attr.kind()) {
    case Attr::Kind::kInts:
      return attr.ints().size();
    case Attr::Kind::kFloats:
      return attr.floats().size();
    case Attr::Kind::kBools:
      return attr.bools().size();
    case Attr::Kind::kTypes:
      return attr.types().size();
    case Attr::Kind::kStrings:
      return attr.strings().size();
    case Attr::Kind::kShapes:
      return attr.shapes().size();
    default:
      return attr.funcs().size();
  }
}

template <typename... What>
[[noreturn]] void bad_attr(const NodeRecord& node, const OpSignature& op, const What&... what) {
  fail(ErrorKind::kValue, what..., "\n\t; NodeDef: {{node ", node.name, "}}; ", op_summary(op));
}

void check_types(const NodeRecord& node, const OpSignature& op, const AttrDef& def, std::span<const DType> types) {
  for (DType t : types) {
    if (def.allowed_types.empty() || std::count(def.allowed_types.begin(), def.allowed_types.end(), t)) continue;
    std::string allowed;
    for (DType a : def.allowed_types) allowed += concat(allowed.empty() ? "" : ", ", runtime_name(a));
    bad_attr(node, op, "Value for attr '", def.name, "' of ", runtime_name(t),
             " is not in the list of allowed values: ", allowed);
  }
}

void check_strings(const NodeRecord& node, const OpSignature& op, const AttrDef& def,
                   std::span<const std::string> strings) {
  for (const std::string& s : strings) {
    if (def.allowed_strings.empty() || std::count(def.allowed_strings.begin(), def.allowed_strings.end(), s)) continue;
    std::string allowed;
    for (const std::string& a : def.allowed_strings) allowed += concat(allowed.empty() ? "\"" : ", \"", a, "\"");
    bad_attr(node, op, "Value for attr '", def.name, "' of \"", s,
             "\" is not in the list of allowed values: ", allowed);
  }
}

void check_allowed(const NodeRecord& node, const OpSignature& op, const AttrDef& def, const Attr& attr) {
  if (attr.kind() == Attr::Kind::kType) check_types(node, op, def, std::vector<DType>{attr.type()});
  if (attr.kind() == Attr::Kind::kTypes) check_types(node, op, def, attr.types());
  if (attr.kind() == Attr::Kind::kString) check_strings(node, op, def, std::vector<std::string>{attr.s()});
  if (attr.kind() == Attr::Kind::kStrings) check_strings(node, op, def, attr.strings());
  if (!def.minimum) return;
  if (attr.kind() == Attr::Kind::kInt && attr.i() < *def.minimum)
    bad_attr(node, op, "Value for attr '", def.name, "' of ", attr.i(), " must be at least minimum ", *def.minimum);
  if (is_list(attr.kind()) && static_cast<std::int64_t>(length(attr)) < *def.minimum)
    bad_attr(node, op, "Length for attr '", def.name, "' of ", length(attr), " must be at least minimum ",
             *def.minimum);
}

Attr with_bodies(const Attr& attr, const FindFunction& find_function) {
  if (attr.kind() == Attr::Kind::kFunc) return find_function(attr.func().name);
  if (attr.kind() != Attr::Kind::kFuncs) return attr;
  std::vector<FuncRef> functions;
  for (const FuncRef& f : attr.funcs()) functions.push_back(find_function(f.name));
  return functions;
}

Attr value_of(const NodeRecord& node, const OpSignature& op, const AttrDef& def, const AttrRecord& record) {
  using Form = AttrRecord::Form;
  const std::string end = concat("\n\t for attr '", def.name, "'");
  if (!record.problem.empty())
    bad_attr(node, op, "AttrValue at byte ", record.place, " cannot be read: ", record.problem, end);
  if (record.form == Form::kPlaceholder)
    bad_attr(node, op, "AttrValue had value with unexpected type 'placeholder'", end);
  if (record.form == Form::kMissing)
    bad_attr(node, op, "AttrValue missing value with expected type '", kind_text(def.kind), "'", end);
  if (record.form == Form::kEmptyList) {
    if (is_list(def.kind)) return empty_list(def.kind);
    bad_attr(node, op, "AttrValue had value with type 'list(any)' when '", kind_text(def.kind), "' expected", end);
  }
  if (record.value.kind() != def.kind)
    bad_attr(node, op, "AttrValue had value with type '", kind_text(record.value.kind()), "' when '",
             kind_text(def.kind), "' expected", end);
  check_allowed(node, op, def, record.value);
  return record.value;
}

const AttrRecord* last_of_name(const NodeRecord& node, const std::string& name) {
  for (auto record = node.attrs.rbegin(); record != node.attrs.rend(); ++record)
    if (record->name == name) return &*record;
  return nullptr;
}

std::int64_t count_of(const OpSignature& op, const AttrList& attrs, const ArgDef& arg) {
  auto value = [&](const std::string& name) -> const Attr& {
    return attrs[static_cast<std::size_t>(op.attr_index(name))];
  };
  if (!arg.type_list_attr.empty()) return static_cast<std::int64_t>(value(arg.type_list_attr).types().size());
  return arg.number_attr.empty() ? 1 : value(arg.number_attr).i();
}

}  // namespace

const OpDef& op_of_record(const NodeRecord& node) {
  if (const OpDef* op = Registry::get().find(node.op)) return *op;
  fail(ErrorKind::kNotFound, "Op type not registered '", node.op, "' in tracefn, which does not support it yet. It is ",
       "the op of node '", node.name, "'. docs/ops.md lists the ops that there are.");
}

AttrList attrs_of_record(const NodeRecord& node, const OpSignature& op, const FindFunction& find_function) {
  AttrList attrs;
  std::string missing;
  for (const AttrDef& def : op.attrs) {
    if (const AttrRecord* record = last_of_name(node, def.name)) {
      attrs.push_back(value_of(node, op, def, *record));
    } else if (def.default_value.has_value()) {
      attrs.push_back(def.default_value);
    } else {
      attrs.emplace_back();
      missing += concat(missing.empty() ? "'" : "', '", def.name);
    }
  }
  if (!missing.empty())
    fail(ErrorKind::kValue, "NodeDef missing attr", missing.find(',') == std::string::npos ? " " : "s ", missing,
         "' from ", op_summary(op), "; NodeDef: {{node ", node.name, "}}");
  for (Attr& attr : attrs) attr = with_bodies(attr, find_function);
  return attrs;
}

void check_inputs(const OpSignature& op, const AttrList& attrs, std::span<const Operand> inputs,
                  const std::string& shown) {
  // A count that the file only claims does not allocate a list.
  for (const ArgDef& arg : op.inputs)
    if (const std::int64_t n = count_of(op, attrs, arg); n < 0 || n > kMostOutputs)
      fail(ErrorKind::kValue, "Node '", shown, "': Number of inputs '", arg.name, "' is impossible: ", n);
  const SmallVector<DType, 4> wanted = input_dtypes(op, attrs);
  if (wanted.size() != inputs.size()) {
    std::string expected;
    for (std::size_t i = 0; i < std::min<std::size_t>(wanted.size(), 20); ++i)
      expected += concat(i ? ", " : "", runtime_name(wanted[i]));
    if (wanted.size() > 20) expected += ", ...";
    fail(ErrorKind::kValue, "NodeDef expected inputs '", expected, "' do not match ", inputs.size(),
         " inputs specified; ", op_summary(op), "; NodeDef: {{node ", shown, "}}");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype() != wanted[i])
      fail(ErrorKind::kValue, "Input ", i, " of node ", shown, " was passed ", runtime_name(inputs[i].dtype()),
           inputs[i].graph ? concat(" from ", inputs[i].graph->value_name(inputs[i].value)) : "",
           " incompatible with expected ", runtime_name(wanted[i]), ".");
}

namespace {

// The gradient rule that the file's node names, for Node::gradient; null if it names none.
Ref<RefCounted> gradient_of_record(const NodeRecord& node) {
  const AttrRecord* record = last_of_name(node, kGradientName);
  if (!record || record->value.kind() != Attr::Kind::kString) return {};
  return gradient_of_name(record->value.s());
}

}  // namespace

NodeId add_node(GraphTarget& target, const OpDef& op, std::span<const Operand> inputs, AttrList attrs,
                const std::string& name, const std::vector<NodeId>& after, const NodeRecord& record) {
  Graph& graph = *target.graph();
  graph.unique_name(name);  // later nodes get other names; this one has its own already
  TargetScope scope(target);
  Operands outputs;
  emit(op, inputs, std::move(attrs), outputs, name + "/");  // a name that ends in '/' is final
  const NodeId id = graph.find(name);
  TRACEFN_CHECK(id >= 0);
  Node& node = graph.node(id);
  node.gradient = gradient_of_record(record);
  std::unordered_set<NodeId> known(node.control_inputs.begin(), node.control_inputs.end());
  for (NodeId before : after)
    if (known.insert(before).second) node.control_inputs.push_back(before);
  if (!record.device.empty()) node.device = record.device;
  return id;
}

bool is_node_name(const std::string& name, bool in_function) {
  auto is_first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  auto is_later = [&](char c) { return is_first(c) || c == '_' || c == '\\' || c == '/' || c == '>' || c == '-'; };
  return !name.empty() && (is_first(name[0]) || (in_function && name[0] == '_')) &&
         std::all_of(name.begin() + 1, name.end(), is_later);
}

std::vector<std::size_t> order_by_needs(const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::vector<std::size_t>> needed_by(needs.size());
  std::vector<std::size_t> waits_for(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    waits_for[i] = needs[i].size();
    for (std::size_t n : needs[i]) needed_by[n].push_back(i);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (waits_for[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (std::size_t later : needed_by[i])
      if (--waits_for[later] == 0) ready.push(later);
  }
  if (order.size() != needs.size()) fail(ErrorKind::kValue, needs.size() - order.size(), " nodes in a cycle");
  return order;
}

}  // namespace tracefn
