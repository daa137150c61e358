// The dtype that TensorFlow's rules give to Python values.
#include "bind/convert/natural_values.h"

#include "base/poll.h"
#include "bind/convert/narrow.h"
#include "bind/errors.h"

namespace tracefn::bind {

bool all_fit_int32(const Tensor& wide) {
  PolledSteps polled(4096);
  for (std::int64_t v : wide.span<std::int64_t>()) {
    polled.step();
    if (v != static_cast<std::int32_t>(v)) return false;
  }
  return true;
}

[[noreturn]] void report(Outcome outcome) {
  if (outcome == Outcome::kRagged) fail(ErrorKind::kValue, "Can't convert non-rectangular Python sequence to Tensor.");
  if (outcome == Outcome::kOverflow)
    fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  fail(ErrorKind::kValue, "Can't convert Python sequence with mixed types to Tensor.");
}

namespace {

// In a graph complex numbers may follow real ones.
bool reads_complex(PyObject* value, const Shape& shape, Rules rules, Natural& natural) {
  if (rules != Rules::kGraph || read_all(value, shape, Read::kComplex, natural.wide) != Outcome::kOk) return false;
  natural.dtype = DType::kComplex128;
  return true;
}

Natural read_floats(PyObject* value, const Shape& shape, DType dtype, Rules rules) {
  Natural natural{{}, dtype};
  Outcome outcome = read_all(value, shape, Read::kDouble, natural.wide);
  if (outcome == Outcome::kMixed && reads_complex(value, shape, rules, natural)) return natural;
  if (outcome != Outcome::kOk) report(outcome);
  return natural;
}

}  // namespace

Natural read_natural(PyObject* value, const Nest& nest, Rules rules) {
  Natural natural;
  Outcome outcome = Outcome::kOk;
  switch (nest.kind) {
    case Leaf::kBool:
      natural.dtype = DType::kBool;
      outcome = read_all(value, nest.shape, Read::kBool, natural.wide);
      break;
    case Leaf::kString:
      natural.dtype = DType::kString;
      outcome = read_all(value, nest.shape, Read::kString, natural.wide);
      break;
    case Leaf::kComplex:
      natural.dtype = DType::kComplex128;
      outcome = read_all(value, nest.shape, Read::kComplex, natural.wide);
      break;
    case Leaf::kFloat:
      return read_floats(value, nest.shape, DType::kFloat, rules);
    case Leaf::kTypedFloat:
      return read_floats(value, nest.shape, nest.typed, rules);
    default:
      outcome = read_all(value, nest.shape, Read::kInt, natural.wide);
      if (outcome == Outcome::kFoundFloat) return read_floats(value, nest.shape, DType::kFloat, rules);
      if (outcome == Outcome::kOverflow && rules == Rules::kGraph) {
        natural.dtype = DType::kUInt64;
        outcome = read_all(value, nest.shape, Read::kUnsigned, natural.wide);
      } else if (outcome == Outcome::kOk) {
        natural.dtype = all_fit_int32(natural.wide) ? DType::kInt32 : DType::kInt64;
      }
  }
  const bool number = nest.kind != Leaf::kString && nest.kind != Leaf::kBool;
  if (outcome == Outcome::kMixed && number && reads_complex(value, nest.shape, rules, natural)) return natural;
  if (outcome != Outcome::kOk) report(outcome);
  return natural;
}

bool reads_directly(DType wanted) {
  return wanted == DType::kHalf || wanted == DType::kFloat || wanted == DType::kDouble || wanted == DType::kInt32 ||
         wanted == DType::kInt64 || wanted == DType::kUInt64 || wanted == DType::kComplex128;
}

Tensor read_directly(PyObject* value, const Shape& shape, DType wanted) {
  if (!reads_directly(wanted)) return Tensor();
  Tensor wide;
  Outcome outcome = Outcome::kMixed;
  if (is_floating(wanted))
    outcome = read_all(value, shape, Read::kDouble, wide);
  else if (wanted == DType::kComplex128)
    outcome = read_all(value, shape, Read::kComplex, wide);
  else if (wanted == DType::kUInt64)
    outcome = read_all(value, shape, Read::kUnsigned, wide);
  else
    outcome = read_all(value, shape, Read::kInt, wide);
  return outcome == Outcome::kOk ? narrow(wide, wanted) : Tensor();
}

}  // namespace tracefn::bind
