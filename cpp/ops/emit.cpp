// Infers attributes; the thread's current target and listener.
#include "ops/emit.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "ir/attr_rules.h"
#include "ops/input_errors.h"
#include "ops/registry.h"
#include "ops/target_scopes.h"

namespace tracefn {
namespace {

EmitTarget* default_target = nullptr;
thread_local EmitTarget* target_of_thread = nullptr;
thread_local EmitListener* listener_of_thread = nullptr;
thread_local OpCallback* callback_of_thread = nullptr;
thread_local std::vector<std::uint64_t> open_scopes;  // ascending
thread_local std::uint64_t last_scope = 0;

// An attribute that neither the call nor an input gives; the type of an empty list is one.
[[noreturn]] void no_value(const OpDef& op, const AttrDef& attr) {
  if (current_target().is_eager() && attr.kind == Attr::Kind::kType)
    invalid_argument("OpKernel '", op.name(), "' has constraint on attr '", attr.name,
                     "' not in NodeDef [Op:", op.name(), "] name: ");
  fail(ErrorKind::kType, op.name(), ": missing value for attribute '", attr.name, "'.");
}

}  // namespace

EmitTarget& current_target() {
  EmitTarget* target = target_of_thread ? target_of_thread : default_target;
  TRACEFN_CHECK(target);
  return *target;
}
EmitTarget& eager_target() {
  TRACEFN_CHECK(default_target);
  return *default_target;
}
void set_default_target(EmitTarget* target) { default_target = target; }

EmitTarget* exchange_target(EmitTarget* target) { return std::exchange(target_of_thread, target); }

TargetScope::TargetScope(EmitTarget& target) : previous_(target_of_thread) {
  open_scopes.push_back(++last_scope);
  target_of_thread = &target;
}
TargetScope::~TargetScope() {
  target_of_thread = previous_;
  open_scopes.pop_back();
}

std::uint64_t innermost_target_scope() { return open_scopes.empty() ? 0 : open_scopes.back(); }
bool target_scope_is_open(std::uint64_t name) {
  return name == 0 || std::binary_search(open_scopes.begin(), open_scopes.end(), name);
}

EmitListener* current_listener() { return listener_of_thread; }
OpCallback* op_callback() { return callback_of_thread; }
void set_op_callback(OpCallback* callback) { callback_of_thread = callback; }

EmitListener* set_listener(EmitListener* listener) { return std::exchange(listener_of_thread, listener); }

AttrList complete_attrs(const OpDef& op, std::span<const Operand> inputs, AttrList attrs) {
  const OpSignature& s = op.signature;
  TRACEFN_CHECK(attrs.size() <= s.attrs.size());
  attrs.resize(s.attrs.size());
  std::size_t next = 0;
  for (std::size_t a = 0; a < s.inputs.size(); ++a) {
    const ArgDef& arg = s.inputs[a];
    if (!arg.type_list_attr.empty()) {
      Attr& attr = attrs[static_cast<std::size_t>(s.attr_index(arg.type_list_attr))];
      // A list without a count takes what the other inputs leave.
      std::size_t n = attr.has_value() ? attr.types().size() : inputs.size() - next - (s.inputs.size() - a - 1);
      std::vector<DType> types;
      for (std::size_t i = 0; i < n; ++i) types.push_back(inputs[next++].dtype());
      if (attr.has_value() && attr.types() != types)
        fail(ErrorKind::kType, "Input '", arg.name, "' of '", op.name(), "' Op has types ", Attr(types).text(),
             " that do not match expected types of ", attr.text(), ".");
      attr = Attr(std::move(types));
      continue;
    }
    std::size_t n = 1;
    if (!arg.number_attr.empty()) {
      Attr& number = attrs[static_cast<std::size_t>(s.attr_index(arg.number_attr))];
      if (!number.has_value()) {
        // Lists that share the number (indices and data of DynamicStitch) split the rest equally.
        std::size_t lists = 1;
        for (std::size_t b = a + 1; b < s.inputs.size(); ++b) lists += s.inputs[b].number_attr == arg.number_attr;
        number = static_cast<std::int64_t>((inputs.size() - next - (s.inputs.size() - a - lists)) / lists);
      }
      n = static_cast<std::size_t>(number.i());
    }
    TRACEFN_CHECK(next + n <= inputs.size());
    const std::span<const Operand> list = inputs.subspan(next, n);
    for (std::size_t i = 0; i < n; ++i, ++next) {
      DType got = inputs[next].dtype();
      if (arg.type_attr.empty()) {
        if (got != arg.type) type_mismatch(op, arg, next, got, arg.type, list);
        continue;
      }
      Attr& type = attrs[static_cast<std::size_t>(s.attr_index(arg.type_attr))];
      if (!type.has_value()) {
        type = got;
      } else if (type.type() != got) {
        check_allowed(op, s.attrs[static_cast<std::size_t>(s.attr_index(arg.type_attr))], type.type());
        type_mismatch(op, arg, next, got, type.type(), list);
      }
    }
  }
  TRACEFN_CHECK(next == inputs.size());
  for (std::size_t i = 0; i < s.attrs.size(); ++i) {
    const AttrDef& def = s.attrs[i];
    if (!attrs[i].has_value()) attrs[i] = def.default_value;
    if (!attrs[i].has_value() && def.kind != Attr::Kind::kHost) no_value(op, def);
    if (def.kind == Attr::Kind::kType) check_allowed(op, def, attrs[i].type());
    if (def.kind == Attr::Kind::kTypes)
      for (DType t : attrs[i].types()) check_allowed(op, def, t);
    if (def.kind == Attr::Kind::kString && !def.allowed_strings.empty()) {
      bool found = false;
      std::string allowed;
      for (const std::string& word : def.allowed_strings) {
        found = found || word == attrs[i].s();
        allowed += concat(allowed.empty() ? "" : ", ", "\"", word, "\"");
      }
      if (!found && current_target().is_eager()) not_allowed(op, def, concat("\"", attrs[i].s(), "\""), allowed);
      if (!found)
        fail(ErrorKind::kValue, "Attr '", def.name, "' of '", op.name(), "' Op passed string '", attrs[i].s(),
             "' not in: ", allowed, ".");
    }
  }
  const bool is_eager = current_target().is_eager();
  if (std::string broken = broken_attr_rule(s, attrs, is_eager); !broken.empty())
    fail(is_eager ? ErrorKind::kInvalidArgument : ErrorKind::kValue, broken);
  return attrs;
}

void emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, Operands& outputs, std::string_view name) {
  emit_completed(op, inputs, complete_attrs(op, inputs, std::move(attrs)), outputs, name);
}

void emit_completed(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, Operands& outputs,
                    std::string_view name) {
  EmitListener* listener = listener_of_thread;
  if (!listener) {
    current_target().emit(op, inputs, std::move(attrs), name, outputs);
  } else {
    current_target().emit(op, inputs, attrs, name, outputs);
    listener->emitted(op, inputs, attrs, outputs);
  }
  if (OpCallback* callback = callback_of_thread)
    callback->emitted(op.signature, inputs, std::span(outputs.data(), outputs.size()));
}

Operands emit_all(std::string_view op_name, std::span<const Operand> inputs, std::initializer_list<NamedAttr> named) {
  const OpDef& op = Registry::get().at(op_name);
  AttrList attrs(op.signature.attrs.size());
  for (const NamedAttr& attr : named) {
    int i = op.signature.attr_index(attr.name);
    TRACEFN_CHECK(i >= 0);
    attrs[static_cast<std::size_t>(i)] = attr.value;
  }
  Operands outputs;
  emit(op, inputs, std::move(attrs), outputs);
  return outputs;
}

Operand emit1(std::string_view op_name, std::initializer_list<Operand> inputs, std::initializer_list<NamedAttr> attrs) {
  return emit_all(op_name, std::span(inputs.begin(), inputs.size()), attrs)[0];
}

}  // namespace tracefn
