// The installed hook.
#include "exec/host_lock.h"

#include <algorithm>
#include <atomic>

namespace tracefn {
namespace {
std::atomic<HostLock*> installed{nullptr};
}

void set_process_host_lock(HostLock* lock) { installed.store(lock, std::memory_order_release); }

HostLockRelease::HostLockRelease(bool when) {
  if (!when) return;
  lock_ = installed.load(std::memory_order_acquire);
  if (lock_) released_ = lock_->release();
}

HostLockRelease::~HostLockRelease() {
  if (released_) lock_->acquire(released_);
}

bool any_is_long(std::span<const Tensor> tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.num_elements() >= kLongElements; });
}

}  // namespace tracefn
