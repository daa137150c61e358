// The extension module tracefn._core: calls what each file of this folder adds.
#include <pybind11/pybind11.h>

#include "autodiff/body_gradient.h"
#include "autodiff/recorded_bodies.h"
#include "bind/call/collected_graphs.h"
#include "bind/call/concrete_object.h"
#include "bind/call/function_object.h"
#include "bind/call/op_call.h"
#include "bind/call/op_callback.h"
#include "bind/call/op_record.h"
#include "bind/call/prepared_call.h"
#include "bind/call/tracing.h"
#include "bind/context/composed_context.h"
#include "bind/context/emit_contexts.h"
#include "bind/context/scope_object.h"
#include "bind/context/statement_object.h"
#include "bind/convert/convert.h"
#include "bind/dispatch.h"
#include "bind/effects.h"
#include "bind/errors.h"
#include "bind/files.h"
#include "bind/garbage.h"
#include "bind/gil.h"
#include "bind/graph/graph_export.h"
#include "bind/graph/graph_import.h"
#include "bind/graph/graph_object.h"
#include "bind/graph/graph_of_inputs.h"
#include "bind/graph/passes.h"
#include "bind/graph/source_location.h"
#include "bind/graph/staged.h"
#include "bind/image_codecs.h"
#include "bind/interrupt.h"
#include "bind/own_frames.h"
#include "bind/profile.h"
#include "bind/structure/register.h"
#include "bind/tape/tape.h"
#include "bind/tensor/dlpack.h"
#include "bind/tensor/tensor_object.h"
#include "exec/placement.h"
#include "ir/named_gradient.h"
#include "ops/kernel_table.h"
#include "runtime/runtime.h"
#include "trace/func_graph.h"

namespace {

namespace py = pybind11;

// Errors of the core through functions of pybind11, and errors of pybind11 through other functions.
void init_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const tracefn::Error& e) {
      tracefn::bind::set_python_error(e);
    }
  });
  tracefn::bind::set_foreign_errors([](const std::exception& error) {
    if (auto* from_python = dynamic_cast<const py::error_already_set*>(&error)) {
      py::error_already_set(*from_python).restore();
    } else if (auto* builtin = dynamic_cast<const py::builtin_exception*>(&error)) {
      builtin->set_error();
    } else {
      return false;
    }
    return true;
  });
}

// For the life of the process.
void start_runtime() {
  using namespace tracefn;
  new Runtime({.interrupt = &bind::python_signals(),
               .host_lock = &bind::python_lock(),
               .print_sink = &bind::python_streams(),
               .image_codecs = &bind::python_image_codecs(),
               .gradient_fallback = bind::registered_gradient,
               .body_gradients = kBodyGradients,
               .recorded_bodies = record_bodies});
  set_trace_hooks({.source = bind::capture_source, .argument_source = bind::capture_call, .owner = bind::note_owner});
  set_named_gradients(bind::named_gradient);
  set_host_call_finder(bind::living_host_call);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  using namespace tracefn;
  module.doc() = "The native core of tracefn.";
  bind::init_interrupt();
  bind::init_gil();
  start_runtime();
  init_errors();
  bind::init_tensor_object(module.ptr());
  bind::init_convert(module.ptr());
  bind::init_dlpack(module.ptr());
  bind::init_op_call(module.ptr());
  bind::init_op_callback(module.ptr());
  bind::init_prepared_call(module.ptr());
  bind::init_op_record(module.ptr());
  bind::init_effects(module.ptr());
  bind::init_passes(module.ptr());
  bind::init_source_location(module.ptr());
  bind::init_dispatch(module.ptr());
  bind::init_own_frames(module.ptr());
  bind::init_profile(module.ptr());
  bind::init_files(module.ptr());
  bind::init_graph_object(module.ptr());
  bind::init_emit_contexts(module.ptr());
  bind::init_composed_context(module.ptr());
  bind::init_statement_object(module.ptr());
  bind::init_scope_object(module.ptr());
  bind::init_graph_export(module.ptr());
  bind::init_graph_import(module.ptr());
  bind::init_graph_of_inputs(module.ptr());
  bind::init_spec(module.ptr());
  bind::init_concrete_object(module.ptr());
  bind::init_collected_graphs(module.ptr());
  bind::init_function_object(module.ptr());
  bind::init_tracing(module.ptr());
  bind::init_staged(module.ptr());
  module.def("soft_placement", &soft_placement);
  module.def("set_soft_placement", &set_soft_placement);
  module.def("instruction_set", &kernel_isa, "The instruction set of the kernels in use: v2, v3, v4 or neon.");
  bind::init_garbage(module.ptr());
  bind::init_tape(module.ptr());
}
