// Allocation of buffers: small ones with their header from malloc, large ones aligned to a cache line.
#include "tensor/buffer.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/physical_memory.h"
#include "tensor/large_blocks.h"

namespace tracefn {
namespace {

constexpr std::size_t kAlignment = 64;

class OwnedBuffer final : public Buffer {
 public:
  // The capacity of its large block; 0: memory of malloc.
  OwnedBuffer(void* data, std::size_t bytes, DType dtype, std::int64_t n, std::size_t capacity)
      : Buffer(data, bytes, true), dtype_(dtype), n_(n), capacity_(capacity) {
    if (dtype_ == DType::kString) {
      std::uninitialized_default_construct_n(static_cast<std::string*>(data), n_);
    } else if (!is_plain(dtype_)) {
      std::uninitialized_default_construct_n(static_cast<Ref<RefCounted>*>(data), n_);
    }
  }
  ~OwnedBuffer() override {
    if (dtype_ == DType::kString) {
      std::destroy_n(static_cast<std::string*>(data()), n_);
    } else if (!is_plain(dtype_)) {
      std::destroy_n(static_cast<Ref<RefCounted>*>(data()), n_);
    }
  }

 protected:
  void destroy() const noexcept override {
    void* block = const_cast<OwnedBuffer*>(this);
    std::size_t capacity = capacity_;
    this->~OwnedBuffer();
    if (capacity) {
      large_blocks::release(block, capacity);
    } else {
      std::free(block);
    }
  }

 private:
  DType dtype_;
  std::int64_t n_;
  std::size_t capacity_;
};

class AdoptedBuffer final : public Buffer {
 public:
  AdoptedBuffer(void* data, std::size_t bytes, std::function<void()> release)
      : Buffer(data, bytes, false), release_(std::move(release)) {}
  ~AdoptedBuffer() override { release_(); }

 private:
  std::function<void()> release_;
};

[[noreturn]] void out_of_memory(DType dtype, std::int64_t n) {
  fail(ErrorKind::kResourceExhausted, "OOM when allocating tensor with ", n, " elements of type ", name(dtype), " (",
       static_cast<double>(n) * static_cast<double>(size_of(dtype)), " bytes) on device CPU:0");
}

}  // namespace

Ref<Buffer> Buffer::allocate(DType dtype, std::int64_t n) {
  std::size_t bytes = 0;
  if (n < 0 || __builtin_mul_overflow(static_cast<std::size_t>(n), size_of(dtype), &bytes) || bytes > physical_memory())
    out_of_memory(dtype, n);
  constexpr std::size_t kHeader = (sizeof(OwnedBuffer) + 15) / 16 * 16;
  constexpr std::size_t kWideHeader = (sizeof(OwnedBuffer) + kAlignment - 1) / kAlignment * kAlignment;
  bool small = bytes < 1024;
  std::size_t header = small ? kHeader : kWideHeader;
  std::size_t total = header + bytes;
  std::size_t capacity = 0;
  void* block = nullptr;
  if (small) {
    block = std::malloc(total);
  } else if (total < large_blocks::kLeastBytes) {
    block = std::aligned_alloc(kAlignment, (total + kAlignment - 1) / kAlignment * kAlignment);
  } else {
    block = large_blocks::acquire(total, capacity);
  }
  if (!block) out_of_memory(dtype, n);
  return Ref<Buffer>(new (block) OwnedBuffer(static_cast<char*>(block) + header, bytes, dtype, n, capacity));
}

Ref<Buffer> Buffer::adopt(void* data, std::size_t bytes, std::function<void()> release) {
  return Ref<Buffer>(new AdoptedBuffer(data, bytes, std::move(release)));
}

}  // namespace tracefn
