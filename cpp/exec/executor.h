// Runs programs on the calling thread; pool threads only help inside big instructions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
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

// Runs `program`, in a frame of its own: several threads may run one program with one state at once. Arguments that it
// does not read may be null; none is read once the host's lock may be released, which a long run does. `results` has
// one tensor for each; small tensors in it are overwritten in place if nothing else owns them. An Error is as its
// kernel threw it, and names the node; `failed` is that node. Precondition: one argument for each of the program's, of
// its graph's dtypes.
void run(const Program& program, std::span<const TensorRef> args, std::span<Tensor> results, ProgramState& state,
         const Node*& failed);

// Throws the Error of a run again: with TensorFlow's text around it (the node, where it was made, the function), if its
// kind is one of tf.errors. `failed` may be null.
[[noreturn]] void rethrow_with_place(const Error& error, const Node* failed, const std::string& function);

}  // namespace tracefn
