// TextLineDataset, TFRecordDataset, FixedLengthRecordDataset and their versions: what stands in files, one after
// another. MatchingFilesDataset: names of files.
#include <algorithm>

#include "base/files.h"
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_list.h"
#include "data/iterator_context.h"
#include "data/record_file.h"

namespace tracefn::data {
namespace {

struct FileFormat {
  enum Kind { kLines, kRecords, kFixed } kind;
  std::vector<std::string> filenames;
  std::string compression;
  std::int64_t buffer_size = 0;
  std::vector<std::int64_t> byte_offsets = {};                        // of records: where each file is read from
  std::int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0;  // of a fixed length
};

class FilesIterator final : public Iterator {
 public:
  explicit FilesIterator(const FileFormat& format) : format_(format) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (; at_ < format_.filenames.size(); polled.step()) {
      if (!file_) open();
      // An error ends the file that has it.
      try {
        if (read(text_)) {
          ++number_;
          if (out.size() != 1) out.assign(1, Tensor());
          if (!(out[0].dtype() == DType::kString && out[0].rank() == 0 && out[0].writable()))
            out[0] = Tensor(DType::kString, Shape());
          std::swap(*out[0].mutable_data<std::string>(), text_);
          return true;
        }
      } catch (const Error&) {
        close();
        throw;
      }
      close();
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.number(static_cast<std::int64_t>(at_));
    state.number(file_ ? number_ : 0);
  }
  void restore(StateReader& state) override {
    close();
    at_ = static_cast<std::size_t>(state.count(static_cast<std::int64_t>(format_.filenames.size())));
    const std::int64_t passed = state.count();
    if (passed == 0) return;
    if (at_ >= format_.filenames.size()) StateReader::fail_to_read();
    open();
    for (number_ = 0; number_ < passed; ++number_)
      if (!read(text_)) StateReader::fail_to_read();
  }

 private:
  void open() {
    const std::string& name = format_.filenames[at_];
    number_ = 0;
    file_ = nullptr;
    try {
      file_ = std::make_unique<InputFile>(name, format_.compression, format_.buffer_size);
    } catch (const Error&) {
      ++at_;
      throw;
    }
    records_ = format_.kind == FileFormat::kRecords ? std::make_unique<RecordReader>(*file_) : nullptr;
    if (!format_.byte_offsets.empty()) file_->skip(format_.byte_offsets[at_]);
    if (format_.kind == FileFormat::kFixed) begin_fixed();
  }
  void close() {
    if (!file_) return;
    records_ = nullptr;
    file_ = nullptr;
    ++at_;
  }

  void begin_fixed() {
    const std::int64_t body = file_->size() - format_.header_bytes - format_.footer_bytes;
    if (file_->size() >= 0 && (body < 0 || body % format_.record_bytes != 0)) {
      const std::string name = file_->path();
      close();
      invalid_argument("Excluding the header (", format_.header_bytes, " bytes) and footer (", format_.footer_bytes,
                       " bytes), input file \"", name, "\" has body length ", body,
                       " bytes, which is not an exact multiple of the record length (", format_.record_bytes,
                       " bytes).");
    }
    file_->skip(format_.header_bytes);
    left_ = body / format_.record_bytes;
  }

  bool read(std::string& text) {
    switch (format_.kind) {
      case FileFormat::kLines:
        if (!file_->read_line(text)) return false;
        std::erase(text, '\r');  // wherever it is, as TensorFlow reads lines
        return true;
      case FileFormat::kRecords:
        return records_->next(text);
      default:
        if (left_ == 0) return false;
        --left_;
        text.clear();
        return file_->read(static_cast<std::size_t>(format_.record_bytes), text) ==
               static_cast<std::size_t>(format_.record_bytes);
    }
  }

  const FileFormat format_;
  std::size_t at_ = 0;
  std::unique_ptr<InputFile> file_;
  std::unique_ptr<RecordReader> records_;
  std::int64_t number_ = 0, left_ = 0;
  std::string text_;
};

ElementSpec one_string() { return {{DType::kString}, {Shape()}}; }

class FilesDataset final : public Dataset {
 public:
  FilesDataset(std::string_view kind, FileFormat format) : Dataset(kind, one_string()), format_(std::move(format)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<FilesIterator>(format_);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }

 private:
  const FileFormat format_;
};

std::vector<std::string> names_input(const KernelContext& c, std::string_view name) {
  const Tensor& t = input_named(c, name);
  if (t.rank() > 1) invalid_argument("`", name, "` must be a scalar or a vector.");
  return {t.span<std::string>().begin(), t.span<std::string>().end()};
}

FileFormat format_inputs(const KernelContext& c, FileFormat::Kind kind) {
  FileFormat format{kind, names_input(c, "filenames"), "", scalar_input<std::int64_t>(c, "buffer_size")};
  if (format.buffer_size < 0)
    invalid_argument("`buffer_size` must be >= 0 (0 == ", kind == FileFormat::kRecords ? "no buffering" : "default",
                     ")");
  return format;
}

void text_line(KernelContext& c) {
  FileFormat format = format_inputs(c, FileFormat::kLines);
  format.compression = scalar_input<std::string>(c, "compression_type");
  check_compression(format.compression);
  set_dataset(c, make_ref<FilesDataset>("TextLine", std::move(format)));
}

void tf_record(KernelContext& c) {
  FileFormat format = format_inputs(c, FileFormat::kRecords);
  format.compression = scalar_input<std::string>(c, "compression_type");
  check_compression(format.compression);
  if (c.num_inputs() > 3) {
    format.byte_offsets = vector_input<std::int64_t>(c, "byte_offsets");
    if (!format.byte_offsets.empty() && format.byte_offsets.size() != format.filenames.size())
      invalid_argument("`byte_offsets` must have the same number of elements as `filenames`");
    for (std::int64_t offset : format.byte_offsets)
      if (offset < 0) invalid_argument("`byte_offsets` must be >= 0, got ", offset);
  }
  set_dataset(c, make_ref<FilesDataset>("TFRecord", std::move(format)));
}

void fixed_length(KernelContext& c) {
  FileFormat format = format_inputs(c, FileFormat::kFixed);
  format.header_bytes = scalar_input<std::int64_t>(c, "header_bytes");
  format.record_bytes = scalar_input<std::int64_t>(c, "record_bytes");
  format.footer_bytes = scalar_input<std::int64_t>(c, "footer_bytes");
  if (format.header_bytes < 0) invalid_argument("`header_bytes` must be >= 0");
  if (format.record_bytes <= 0) invalid_argument("`record_bytes` must be > 0");
  if (format.footer_bytes < 0) invalid_argument("`footer_bytes` must be >= 0");
  if (c.num_inputs() > 5) format.compression = scalar_input<std::string>(c, "compression_type");
  check_compression(format.compression);
  set_dataset(c, make_ref<FilesDataset>("FixedLengthRecord", std::move(format)));
}

void matching_files(KernelContext& c) {
  std::vector<Element> names;
  std::vector<std::string> all;
  for (const std::string& pattern : names_input(c, "patterns"))
    for (std::string& name : matching_local_files(pattern)) all.push_back(std::move(name));
  std::sort(all.begin(), all.end());
  for (const std::string& name : all) names.push_back({Tensor::scalar(name)});
  set_dataset(c, dataset_of("MatchingFiles", one_string(), std::move(names)));
}

}  // namespace

void register_readers(Registry& r) {
  auto add = [&](std::string_view name, std::vector<std::string_view> inputs, std::string_view doc, KernelFn kernel,
                 bool metadata = true) {
    add_dataset(r, {.name = name, .inputs = std::move(inputs), .stateful = true, .doc = doc, .kernel = kernel},
                {.types = false, .metadata = metadata});
  };
  add("TextLineDataset", {"filenames: string", "compression_type: string", "buffer_size: int64"},
      "A dataset of the lines of text files, without their ends.", text_line);
  constexpr std::string_view kRecords =
      "A dataset of the records of TFRecord files.\n\nRaises DataLossError if one is damaged.";
  add("TFRecordDataset", {"filenames: string", "compression_type: string", "buffer_size: int64"}, kRecords, tf_record);
  add("TFRecordDatasetV2",
      {"filenames: string", "compression_type: string", "buffer_size: int64", "byte_offsets: int64"}, kRecords,
      tf_record);
  constexpr std::string_view kFixed =
      "A dataset of the records of files in which all have the same length, between a header and a footer.";
  add("FixedLengthRecordDataset",
      {"filenames: string", "header_bytes: int64", "record_bytes: int64", "footer_bytes: int64", "buffer_size: int64"},
      kFixed, fixed_length);
  add("FixedLengthRecordDatasetV2",
      {"filenames: string", "header_bytes: int64", "record_bytes: int64", "footer_bytes: int64", "buffer_size: int64",
       "compression_type: string"},
      kFixed, fixed_length);
  add("MatchingFilesDataset", {"patterns: string"}, "A dataset of the names of the files that match the patterns.",
      matching_files, false);
}

}  // namespace tracefn::data
