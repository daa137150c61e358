// The functions that attributes hold, one and in lists. Any thread may call.
#pragma once

#include "ir/attr.h"

namespace tracefn {

// Calls f(const FuncRef&) for each function of an attribute.
template <typename F>
void for_each_function(const Attr& attr, F&& f) {
  if (attr.kind() == Attr::Kind::kFunc) f(attr.func());
  if (attr.kind() == Attr::Kind::kFuncs)
    for (const FuncRef& function : attr.funcs()) f(function);
}

// The same for all attributes of a node.
template <typename F>
void for_each_function(const AttrList& attrs, F&& f) {
  for (const Attr& attr : attrs) for_each_function(attr, f);
}

}  // namespace tracefn
