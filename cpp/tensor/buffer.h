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
  // Room for n elements; strings, resources and variants are constructed empty, plain elements are not initialized.
  // Error(kResourceExhausted) if the size exceeds the machine's memory or the allocation fails.
  static Ref<Buffer> allocate(DType dtype, std::int64_t n);
  // Foreign memory (a numpy array, a DLPack capsule); `release` runs when the last Ref is dropped, on the thread that
  // drops it. Such a buffer is never written.
  static Ref<Buffer> adopt(void* data, std::size_t bytes, std::function<void()> release);

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // True if the caller, who holds one Ref, may write.
  bool writable() const { return owned_ && unique(); }

 protected:
  Buffer(void* data, std::size_t bytes, bool owned) : data_(data), bytes_(bytes), owned_(owned) {}

 private:
  void* data_;
  std::size_t bytes_;
  bool owned_;
};

}  // namespace tracefn
