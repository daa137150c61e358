// OwnedVisitor: reports what a core object owns, to find reference cycles through the core and the host language
// (bind/garbage.h).
//
// An object reports each counted reference that it holds, once per reference, never one that it does not hold. It may
// omit some: what these lead to is assumed to be alive.
#pragma once

#include <memory>

#include "base/ref.h"

namespace tracefn {

class OwnedVisitor {
 public:
  // Reports what the object at an address owns.
  using Visit = void (*)(const void* object, OwnedVisitor& visitor);

  virtual ~OwnedVisitor() = default;

  // A reference to an object that has a member visit_owned. Null: none.
  template <typename T>
  void shared(const std::shared_ptr<T>& object) {
    shared(object, [](const void* o, OwnedVisitor& v) { static_cast<const T*>(o)->visit_owned(v); });
  }
  void shared(const std::shared_ptr<const void>& object, Visit visit) {
    if (object) add_shared(object, visit);
  }
  template <typename T>
  void counted(const Ref<T>& object) {
    if (object) add_counted(*object);
  }
  // The host language's own objects, in the form that cpp/bind uses.
  virtual void host(const void* object) = 0;

 protected:
  virtual void add_shared(const std::shared_ptr<const void>& object, Visit visit) = 0;
  virtual void add_counted(const RefCounted& object) = 0;
};

}  // namespace tracefn
