// The process-wide hook by which long work lets threads of the host language run meanwhile (cpp/bind installs one that
// drops Python's lock). Where none is installed, nothing happens.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace tracefn {

class HostLock {
 public:
  virtual ~HostLock() = default;
  // Drops the lock if this thread holds it; what acquire() needs, or null.
  virtual void* release() = 0;
  virtual void acquire(void* released) = 0;
};

// `lock` must live as long as the process; installed once, at start.
void set_process_host_lock(HostLock* lock);

// Drops the lock while it lives, if `when`. Inside, nothing of the host language may be touched.
class HostLockRelease {
 public:
  explicit HostLockRelease(bool when);
  ~HostLockRelease();
  HostLockRelease(const HostLockRelease&) = delete;
  HostLockRelease& operator=(const HostLockRelease&) = delete;

 private:
  HostLock* lock_ = nullptr;
  void* released_ = nullptr;
};

// Tensors of fewer elements than this are assumed to be handled in less time than giving up the lock is worth.
inline constexpr std::int64_t kLongElements = 16384;
bool any_is_long(std::span<const Tensor> tensors);

}  // namespace tracefn
