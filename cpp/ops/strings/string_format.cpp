// Numbers to strings and back: AsString, StringFormat, StringToNumber.
#include <cmath>
#include <optional>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/number_parse.h"
#include "ops/strings/value_format.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

// AsString's attributes, as one printf conversion.
struct NumberFormat {
  int precision;
  char style;  // 'f', 'e' or 'g'
  int width;
  char fill;  // 0, ' ', '0', '+' or '-'

  // `digits` may begin with a sign; `finite` is false for infinities and NaNs, which zeros do not pad.
  std::string pad(std::string digits, bool is_signed = true, bool finite = true) const {
    if (is_signed && (fill == '+' || fill == ' ') && digits[0] != '-') digits.insert(digits.begin(), fill);
    if (width <= static_cast<int>(digits.size())) return digits;
    std::size_t missing = static_cast<std::size_t>(width) - digits.size();
    if (fill == '-') return digits.append(missing, ' ');
    if (fill == '0' && finite) return digits.insert(digits[0] == '-' ? 1 : 0, missing, '0');
    return digits.insert(0, missing, ' ');
  }
  std::string real(double value) const {
    return pad(printf_text(value, style, precision < 0 ? 6 : precision), true, std::isfinite(value));
  }
};

NumberFormat read_format(KernelContext& c) {
  DType dtype = c.input(0).dtype();
  bool scientific = c.attr("scientific").b(), shortest = c.attr("shortest").b();
  const std::string& fill = c.attr("fill").s();
  auto precision = static_cast<int>(c.attr("precision").i());
  bool fractional = is_floating(dtype) || is_complex(dtype);
  // Of strings TensorFlow ignores what is said about digits.
  const bool countable = !fractional && dtype != DType::kString;
  if (countable && (scientific || shortest))
    invalid_argument("scientific and shortest format not supported for datatype ", runtime_name(dtype));
  if (countable && precision >= 0) invalid_argument("precision not supported for datatype ", runtime_name(dtype));
  if (fill.size() > 1) invalid_argument("Fill string must be one or fewer characters");
  if (scientific && shortest) invalid_argument("Cannot select both scientific and shortest notation");
  if (!fill.empty() && fill != " " && fill != "+" && fill != "-" && fill != "0")
    invalid_argument("Fill argument not supported: \"", fill, "\"");
  if (precision > 10000 || c.attr("width").i() > 1000000)
    invalid_argument("AsString: precision ", precision, " or width ", c.attr("width").i(), " is too large.");
  return {precision,
          scientific ? 'e'
          : shortest ? 'g'
                     : 'f',
          static_cast<int>(c.attr("width").i()), fill.empty() ? '\0' : fill[0]};
}

template <typename T>
void integers(const NumberFormat& format, const Tensor& in, std::string* out) {
  PolledSteps polled;
  for (std::size_t i = 0; i < in.span<T>().size(); ++i, polled.step())
    out[i] = format.pad(std::to_string(in.data<T>()[i]), std::is_signed_v<T>);
}
template <typename T>
void reals(const NumberFormat& format, const Tensor& in, std::string* out) {
  PolledSteps polled;
  for (std::size_t i = 0; i < in.span<T>().size(); ++i, polled.step())
    out[i] = format.real(static_cast<double>(
        static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(in.data<T>()[i])));
}
template <typename T>
void complexes(const NumberFormat& format, const Tensor& in, std::string* out) {
  PolledSteps polled;
  for (std::size_t i = 0; i < in.span<T>().size(); ++i, polled.step())
    out[i] = "(" + format.real(in.data<T>()[i].real()) + "," + format.real(in.data<T>()[i].imag()) + ")";
}

void as_string(KernelContext& c) {
  NumberFormat format = read_format(c);
  const Tensor& in = c.input(0);
  auto* out = c.output(0).mutable_data<std::string>();
  switch (in.dtype()) {
    case DType::kFloat:
      return reals<float>(format, in, out);
    case DType::kDouble:
      return reals<double>(format, in, out);
    case DType::kHalf:
      return reals<Half>(format, in, out);
    case DType::kBFloat16:
      return reals<BFloat16>(format, in, out);
    case DType::kInt8:
      return integers<std::int8_t>(format, in, out);
    case DType::kInt16:
      return integers<std::int16_t>(format, in, out);
    case DType::kInt32:
      return integers<std::int32_t>(format, in, out);
    case DType::kInt64:
      return integers<std::int64_t>(format, in, out);
    case DType::kUInt8:
      return integers<std::uint8_t>(format, in, out);
    case DType::kUInt16:
      return integers<std::uint16_t>(format, in, out);
    case DType::kUInt32:
      return integers<std::uint32_t>(format, in, out);
    case DType::kUInt64:
      return integers<std::uint64_t>(format, in, out);
    case DType::kComplex64:
      return complexes<std::complex<float>>(format, in, out);
    case DType::kComplex128:
      return complexes<std::complex<double>>(format, in, out);
    default:
      break;
  }
  PolledSteps polled;
  for (std::int64_t i = 0; i < in.num_elements(); ++i, polled.step()) {
    if (in.dtype() == DType::kBool) {
      out[i] = in.data<bool>()[i] ? "true" : "false";
    } else if (in.dtype() == DType::kString) {
      out[i] = in.data<std::string>()[i];
      if (format.width > static_cast<int>(out[i].size())) {
        std::size_t missing = static_cast<std::size_t>(format.width) - out[i].size();
        out[i].insert(format.fill == '-' ? out[i].size() : 0, missing, ' ');
      }
    } else {
      auto* object = dynamic_cast<VariantObject*>(in.data<Ref<RefCounted>>()[i].get());
      out[i] = object ? object->type_name() : "0";
    }
  }
}

void string_format(KernelContext& c) {
  const std::string& pattern = c.attr("template").s();
  const std::string& placeholder = c.attr("placeholder").s();
  std::string out;
  std::size_t at = 0, next = 0;
  while (!placeholder.empty()) {
    std::size_t found = pattern.find(placeholder, at);
    if (found == std::string::npos) break;
    out += pattern.substr(at, found - at);
    if (next == c.num_inputs())
      invalid_argument("num placeholders in template and num inputs must match: more than ", next, " vs. ", next);
    out += format_tensor(c.input(next++), c.attr("summarize").i());
    at = found + placeholder.size();
  }
  if (next != c.num_inputs())
    invalid_argument("num placeholders in template and num inputs must match: ", next, " vs. ", c.num_inputs());
  *c.output(0).mutable_data<std::string>() = out + pattern.substr(at);
}

template <typename T>
void parse_all(const Tensor& in, Tensor& out) {
  PolledSteps polled;
  for (std::int64_t i = 0; i < in.num_elements(); ++i, polled.step()) {
    const std::string& text = in.data<std::string>()[i];
    const std::optional<T> value = parse_number<T>(text);
    if (!value) invalid_argument("StringToNumberOp could not correctly convert string: ", text);
    out.mutable_data<T>()[i] = *value;
  }
}

void string_to_number(KernelContext& c) {
  const Tensor& in = c.input(0);
  Tensor& out = c.output(0);
  switch (out.dtype()) {
    case DType::kFloat:
      return parse_all<float>(in, out);
    case DType::kDouble:
      return parse_all<double>(in, out);
    case DType::kInt32:
      return parse_all<std::int32_t>(in, out);
    case DType::kInt64:
      return parse_all<std::int64_t>(in, out);
    case DType::kUInt32:
      return parse_all<std::uint32_t>(in, out);
    default:
      return parse_all<std::uint64_t>(in, out);
  }
}

}  // namespace

void register_string_format(Registry& r) {
  r.add({
      .name = "AsString",
      .python = "strings.as_string(input, precision, scientific, shortest, width, fill)",
      .aliases = {"as_string"},
      .inputs = {"input: T"},
      .outputs = {"output: string"},
      .attrs =
          {"T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, "
           "complex128, bool, variant, string}",
           "precision: int = -1", "scientific: bool = false", "shortest: bool = false", "width: int = -1",
           "fill: string = ''"},
      .doc = "Each element as a string.\n\nFloating-point numbers have `precision` digits after the decimal point, 6 "
             "by default. `scientific` writes an exponent; `shortest` writes one where that is shorter. Shorter "
             "results are padded to `width`, as `fill` says.",
      .infer = infer::same_as_first,
      .kernel = as_string,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StringFormat",
      .inputs = {"inputs: T"},
      .outputs = {"output: string"},
      .attrs = {"T: list(type) >= 0", "template: string = '%s'", "placeholder: string = '%s'", "summarize: int = 3"},
      .doc = "The string `template` with each `placeholder` replaced by one input, formatted as text.",
      .infer = infer::scalar,
      .kernel = string_format,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StringToNumber",
      .inputs = {"string_tensor: string"},
      .outputs = {"output: out_type"},
      .attrs = {"out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT"},
      .doc = "The number that each string represents.\n\nRaises InvalidArgumentError if a string is not a number.",
      .infer = infer::same_as_first,
      .kernel = string_to_number,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
