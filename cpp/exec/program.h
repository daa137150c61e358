// Program: a compiled graph. A flat list of instructions over numbered registers, in the graph's order, with last uses
// known. Immutable once compiled, so any number of threads may run it at once; the state of one run is its Frame, that
// of one concrete function its ProgramState.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/frame.h"
#include "exec/instruction_runner.h"
#include "exec/scalar/program_choice.h"
#include "exec/scalar/scalar_program.h"
#include "exec/side_by_side.h"
#include "ir/graph.h"
#include "ops/elementwise/elementwise.h"
#include "ops/op_def.h"

namespace tracefn {

// One node to run. Indices count into the program's flat lists.
struct Instruction {
  const OpDef* op;
  const AttrList* attrs;
  const Node* node;
  std::string_view node_name;  // its name in messages
  std::uint32_t first_operand;
  std::uint32_t first_output;  // outputs are consecutive registers
  std::uint32_t first_dead;    // registers that are empty afterwards
  std::uint32_t first_body;
  std::uint32_t first_dtype;
  std::uint16_t num_operands;
  std::uint16_t num_outputs;
  std::uint16_t num_dead;
  std::uint16_t num_bodies;
  std::uint32_t first_shape;        // of RunServices::expected_shapes
  std::uint32_t num_shapes;         // 0: none
  std::uint64_t unread_outputs;     // bit j: nothing reads output j
  std::int32_t state_slot;          // or -1
  std::int32_t row;                 // the row of Program that it begins, or -1
  const InstructionRunner* runner;  // runs it if it can, before the op's kernel does; null: the kernel alone
  bool calls_host;                  // holds an object of the host language: runs with its floating-point mode
  // Elementwise with one or more operands and a known kernel: scalars bypass the driver.
  Block block;
  DType block_result;
};

class Program {
 public:
  // The location of an operand, argument or result.
  struct Place {
    enum Kind : std::uint8_t { kNowhere, kRegister, kConstant };
    Kind kind = kNowhere;
    bool last_use = false;
    std::uint32_t index = 0;
  };
  // Instructions that may run side by side; the registers that are empty after any of them are the last one's.
  struct Row {
    std::uint32_t first;
    std::uint32_t count;
    RowTimes times;

    Row(std::uint32_t first_instruction, std::uint32_t members) : first(first_instruction), count(members) {}
  };
  struct Body {
    const InstructionRunner* inside = nullptr;  // of a loop: what runs it as a whole, if anything does
    std::shared_ptr<const Program> program;
    std::uint32_t first_slot = 0;  // its state slots start here
  };

  // Keeps the graph, whose nodes must not change any more. Unused stateless nodes are dropped. `name` is the function's
  // name in errors; by default the graph's. Error(kInternal) if the graph is malformed.
  static std::shared_ptr<const Program> compile(std::shared_ptr<const Graph> graph, std::string name = {});
  ~Program();

  const Graph& graph() const { return *graph_; }
  const std::string& name() const { return name_; }
  std::size_t num_arguments() const { return arguments_.size(); }
  // Whether a run reads argument i.
  bool reads(std::size_t i) const { return arguments_[i].kind != Place::kNowhere; }
  std::size_t num_results() const { return results_.size(); }
  std::size_t num_instructions() const { return instructions_.size(); }
  std::size_t num_registers() const { return num_registers_; }
  // For this program and its bodies together.
  std::size_t num_state_slots() const { return num_state_slots_; }
  // Whether a run may take long whatever its arguments are: there are loops, conditionals, calls or large constants.
  bool may_be_long() const { return may_be_long_; }
  // If it computes only with scalars; else null.
  const ScalarProgram* scalars() const { return scalars_.get(); }
  // How its graph runs, if it does not compute with scalars only.
  ProgramChoice& choice() const { return *choice_; }
  FrameList& frames() const { return frames_; }
  // Its loops and those of its bodies: the names, and why one is not compiled as a whole; "" if it is. Of a function
  // without loops the function itself, if it runs as an array program.
  struct LoopReport {
    std::string name, reason;
    const InstructionRunner* runner = nullptr;  // of the program; null unless it is compiled as a whole
  };
  std::vector<LoopReport> loops() const;
  // Its graph and the programs of its bodies. See base/owned.h.
  void visit_owned(OwnedVisitor& visitor) const {
    visitor.shared(graph_);
    for (const Body& body : bodies_) visitor.shared(body.program);
  }

 private:
  friend class Compiler;
  friend class Execution;
  friend class Frame;
  Program() = default;
  std::vector<std::uint32_t> read_arguments() const;
  void compile_scalars();

  std::shared_ptr<const Graph> graph_;
  std::string name_;
  std::vector<Instruction> instructions_;
  std::vector<Place> operands_;
  std::vector<std::uint32_t> dead_;
  std::vector<DType> dtypes_;
  std::vector<Shape> shapes_;
  std::vector<Tensor> constants_;
  std::vector<Place> arguments_;  // kNowhere: unused
  std::vector<Place> results_;
  std::vector<Body> bodies_;
  mutable std::deque<Row> rows_;
  std::vector<std::unique_ptr<const InstructionRunner>> runners_;
  std::vector<LoopReport> loops_;
  std::unique_ptr<const ScalarProgram> scalars_;
  std::unique_ptr<ProgramChoice> choice_;
  bool may_be_long_ = false;
  std::size_t num_registers_ = 0;
  std::size_t num_state_slots_ = 0;
  std::size_t num_frames_ = 1;  // its own, and those of its bodies, one per call site
  mutable FrameList frames_;
};

}  // namespace tracefn
