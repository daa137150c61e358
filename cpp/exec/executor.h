// Runs programs on the calling thread; pool threads only help inside big instructions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/program.h"

namespace tracefn {

// The state that the stateful nodes of one concrete function keep between calls. Several runs may use it at once.
class ProgramState {
 public:
  explicit ProgramState(const Program& program)
      : slots_(program.num_state_slots() ? std::make_unique<StateSlot[]>(program.num_state_slots()) : nullptr),
        size_(program.num_state_slots()) {}

  StateSlot& slot(std::size_t i) { return slots_[i]; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<StateSlot[]> slots_;
  std::size_t size_;
};

// Runs `program`. The arguments that it uses are moved from, so that it may update in place those with no other owner;
// `results` is overwritten. Several threads may run one program with one state at once. An Error of a tf.errors kind is
// rethrown with TensorFlow's text around it: the node, where it was made, the function. Precondition: as many arguments
// as the program has, of the dtypes of its graph.
void run(const Program& program, std::span<Tensor> args, std::vector<Tensor>& results, ProgramState& state);

// The same with only the arguments that the program uses, in the order of Program::used_arguments().
void run_used(const Program& program, std::span<Tensor> used, std::vector<Tensor>& results, ProgramState& state);

// Runs program.scalars(), which is not null, with as many results as the program has. False, with nothing done, if an
// argument is not a scalar. Arguments are not read after the first microseconds; a longer run releases the host's lock
// by itself. Errors as of run().
bool run_scalars(const Program& program, std::span<const Tensor* const> used, std::span<Tensor> results);

// Like run(), but with errors as kernels throw them; for a body that an eager op runs.
void run_plainly(const Program& program, std::span<Tensor> args, std::vector<Tensor>& results, ProgramState& state);

}  // namespace tracefn
