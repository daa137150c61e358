// The instruction loop, nested bodies, and error messages.
#include "exec/executor.h"

#include <array>
#include <chrono>

#include "base/check.h"
#include "base/host_lock.h"
#include "base/poll.h"
#include "base/subnormals.h"
#include "exec/compile_mode.h"
#include "exec/long_work.h"
#include "exec/loop_check.h"
#include "exec/profile.h"
#include "exec/run_op.h"
#include "exec/thread_pool.h"
#include "ir/node_name.h"
#include "ops/no_kernel.h"

namespace tracefn {

// One run: the loop, and the state that all nested bodies share.
class Execution {
 public:
  explicit Execution(ProgramState& state) : state_(state), shards_(ThreadPool::get()) {}

  static void load(const Program& p, Frame& frame, std::span<const TensorRef> args) {
    for (std::size_t i = 0; i < p.arguments_.size(); ++i) {
      if (!p.reads(i)) continue;
      Tensor& to = frame.registers[p.arguments_[i].index];
      if (args[i].last_use) {
        to = std::move(*args[i].tensor);
      } else {
        to = *args[i].tensor;
      }
    }
  }
  // With the arguments loaded.
  void run_loaded(const Program& p, Frame& frame, std::uint32_t first_slot, std::span<Tensor> results) {
    const Instruction* i = p.instructions_.data();
    const Instruction* end = i + p.instructions_.size();
    Tensor* registers = frame.registers.data();
    try {
      for (; i != end; ++i) {
        polled_.step();
        if (i->row >= 0) {
          run_row(p, frame, first_slot, p.rows_[static_cast<std::size_t>(i->row)], i);
        } else if (!i->block || profiled_ ||
                   !run_scalar(*i, frame.operands.data() + i->first_operand, registers[i->first_output]))
          run_instruction(p, frame, first_slot, *i);
        const std::uint32_t* dead = p.dead_.data() + i->first_dead;
        for (std::uint16_t k = 0; k < i->num_dead; ++k) registers[dead[k]].reset();
      }
    } catch (Error& e) {
      note_failure(e, i->node);
      throw;
    }
    for (std::size_t r = 0; r < p.results_.size(); ++r) {
      const Program::Place& place = p.results_[r];
      if (place.kind == Program::Place::kConstant) {
        results[r] = p.constants_[place.index];
      } else if (place.last_use) {
        results[r] = std::move(registers[place.index]);
        registers[place.index].reset();
      } else {
        results[r] = registers[place.index];
      }
    }
  }

  // The node where the Error was thrown.
  const Node* failed() const { return failed_; }

 private:
  class Bodies final : public BodyRunner {
   public:
    Bodies(Execution& execution, const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction& i)
        : execution_(execution), program_(p), frame_(frame), first_slot_(first_slot), instruction_(i) {}
    void run(std::size_t index, std::span<const TensorRef> args, std::vector<Tensor>& results) override {
      const Program::Body& body = at(index, args.size());
      const Program& program = *body.program;
      results.resize(program.num_results());
      if (execution_.run_scalars(program, args, results)) return;
      Frame& frame = frame_.body(instruction_.first_body + index);
      load(program, frame, args);
      execution_.run_loaded(program, frame, first_slot_ + body.first_slot, results);
    }

   private:
    const Program::Body& at(std::size_t index, std::size_t num_args) const {
      TRACEFN_CHECK(index < instruction_.num_bodies);
      const Program::Body& body = program_.bodies_[instruction_.first_body + index];
      if (body.program->num_arguments() != num_args)
        invalid_argument("Function ", body.program->name(), " takes ", body.program->num_arguments(),
                         " arguments, but was called with ", num_args, ".");
      return body;
    }

    Execution& execution_;
    const Program& program_;
    Frame& frame_;
    std::uint32_t first_slot_;
    const Instruction& instruction_;
  };

  // False if it has no program of scalars, or an argument is not a scalar.
  bool run_scalars(const Program& p, std::span<const TensorRef> args, std::span<Tensor> results) {
    if (!p.scalars_) return false;
    try {
      return p.scalars_->run(args, results, failed_inside_);
    } catch (Error& e) {
      note_failure(e, failed_inside_);
      throw;
    }
  }

  void note_failure(Error& e, const Node* node) {
    if (!e.node_name().empty()) return;
    failed_ = failed_inside_ ? failed_inside_ : node;
    if (failed_) e.set_node_name(std::string(shown_name(failed_->name)));
  }

  // Elementwise ops on scalars, where the driver's overhead would dominate. False if it is not one.
  static bool run_scalar(const Instruction& i, TensorRef* operands, Tensor& out) {
    const void* in[3] = {};
    for (std::uint16_t k = 0; k < i.num_operands; ++k) {
      const Tensor& t = *operands[k].tensor;
      if (!t.shape().is_scalar()) return false;
      in[k] = t.raw();
    }
    Tensor* reused = nullptr;
    for (std::uint16_t k = 0; k < i.num_operands && !reused; ++k) {
      Tensor& t = *operands[k].tensor;
      if (operands[k].last_use && t.dtype() == i.block_result && t.writable()) reused = &t;
    }
    if (reused) {
      out = std::move(*reused);
    } else {
      out = Tensor(i.block_result, Shape());
    }
    int status = i.block.run(in, out.mutable_raw(), 1, 0);
    if (status != kBlockOk) check_status(status);
    return true;
  }

  void run_instruction(const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction& i) {
    if (profiled_) [[unlikely]] {
      run_profiled(p, frame, first_slot, i);
    } else {
      run_unprofiled(p, frame, first_slot, i);
    }
  }
  [[gnu::noinline]] void run_profiled(const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction& i) {
    profile::Span span(i.node_name, i.op->name());
    run_unprofiled(p, frame, first_slot, i);
    span.set_results({frame.registers.data() + i.first_output, i.num_outputs});
  }
  void run_unprofiled(const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction& i) {
    std::span<TensorRef> operands(frame.operands.data() + i.first_operand, i.num_operands);
    std::span<Tensor> outputs(frame.registers.data() + i.first_output, i.num_outputs);
    std::optional<LoopCheck> check;
    if (verifies_ && i.runner && i.runner->is_compiled_loop()) {
      check.emplace(*i.runner, operands, outputs.size(), shards_);
    } else if (i.runner && i.runner->run(operands, outputs, shards_, failed_inside_)) {
      return;
    }
    std::span<const DType> dtypes(p.dtypes_.data() + i.first_dtype, i.num_outputs);
    Bodies bodies(*this, p, frame, first_slot, i);
    RunServices services{
        .bodies = &bodies,
        .shards = &shards_,
        .state = i.state_slot < 0 ? nullptr : &state_.slot(first_slot + static_cast<std::uint32_t>(i.state_slot)),
        .node_name = i.node_name,
        .unread_outputs = i.unread_outputs,
        .expected_shapes = {p.shapes_.data() + i.first_shape, i.num_shapes}};
    if (check) {
      try {
        run_op(*i.op, *i.attrs, operands, outputs, dtypes, services);
      } catch (const Error& e) {
        check->compare(e, concat("the loop ", i.node_name));
        throw;
      }
      check->compare(outputs, concat("the loop ", i.node_name));
    } else if (i.calls_host) {
      KeepSubnormals keep;
      run_op(*i.op, *i.attrs, operands, outputs, dtypes, services);
    } else {
      run_op(*i.op, *i.attrs, operands, outputs, dtypes, services);
    }
  }

  // Runs the instructions of a row, of which `i` is the first; afterwards it is the last one, or the one that failed.
  void run_row(const Program& p, Frame& frame, std::uint32_t first_slot, Program::Row& row, const Instruction*& i) {
    const Instruction* const first = i;
    const Instruction* const last = first + row.count - 1;
    if (inside_shard()) return run_in_turn(p, frame, first_slot, i, last);
    if (row.times.next_run_measures()) return measure_row(p, frame, first_slot, row, i);
    const std::uint32_t alone = row.times.alone();
    if (!alone) return run_in_turn(p, frame, first_slot, i, last);
    struct Failure {
      std::exception_ptr error;
      const Node* node = nullptr;
    };
    std::array<Failure, kMostSideBySide> failures;
    std::array<std::uint8_t, kMostSideBySide> members;
    std::size_t count = 0;
    for (std::uint32_t m = 0; m < row.count; ++m)
      if (alone >> m & 1) members[count++] = static_cast<std::uint8_t>(m);
    shards_.parallel_for(static_cast<std::int64_t>(count), kTaskNanoseconds, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const std::uint8_t m = members[static_cast<std::size_t>(k)];
        Execution own(state_);
        try {
          own.run_instruction(p, frame, first_slot, first[m]);
        } catch (const Error&) {
          failures[m] = {std::current_exception(), own.failed_inside_};
        }
      }
    });
    // The error of the first one, as if they had run in turn.
    for (std::uint32_t m = 0; m < row.count; ++m) {
      i = first + m;
      if (failures[m].error) {
        failed_inside_ = failures[m].node;
        std::rethrow_exception(failures[m].error);
      }
      if (!(alone >> m & 1)) run_instruction(p, frame, first_slot, *i);
    }
  }

  void run_in_turn(const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction*& i,
                   const Instruction* last) {
    for (;; ++i) {
      run_instruction(p, frame, first_slot, *i);
      if (i == last) return;
    }
  }

  void measure_row(const Program& p, Frame& frame, std::uint32_t first_slot, Program::Row& row, const Instruction*& i) {
    const int threads = shards_.num_threads();
    const Instruction* const first = i;
    const Instruction* const last = first + row.count - 1;
    auto begin = std::chrono::steady_clock::now();
    std::int64_t helped = ThreadPool::helped();
    for (;; ++i) {
      run_instruction(p, frame, first_slot, *i);
      const auto end = std::chrono::steady_clock::now();
      const std::int64_t helped_now = ThreadPool::helped();
      const std::chrono::nanoseconds spent = end - begin;
      row.times.note(static_cast<std::size_t>(i - first), spent.count(), helped_now - helped, threads);
      if (i == last) return;
      begin = end;
      helped = helped_now;
    }
  }

  // Each task of a row is a piece of its own.
  static constexpr double kTaskNanoseconds = 100'000;

  ProgramState& state_;
  ThreadPool& shards_;
  const bool profiled_ = profile::on();
  const bool verifies_ = compile_mode() == CompileMode::kVerify;
  PolledSteps polled_;
  const Node* failed_ = nullptr;
  const Node* failed_inside_ = nullptr;
};

namespace {

std::string place_of(const SourceLocation::Frame& f) {
  return concat("File \"", f.file, "\", line ", f.line, ", in ", f.function);
}

// TensorFlow's message: the node, the user's frames, the kernel's message. Source lines are shown if there are few
// frames, and always for the innermost one.
std::string with_place(const Error& e, const Node& node, const std::string& function) {
  constexpr std::size_t kFewFrames = 2;
  const std::string_view name = shown_name(node.name);
  std::vector<SourceLocation::Frame> frames;
  if (node.source) frames = node.source->frames();
  const std::string in_node = concat(" [[{{node ", name, "}}]] [Op:", function, "]");
  if (e.cause()) {  // an exception of the host language, shown before this one with its own frames
    if (frames.empty()) return concat(e.message(), in_node);  // no user wrote the node: a generator's, say
    return concat("Graph execution error: detected at node ", name, ", defined at ", place_of(frames.back()),
                  "; the Traceback (most recent call last) of its cause is above\n", e.message(), in_node);
  }
  std::string out =
      concat("Graph execution error:\n\nDetected at node ", name, " defined at (most recent call last):\n");
  for (const SourceLocation::Frame& f : frames) {
    bool with_text = !f.text.empty() && (frames.size() <= kFewFrames || &f == &frames.back());
    out += concat("  ", place_of(f), "\n", with_text ? concat("    ", f.text, "\n") : "", "\n");
  }
  if (frames.empty()) out += "<stack traces unavailable>\n";
  return out + concat(e.message(), "\n\t", in_node);
}

bool may_be_long(const Program& program, std::span<const TensorRef> args) {
  if (program.may_be_long()) return true;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (program.reads(i) && any_is_long({args[i].tensor, 1})) return true;
  return false;
}

// A frame of the program; cleared if the run does not end well.
class BorrowedFrame {
 public:
  explicit BorrowedFrame(const Program& program) : program_(program), frame_(program.frames().take(program)) {}
  ~BorrowedFrame() {
    if (!clean_) frame_->clear();
    program_.frames().give_back(std::move(frame_));
  }
  BorrowedFrame(const BorrowedFrame&) = delete;
  BorrowedFrame& operator=(const BorrowedFrame&) = delete;

  Frame& operator*() { return *frame_; }
  void set_clean() { clean_ = true; }

 private:
  const Program& program_;
  std::unique_ptr<Frame> frame_;
  bool clean_ = false;
};

using Clock = std::chrono::steady_clock;

// False if the arguments do not fit.
bool run_arrays(const ArrayProgram& program, std::span<const TensorRef> args, std::span<Tensor> results,
                const Node*& failed) {
  SmallVector<TensorRef, 8> arguments(args.begin(), args.end());
  try {
    return program.run({arguments.data(), arguments.size()}, results, ThreadPool::get(), failed);
  } catch (Error& e) {
    if (failed && e.node_name().empty()) e.set_node_name(std::string(shown_name(failed->name)));
    throw;
  }
}

void run_ops(const Program& program, std::span<const TensorRef> args, std::span<Tensor> results, ProgramState& state,
             const Node*& failed) {
  BorrowedFrame frame(program);
  Execution execution(state);
  execution.load(program, *frame, args);
  try {
    HostLockRelease release(may_be_long(program, args));
    execution.run_loaded(program, *frame, 0, results);
    frame.set_clean();
  } catch (const Error&) {
    failed = execution.failed();
    throw;
  }
}

// Both, and compares.
void run_verified(const Program& program, const ArrayProgram& arrays, std::span<const TensorRef> args,
                  std::span<Tensor> results, ProgramState& state, const Node*& failed) {
  const LoopCheck check(arrays, args, results.size(), ThreadPool::get());
  const std::string what = concat("the function ", program.name());
  try {
    run_ops(program, args, results, state, failed);
  } catch (const Error& e) {
    check.compare(e, what);
    throw;
  }
  check.compare(results, what);
}

}  // namespace

void run(const Program& program, std::span<const TensorRef> args, std::span<Tensor> results, ProgramState& state,
         const Node*& failed) {
  TRACEFN_CHECK(args.size() == program.num_arguments() && results.size() == program.num_results());
  TRACEFN_CHECK(state.size() >= program.num_state_slots());
  const profile::Span span(program.name(), {});
  if (const ScalarProgram* scalars = program.scalars()) {
    try {
      if (scalars->run(args, results, failed)) return;
    } catch (Error& e) {
      if (failed && e.node_name().empty()) e.set_node_name(std::string(shown_name(failed->name)));
      throw;
    }
  }
  FlushSubnormals flush;
  const ProgramChoice::Turn turn = profile::on() ? ProgramChoice::Turn() : program.choice().next();
  if (turn.program && compile_mode() == CompileMode::kVerify)
    return run_verified(program, *turn.program, args, results, state, failed);
  const auto begin = turn.is_timed ? Clock::now() : Clock::time_point();
  const bool done = turn.program && run_arrays(*turn.program, args, results, failed);
  if (!done) run_ops(program, args, results, state, failed);
  if (turn.is_timed && done == (turn.program != nullptr)) program.choice().note(done, Clock::now() - begin);
}

void rethrow_with_place(const Error& error, const Node* failed, const std::string& function) {
  if (!failed || !is_status(error.kind()) || error.reraise()) throw error;
  const auto* missing = dynamic_cast<const NoKernel*>(&error);
  const Error whole = missing ? missing->in_graph(*failed->op, failed->attrs, shown_name(failed->name)) : error;
  Error placed(whole.kind(), with_place(whole, *failed, function));
  placed.set_node_name(error.node_name());
  placed.set_cause(error.cause());
  throw placed;
}

}  // namespace tracefn
