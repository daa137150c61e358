// ScalarRoutine: the bytecode of a loop or of a whole scalar program, with its registers' initial values. It is
// translated to machine code once that pays off and where possible; otherwise it is interpreted. Immutable apart from
// that once compiled, so any number of threads may run it at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "jit/scalar/array_work.h"
#include "jit/scalar/bytecode.h"
#include "jit/scalar/scalar_list.h"
#include "jit/x64/machine_code.h"
#include "ops/kernel.h"

namespace tracefn {

class ScalarRoutine {
 public:
  using Slot = scalar::Slot;

  ScalarRoutine() = default;
  ScalarRoutine(const ScalarRoutine&) = delete;
  ScalarRoutine& operator=(const ScalarRoutine&) = delete;
  ~ScalarRoutine();

  std::vector<scalar::BytecodeInstruction> instructions;
  std::vector<scalar::Register> initial;                // constants in place
  std::vector<Slot> variables;                          // written before the run, read after it
  bool runs_often = false;                              // translate at once
  std::vector<scalar::ListType> arrays;                 // by number: those of run()
  std::vector<std::pair<std::uint32_t, Tensor>> given;  // arrays that are constants
  std::deque<Node> nodes;                               // that expressions refer to
  std::deque<std::string> messages;                     // that instructions refer to
  std::vector<std::unique_ptr<const scalar::ArrayWork>> works;

  // One line for each instruction, below the user's lines: registers are r0, r1, ..., arrays and lists a0, a1, ...
  std::string text() const;

  // The initial registers of one run. The routine must outlive them.
  class Registers {
   public:
    explicit Registers(const ScalarRoutine& routine);
    scalar::Register& operator[](Slot s) { return registers_[s]; }
    scalar::Register* data() { return registers_; }
    void run(scalar::ScalarList* lists, const Node*& failed);

   private:
    static constexpr std::size_t kFew = 64;

    const ScalarRoutine& routine_;
    const machine_code::MachineCode* code_;
    scalar::Register* registers_;
    scalar::Register few_[kFew];
    std::vector<scalar::Register> many_;
  };

 private:
  // Null if there is none.
  const machine_code::MachineCode* machine_code() const;

  // Several threads may translate at first; one result is kept. No lock, which a fork could leave held.
  mutable std::atomic<bool> untranslatable_{!machine_code::is_on()};
  mutable std::atomic<const machine_code::MachineCode*> machine_code_{nullptr};
  mutable std::atomic<std::uint32_t> runs_{0};  // until it is translated; some may be missed
};

}  // namespace tracefn
