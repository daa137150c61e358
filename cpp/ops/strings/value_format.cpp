// Formats values, single and nested.
#include "ops/strings/value_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/poll.h"
#include "ops/state/variable_resource.h"
#include "ops/variant_object.h"
#include "tensor/stored_types.h"

namespace tracefn {
namespace {

template <typename T>
std::string shortest_of(T value, int few, int enough) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, few).ptr;
  T back = 0;
  std::from_chars(buffer, end, back);
  if (back != value) end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, enough).ptr;
  return std::string(buffer, end);
}

std::string element_text(const Tensor& t, std::int64_t i, bool quoted) {
  switch (t.dtype()) {
    case DType::kFloat:
      return number_text(t.data<float>()[i]);
    case DType::kDouble:
      return number_text(t.data<double>()[i]);
    case DType::kHalf:
      return number_text(static_cast<float>(t.data<Half>()[i]));
    case DType::kBFloat16:
      return number_text(static_cast<float>(t.data<BFloat16>()[i]));
    case DType::kInt8:
      return std::to_string(t.data<std::int8_t>()[i]);
    case DType::kInt16:
      return std::to_string(t.data<std::int16_t>()[i]);
    case DType::kInt32:
      return std::to_string(t.data<std::int32_t>()[i]);
    case DType::kInt64:
      return std::to_string(t.data<std::int64_t>()[i]);
    case DType::kUInt8:
      return std::to_string(t.data<std::uint8_t>()[i]);
    case DType::kUInt16:
      return std::to_string(t.data<std::uint16_t>()[i]);
    case DType::kUInt32:
      return std::to_string(t.data<std::uint32_t>()[i]);
    case DType::kUInt64:
      return std::to_string(t.data<std::uint64_t>()[i]);
    case DType::kBool:
      return t.data<bool>()[i] ? "1" : "0";
    case DType::kString: {
      std::string text = escaped(t.data<std::string>()[i]);
      return quoted ? "\"" + text + "\"" : text;
    }
    case DType::kVariant: {
      auto* object = dynamic_cast<VariantObject*>(t.data<Ref<RefCounted>>()[i].get());
      return "<" + (object ? object->type_name() : std::string("0")) + ">";
    }
    case DType::kResource: {
      auto* variable = dynamic_cast<VariableResource*>(t.data<Ref<RefCounted>>()[i].get());
      if (!variable) return "<ResourceHandle>";
      return concat("<ResourceHandle(name=\"", variable->name(),
                    "\", device=\"/job:localhost/replica:0/task:0/device:CPU:0\", container=\"Anonymous\", "
                    "type=\"tensorflow::Var\", dtype and shapes : \"[ DType enum: ",
                    slot(variable->dtype()), ", Shape: ", variable->shape().text(), " ]\")>");
    }
    default:
      return "?";  // complex numbers, which TensorFlow's runtime does not write either
  }
}

class Nested {
 public:
  Nested(const Tensor& t, std::int64_t ends) : t_(t), ends_(ends) {}

  std::string text() {
    axis(0, 0);
    return std::move(out_);
  }

 private:
  void axis(int depth, std::int64_t at) {
    polled_.step();
    if (depth == t_.rank()) {
      out_ += element_text(t_, at, true);
      return;
    }
    out_ += "[";
    std::int64_t count = t_.dim(depth), stride = 1;
    for (int i = depth + 1; i < t_.rank(); ++i) stride *= t_.dim(i);
    for (std::int64_t i = 0; i < std::min(ends_, count); ++i) {
      if (i > 0) space(depth);
      axis(depth + 1, at + i * stride);
    }
    if (count > 2 * ends_) {
      space(depth);
      out_ += "...";
    }
    for (std::int64_t i = std::max(ends_, count - ends_); i < count; ++i) {
      space(depth);
      axis(depth + 1, at + i * stride);
    }
    out_ += "]";
  }

  // A space between numbers; as many line breaks between parts as they have dimensions.
  void space(int depth) {
    if (depth == t_.rank() - 1) {
      out_ += " ";
      return;
    }
    out_.append(static_cast<std::size_t>(t_.rank() - depth - 1), '\n');
    out_.append(static_cast<std::size_t>(depth + 1), ' ');
  }

  const Tensor& t_;
  std::int64_t ends_;
  std::string out_;
  PolledSteps polled_;
};

void summarize_axis(const Tensor& t, int depth, std::int64_t limit, std::int64_t& at, std::string& out) {
  std::int64_t count = t.dim(depth);
  if (depth == t.rank() - 1) {
    PolledSteps polled;
    for (std::int64_t i = 0; i < count; ++i, polled.step()) {
      if (at >= limit) {
        out += "...";
        return;
      }
      if (i > 0) out += " ";
      out += element_text(t, at++, false);
    }
    return;
  }
  PolledSteps polled;
  for (std::int64_t i = 0; i < count && at < limit; ++i, polled.step()) {
    out += "[";
    summarize_axis(t, depth + 1, limit, at, out);
    out += "]";
  }
}

}  // namespace

std::string number_text(float value) { return shortest_of(value, 6, 9); }
std::string number_text(double value) { return shortest_of(value, 15, 17); }

std::string printf_text(double value, char style, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::chars_format format = style == 'f'   ? std::chars_format::fixed
                             : style == 'e' ? std::chars_format::scientific
                                            : std::chars_format::general;
  // 309 digits before the point, a sign, a point, and the requested digits.
  std::vector<char> buffer(static_cast<std::size_t>(precision) + 400);
  return std::string(buffer.data(),
                     std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr);
}

std::string escaped(std::string_view text) {
  static constexpr char octal[] = "01234567";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += '\\';
      out += octal[byte >> 6];
      out += octal[(byte >> 3) & 7];
      out += octal[byte & 7];
    } else {
      out += c;
    }
  }
  return out;
}

std::string format_tensor(const Tensor& t, std::int64_t summarize) {
  std::int64_t n = t.num_elements();
  if (t.rank() == 0 && summarize == 0) return "...";
  const Tensor numbers = numbers_of(t);
  return Nested(numbers, summarize < 0 ? n : std::min(summarize, n)).text();
}

std::string summarize_value(const Tensor& t, std::int64_t limit) {
  if (is_stored_only(t.dtype())) return summarize_value(numbers_of(t), limit);
  std::int64_t n = t.num_elements();
  if (limit < 0 || limit > n) limit = n;
  if (t.rank() == 0) return limit > 0 ? element_text(t, 0, false) : "";
  std::string out;
  std::int64_t at = 0;
  if (t.rank() == 1) {
    PolledSteps polled;
    for (; at < limit; ++at, polled.step()) out += (at ? " " : "") + element_text(t, at, false);
  } else {
    summarize_axis(t, 0, limit, at, out);
  }
  if (n > limit) out += "...";
  return out;
}

}  // namespace tracefn
