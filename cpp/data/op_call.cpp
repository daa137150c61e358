#include "data/op_call.h"

#include "exec/run_op.h"
#include "ops/registry.h"

namespace tracefn::data {

OpCall::OpCall(std::string_view op, std::initializer_list<NamedAttr> attrs) : op_(Registry::get().at(op)) {
  for (const AttrDef& def : op_.signature.attrs) {
    attrs_.push_back(def.default_value);
    for (const NamedAttr& given : attrs)
      if (given.name == def.name) attrs_.back() = given.value;
  }
}

std::vector<Tensor> OpCall::operator()(std::vector<Tensor> inputs) const {
  SmallVector<TensorRef, 4> operands;
  for (Tensor& t : inputs) operands.push_back({&t, true});
  const SmallVector<DType, 2> dtypes = output_dtypes(op_.signature, attrs_);
  std::vector<Tensor> results(dtypes.size());
  run_op(op_, attrs_, {operands.data(), operands.size()}, results, {dtypes.data(), dtypes.size()}, {});
  return results;
}

}  // namespace tracefn::data
