// A host lock that counts how often it is given up and taken back.
#pragma once

#include "base/host_lock.h"

namespace tracefn::test {

struct CountedLock final : HostLock {
  void* release() override {
    ++released;
    return this;
  }
  void acquire(void*) override { ++acquired; }
  int released = 0, acquired = 0;
};

}  // namespace tracefn::test
