// The installed hook.
#include "base/host_lock.h"

#include <atomic>

namespace tracefn {
namespace {
std::atomic<HostLock*> installed_lock{nullptr};
}

HostLock* set_process_host_lock(HostLock* lock) { return installed_lock.exchange(lock, std::memory_order_acq_rel); }

HostLockRelease::HostLockRelease(bool when) {
  if (!when) return;
  lock_ = installed_lock.load(std::memory_order_acquire);
  if (lock_) released_ = lock_->release();
}

HostLockRelease::~HostLockRelease() {
  if (released_) lock_->acquire(released_);
}

}  // namespace tracefn
