// Tables from the lines of text files.
#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/poll.h"
#include "ops/lookup/table.h"

namespace tracefn {
namespace {

// Keys or values, as they are read.
class Column {
 public:
  Column(DType dtype, std::int64_t index, const TextFileFormat& format, std::string_view role)
      : dtype_(dtype), index_(index), format_(format) {
    if (index == TextFileFormat::kLineNumber && dtype != DType::kInt64)
      invalid_argument(role, " index for line number requires table ", role == "Key" ? "key" : "value",
                       " dtype of int64, got ", runtime_name(dtype));
  }

  void add(std::string_view line, const std::vector<std::string_view>& fields, std::int64_t number) {
    if (index_ == TextFileFormat::kLineNumber) {
      numbers_.push_back(number + format_.offset);
      return;
    }
    const std::string_view text =
        index_ == TextFileFormat::kWholeLine ? line : fields[static_cast<std::size_t>(index_)];
    if (dtype_ == DType::kString) {
      texts_.emplace_back(text);
    } else if (is_floating(dtype_)) {
      reals_.push_back(parsed<double>(text, number));
    } else {
      numbers_.push_back(parsed<std::int64_t>(text, number));
    }
  }

  Tensor tensor() const {
    if (dtype_ == DType::kString) return Tensor::vector<std::string>(texts_);
    if (dtype_ == DType::kFloat) return converted<float>(reals_);
    if (dtype_ == DType::kDouble) return converted<double>(reals_);
    return dtype_ == DType::kInt32 ? converted<std::int32_t>(numbers_) : converted<std::int64_t>(numbers_);
  }

 private:
  template <typename T>
  T parsed(std::string_view text, std::int64_t line) const {
    T value{};
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    bool valid = result.ec == std::errc() && result.ptr == end;
    if constexpr (std::is_integral_v<T>)
      valid = valid && (dtype_ != DType::kInt32 || value == static_cast<std::int32_t>(value));
    if (!valid) invalid_argument("Field ", text, " in line ", line, " is not a valid ", runtime_name(dtype_), ".");
    return value;
  }
  template <typename T, typename From>
  static Tensor converted(const std::vector<From>& values) {
    Tensor out(DTypeOf<T>::value, Shape({static_cast<std::int64_t>(values.size())}));
    for (std::size_t i = 0; i < values.size(); ++i) out.mutable_data<T>()[i] = static_cast<T>(values[i]);
    return out;
  }

  DType dtype_;
  std::int64_t index_;
  const TextFileFormat& format_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> numbers_;
  std::vector<double> reals_;
};

std::vector<std::string_view> split_fields(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(delimiter);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

void initialize_from_file(LookupTable& table, const std::string& path, const TextFileFormat& format) {
  Column keys(table.key_dtype(), format.key_index, format, "Key");
  Column values(table.value_dtype(), format.value_index, format, "Value");
  const std::int64_t needed = std::max(format.key_index, format.value_index) + 1;
  const std::string contents = read_local_file(path);
  std::string_view rest = contents;
  std::int64_t number = 0;
  if (rest.empty()) fail(ErrorKind::kOutOfRange, "Read less bytes than requested");
  PolledSteps polled;
  for (; !rest.empty() && number != format.size; ++number, polled.step()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty())
      invalid_argument("Invalid content in ", path, ": empty line found at position ", contents.size() - rest.size(),
                       ".");
    std::vector<std::string_view> fields;
    if (needed > 0) {
      fields = split_fields(line, format.delimiter);
      if (static_cast<std::int64_t>(fields.size()) < needed)
        invalid_argument("Invalid number of columns in ", path, " line ", number, " (", line, ") : expected at least ",
                         needed, " got ", fields.size());
    }
    keys.add(line, fields, number);
    values.add(line, fields, number);
  }
  if (format.size >= 0 && number < format.size)
    invalid_argument("Invalid vocab_size in ", path, ": expected ", format.size, " but got ", number);
  table.initialize(keys.tensor(), values.tensor());
}

}  // namespace tracefn
