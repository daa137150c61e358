// Runtime: what a program gives the core before it runs graphs, all in one place. A program needs none of the hooks:
// without them nothing interrupts a run, tf.print writes to the process's streams, images cannot be read from files,
// and control flow has no gradient.
#pragma once

#include "base/host_lock.h"
#include "base/poll.h"
#include "exec/eager_bodies.h"
#include "ops/debug/print_sink.h"
#include "ops/gradient.h"
#include "ops/image/image_codecs.h"

namespace tracefn {

// Not owned; each must outlive the Runtime.
struct RuntimeHooks {
  Interrupt* interrupt = nullptr;       // the host language's signals
  HostLock* host_lock = nullptr;        // the lock that long work releases
  PrintSink* print_sink = nullptr;      // where tf.print writes
  ImageCodecs* image_codecs = nullptr;  // readers and writers of image files
  GradFn gradient_fallback = nullptr;   // for ops without a gradient rule: rules that users register
  // Differentiation of ops that hold graphs, and their record on tapes; cpp/autodiff has them.
  BodyGradients body_gradients;
  RecordedBodies recorded_bodies = nullptr;
};

// Installs the hooks, and eager execution, for the whole process; the destructor puts back what was before. Created
// before other threads use the core.
class Runtime {
 public:
  explicit Runtime(const RuntimeHooks& hooks = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  RuntimeHooks previous_;
};

}  // namespace tracefn
