// MachineCode: scalar code translated for the processor, x86-64 as yet. It does what the interpreter does
// (exec/scalar_run.h), bit for bit. Immutable, so any number of threads may run it at once; fork() copies it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exec/machine_code/code_memory.h"
#include "exec/machine_code/support.h"
#include "exec/scalar_code.h"

namespace tracefn::machine_code {

class MachineCode {
 public:
  // Of steps over cells that begin as `initial`. `variables` are written to the cells before and read after; other
  // cells that no step writes keep what they begin with, and the rest is undefined afterwards. Null on other
  // processors, when the system refuses executable memory, and for code so long that it would take long to translate.
  static std::unique_ptr<const MachineCode> translate(std::span<const scalar::Step> steps,
                                                      std::span<const scalar::Cell> initial,
                                                      std::span<const scalar::Slot> variables);

  // As scalar::run(), but over num_cells() cells: the steps' own, and more whose values do not matter.
  void run(scalar::Cell* cells, scalar::ScalarList* lists, const Node*& failed) const;
  std::size_t num_cells() const { return num_cells_; }

 private:
  MachineCode(CodeMemory memory, std::vector<const Node*> nodes, std::size_t num_cells)
      : memory_(std::move(memory)), nodes_(std::move(nodes)), num_cells_(num_cells) {}

  CodeMemory memory_;
  std::vector<const Node*> nodes_;  // by translated step; those of the graph
  std::size_t num_cells_;
};

// Whether code of scalars and chains compiled from now on may be translated. At first unless the environment variable
// TRACEFN_MACHINE_CODE is "off", which nothing switches on again. Any thread may ask and say.
bool is_on();
void switch_on(bool on);

}  // namespace tracefn::machine_code
