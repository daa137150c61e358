#include "bind/convert/traced_parameter.h"

#include <string>

#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/errors.h"
#include "ops/input_errors.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// Throws if the op does not take the dtype for its argument `earlier`, of which it is.
void check_earlier(std::string_view op, std::string_view earlier, DType dtype) {
  const OpDef* def = Registry::get().find(op);
  if (!def) return;
  for (const ArgDef& arg : def->signature.inputs)
    if (arg.name == earlier && !arg.type_attr.empty())
      check_allowed(*def, def->signature.attrs[static_cast<std::size_t>(def->signature.attr_index(arg.type_attr))],
                    dtype);
}

}  // namespace

DType own_dtype(PyObject* value) {
  try {
    return to_operand(value).dtype();
  } catch (const Error& e) {
    if (!is_type_or_value_error(e)) throw;
    return DType::kInvalid;
  }
}

Operand traced_parameter(PyObject* value, DType wanted, std::string_view op, const char* parameter,
                         std::string_view earlier, DType preferred) {
  try {
    return to_operand(value, wanted, preferred, parameter);
  } catch (const Error& e) {
    if (is_type_or_value_error(e) && wanted != DType::kInvalid) check_earlier(op, earlier, wanted);
    const bool is_ours = !e.reraise();
    if (is_ours && e.kind() == ErrorKind::kType && wanted != DType::kInvalid)
      fail(ErrorKind::kType, "Expected ", name(wanted), " passed to parameter '", parameter, "' of op '", op, "', got ",
           repr_of(value), " of type '", short_type_name(value), "' instead. Error: ", e.message());
    if (!is_type_or_value_error(e) || (is_ours && e.kind() == ErrorKind::kType)) throw;
    const DType own = wanted == DType::kInvalid ? wanted : own_dtype(value);
    if (own != DType::kInvalid && own != wanted) input_mismatch(op, parameter, own, wanted, earlier);
    if (!is_ours) throw;
    fail(ErrorKind::kValue, "Tried to convert '", parameter, "' to a tensor and failed. Error: ", e.message());
  }
}

}  // namespace tracefn::bind
