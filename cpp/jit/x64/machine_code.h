// MachineCode: bytecode compiled to machine code, so far for x86-64. It matches the interpreter
// (exec/scalar/interpreter.h) bit for bit. Immutable, so any number of threads may run it at once; fork() copies it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "jit/code_memory.h"
#include "jit/scalar/bytecode.h"
#include "jit/x64/support.h"

namespace tracefn::machine_code {

// Whether this processor has AVX, which saves moves.
bool has_avx();

class MachineCode {
 public:
  // Compiles instructions over registers with the values `initial`. `variables` are written before a run and read
  // after; other registers that no instruction writes keep their initial values, and the rest is undefined afterwards.
  // Null on other processors, if the system refuses executable memory, and for code too long to translate quickly.
  static std::unique_ptr<const MachineCode> translate(std::span<const scalar::BytecodeInstruction> instructions,
                                                      std::span<const scalar::Register> initial,
                                                      std::span<const scalar::Slot> variables,
                                                      bool with_avx = has_avx());

  // As scalar::run(), but over the bytecode's own registers and these behind them, with their initial values.
  void run(scalar::Register* registers, scalar::ScalarList* lists, const Node*& failed) const;
  std::span<const scalar::Register> added_registers() const { return added_registers_; }

 private:
  MachineCode(CodeMemory memory, std::vector<scalar::BytecodeInstruction> instructions,
              std::vector<scalar::Register> added_registers)
      : memory_(std::move(memory)),
        instructions_(std::move(instructions)),
        added_registers_(std::move(added_registers)) {}

  CodeMemory memory_;
  std::vector<scalar::BytecodeInstruction> instructions_;  // as translated: the code refers to those of lists
  std::vector<scalar::Register> added_registers_;
};

// Whether scalar code and fusion groups compiled from now on may be translated. Initially true unless the environment
// variable TRACEFN_MACHINE_CODE is "off", which nothing can override. Any thread may get and set it.
bool is_on();
void switch_on(bool on);

}  // namespace tracefn::machine_code
