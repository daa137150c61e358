#include "ops/no_kernel.h"

#include <map>

namespace tracefn {
namespace {

std::string shown(const OpSignature& op, const AttrList& attrs) {
  std::map<std::string_view, std::string> by_name;
  for (std::size_t i = 0; i < op.attrs.size(); ++i) by_name.emplace(op.attrs[i].name, attrs[i].text());
  std::string out;
  for (const auto& [name, text] : by_name) out += concat(out.empty() ? "" : ", ", name, "=", text);
  return out;
}

}  // namespace

Error NoKernel::eager(const OpSignature& op, const AttrList& attrs, bool takes_resource) const {
  if (takes_resource) return in_graph(op, attrs, op.name);
  return {ErrorKind::kNotFound, concat("Could not find device for node: {{node ", op.name, "}} = ", op.name, "[",
                                       shown(op, attrs), "]\n", message())};
}

Error NoKernel::in_graph(const OpSignature& op, const AttrList& attrs, std::string_view node_name) const {
  return {ErrorKind::kInvalidArgument,
          concat("No OpKernel was registered to support Op '", op.name, "' used by {{node ", node_name,
                 "}} with these attrs: [", shown(op, attrs), "]\n", message())};
}

void no_kernel(std::string hint) { throw NoKernel(std::move(hint)); }

}  // namespace tracefn
