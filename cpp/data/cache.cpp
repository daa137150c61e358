// CacheDataset, CacheDatasetV2: the elements of another dataset, kept after its first pass in memory or in a file.
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <mutex>

#include "base/files.h"
#include "base/host_lock.h"
#include "base/poll.h"
#include "data/dataset_ops.h"
#include "data/element_file.h"
#include "data/element_list.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

// Filled by the first iterator that reaches the end. Any thread may call.
class MemoryCache : public RefCounted {
 public:
  // Null until it is filled.
  std::shared_ptr<const std::vector<Element>> elements() {
    std::lock_guard lock(mutex_);
    return elements_;
  }
  void fill(std::vector<Element> elements) {
    auto made = std::make_shared<const std::vector<Element>>(std::move(elements));
    std::lock_guard lock(mutex_);
    if (!elements_) elements_ = std::move(made);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const std::vector<Element>> elements_;
};

// Reads the input up to the number that is asked for, and keeps what it has read.
class CacheReader final : public ElementReader {
 public:
  CacheReader(std::unique_ptr<Iterator> input, Ref<MemoryCache> cache)
      : input_(std::move(input)), cache_(std::move(cache)) {}
  void get(std::int64_t index, Element& out) override {
    if (const auto elements = cache_->elements()) {
      check_index(index, static_cast<std::int64_t>(elements->size()));
      out = (*elements)[static_cast<std::size_t>(index)];
      return;
    }
    check_index(index, INT64_MAX);
    PolledSteps polled;
    for (auto n = static_cast<std::int64_t>(read_.size()); n <= index; ++n, polled.step()) {
      Element element;
      if (!input_->next(element)) check_index(index, n);
      read_.push_back(std::move(element));
    }
    out = read_[static_cast<std::size_t>(index)];
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const Ref<MemoryCache> cache_;
  std::vector<Element> read_;
};

// Readers share what they have read.
class SharedReader final : public ElementReader {
 public:
  SharedReader(std::shared_ptr<std::mutex> mutex, std::shared_ptr<ElementReader> reader)
      : mutex_(std::move(mutex)), reader_(std::move(reader)) {}
  void get(std::int64_t index, Element& out) override {
    std::unique_lock lock(*mutex_, std::try_to_lock);
    if (!lock) {
      HostLockRelease release(true);
      lock.lock();
    }
    reader_->get(index, out);
  }

 private:
  const std::shared_ptr<std::mutex> mutex_;
  const std::shared_ptr<ElementReader> reader_;
};

// Stands for "the dataset makes its own".
class NoMemoryCache final : public RefCounted {};

class FillingIterator final : public Iterator {
 public:
  FillingIterator(std::unique_ptr<Iterator> input, Ref<MemoryCache> cache)
      : input_(std::move(input)), cache_(std::move(cache)) {}

  bool next(Element& out) override {
    if (done_) return false;
    if (!input_->next(out)) {
      done_ = true;
      cache_->fill(std::move(elements_));
      return false;
    }
    elements_.push_back(out);
    return true;
  }

  // How many elements have been read.
  std::int64_t passed() const { return done_ ? INT64_MAX : static_cast<std::int64_t>(elements_.size()); }

  void save(StateWriter& state) override {
    input_->save(state);
    state.flag(done_);
    state.number(static_cast<std::int64_t>(elements_.size()));
    for (const Element& element : elements_) state.element(element);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    done_ = state.flag();
    elements_.clear();
    for (std::int64_t n = state.count(); n > 0; --n) elements_.push_back(state.element());
  }

 private:
  const std::unique_ptr<Iterator> input_;
  const Ref<MemoryCache> cache_;
  std::vector<Element> elements_;
  bool done_ = false;
};

// A position says whether the cache was filled when the pass began.
class MemoryCacheIterator final : public Iterator {
 public:
  MemoryCacheIterator(Ref<Dataset> input, Ref<MemoryCache> cache, IteratorContext& context)
      : input_(std::move(input)), cache_(std::move(cache)), context_(&context) {
    begin(cache_->elements());
  }
  bool next(Element& out) override { return current_->next(out); }
  std::int64_t skip(std::int64_t n) override { return current_->skip(n); }
  RowSource* rows() override { return filled_ ? current_->rows() : nullptr; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override { return current_->next_rows(n, numbers); }

  void save(StateWriter& state) override {
    state.flag(filled_);
    current_->save(state);
  }
  void restore(StateReader& state) override {
    // A cache that was filled then need not be now, or the other way round: as many elements are left out.
    if (const bool filled_then = state.flag(); filled_then == filled_) {
      current_->restore(state);
    } else if (filled_then) {
      current_->skip(state.count());
    } else {
      FillingIterator then(input_->make_iterator(*context_), cache_);
      then.restore(state);
      current_->skip(then.passed());
    }
  }

 private:
  void begin(std::shared_ptr<const std::vector<Element>> elements) {
    filled_ = elements != nullptr;
    if (filled_) {
      current_ = iterator_of(std::move(elements));
    } else {
      current_ = std::make_unique<FillingIterator>(input_->make_iterator(*context_), cache_);
    }
  }

  const Ref<Dataset> input_;
  const Ref<MemoryCache> cache_;
  const Ref<IteratorContext> context_;
  std::unique_ptr<Iterator> current_;
  bool filled_ = false;
};

// Files that begin with this path: elements while they are written, elements that are complete, and a lock.
struct CacheFiles {
  explicit CacheFiles(const std::string& prefix)
      : partial(prefix + "_0.partial"), complete(prefix + ".data"), lock(prefix + "_0.lockfile") {}
  std::string partial, complete, lock;
  bool filled() const { return ::access(complete.c_str(), R_OK) == 0; }
};

class FileFillingIterator final : public Iterator {
 public:
  FileFillingIterator(std::unique_ptr<Iterator> input, const CacheFiles& files)
      : input_(std::move(input)), files_(files) {}
  ~FileFillingIterator() override {
    if (!writer_) return;
    writer_ = nullptr;
    std::remove(files_.partial.c_str());
    std::remove(files_.lock.c_str());
  }

  bool next(Element& out) override {
    if (done_) return false;
    if (!writer_) begin();
    if (input_->next(out)) {
      writer_->write(out);
      return true;
    }
    writer_->finish();
    writer_ = nullptr;
    done_ = true;
    if (std::rename(files_.partial.c_str(), files_.complete.c_str()) != 0) fail_with_errno(files_.complete, errno);
    std::remove(files_.lock.c_str());
    return false;
  }

  void save(StateWriter&) override { no_position(); }
  void restore(StateReader&) override { no_position(); }

 private:
  void begin() {
    if (::access(files_.lock.c_str(), F_OK) == 0)
      fail(ErrorKind::kAlreadyExists,
           "There appears to be a concurrent caching iterator running - cache lockfile already exists ('", files_.lock,
           "'). If you are sure no other running TF computations are using this cache prefix, delete the lockfile and "
           "re-initialize the iterator. Lockfile contents: ",
           read_local_file(files_.lock));
    write_local_file(files_.lock, concat("Created at: ", static_cast<std::int64_t>(std::time(nullptr))));
    writer_ = std::make_unique<ElementFileWriter>(files_.partial);
  }
  [[noreturn]] static void no_position() {
    fail(ErrorKind::kUnimplemented, "The position of an iterator that is writing a cache file cannot be saved.");
  }

  const std::unique_ptr<Iterator> input_;
  const CacheFiles files_;
  std::unique_ptr<ElementFileWriter> writer_;
  bool done_ = false;
};

class CacheDataset final : public Dataset {
 public:
  CacheDataset(ElementSpec spec, Ref<Dataset> input, std::string filename, Ref<MemoryCache> cache)
      : Dataset("Cache", std::move(spec), {std::move(input)}),
        filename_(std::move(filename)),
        cache_(std::move(cache)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    if (filename_.empty()) return std::make_unique<MemoryCacheIterator>(inputs()[0], cache_, context);
    const CacheFiles files(filename_);
    if (files.filled()) return element_file_iterator(files.complete, spec());
    return std::make_unique<FileFillingIterator>(input().make_iterator(context), files);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    if (!filename_.empty()) return Dataset::make_reader(context);
    std::lock_guard lock(mutex_);
    if (!reader_) reader_ = std::make_shared<CacheReader>(input().make_iterator(context), cache_);
    return std::make_unique<SharedReader>(reading_, reader_);
  }
  std::int64_t cardinality() const override { return input().cardinality(); }

 private:
  const std::string filename_;
  const Ref<MemoryCache> cache_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<ElementReader> reader_;  // null: nobody has asked for elements by number
  const std::shared_ptr<std::mutex> reading_ = std::make_shared<std::mutex>();
};

void make(KernelContext& c, Ref<MemoryCache> cache) {
  Ref<Dataset> input = dataset_input(c);
  ElementSpec spec = input->spec();
  std::string filename = scalar_input<std::string>(c, "filename");
  if (!filename.empty()) filename = local_path(filename);
  set_dataset(c, make_ref<CacheDataset>(std::move(spec), std::move(input), std::move(filename), std::move(cache)));
}

void cache(KernelContext& c) { make(c, make_ref<MemoryCache>()); }
void cache_v2(KernelContext& c) {
  const Tensor& handle = input_named(c, "cache");
  RefCounted* object = handle.rank() == 0 ? handle.object().get() : nullptr;
  if (auto* given = dynamic_cast<MemoryCache*>(object)) return make(c, Ref<MemoryCache>(given));
  if (!dynamic_cast<NoMemoryCache*>(object))
    invalid_argument("Trying to access a handle's resource using the wrong type: the resource given to ", c.op().name(),
                     " is not a memory cache.");
  make(c, make_ref<MemoryCache>());
}

void anonymous_cache(KernelContext& c) {
  c.set_output(0, Tensor::handle(DType::kResource, make_ref<MemoryCache>()));
  c.set_output(1, Tensor::handle(DType::kVariant, make_deleter()));
}
void dummy_cache(KernelContext& c) { c.set_output(0, Tensor::handle(DType::kResource, make_ref<NoMemoryCache>())); }
}  // namespace

void register_cache(Registry& r) {
  constexpr std::string_view kDoc =
      "The same dataset, whose elements are kept after the first pass: in memory, or in files that begin with "
      "`filename` if it is not empty.";
  add_dataset(
      r,
      {.name = "CacheDataset", .inputs = {"input_dataset: variant", "filename: string"}, .doc = kDoc, .kernel = cache});
  add_dataset(r, {.name = "CacheDatasetV2",
                  .inputs = {"input_dataset: variant", "filename: string", "cache: resource"},
                  .stateful = true,
                  .doc = kDoc,
                  .kernel = cache_v2});
  OpRecord record{
      .stateful = true, .infer = infer::scalar, .allocation = Allocation::kObjects, .grad = not_differentiable};
  record.name = "AnonymousMemoryCache";
  record.outputs = {"handle: resource", "deleter: variant"};
  record.doc = "A place for the elements of a cached dataset.";
  record.kernel = anonymous_cache;
  r.add(record);
  record.name = "DummyMemoryCache";
  record.outputs = {"handle: resource"};
  record.doc = "A handle that stands for a cached dataset's own place.";
  record.kernel = dummy_cache;
  r.add(record);
  record.name = "DeleteMemoryCache";
  record.inputs = {"handle: resource", "deleter: variant"};
  record.outputs = {};
  record.doc = "Does nothing: a cache lives as long as its handles.";
  record.infer = infer::nothing;
  record.kernel = do_nothing;
  r.add(record);
}

}  // namespace tracefn::data
