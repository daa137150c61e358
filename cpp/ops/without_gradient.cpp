// Gradients by the rules of the program, and the error without one.
#include "ops/without_gradient.h"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ops/gradient.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

void (*fallback_rule)(GradContext&) = nullptr;

struct Replaced {
  std::shared_mutex mutex;
  std::unordered_set<const OpDef*> ops;
  std::atomic<bool> any = false;
};

Replaced& replaced_gradients() {
  static auto* all = new Replaced();
  return *all;
}

}  // namespace

void without_gradient(GradContext& c) {
  if (!fallback_rule) fail(ErrorKind::kLookup, "gradient registry has no entry for: ", c.op().name());
  fallback_rule(c);
}

GradientFallback set_gradient_fallback(GradientFallback fallback) { return std::exchange(fallback_rule, fallback); }

void replace_gradient(const OpDef& op, bool replaced) {
  Replaced& all = replaced_gradients();
  std::unique_lock lock(all.mutex);
  if (replaced)
    all.ops.insert(&op);
  else
    all.ops.erase(&op);
  all.any = !all.ops.empty();
}

bool is_gradient_replaced(const OpDef& op) {
  Replaced& all = replaced_gradients();
  if (!all.any.load(std::memory_order_relaxed)) return false;
  std::shared_lock lock(all.mutex);
  return all.ops.contains(&op);
}

}  // namespace tracefn
