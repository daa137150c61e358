// The instruction loop, nested bodies, and error messages.
#include "exec/executor.h"

#include "base/check.h"
#include "base/host_lock.h"
#include "base/poll.h"
#include "base/subnormals.h"
#include "exec/long_work.h"
#include "exec/run_op.h"
#include "exec/thread_pool.h"
#include "ir/node_name.h"

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
        if (!i->block || !run_scalar(*i, frame.operands.data() + i->first_operand, registers[i->first_output]))
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
    std::span<TensorRef> operands(frame.operands.data() + i.first_operand, i.num_operands);
    std::span<Tensor> outputs(frame.registers.data() + i.first_output, i.num_outputs);
    if (i.runner && i.runner->run(operands, outputs, shards_, failed_inside_)) return;
    std::span<const DType> dtypes(p.dtypes_.data() + i.first_dtype, i.num_outputs);
    Bodies bodies(*this, p, frame, first_slot, i);
    RunServices services{
        .bodies = &bodies,
        .shards = &shards_,
        .state = i.state_slot < 0 ? nullptr : &state_.slot(first_slot + static_cast<std::uint32_t>(i.state_slot)),
        .node_name = i.node_name,
        .expected_shapes = {p.shapes_.data() + i.first_shape, i.num_shapes}};
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

}  // namespace

void run(const Program& program, std::span<const TensorRef> args, std::span<Tensor> results, ProgramState& state,
         const Node*& failed) {
  TRACEFN_CHECK(args.size() == program.num_arguments() && results.size() == program.num_results());
  TRACEFN_CHECK(state.size() >= program.num_state_slots());
  if (const ScalarProgram* scalars = program.scalars()) {
    try {
      if (scalars->run(args, results, failed)) return;
    } catch (Error& e) {
      if (failed && e.node_name().empty()) e.set_node_name(std::string(shown_name(failed->name)));
      throw;
    }
  }
  const bool is_long = may_be_long(program, args);
  FlushSubnormals flush;
  BorrowedFrame frame(program);
  Execution execution(state);
  execution.load(program, *frame, args);
  try {
    HostLockRelease release(is_long);
    execution.run_loaded(program, *frame, 0, results);
    frame.set_clean();
  } catch (const Error&) {
    failed = execution.failed();
    throw;
  }
}

void rethrow_with_place(const Error& error, const Node* failed, const std::string& function) {
  if (!failed || !is_status(error.kind()) || error.reraise()) throw error;
  Error placed(error.kind(), with_place(error, *failed, function));
  placed.set_node_name(error.node_name());
  placed.set_cause(error.cause());
  throw placed;
}

}  // namespace tracefn
