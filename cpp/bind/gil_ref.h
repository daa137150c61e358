// GilRef<T>: a counted pointer to a T with a member `references`, initially 0. Counting is not atomic: it needs the
// GIL.
#pragma once

#include <utility>

namespace tracefn::bind {

template <typename T>
class GilRef {
 public:
  GilRef() = default;
  explicit GilRef(T* object) : object_(object) { ++object_->references; }
  GilRef(const GilRef& other) : object_(other.object_) {
    if (object_) ++object_->references;
  }
  GilRef(GilRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~GilRef() {
    if (object_ && --object_->references == 0) delete object_;
  }
  GilRef& operator=(GilRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace tracefn::bind
