// Buffer: one counted block of memory. Immutable while more than one Ref points to it; the owner of the only Ref may
// write. May be copied and dropped on any thread.
#pragma once

#include <cstddef>
#include <functional>

#include "base/ref.h"
#include "tensor/dtype.h"

namespace tracefn {

class Buffer : public RefCounted {
 public:
  // Room for n elements; strings, resources and variants are constructed empty, plain elements are not initialised.
  // Error(kResourceExhausted) when the size exceeds the machine's memory or cannot be had.
  static Ref<Buffer> allocate(DType dtype, std::int64_t n);
  // Memory of somebody else (a numpy array, a DLPack capsule); `release` runs when the last Ref is dropped, on
  // whichever thread drops it. Such a buffer is never written.
  static Ref<Buffer> adopt(void* data, std::size_t bytes, std::function<void()> release);

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // True when the caller, who holds one Ref, may write.
  bool writable() const { return owned_ && unique(); }

 protected:
  Buffer(void* data, std::size_t bytes, bool owned) : data_(data), bytes_(bytes), owned_(owned) {}

 private:
  void* data_;
  std::size_t bytes_;
  bool owned_;
};

}  // namespace tracefn
