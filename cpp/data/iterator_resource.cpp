// One pass over a dataset, for any thread.
#include "data/iterator_resource.h"

#include <chrono>
#include <typeinfo>
#include <unordered_map>

#include "base/host_lock.h"
#include "data/external_state.h"

namespace tracefn::data {

struct IteratorResource::Shared {
  Shared() = default;
  ~Shared();
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void visit_owned(OwnedVisitor& visitor) const { visitor.counted(dataset); }

  std::mutex mutex;
  std::atomic<std::thread::id> holder{};
  // What follows is guarded by the mutex.
  Ref<Dataset> dataset;
  std::unique_ptr<Iterator> iterator;
  double nanoseconds = 1e9;  // that an element takes, recently
  std::uint32_t taken = 0;   // elements, since the pass began
  std::string name;          // empty: none yet
  ElementSpec spec;          // with the name
};

// The iterators that have names. Any thread may call.
struct IteratorResource::Names {
  std::mutex mutex;
  std::int64_t made = 0;
  std::unordered_map<std::string, std::weak_ptr<Shared>> known;

  static Names& all() {
    static auto* names = new Names;
    return *names;
  }
};

IteratorResource::Shared::~Shared() {
  if (name.empty()) return;
  Names& names = Names::all();
  std::lock_guard lock(names.mutex);
  names.known.erase(name);
}

// Holds the mutex. A thread that waits for it lets others have the host's lock.
class IteratorResource::Hold {
 public:
  explicit Hold(Shared& shared) : shared_(shared) {
    if (shared.holder.load(std::memory_order_relaxed) == std::this_thread::get_id())
      fail(ErrorKind::kFailedPrecondition,
           "This iterator is already being read, by the function that asks it for another element.");
    if (!shared.mutex.try_lock()) {
      HostLockRelease release(true);
      shared.mutex.lock();
    }
    shared.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  ~Hold() {
    shared_.holder.store({}, std::memory_order_relaxed);
    shared_.mutex.unlock();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Shared& shared_;
};

IteratorResource::IteratorResource(ElementSpec spec) : spec_(std::move(spec)), shared_(std::make_shared<Shared>()) {}

IteratorResource::IteratorResource(const std::string& name, const ElementSpec& spec) {
  Names& names = Names::all();
  {
    std::lock_guard lock(names.mutex);
    if (auto found = names.known.find(name); found != names.known.end()) shared_ = found->second.lock();
  }
  if (!shared_) fail(ErrorKind::kNotFound, "Resource ", name, " of an iterator does not exist.");
  spec_ = shared_->spec;
  if (!spec.dtypes.empty()) check_types(spec.dtypes, spec_.dtypes);
  if (!spec.shapes.empty()) check_shapes(spec.shapes, spec_.shapes);
}

void IteratorResource::visit_owned(OwnedVisitor& visitor) const { visitor.shared(shared_); }

std::string IteratorResource::name() {
  Names& names = Names::all();
  std::lock_guard lock(names.mutex);
  if (shared_->name.empty()) {
    shared_->spec = spec_;
    shared_->name = concat("iterator_", ++names.made);
    names.known.emplace(shared_->name, shared_);
  }
  return shared_->name;
}

void IteratorResource::set(Ref<Dataset> dataset) {
  check_types(spec_.dtypes, dataset->spec().dtypes);
  check_shapes(spec_.shapes, dataset->spec().shapes);
  auto context = make_ref<IteratorContext>(*dataset);
  std::unique_ptr<Iterator> made = dataset->make_iterator(*context);
  Shared& s = *shared_;
  Hold hold(s);
  s.dataset = std::move(dataset);
  s.iterator.swap(made);
  s.nanoseconds = 1e9;
  s.taken = 0;
}

bool IteratorResource::next(Element& out, const std::vector<DType>& types, const std::vector<Shape>& shapes) {
  if (!take(out)) return false;
  bool fits = out.size() == types.size() && shapes.size() == types.size();
  for (std::size_t i = 0; fits && i < out.size(); ++i)
    fits = out[i].dtype() == types[i] && shapes[i].is_compatible_with(out[i].shape());
  if (!fits) check_element({types, shapes}, out);  // throws
  return true;
}

bool IteratorResource::take(Element& out) {
  constexpr double kWorthRelease = 20'000;   // shorter calls do not pay for releasing the host's lock
  constexpr std::uint32_t kMeasuredOf = 16;  // reading the clock takes as long as a cheap element
  Shared& s = *shared_;
  Hold hold(s);
  if (!s.iterator)
    fail(ErrorKind::kFailedPrecondition,
         "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer "
         "operation for this iterator before getting the next element.");
  HostLockRelease release(s.nanoseconds > kWorthRelease);
  if (s.taken++ % kMeasuredOf != 0) return s.iterator->next(out);
  const auto begin = std::chrono::steady_clock::now();
  const bool any = s.iterator->next(out);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  s.nanoseconds = s.nanoseconds == 1e9 ? spent.count() : s.nanoseconds * 0.75 + spent.count() * 0.25;
  return any;
}

std::vector<Tensor> IteratorResource::save() {
  Shared& s = *shared_;
  Hold hold(s);
  if (!s.iterator)
    fail(ErrorKind::kFailedPrecondition, "SaveIterator() failed because the iterator has not been initialized.");
  StateWriter writer;
  s.iterator->save(writer);
  return writer.take();
}

void IteratorResource::restore(std::vector<Tensor> state) {
  Shared& s = *shared_;
  Hold hold(s);
  if (!s.dataset)
    fail(ErrorKind::kFailedPrecondition,
         "Restore() failed because the iterator has not been initialized. Ensure that you have run the initializer "
         "operation for this iterator before restoring it.");
  auto context = make_ref<IteratorContext>(*s.dataset);
  std::unique_ptr<Iterator> made = s.dataset->make_iterator(*context);
  StateReader reader(std::move(state));
  made->restore(reader);
  if (!reader.at_end()) StateReader::fail_to_read();
  s.iterator.swap(made);
}

std::string IteratorResource::op_with_external_state() {
  Ref<Dataset> dataset;
  {
    Hold hold(*shared_);
    dataset = shared_->dataset;
  }
  return dataset ? data::op_with_external_state(*dataset) : "";
}

Ref<IteratorResource> iterator_in(const Tensor& handle) {
  RefCounted* object = handle.dtype() == DType::kResource && handle.rank() == 0 ? handle.object().get() : nullptr;
  if (!object || typeid(*object) != typeid(IteratorResource))
    invalid_argument(
        "Trying to access a handle's resource using the wrong type: the resource given is not an iterator.");
  return Ref<IteratorResource>(static_cast<IteratorResource*>(object));
}

}  // namespace tracefn::data
