// Function types and their one-line text.
#include "spec/function_type.h"

#include "base/error.h"
#include "base/hash.h"

namespace tracefn {
namespace {

std::vector<Parameter> parameters_of(const CallKey& key) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < key.types().size(); ++i) parameters.push_back({(*key.parameters())[i], key.types()[i]});
  return parameters;
}

bool same_types(const TraceTypePtr& a, const TraceTypePtr& b) { return a && b ? a->equals(*b) : !a && !b; }

}  // namespace

std::string parameter_text(const Parameter& parameter) {
  constexpr const char* kDefault = "<captured_default_value>";
  std::string out;
  if (parameter.kind == ParameterKind::kVarPositional) out += '*';
  if (parameter.kind == ParameterKind::kVarKeyword) out += "**";
  out += parameter.name;
  if (parameter.type) {
    out += ": ";
    parameter.type->append_text(out);
    if (parameter.optional) out += concat(" = ", kDefault);
  } else if (parameter.optional) {
    out += concat("=", kDefault);
  }
  return out;
}

FunctionType::FunctionType(std::vector<Parameter> parameters, std::vector<Capture> captures, TraceTypePtr output)
    : parameters_(std::move(parameters)), captures_(std::move(captures)), output_(std::move(output)) {}

FunctionType::FunctionType(const CallKey& key, std::vector<Capture> captures, TraceTypePtr output)
    : FunctionType(parameters_of(key), std::move(captures), std::move(output)) {}

const Parameter* FunctionType::find(std::string_view name) const {
  for (const Parameter& parameter : parameters_)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

std::size_t FunctionType::hash() const {
  std::size_t seed = parameters_.size();
  for (const Parameter& p : parameters_) {
    seed = hash_mix(hash_add(seed, p.name), static_cast<std::size_t>(p.kind));
    if (p.type) seed = hash_mix(seed, p.type->hash());
  }
  for (const Capture& capture : captures_) seed = hash_mix(seed, capture.type->hash());
  return seed;
}

bool FunctionType::equals(const FunctionType& other) const {
  if (parameters_.size() != other.parameters_.size() || captures_.size() != other.captures_.size()) return false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter &a = parameters_[i], &b = other.parameters_[i];
    if (a.name != b.name || a.kind != b.kind || a.optional != b.optional || !same_types(a.type, b.type)) return false;
  }
  for (std::size_t i = 0; i < captures_.size(); ++i)
    if (captures_[i].id != other.captures_[i].id || !same_types(captures_[i].type, other.captures_[i].type))
      return false;
  return true;
}

std::string FunctionType::text() const {
  std::string out = "(";
  bool star = false;  // after "*" or "*args"
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (i) out += ", ";
    if (parameter.kind == ParameterKind::kVarPositional) star = true;
    if (parameter.kind == ParameterKind::kKeywordOnly && !star) {
      out += "*, ";
      star = true;
    }
    out += parameter_text(parameter);
    bool last_positional = parameter.kind == ParameterKind::kPositionalOnly &&
                           (i + 1 == parameters_.size() || parameters_[i + 1].kind != ParameterKind::kPositionalOnly);
    if (last_positional) out += ", /";
  }
  out += ')';
  if (output_) {
    out += " -> ";
    output_->append_text(out);
  }
  return out;
}

}  // namespace tracefn
