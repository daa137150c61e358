// The instruction loop, nested bodies, and error messages.
#include "exec/executor.h"

#include "base/check.h"
#include "base/poll.h"
#include "base/subnormals.h"
#include "exec/run_op.h"
#include "exec/thread_pool.h"
#include "ir/node_name.h"

namespace tracefn {

// One run: the loop, and the state that all nested bodies share.
class Execution {
 public:
  explicit Execution(ProgramState& state) : state_(state), shards_(ThreadPool::get()) {}

  void run(const Program& p, Frame& frame, std::uint32_t first_slot, std::span<Tensor> args,
           std::vector<Tensor>& results) {
    for (std::size_t i = 0; i < p.arguments_.size(); ++i)
      if (p.arguments_[i].kind != Program::Place::kNowhere) frame.registers[p.arguments_[i].index] = std::move(args[i]);
    run_loaded(p, frame, first_slot, results);
  }

  void run_used(const Program& p, Frame& frame, std::span<Tensor> used, std::vector<Tensor>& results) {
    std::size_t next = 0;
    for (std::uint32_t i : p.used_arguments_) frame.registers[p.arguments_[i].index] = std::move(used[next++]);
    run_loaded(p, frame, 0, results);
  }

  void run_shared(const Program& p, Frame& frame, std::uint32_t first_slot, std::span<const Tensor> args,
                  std::vector<Tensor>& results) {
    if (p.scalars_ && run_scalars(p, args, results)) return;
    for (std::size_t i = 0; i < p.arguments_.size(); ++i)
      if (p.arguments_[i].kind != Program::Place::kNowhere) frame.registers[p.arguments_[i].index] = args[i];
    run_loaded(p, frame, first_slot, results);
  }

  // The node where the Error was thrown.
  const Node* failed() const { return failed_; }

 private:
  class Bodies final : public BodyRunner {
   public:
    Bodies(Execution& execution, const Program& p, Frame& frame, std::uint32_t first_slot, const Instruction& i)
        : execution_(execution), program_(p), frame_(frame), first_slot_(first_slot), instruction_(i) {}
    void run(std::size_t index, std::span<Tensor> args, std::vector<Tensor>& results) override {
      const Program::Body& body = at(index, args.size());
      execution_.run(*body.program, frame_.body(instruction_.first_body + index), first_slot_ + body.first_slot, args,
                     results);
    }
    void run_shared(std::size_t index, std::span<const Tensor> args, std::vector<Tensor>& results) override {
      const Program::Body& body = at(index, args.size());
      execution_.run_shared(*body.program, frame_.body(instruction_.first_body + index), first_slot_ + body.first_slot,
                            args, results);
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

  void run_loaded(const Program& p, Frame& frame, std::uint32_t first_slot, std::vector<Tensor>& results) {
    const Instruction* i = p.instructions_.data();
    const Instruction* end = i + p.instructions_.size();
    Tensor* registers = frame.registers.data();
    try {
      for (; i != end; ++i) {
        polled_.step();
        if (!i->block || !run_scalar(*i, frame.operands.data() + i->first_operand, registers[i->first_output]))
          run_instruction(p, frame, first_slot, *i);
        const std::uint32_t* dead = p.dead_.data() + i->first_dead;
        for (std::uint16_t k = 0; k < i->num_dead; ++k) registers[dead[k]].reset();
      }
    } catch (Error& e) {
      note_failure(e, i->node);
      throw;
    }
    results.clear();
    results.reserve(p.results_.size());
    for (const Program::Place& place : p.results_) {
      if (place.kind == Program::Place::kConstant) {
        results.push_back(p.constants_[place.index]);
      } else if (place.last_use) {
        results.push_back(std::move(registers[place.index]));
        registers[place.index].reset();
      } else {
        results.push_back(registers[place.index]);
      }
    }
  }

  // False if an argument is not a scalar.
  bool run_scalars(const Program& p, std::span<const Tensor> args, std::vector<Tensor>& results) {
    SmallVector<const Tensor*, 8> used;
    for (std::uint32_t i : p.used_arguments_) used.push_back(&args[i]);
    results.resize(p.num_results());
    try {
      return p.scalars_->run(used, results, failed_inside_);
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
  static bool run_scalar(const Instruction& i, KernelContext::Input* operands, Tensor& out) {
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
    std::span<KernelContext::Input> operands(frame.operands.data() + i.first_operand, i.num_operands);
    std::span<Tensor> outputs(frame.registers.data() + i.first_output, i.num_outputs);
    if (i.scalar_loop >= 0 &&
        p.scalar_loops_[static_cast<std::size_t>(i.scalar_loop)]->run(operands, outputs, failed_inside_))
      return;
    if (i.array_loop >= 0 &&
        p.array_loops_[static_cast<std::size_t>(i.array_loop)]->run(operands, outputs, shards_, failed_inside_))
      return;
    if (i.fusion_group >= 0 &&
        p.fusion_groups_[static_cast<std::size_t>(i.fusion_group)]->run(operands, outputs, shards_, failed_inside_))
      return;
    std::span<const DType> dtypes(p.dtypes_.data() + i.first_dtype, i.num_outputs);
    Bodies bodies(*this, p, frame, first_slot, i);
    RunServices services{
        .bodies = &bodies,
        .shards = &shards_,
        .state = i.state_slot < 0 ? nullptr : &state_.slot(first_slot + static_cast<std::uint32_t>(i.state_slot)),
        .node_name = i.node_name};
    if (i.calls_host) {
      KeepSubnormals keep;
      run_op(*i.op, *i.attrs, operands, outputs, dtypes, services);
    } else {
      run_op(*i.op, *i.attrs, operands, outputs, dtypes, services);
    }
  }

  ProgramState& state_;
  ThreadPool& shards_;
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
    std::string where = frames.empty() ? "" : concat(", defined at ", place_of(frames.back()));
    return concat("Graph execution error: detected at node ", name, where,
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

// `execute(execution, frame)` runs it.
template <typename Execute, typename OnError>
void run_in_frame(const Program& program, std::vector<Tensor>& results, ProgramState& state, Execute execute,
                  OnError on_error) {
  TRACEFN_CHECK(state.size() >= program.num_state_slots());
  FlushSubnormals flush;
  struct Borrowed {
    const Program& program;
    std::unique_ptr<Frame> frame;
    bool clean = false;
    ~Borrowed() {
      if (!clean) frame->clear();
      program.frames().give_back(std::move(frame));
    }
  } borrowed{program, program.frames().take(program)};
  Execution execution(state);
  try {
    execute(execution, *borrowed.frame);
    borrowed.clean = true;
  } catch (const Error& e) {
    results.clear();
    on_error(e, execution.failed());
    throw;
  }
}

// Rethrows the Error with its location, if its kind carries one.
void throw_placed(const Error& e, const Node* failed, const std::string& function) {
  if (!failed || !is_status(e.kind()) || e.reraise()) return;
  Error placed(e.kind(), with_place(e, *failed, function));
  placed.set_node_name(e.node_name());
  placed.set_cause(e.cause());
  throw placed;
}

}  // namespace

void run(const Program& program, std::span<Tensor> args, std::vector<Tensor>& results, ProgramState& state) {
  TRACEFN_CHECK(args.size() == program.num_arguments());
  run_in_frame(
      program, results, state,
      [&](Execution& execution, Frame& frame) { execution.run(program, frame, 0, args, results); },
      [&](const Error& e, const Node* failed) { throw_placed(e, failed, program.name()); });
}

void run_used(const Program& program, std::span<Tensor> used, std::vector<Tensor>& results, ProgramState& state) {
  TRACEFN_CHECK(used.size() == program.used_arguments().size());
  run_in_frame(
      program, results, state,
      [&](Execution& execution, Frame& frame) { execution.run_used(program, frame, used, results); },
      [&](const Error& e, const Node* failed) { throw_placed(e, failed, program.name()); });
}

bool run_scalars(const Program& program, std::span<const Tensor* const> used, std::span<Tensor> results) {
  const Node* failed = nullptr;
  try {
    return program.scalars()->run(used, results, failed);
  } catch (Error& e) {
    if (failed && e.node_name().empty()) e.set_node_name(std::string(shown_name(failed->name)));
    throw_placed(e, failed, program.name());
    throw;
  }
}

void run_plainly(const Program& program, std::span<Tensor> args, std::vector<Tensor>& results, ProgramState& state) {
  TRACEFN_CHECK(args.size() == program.num_arguments());
  run_in_frame(
      program, results, state,
      [&](Execution& execution, Frame& frame) { execution.run(program, frame, 0, args, results); },
      [](const Error&, const Node*) {});
}

}  // namespace tracefn
