// Derives types from a signature and a node's attributes.
#include "ir/signature.h"

#include "base/check.h"

namespace tracefn {
namespace {

const Attr& attr(const OpSignature& op, const AttrList& attrs, const std::string& name) {
  int i = op.attr_index(name);
  TRACEFN_CHECK(i >= 0);
  return attrs[static_cast<std::size_t>(i)];
}

template <typename List>
void append(const OpSignature& op, const AttrList& attrs, const ArgDef& arg, List& types) {
  if (!arg.type_list_attr.empty()) {
    for (DType t : attr(op, attrs, arg.type_list_attr).types()) types.push_back(t);
    return;
  }
  DType type = arg.type_attr.empty() ? arg.type : attr(op, attrs, arg.type_attr).type();
  std::int64_t n = arg.number_attr.empty() ? 1 : attr(op, attrs, arg.number_attr).i();
  for (std::int64_t i = 0; i < n; ++i) types.push_back(type);
}

}  // namespace

SmallVector<DType, 2> output_dtypes(const OpSignature& op, const AttrList& attrs) {
  SmallVector<DType, 2> types;
  for (const ArgDef& arg : op.outputs) append(op, attrs, arg, types);
  return types;
}

SmallVector<DType, 4> input_dtypes(const OpSignature& op, const AttrList& attrs) {
  SmallVector<DType, 4> types;
  for (const ArgDef& arg : op.inputs) append(op, attrs, arg, types);
  return types;
}

}  // namespace tracefn
