// SaveDataset, SaveDatasetV2, LoadDataset, SnapshotDatasetV2: elements in files of a folder, one file for each number
// that a function gives its elements. DatasetToTFRecord; WrapDatasetVariant, UnwrapDatasetVariant.
#include <unistd.h>

#include <charconv>
#include <map>

#include "base/files.h"
#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/element_file.h"
#include "data/element_list.h"
#include "ops/image/image_codecs.h"

namespace tracefn::data {
namespace {

constexpr std::string_view kFileEnd = ".elements", kPartialEnd = ".partial";
// The file of a folder that says how many elements the others have.
constexpr std::string_view kCountFile = "/num_elements";

std::string file_of(const std::string& folder, std::int64_t number) {
  std::string digits = concat(number);
  return concat(folder, "/shard_", std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0'), digits);
}

// How files are compressed. They are this library's own: what is fast elsewhere ("SNAPPY", "AUTO") is stored as it is.
std::string compression_attr(const KernelContext& c) {
  const std::string& compression = c.attr("compression").s();
  if (compression.empty() || compression == "NONE" || compression == "SNAPPY" || compression == "AUTO") return "";
  check_compression(compression);
  return compression;
}

// Files appear when all are complete; until then they are partial ones, which nothing compresses. These go when the
// writer does, unless its position was saved: another one goes on with them then.
class ShardWriter {
 public:
  ShardWriter(std::string folder, std::string compression)
      : folder_(std::move(folder)), compression_(std::move(compression)) {
    make_local_directories(folder_);
  }
  ~ShardWriter() {
    if (kept_) return;
    for (const auto& [number, file] : files_) std::remove(partial(number).c_str());
  }
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;

  void write(std::int64_t number, const Element& element) {
    if (number < 0) invalid_argument("`shard_func` must return a number that is not negative, got ", number, ".");
    std::unique_ptr<ElementFileWriter>& file = files_[number];
    if (!file) file = std::make_unique<ElementFileWriter>(partial(number));
    file->write(element);
  }
  void finish(std::int64_t elements) {
    for (auto& [number, file] : files_) {
      file->finish();
      if (compression_.empty()) continue;
      const std::string path = partial(number);
      write_local_file(path, image_codecs().compress(compression_, read_local_file(path)));
    }
    for (auto& [number, file] : files_) rename_local_file(partial(number), complete(number));
    files_.clear();
    write_local_file(concat(folder_, kCountFile), concat(elements, "\n"));
  }

  void save(StateWriter& state) {
    kept_ = true;
    state.number(static_cast<std::int64_t>(files_.size()));
    for (auto& [number, file] : files_) {
      state.number(number);
      state.number(file->flush());
    }
  }
  void restore(StateReader& state) {
    kept_ = true;
    files_.clear();
    for (std::int64_t left = state.count(); left > 0; --left) {
      const std::int64_t number = state.count(), size = state.count();
      if (!exists(partial(number))) reopen(number);
      files_[number] = std::make_unique<ElementFileWriter>(partial(number), size);
    }
  }

 private:
  std::string partial(std::int64_t number) const { return concat(file_of(folder_, number), kPartialEnd); }
  std::string complete(std::int64_t number) const { return concat(file_of(folder_, number), kFileEnd); }
  static bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

  // Makes the partial file again of a complete one: it was finished after the position was saved.
  void reopen(std::int64_t number) const {
    std::string records = read_local_file(complete(number));
    if (!compression_.empty()) records = image_codecs().decompress(compression_, records);
    write_local_file(partial(number), records);
  }

  const std::string folder_, compression_;
  std::map<std::int64_t, std::unique_ptr<ElementFileWriter>> files_;
  bool kept_ = false;
};

// The number of the file of an element; null function: 0.
std::int64_t shard_of(const BoundFunction* function, const Element& element, std::int64_t number) {
  if (!function) return 0;
  Element args = element, results;
  try {
    function->run(args, results);
  } catch (const Error& e) {
    rethrow_for_element(e, "Save", number);
  }
  if (results.size() != 1 || results[0].dtype() != DType::kInt64 || results[0].num_elements() != 1)
    invalid_argument("`shard_func` must return a scalar int64.");
  return results[0].item<std::int64_t>();
}

void save(KernelContext& c) {
  const Ref<Dataset> input = dataset_input(c);
  auto context = make_ref<IteratorContext>(*input);
  const std::unique_ptr<Iterator> iterator = input->make_iterator(*context);
  std::unique_ptr<BoundFunction> function;
  if (c.attr("use_shard_func").b())
    function = CapturedFunction(c, "shard_func", "shard_func_other_args").bind(*context);
  ShardWriter writer(local_path(scalar_input<std::string>(c, "path")), compression_attr(c));
  PolledSteps polled(16);
  Element element;
  std::int64_t number = 0;
  for (; iterator->next(element); ++number, polled.step())
    writer.write(shard_of(function.get(), element, number), element);
  writer.finish(number);
}

class SavingIterator final : public Iterator {
 public:
  // `marker` is a file that is written when all are, if it is not empty.
  SavingIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> function, const std::string& folder,
                 const std::string& compression, std::string marker = {})
      : input_(std::move(input)),
        function_(std::move(function)),
        writer_(std::make_unique<ShardWriter>(folder, compression)),
        marker_(std::move(marker)) {}

  bool next(Element& out) override {
    if (!input_->next(out)) {
      if (writer_) {
        writer_->finish(number_);
        if (!marker_.empty()) write_local_file(marker_, "complete\n");
      }
      writer_ = nullptr;
      return false;
    }
    if (writer_) writer_->write(shard_of(function_.get(), out, number_++), out);
    return true;
  }
  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.flag(writer_ != nullptr);
    if (writer_) writer_->save(state);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    if (state.flag()) {
      writer_->restore(state);
    } else {
      writer_ = nullptr;
    }
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> function_;
  std::unique_ptr<ShardWriter> writer_;
  const std::string marker_;
  std::int64_t number_ = 0;
};

class SavingDataset final : public Dataset {
 public:
  SavingDataset(ElementSpec spec, Ref<Dataset> input, std::string folder, std::string compression,
                CapturedFunction function, bool use_function)
      : Dataset("SaveV2", std::move(spec), {std::move(input)}),
        folder_(std::move(folder)),
        compression_(std::move(compression)),
        function_(std::move(function)),
        use_function_(use_function) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<SavingIterator>(input().make_iterator(context),
                                            use_function_ ? function_.bind(context) : nullptr, folder_, compression_);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
  }

 private:
  const std::string folder_, compression_;
  const CapturedFunction function_;
  const bool use_function_;
};

void save_v2(KernelContext& c) {
  set_dataset(c,
              make_ref<SavingDataset>(spec_attrs(c), dataset_input(c), local_path(scalar_input<std::string>(c, "path")),
                                      compression_attr(c), CapturedFunction(c, "shard_func", "shard_func_other_args"),
                                      c.attr("use_shard_func").b()));
}

class ShardDataset final : public Dataset {
 public:
  ShardDataset(ElementSpec spec, std::string path, std::string compression)
      : Dataset("SavedShard", std::move(spec)), path_(std::move(path)), compression_(std::move(compression)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return element_file_iterator(path_, spec(), compression_);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }

 private:
  const std::string path_, compression_;
};

std::vector<std::string> shards_of(const std::string& folder) {
  return matching_local_files(concat(folder, "/shard_*", kFileEnd));
}

// Reads the files of a folder: `reader` makes a dataset of elements of the dataset of the files' datasets.
std::unique_ptr<Iterator> loading_iterator(const std::string& folder, const std::string& compression,
                                           const ElementSpec& spec, const CapturedFunction& reader,
                                           IteratorContext& context) {
  std::vector<Element> shards;
  for (const std::string& file : shards_of(folder))
    shards.push_back({Tensor::handle(DType::kVariant, make_ref<ShardDataset>(spec, file, compression))});
  Element args{
      Tensor::handle(DType::kVariant, dataset_of("SavedShards", {{DType::kVariant}, {Shape()}}, std::move(shards)))};
  Element results;
  reader.bind(context)->run(args, results);
  if (results.size() != 1) invalid_argument("`reader_func` must return a single dataset.");
  const Ref<Dataset> dataset = dataset_in(results[0]);
  check_types(spec.dtypes, dataset->spec().dtypes);
  check_shapes(spec.shapes, dataset->spec().shapes);
  return dataset->make_iterator(context);
}

// Unknown for folders of earlier versions.
std::int64_t saved_elements(const std::string& folder) {
  const std::string file = concat(folder, kCountFile);
  if (::access(file.c_str(), R_OK) != 0) return kUnknownCardinality;
  const std::string text = read_local_file(file);
  std::int64_t count = kUnknownCardinality;
  if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc() || count < 0)
    fail(ErrorKind::kDataLoss, "The file ", file, " does not hold a number of elements.");
  return count;
}

class LoadDataset final : public Dataset {
 public:
  LoadDataset(ElementSpec spec, std::string folder, std::string compression, CapturedFunction reader)
      : Dataset("Load", std::move(spec)),
        folder_(std::move(folder)),
        compression_(std::move(compression)),
        reader_(std::move(reader)),
        elements_(saved_elements(folder_)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return loading_iterator(folder_, compression_, spec(), reader_, context);
  }
  // As in TensorFlow, whatever the reader does.
  std::int64_t cardinality() const override { return elements_; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    reader_.visit_owned(visitor);
  }

 private:
  const std::string folder_, compression_;
  const CapturedFunction reader_;
  const std::int64_t elements_;
};

void load(KernelContext& c) {
  const std::string folder = local_path(scalar_input<std::string>(c, "path"));
  if (::access(folder.c_str(), R_OK | X_OK) != 0)
    fail(ErrorKind::kNotFound, "Could not find metadata file [", folder, "]: there is no saved dataset.");
  if (shards_of(folder).empty() && ::access((folder + "/snapshot.metadata").c_str(), F_OK) == 0)
    fail(ErrorKind::kUnimplemented, "The dataset in ", folder,
         " was saved by TensorFlow, whose files this cannot read. Write it there as TFRecords, or save it again here.");
  set_dataset(c, make_ref<LoadDataset>(spec_attrs(c), folder, compression_attr(c),
                                       CapturedFunction(c, "reader_func", "reader_func_other_args")));
}

// Writes the elements of the first pass to files, which later passes read. There is one folder for each `hash`, which
// stands for what the elements are computed from.
class SnapshotDataset final : public Dataset {
 public:
  SnapshotDataset(ElementSpec spec, Ref<Dataset> input, std::string folder, std::string compression,
                  CapturedFunction reader, CapturedFunction shard)
      : Dataset("SnapshotV2", std::move(spec), {std::move(input)}),
        folder_(std::move(folder)),
        compression_(std::move(compression)),
        reader_(std::move(reader)),
        shard_(std::move(shard)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    const std::string marker = folder_ + "/complete";
    if (::access(marker.c_str(), F_OK) == 0) return loading_iterator(folder_, compression_, spec(), reader_, context);
    return std::make_unique<SavingIterator>(input().make_iterator(context), shard_.bind(context), folder_, compression_,
                                            marker);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    reader_.visit_owned(visitor);
    shard_.visit_owned(visitor);
  }

 private:
  const std::string folder_, compression_;
  const CapturedFunction reader_, shard_;
};

void snapshot(KernelContext& c) {
  const std::string path = local_path(scalar_input<std::string>(c, "path"));
  Ref<Dataset> input = dataset_input(c);
  const std::uint64_t hash =
      c.attr("hash_valid").b() ? static_cast<std::uint64_t>(c.attr("hash").i()) : input->fingerprint();
  set_dataset(c,
              make_ref<SnapshotDataset>(spec_attrs(c), std::move(input), concat(path, "/", hash), compression_attr(c),
                                        CapturedFunction(c, "reader_func", "reader_func_other_args"),
                                        CapturedFunction(c, "shard_func", "shard_func_other_args")));
}

void to_tf_record(KernelContext& c) {
  const Ref<Dataset> input = dataset_input(c);
  auto context = make_ref<IteratorContext>(*input);
  const std::unique_ptr<Iterator> iterator = input->make_iterator(*context);
  RecordWriter writer(local_path(scalar_input<std::string>(c, "filename")),
                      scalar_input<std::string>(c, "compression_type"));
  PolledSteps polled(64);
  for (Element element; iterator->next(element); polled.step()) {
    if (element.size() != 1 || element[0].dtype() != DType::kString || element[0].rank() != 0)
      invalid_argument("Each element must be a scalar string.");
    writer.write(element[0].item<std::string>());
  }
  writer.finish();
}

// A dataset as a value that a runtime passes between devices; here they are the same.
void wrap(KernelContext& c) { c.set_output(0, Tensor::handle(DType::kVariant, dataset_in(c.input(0)))); }

}  // namespace

void register_saving(Registry& r) {
  const DatasetRecord plain{.metadata = false};
  const std::vector<std::string_view> inputs = {"input_dataset: variant", "path: string",
                                                "shard_func_other_args: Tshard_func_args"};
  const std::vector<std::string_view> attrs = {"compression: string = ''", "shard_func: func",
                                               "use_shard_func: bool = true", "Tshard_func_args: list(type) >= 0"};
  r.add({.name = "SaveDataset",
         .inputs = inputs,
         .attrs = attrs,
         .stateful = true,
         .facts = {.keeps_functions = true},
         .doc = "Writes the elements of a dataset to files of a folder, which LoadDataset reads. `shard_func(element)` "
                "is the number of an element's file.",
         .infer = infer::nothing,
         .kernel = save,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  add_dataset(r,
              {.name = "SaveDatasetV2",
               .inputs = inputs,
               .attrs = attrs,
               .stateful = true,
               .doc = "The same dataset, whose elements are written to files of a folder as they are read.",
               .kernel = save_v2},
              plain);
  add_dataset(r,
              {.name = "LoadDataset",
               .inputs = {"path: string", "reader_func_other_args: Treader_func_args"},
               .attrs = {"compression: string = ''", "reader_func: func", "Treader_func_args: list(type) >= 0"},
               .stateful = true,
               .doc = "The dataset that `reader_func` makes of the datasets of the files of a saved one.",
               .kernel = load},
              plain);
  add_dataset(r, {.name = "SnapshotDatasetV2",
                  .inputs = {"input_dataset: variant", "path: string", "reader_func_other_args: Treader_func_args",
                             "shard_func_other_args: Tshard_func_args"},
                  .attrs = {"compression: string = ''", "reader_prefix: string = ''", "writer_prefix: string = ''",
                            "hash_valid: bool = false", "hash: int = 0", "reader_func: func", "shard_func: func",
                            "Treader_func_args: list(type) >= 0", "Tshard_func_args: list(type) >= 0"},
                  .doc = "The same dataset, whose elements are written to files of a folder by the first complete "
                         "pass and read from there by later ones.",
                  .kernel = snapshot});
  r.add({.name = "DatasetToTFRecord",
         .inputs = {"input_dataset: variant", "filename: string", "compression_type: string"},
         .stateful = true,
         .doc = "Writes the elements of a dataset, scalar strings, to a TFRecord file.",
         .infer = infer::nothing,
         .kernel = to_tf_record,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  for (std::string_view name : {"WrapDatasetVariant", "UnwrapDatasetVariant"})
    r.add({.name = name,
           .inputs = {"input_handle: variant"},
           .outputs = {"output_handle: variant"},
           .doc = "The same dataset.",
           .infer = infer::scalar,
           .kernel = wrap,
           .allocation = Allocation::kObjects,
           .grad = not_differentiable});
}

}  // namespace tracefn::data
