// HostValue: a value of the host language inside a cache key, opaque to the core except for this interface.
#pragma once

#include <cstddef>
#include <string>

#include "base/ref.h"

namespace tracefn {

// Immutable as far as the core can see, shared by threads. Every method may be called on any thread: an implementation
// takes the locks it needs (cpp/bind: the GIL, also when the last reference is dropped). A method may run user code,
// whose exceptions pass through the core unchanged; so no core lock may be held during a call.
class HostValue : public RefCounted {
 public:
  // Constant over the object's lifetime; equal values have equal hashes.
  virtual std::size_t hash() const = 0;
  // The host's `==`, with two additions: an object equals itself, and NaN equals NaN. False if one of the two is dead.
  // Precondition: both were made by the same host.
  virtual bool equals(const HostValue& other) const = 0;
  virtual std::string repr() const = 0;
  virtual std::string str() const = 0;
  // repr of the weak reference itself: "<weakref at 0x...; to 'O' at 0x...>". Values held strongly have repr().
  virtual std::string reference_text() const { return repr(); }
  // False if the value was held weakly and has died; it stays dead.
  virtual bool alive() const { return true; }
  // The host's `<`, which sorts dict keys; the host's error if the two have no order.
  virtual bool less(const HostValue& other) const = 0;
};

using HostValuePtr = Ref<const HostValue>;

}  // namespace tracefn
