// DecodeCSV: records of RFC 4180 as columns.
#include <vector>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/strings/number_parse.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

struct Format {
  char delimiter;
  bool quotes;
  const std::string& not_available;
  const std::vector<std::int64_t>& columns;  // in increasing order; empty: all
};

// Splits one record, and keeps the fields that are selected.
class Fields {
 public:
  explicit Fields(const Format& format) : format_(format) {}

  const std::vector<std::string>& split(std::string_view record) {
    fields_.clear();
    record_ = record;
    at_ = 0;
    std::size_t next_column = 0;
    std::int64_t column = 0;
    for (bool more = !record.empty(); more; ++column) {
      const bool selected =
          format_.columns.empty() || (next_column < format_.columns.size() && format_.columns[next_column] == column);
      field_.clear();
      const bool quoted = format_.quotes && at_ < record.size() && record[at_] == '"';
      quoted ? read_quoted() : read_plain();
      if (selected) {
        fields_.push_back(field_);
        ++next_column;
      }
      more = at_ < record.size();
      if (more) ++at_;
      // A delimiter at the end is followed by an empty field.
      if (more && at_ == record.size()) {
        ++column;
        if (format_.columns.empty() || (next_column < format_.columns.size() && format_.columns[next_column] == column))
          fields_.emplace_back();
        break;
      }
    }
    return fields_;
  }

 private:
  // Stops at the delimiter or the end.
  void read_plain() {
    for (; at_ < record_.size() && record_[at_] != format_.delimiter; ++at_) {
      const char c = record_[at_];
      if (c == '\n' || c == '\r' || (format_.quotes && c == '"'))
        invalid_argument("Unquoted fields cannot have quotes/CRLFs inside");
      field_ += c;
    }
  }
  void read_quoted() {
    for (++at_; at_ < record_.size(); ++at_) {
      if (record_[at_] != '"') {
        field_ += record_[at_];
        continue;
      }
      ++at_;
      if (at_ == record_.size() || record_[at_] == format_.delimiter) return;
      if (record_[at_] != '"') invalid_argument("Quote inside a string has to be escaped by another quote");
      field_ += '"';
    }
    invalid_argument("Quoted field has to end with quote followed by delim or end");
  }

  const Format& format_;
  std::string_view record_;
  std::size_t at_ = 0;
  std::string field_;
  std::vector<std::string> fields_;
};

template <typename T>
void put(Tensor& out, std::int64_t record, std::size_t field, const std::string& text) {
  const std::optional<T> value = parse_number<T>(text);
  if (!value)
    invalid_argument("Field ", field, " in record ", record, " is not a valid ", runtime_name(out.dtype()), ": ", text);
  out.mutable_data<T>()[record] = *value;
}

void put_field(Tensor& out, std::int64_t record, std::size_t field, const std::string& text) {
  switch (out.dtype()) {
    case DType::kInt32:
      return put<std::int32_t>(out, record, field, text);
    case DType::kInt64:
      return put<std::int64_t>(out, record, field, text);
    case DType::kFloat:
      return put<float>(out, record, field, text);
    case DType::kDouble:
      return put<double>(out, record, field, text);
    default:
      out.mutable_data<std::string>()[record] = text;
  }
}

void put_default(Tensor& out, std::int64_t record, const Tensor& value) {
  const std::size_t size = size_of(out.dtype());
  copy_elements(out.dtype(), value.raw(),
                static_cast<char*>(out.mutable_raw()) + size * static_cast<std::size_t>(record), 1);
}

void check_delimiter(const KernelContext& c) {
  if (c.attr("field_delim").s().size() != 1) invalid_argument("field_delim should be only 1 char");
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    const Tensor& value = c.input(i);
    if (value.rank() > 1) invalid_argument("Each record default should be at most rank 1");
    if (value.num_elements() > 1)
      invalid_argument("There should only be 1 default per field but field ", i - 1, " has ", value.num_elements());
  }
}

void infer_csv(InferContext& c) {
  for (std::size_t i = 1; i < c.num_inputs(); ++i) {
    const Shape& shape = c.shape(i);
    if (shape.has_rank() && (shape.rank() > 1 || (shape.rank() == 1 && shape[0] > 1)))
      invalid_argument("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
    c.set_output(i - 1, c.shape(0));
  }
}

void decode_csv(KernelContext& c) {
  const std::vector<std::int64_t>& columns = c.attr("select_cols").ints();
  const std::size_t count = c.num_outputs();
  if (!columns.empty() && columns.size() != count)
    invalid_argument("select_cols should match output size, but has ", columns.size(), " where there are ", count);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1]))
      invalid_argument("select_cols should be strictly increasing indices");
  const Format format{c.attr("field_delim").s()[0], c.attr("use_quote_delim").b(), c.attr("na_value").s(), columns};
  Fields fields(format);
  const auto records = c.input(0).span<std::string>();
  PolledSteps polled;
  for (std::size_t i = 0; i < records.size(); ++i, polled.step()) {
    const std::vector<std::string>& found = fields.split(records[i]);
    const auto record = static_cast<std::int64_t>(i);
    if (found.size() != count)
      invalid_argument("Expect ", count, " fields but have ", found.size(), " in record ", record);
    for (std::size_t f = 0; f < count; ++f) {
      if (!found[f].empty() && found[f] != format.not_available) {
        put_field(c.output(f), record, f, found[f]);
        continue;
      }
      const Tensor& value = c.input(f + 1);
      if (value.num_elements() == 0) invalid_argument("Field ", f, " is required but missing in record ", record, "!");
      put_default(c.output(f), record, value);
    }
  }
}

}  // namespace

void register_decode_csv(Registry& r) {
  r.add({.name = "DecodeCSV",
         .inputs = {"records: string", "record_defaults: OUT_TYPE"},
         .outputs = {"output: OUT_TYPE"},
         .attrs = {"OUT_TYPE: list({float, double, int32, int64, string}) >= 1", "field_delim: string = ','",
                   "use_quote_delim: bool = true", "na_value: string = ''", "select_cols: list(int) = []"},
         .doc = "Records of comma-separated values as one tensor for each column.",
         .infer = infer_csv,
         .check = check_delimiter,
         .kernel = decode_csv,
         .grad = without_gradient});
}

}  // namespace tracefn
