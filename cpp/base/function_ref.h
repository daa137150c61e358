// FunctionRef: a callable that lives elsewhere, as the parameter of a function that calls it before it returns. Unlike
// std::function it owns nothing and allocates nothing; do not keep it.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tracefn {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<Result, F&, Args...>)
      FunctionRef(F&& f)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* callable, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(callable))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(callable_, std::forward<Args>(args)...); }

 private:
  void* callable_;
  Result (*call_)(void*, Args...);
};

}  // namespace tracefn
