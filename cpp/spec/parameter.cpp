// Names of parameter kinds; the hash of a list of parameters.
#include "spec/parameter.h"

#include "base/hash.h"

namespace tracefn {

std::string_view name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kPositionalOnly:
      return "POSITIONAL_ONLY";
    case ParameterKind::kPositionalOrKeyword:
      return "POSITIONAL_OR_KEYWORD";
    case ParameterKind::kVarPositional:
      return "VAR_POSITIONAL";
    case ParameterKind::kKeywordOnly:
      return "KEYWORD_ONLY";
    case ParameterKind::kVarKeyword:
      return "VAR_KEYWORD";
  }
  return "";
}

ParameterList::ParameterList(std::vector<ParameterName> names) : names_(std::move(names)), hash_(names_.size()) {
  for (const ParameterName& p : names_) hash_ = hash_mix(hash_add(hash_, p.name), static_cast<std::size_t>(p.kind));
}

}  // namespace tracefn
