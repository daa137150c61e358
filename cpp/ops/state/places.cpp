// Ops about where and when a program runs: Timestamp, SyncDevice, DeviceIndex, ControlTrigger, DisableCopyOnRead.
#include <chrono>

#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void timestamp(KernelContext& c) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  *c.output(0).mutable_data<double>() = std::chrono::duration<double>(now).count();
}

void nothing(KernelContext&) {}

// There is one device, a CPU.
void device_index(KernelContext& c) {
  const std::vector<std::string>& names = c.attr("device_names").strings();
  std::size_t i = 0;
  while (i < names.size() && names[i] != "CPU") ++i;
  *c.output(0).mutable_data<std::int32_t>() = static_cast<std::int32_t>(i);
}

// A read shares memory with the variable, and copies when it is written: there is nothing to disable.
void check_variable(KernelContext& c) { (void)variable_input(c, 0); }

}  // namespace

void register_places(Registry& r) {
  r.add({.name = "Timestamp",
         .python = "timestamp()",
         .outputs = {"ts: double"},
         .stateful = true,
         .doc = "The time at which the op runs, in seconds since 1970.\n\nReturns a float64 scalar.",
         .infer = infer::scalar,
         .kernel = timestamp,
         .grad = not_differentiable});
  r.add({.name = "SyncDevice",
         .stateful = true,
         .doc = "Waits for the ops of the device, which have run.",
         .infer = infer::nothing,
         .kernel = nothing,
         .grad = not_differentiable});
  r.add({.name = "DeviceIndex",
         .outputs = {"index: int32"},
         .attrs = {"device_names: list(string)"},
         .stateful = true,
         .doc = "The place of the device's type, CPU, in `device_names`; their number if it is not there.",
         .infer = infer::scalar,
         .kernel = device_index,
         .grad = without_gradient});
  r.add({.name = "ControlTrigger",
         .doc = "Does nothing: other ops may wait for it.",
         .infer = infer::nothing,
         .kernel = nothing,
         .grad = without_gradient});
  r.add({.name = "DisableCopyOnRead",
         .inputs = {"resource: resource"},
         .stateful = true,
         .doc = "Makes reads of a variable share its memory, as they do always.",
         .infer = infer::nothing,
         .kernel = check_variable,
         .grad = not_differentiable});
}

}  // namespace tracefn
