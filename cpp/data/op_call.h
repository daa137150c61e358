// OpCall: an op with its attributes, which a dataset's iterator runs as it is, unseen by tapes. Immutable.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ops/emit.h"

namespace tracefn::data {

class OpCall {
 public:
  // Attributes that are left out have their defaults.
  OpCall(std::string_view op, std::initializer_list<NamedAttr> attrs);
  std::vector<Tensor> operator()(std::vector<Tensor> inputs) const;

 private:
  const OpDef& op_;
  AttrList attrs_;
};

}  // namespace tracefn::data
