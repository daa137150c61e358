// The two text forms of a trace's signature.
#include "spec/signature_text.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "spec/structure_text.h"

namespace tracefn {
namespace {

// Members of *args are shown by their position in the call.
std::string shown_name(const FunctionType& type, std::size_t i) {
  const Parameter& parameter = type.parameters()[i];
  return parameter.member ? concat("arg", i + 1) : parameter.name;
}

// A type, and one line for each of its leaves if it is a structure. `none` is how None is shown.
void append_block(const std::string& label, const TraceType& type, const std::string& none, std::string& out) {
  auto shown = [&](const std::string& text) { return text == "None" ? none : text; };
  std::vector<std::string> leaves;
  std::string text = structure_text(type, leaves);
  out += concat("\n    ", label, shown(text));
  for (std::size_t i = 0; i < leaves.size(); ++i) out += concat("\n      <", i + 1, ">: ", shown(leaves[i]));
}

// The order of the lines below "Args:": positional parameters, then keywords sorted by name.
std::vector<std::size_t> listed_order(const FunctionType& type) {
  std::vector<std::size_t> order(type.parameters().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto is_keyword = [&](std::size_t i) { return type.parameters()[i].kind == ParameterKind::kKeywordOnly; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_keyword(a) && is_keyword(b)) return type.parameters()[a].name < type.parameters()[b].name;
    return !is_keyword(a) && is_keyword(b);
  });
  return order;
}

std::string leaves_text(std::string_view function_name, const FunctionType& type) {
  std::string out = summary_text(function_name, type);
  bool first = true;
  for (std::size_t i : listed_order(type)) {
    const TraceType& argument = *type.parameters()[i].type;
    if (argument.num_leaves() == 0) continue;
    if (first) out += "\n  Args:";
    first = false;
    append_block(shown_name(type, i) + ": ", argument, "None", out);
  }
  if (type.output()) {
    out += "\n  Returns:";
    append_block("", *type.output(), "NoneTensorSpec()", out);
  }
  return out;
}

std::string types_text(const FunctionType& type) {
  auto shown = [](const TraceTypePtr& t) { return t ? t->text() : std::string("None"); };
  std::string out = "Input Parameters:";
  for (const Parameter& parameter : type.parameters())
    out += concat("\n  ", parameter.name, " (", name(parameter.kind), "): ", shown(parameter.type));
  out += concat("\nOutput Type:\n  ", shown(type.output()), "\nCaptures:");
  if (type.captures().empty()) out += "\n  None";
  for (const Capture& capture : type.captures()) out += concat("\n  ", capture.id, ": ", shown(capture.type));
  return out;
}

}  // namespace

std::string summary_text(std::string_view function_name, const FunctionType& type) {
  std::string out = concat(function_name, "(");
  bool star = false;
  for (std::size_t i = 0; i < type.parameters().size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    if (i) out += ", ";
    if (parameter.kind == ParameterKind::kKeywordOnly && !star) {
      out += "*, ";
      star = true;
    }
    out += shown_name(type, i);
    if (parameter.type->num_leaves() == 0) out += concat("=", value_text(*parameter.type));
  }
  return out + ")";
}

std::string signature_text(std::string_view function_name, const FunctionType& type, SignatureStyle style,
                           bool verbose) {
  if (style == SignatureStyle::kTypes) return verbose ? types_text(type) : type.text();
  return verbose ? leaves_text(function_name, type) : summary_text(function_name, type);
}

}  // namespace tracefn
