// HostValue: a value of the host language inside a cache key, seen by the core only through this interface.
#pragma once

#include <cstddef>
#include <string>

#include "base/ref.h"

namespace tracefn {

// Immutable as far as the core can see, shared by threads. Every method may be called on any thread: an implementation
// takes the locks it needs (cpp/bind: the GIL, also when the last reference is dropped). A method may run user code,
// whose exceptions pass through the core unchanged; so no lock of the core may be held while one is called.
class HostValue : public RefCounted {
 public:
  // Constant during the life of this object; equal values have equal hashes.
  virtual std::size_t hash() const = 0;
  // The host's `==`, with two additions: the same object is equal to itself, and NaN is equal to NaN. False when one of
  // the two is dead. Precondition: both were made by the same host.
  virtual bool equals(const HostValue& other) const = 0;
  virtual std::string repr() const = 0;
  virtual std::string str() const = 0;
  // repr of the weak reference itself: "<weakref at 0x...; to 'O' at 0x...>". Values held strongly have repr().
  virtual std::string reference_text() const { return repr(); }
  // False when the value was held weakly and has died; it stays dead.
  virtual bool alive() const { return true; }
  // The host's `<`, by which keys of dicts are sorted; the host's error when the two have no order.
  virtual bool less(const HostValue& other) const = 0;
};

using HostValuePtr = Ref<const HostValue>;

}  // namespace tracefn
