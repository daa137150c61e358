// Runs one emitted op at once.
#include "exec/eager.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/host_lock.h"
#include "base/subnormals.h"
#include "exec/eager_bodies.h"
#include "exec/eager_state.h"
#include "exec/long_work.h"
#include "exec/profile.h"
#include "exec/run_op.h"
#include "exec/thread_pool.h"
#include "ops/leaked.h"
#include "ops/no_kernel.h"

namespace tracefn {
namespace {

// "While_T_2": the op with the lengths of its lists, as TensorFlow names its generated wrapper functions.
std::string wrapped_name(const OpDef& op, const AttrList& attrs) {
  std::map<std::string_view, std::int64_t> lengths;
  auto add = [&](const ArgDef& arg) {
    const std::string& by = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (by.empty()) return;
    const Attr& attr = attrs[static_cast<std::size_t>(op.signature.attr_index(by))];
    lengths[by] = arg.number_attr.empty() ? static_cast<std::int64_t>(attr.types().size()) : attr.i();
  };
  for (const ArgDef& arg : op.signature.inputs) add(arg);
  for (const ArgDef& arg : op.signature.outputs) add(arg);
  std::string out = op.name();
  for (const auto& [by, length] : lengths) out += concat("_", by, "_", length);
  return out;
}

std::string called_text(const OpDef& op, std::string_view name) { return concat(" [Op:", op.name(), "] name: ", name); }

[[noreturn]] void rethrow_with_place(const Error& e, const OpDef& op, const AttrList& attrs, std::string_view name) {
  Error placed(e.kind(),
               concat("{{function_node __wrapped__", wrapped_name(op, attrs),
                      "_device_/job:localhost/replica:0/task:0/device:CPU:0}} ", e.message(), called_text(op, name)));
  placed.set_cause(e.cause());
  throw placed;
}

thread_local std::uint64_t unread_outputs = 0;

bool calls_host(const AttrList& attrs) {
  for (const Attr& attr : attrs)
    if (attr.host()) return true;
  return false;
}

}  // namespace

UnreadOutputs::UnreadOutputs(std::uint64_t outputs) { unread_outputs = outputs; }
UnreadOutputs::~UnreadOutputs() { unread_outputs = 0; }

EagerTarget& EagerTarget::get() {
  static EagerTarget target;
  return target;
}

void EagerTarget::emit(const OpDef& op, std::span<const Operand> inputs, AttrList attrs, std::string_view name,
                       Operands& outputs) {
  if (op.has_function_attr && current_listener() && run_recorded_bodies(op, inputs, attrs, outputs)) return;
  SmallVector<Tensor, 4> held;
  held.reserve(inputs.size());
  SmallVector<TensorRef, 4> operands;
  for (const Operand& in : inputs) {
    if (!in.is_eager()) leaked_tensor(in, nullptr);
    held.push_back(in.tensor);
    operands.push_back({&held.back(), false});
  }
  SmallVector<DType, 2> dtypes = output_dtypes(op.signature, attrs);
  SmallVector<Tensor, 2> results(dtypes.size());
  std::shared_ptr<StateSlot> kept;
  StateSlot state;  // most eager ops keep no state
  if (op.keeps_state) kept = eager_state(op, attrs);
  RunServices services{.shards = &ThreadPool::get(), .state = kept ? kept.get() : &state};
  if (!current_listener()) services.unread_outputs = unread_outputs;
  try {
    std::optional<EagerBodies> bodies;
    if (op.has_function_attr && !op.facts.keeps_functions) services.bodies = &bodies.emplace(attrs);
    // Callers release the lock themselves, except for what tapes record and for what backprop emits.
    HostLockRelease release(!op.has_function_attr && !calls_host(attrs) && any_is_long({held.data(), held.size()}));
    std::optional<FlushSubnormals> flush;
    if (!calls_host(attrs)) flush.emplace();
    profile::Span span(name, op.name());
    run_op(op, attrs, std::span(operands.data(), operands.size()), std::span(results.data(), results.size()),
           std::span<const DType>(dtypes.data(), dtypes.size()), services);
    span.set_results({results.data(), results.size()});
  } catch (const Error& e) {
    if (!is_status(e.kind()) || e.reraise()) throw;
    if (const auto* missing = dynamic_cast<const NoKernel*>(&e)) {
      const bool takes_resource =
          std::ranges::any_of(held, [](const Tensor& t) { return t.dtype() == DType::kResource; });
      const Error whole = missing->eager(op.signature, attrs, takes_resource);
      throw Error(whole.kind(), concat(whole.message(), called_text(op, name)));
    }
    rethrow_with_place(e, op, attrs, name);
  }
  outputs.clear();
  for (Tensor& t : results) outputs.push_back(Operand(std::move(t)));
}

}  // namespace tracefn
