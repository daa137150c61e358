// OwnedVisitor: what an object of the core owns, told to who looks for circles of references that lead through the core
// and the host language (bind/garbage.h).
//
// An object tells of each counted reference that it holds, once per reference, never of one that it does not hold. It
// may leave some out: what these lead to is taken for alive then.
#pragma once

#include <memory>

#include "base/ref.h"

namespace tracefn {

class OwnedVisitor {
 public:
  // Tells a visitor what the object at an address owns.
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
  // What the host language knows itself, in the form that cpp/bind has given it.
  virtual void host(const void* object) = 0;

 protected:
  virtual void add_shared(const std::shared_ptr<const void>& object, Visit visit) = 0;
  virtual void add_counted(const RefCounted& object) = 0;
};

}  // namespace tracefn
