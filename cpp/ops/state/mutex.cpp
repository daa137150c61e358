// Mutexes, which tf.CriticalSection holds while its function runs.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/host_lock.h"
#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

class Mutex : public RefCounted {
 public:
  // Waits until no one holds it. Another thread may release it than the one that acquired it.
  void acquire() {
    // Whoever holds it may need the host's lock to go on.
    HostLockRelease release(true);
    for (std::unique_lock lock(mutex_);;) {
      if (!held_) {
        held_ = true;
        return;
      }
      if (released_.wait_for(lock, std::chrono::milliseconds(20)) == std::cv_status::no_timeout) continue;
      lock.unlock();
      poll();
      lock.lock();
    }
  }
  void release() {
    {
      std::lock_guard lock(mutex_);
      held_ = false;
    }
    released_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  bool held_ = false;
};

// Releases the mutex when it dies, if nobody has before.
class MutexHold final : public VariantObject {
 public:
  explicit MutexHold(Ref<Mutex> mutex) : mutex_(std::move(mutex)) {}
  ~MutexHold() override { release(); }
  void release() {
    if (!released_.exchange(true)) mutex_->release();
  }

  std::string type_name() const override { return "MutexLock"; }
  Ref<VariantObject> zeros_like() const override { invalid_argument("A lock of a mutex has no zeros."); }
  Ref<VariantObject> add(const VariantObject&) const override { invalid_argument("Locks of mutexes have no sum."); }

 private:
  Ref<Mutex> mutex_;
  std::atomic<bool> released_{false};
};

void make_mutex(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) state = make_ref<Mutex>();
  c.set_output(0, Tensor::handle(DType::kResource, state));
}

void lock_mutex(KernelContext& c) {
  const Tensor& handle = c.input(0);
  auto* mutex = handle.rank() == 0 ? dynamic_cast<Mutex*>(handle.object().get()) : nullptr;
  if (!mutex) invalid_argument("Trying to access a handle's resource using the wrong type: it is not a mutex.");
  Ref<Mutex> held = Ref<Mutex>(mutex);
  held->acquire();
  c.set_output(0, Tensor::handle(DType::kVariant, make_ref<MutexHold>(std::move(held))));
}

void consume_lock(KernelContext& c) {
  const Tensor& handle = c.input(0);
  auto* hold = handle.rank() == 0 ? dynamic_cast<MutexHold*>(handle.object().get()) : nullptr;
  if (!hold) invalid_argument("Expected input to contain a reference to a locked mutex, but saw another variant.");
  hold->release();
}

}  // namespace

void register_mutex(Registry& r) {
  r.add({
      .name = "MutexV2",
      .outputs = {"resource: resource"},
      .attrs = {"container: string = ''", "shared_name: string = ''"},
      .stateful = true,
      .doc = "A mutex that `MutexLock` locks.",
      .infer = infer::scalar,
      .kernel = make_mutex,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "MutexLock",
      .inputs = {"mutex: resource"},
      .outputs = {"mutex_lock: variant"},
      .stateful = true,
      .doc = "Waits until the mutex is free and locks it. It is free again once the result is consumed or dies.",
      .infer = infer::scalar,
      .kernel = lock_mutex,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "ConsumeMutexLock",
      .inputs = {"mutex_lock: variant"},
      .stateful = true,
      .doc = "Releases a lock that `MutexLock` returned.",
      .infer = infer::nothing,
      .kernel = consume_lock,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
