// Ref<T>: a counted pointer to an object that derives from RefCounted. Counting is atomic, so a Ref may be copied and
// dropped on any thread; the object is shared.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace tracefn {

class OwnedVisitor;

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  bool unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }
  int use_count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // See base/owned.h. The caller holds the host language's lock.
  virtual void visit_owned(OwnedVisitor&) const {}

 protected:
  virtual ~RefCounted() = default;
  // Overridden by objects that were not allocated with `new`.
  virtual void destroy() const noexcept { delete this; }

 private:
  mutable std::atomic<int> count_{0};
};

template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->add_ref();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other)  // NOLINT(google-explicit-constructor)
      : Ref(static_cast<T*>(other.get())) {}
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tracefn
