// CSVDataset and its version 2: the records of CSV files as columns. A record goes on in the next line if the quotes in
// it are not closed.
#include <algorithm>

#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/op_call.h"
#include "data/record_file.h"

namespace tracefn::data {
namespace {

struct CsvFormat {
  std::vector<std::string> filenames;
  std::string compression;
  std::int64_t buffer_size = 0;
  bool header = false, quotes = true;
  std::string delimiter, not_available;
  std::vector<std::int64_t> columns;  // empty: all
  std::vector<Tensor> defaults;
};

class CsvIterator final : public Iterator {
 public:
  explicit CsvIterator(const CsvFormat& format) : format_(format), decode_(decoding(format)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (; at_ < format_.filenames.size(); polled.step()) {
      if (!file_) open();
      if (read()) {
        decode(out);
        return true;
      }
      file_ = nullptr;
      ++at_;
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.number(static_cast<std::int64_t>(at_));
    state.number(file_ ? number_ : 0);
  }
  void restore(StateReader& state) override {
    file_ = nullptr;
    at_ = static_cast<std::size_t>(state.count(static_cast<std::int64_t>(format_.filenames.size())));
    const std::int64_t passed = state.count();
    if (passed == 0) return;
    if (at_ >= format_.filenames.size()) StateReader::fail_to_read();
    open();
    while (number_ < passed)
      if (!read()) StateReader::fail_to_read();
  }

 private:
  void open() {
    number_ = 0;
    // A file that cannot be read is left out from then on.
    const std::string& name = format_.filenames[at_];
    try {
      file_ = std::make_unique<InputFile>(name, format_.compression, format_.buffer_size);
    } catch (const Error&) {
      ++at_;
      throw;
    }
    if (format_.header) file_->read_line(line_);
  }

  // The next record into record_; false at the end of the file.
  bool read() {
    if (!file_->read_line(record_)) return false;
    PolledSteps polled;
    while (format_.quotes && std::count(record_.begin(), record_.end(), '"') % 2 != 0) {
      if (!file_->read_line(line_)) break;
      record_.append("\n").append(line_);
      polled.step();
    }
    ++number_;
    return true;
  }

  void decode(Element& out) {
    std::vector<Tensor> inputs{Tensor::scalar(record_)};
    inputs.insert(inputs.end(), format_.defaults.begin(), format_.defaults.end());
    try {
      out = decode_(std::move(inputs));
    } catch (const Error& e) {  // the one record that the op has seen has no number in the file
      constexpr std::string_view numbered = " in record 0";
      std::string message = e.message();
      if (std::size_t at = message.find(numbered); at != std::string::npos) message.erase(at + numbered.size() - 2, 2);
      throw Error(e.kind(), std::move(message));
    }
  }

  static OpCall decoding(const CsvFormat& format) {
    std::vector<DType> dtypes;
    for (const Tensor& t : format.defaults) dtypes.push_back(t.dtype());
    return {"DecodeCSV",
            {{"OUT_TYPE", std::move(dtypes)},
             {"field_delim", format.delimiter},
             {"use_quote_delim", format.quotes},
             {"na_value", format.not_available},
             {"select_cols", format.columns}}};
  }

  const CsvFormat format_;
  const OpCall decode_;
  std::size_t at_ = 0;
  std::unique_ptr<InputFile> file_;
  std::int64_t number_ = 0;
  std::string record_, line_;
};

class CsvDataset final : public Dataset {
 public:
  CsvDataset(ElementSpec spec, CsvFormat format) : Dataset("CSV", std::move(spec)), format_(std::move(format)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<CsvIterator>(format_);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }

 private:
  const CsvFormat format_;
};

void check_increasing(std::string_view name, const std::vector<std::int64_t>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) invalid_argument(name, " should be non-negative indices");
    if (i > 0 && columns[i] <= columns[i - 1]) invalid_argument(name, " should be strictly increasing indices");
  }
}

// All columns but those that are left out.
std::vector<std::int64_t> others(const std::vector<std::int64_t>& left_out, std::size_t count) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; found.size() < count; ++i)
    if (!std::binary_search(left_out.begin(), left_out.end(), i)) found.push_back(i);
  return found;
}

void make_csv(KernelContext& c, const std::vector<std::int64_t>& left_out) {
  CsvFormat format;
  const Tensor& names = input_named(c, "filenames");
  if (names.rank() > 1) invalid_argument("`filenames` must be a scalar or a vector.");
  format.filenames.assign(names.span<std::string>().begin(), names.span<std::string>().end());
  format.compression = scalar_input<std::string>(c, "compression_type");
  check_compression(format.compression);
  format.buffer_size = scalar_input<std::int64_t>(c, "buffer_size");
  if (format.buffer_size <= 0) invalid_argument("buffer_size should be positive");
  format.header = scalar_input<bool>(c, "header");
  format.delimiter = scalar_input<std::string>(c, "field_delim");
  if (format.delimiter.size() != 1) invalid_argument("field_delim should be only 1 char");
  format.quotes = scalar_input<bool>(c, "use_quote_delim");
  format.not_available = scalar_input<std::string>(c, "na_value");
  format.columns = vector_input<std::int64_t>(c, "select_cols");
  format.defaults = list_input(c, "record_defaults");
  const std::size_t count = format.defaults.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (format.defaults[i].rank() > 1) invalid_argument("Each record default should be at most rank 1");
    if (format.defaults[i].num_elements() > 1)
      invalid_argument("There should only be 1 default per field but field ", i, " has ",
                       format.defaults[i].num_elements());
  }
  if (!format.columns.empty() && format.columns.size() != count)
    invalid_argument("select_cols should match output size");
  check_increasing("select_cols", format.columns);
  check_increasing("exclude_cols", left_out);
  if (!left_out.empty()) {
    if (!format.columns.empty()) invalid_argument("Either select_cols or exclude_cols should be empty");
    if (left_out.back() >= static_cast<std::int64_t>(count + left_out.size()))
      invalid_argument("The number of record defaults and of columns that are read differ");
    format.columns = others(left_out, count);
  }
  set_dataset(c, make_ref<CsvDataset>(spec_attrs(c), std::move(format)));
}

void csv(KernelContext& c) { make_csv(c, {}); }
void csv_v2(KernelContext& c) { make_csv(c, vector_input<std::int64_t>(c, "exclude_cols")); }

}  // namespace

void register_csv_dataset(Registry& r) {
  const std::vector<std::string_view> attrs = {"output_types: list({float, double, int32, int64, string}) >= 1",
                                               "output_shapes: list(shape) >= 1"};
  const DatasetRecord plain{.types = false, .metadata = false};
  OpRecord record{.name = "CSVDataset",
                  .inputs = {"filenames: string", "compression_type: string", "buffer_size: int64", "header: bool",
                             "field_delim: string", "use_quote_delim: bool", "na_value: string", "select_cols: int64",
                             "record_defaults: output_types"},
                  .attrs = attrs,
                  .stateful = true,
                  .doc = "A dataset of the records of CSV files, whose components are the columns.",
                  .kernel = csv};
  add_dataset(r, record, plain);
  record.name = "CSVDatasetV2";
  record.inputs.push_back("exclude_cols: int64");
  record.kernel = csv_v2;
  add_dataset(r, record, plain);
}

}  // namespace tracefn::data
