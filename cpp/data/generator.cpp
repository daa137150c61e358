// GeneratorDataset: elements that a function returns until it ends with OutOfRangeError
// (tf.data.Dataset.from_generator).
#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"

namespace tracefn::data {
namespace {

struct GeneratorFunctions {
  CapturedFunction init, next, finalize;
};

class GeneratorIterator final : public Iterator {
 public:
  GeneratorIterator(const GeneratorFunctions& functions, IteratorContext& context)
      : init_(functions.init.bind(context)),
        next_(functions.next.bind(context)),
        finalize_(functions.finalize.bind(context)) {}
  // What the generator holds is released where nobody listens: its errors are dropped, as TensorFlow's are.
  ~GeneratorIterator() override {
    if (finalized_ || !initialized_) return;
    WithoutPolls whole;
    try {
      finish();
    } catch (const Error&) {
    }
  }

  bool next(Element& out) override {
    if (!initialized_) {
      Element no_args;
      init_->run(no_args, state_);
      initialized_ = true;
    }
    if (finalized_) return false;
    Element args = state_;
    try {
      next_->run(args, out);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kOutOfRange) throw;
      finish();
      return false;
    }
    ++produced_;
    return true;
  }

  void save(StateWriter&) override { no_state(); }
  void restore(StateReader&) override { no_state(); }

 private:
  void finish() {
    finalized_ = true;
    Element args = state_, results;
    finalize_->run(args, results);
  }
  [[noreturn]] static void no_state() {
    fail(ErrorKind::kUnimplemented,
         "GeneratorDataset does not support checkpointing: a Python generator has no position.");
  }

  const std::unique_ptr<BoundFunction> init_, next_, finalize_;
  Element state_;
  bool initialized_ = false, finalized_ = false;
  std::int64_t produced_ = 0;
};

class GeneratorDataset final : public Dataset {
 public:
  GeneratorDataset(ElementSpec spec, GeneratorFunctions functions)
      : Dataset("Generator", std::move(spec)), functions_(std::move(functions)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<GeneratorIterator>(functions_, context);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    functions_.init.visit_owned(visitor);
    functions_.next.visit_owned(visitor);
    functions_.finalize.visit_owned(visitor);
  }

 private:
  const GeneratorFunctions functions_;
};

void generator(KernelContext& c) {
  set_dataset(c,
              make_ref<GeneratorDataset>(
                  spec_attrs(c), GeneratorFunctions{CapturedFunction(c, "init_func", "init_func_other_args"),
                                                    CapturedFunction(c, "next_func", "next_func_other_args"),
                                                    CapturedFunction(c, "finalize_func", "finalize_func_other_args")}));
}

}  // namespace

void register_generator(Registry& r) {
  add_dataset(
      r, {.name = "GeneratorDataset",
          .inputs = {"init_func_other_args: Tinit_func_args", "next_func_other_args: Tnext_func_args",
                     "finalize_func_other_args: Tfinalize_func_args"},
          .attrs = {"init_func: func", "next_func: func", "finalize_func: func", "Tinit_func_args: list(type) >= 0",
                    "Tnext_func_args: list(type) >= 0", "Tfinalize_func_args: list(type) >= 0"},
          .stateful = true,
          .doc = "A dataset of what `next_func(state)` returns until it raises OutOfRangeError, where `state` "
                 "is what `init_func()` returned. `finalize_func(state)` is called at the end.",
          .kernel = generator});
}

}  // namespace tracefn::data
