// The elementwise families, by name, and the parts their records share.
#include "ops/elementwise/elementwise_record.h"
#include "ops/families.h"

namespace tracefn {

void add_unary(Registry& r, OpRecord record) {
  if (record.inputs.empty()) record.inputs = {"x: T"};
  if (record.outputs.empty()) record.outputs = {"y: T"};
  if (!record.infer) record.infer = infer::same_as_first;
  r.add(record);
}

void add_binary(Registry& r, OpRecord record) {
  if (record.inputs.empty()) record.inputs = {"x: T", "y: T"};
  if (record.outputs.empty()) record.outputs = {"z: T"};
  if (!record.infer) record.infer = infer::broadcast_all;
  r.add(record);
}

void add_activation(Registry& r, OpRecord record) {
  record.inputs = {"features: T"};
  record.outputs = {"activations: T"};
  add_unary(r, std::move(record));
}

void add_activation_grad(Registry& r, std::string_view second_input, OpRecord record) {
  record.inputs = {"gradients: T", second_input};
  record.outputs = {"backprops: T"};
  add_binary(r, std::move(record));
}

void register_elementwise_families(Registry& r) {
  register_arithmetic(r);
  register_division(r);
  register_rounding(r);
  register_math(r);
  register_trigonometry(r);
  register_power(r);
  register_special(r);
  register_bessel(r);
  register_integrals(r);
  register_activation(r);
  register_bitwise(r);
  register_complex(r);
  register_compare(r);
  register_select(r);
  register_cast(r);
  register_add_n(r);
}

}  // namespace tracefn
