// The process-wide hook by which long work lets threads of the host language run meanwhile (cpp/bind installs one that
// releases Python's GIL). Without it, nothing happens.
#pragma once

namespace tracefn {

class HostLock {
 public:
  virtual ~HostLock() = default;
  // Releases the lock if this thread holds it; returns the token for acquire(), or null.
  virtual void* release() = 0;
  virtual void acquire(void* released) = 0;
};

// Returns the previous one. `lock` (null: none) must outlive its use; a Runtime installs it (cpp/runtime).
HostLock* set_process_host_lock(HostLock* lock);

// Releases the lock during its lifetime, if `when`. Nothing of the host language may be touched meanwhile.
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

}  // namespace tracefn
