// ScalarRoutine: the register code of a loop or of a whole program of scalars, with what its cells begin with. It is
// translated to machine code once that is worth it, where it can be done; otherwise it is interpreted.
// Immutable but for that once it is compiled, so any number of threads may run it at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "exec/machine_code/machine_code.h"
#include "exec/scalar_code.h"
#include "ir/graph.h"
#include "ops/kernel.h"

namespace tracefn {

class ScalarRoutine {
 public:
  using Slot = scalar::Slot;

  ScalarRoutine() = default;
  ScalarRoutine(const ScalarRoutine&) = delete;
  ScalarRoutine& operator=(const ScalarRoutine&) = delete;
  ~ScalarRoutine();

  std::vector<scalar::Step> steps;
  std::vector<scalar::Cell> initial;  // constants in place
  std::vector<Slot> variables;        // written before it runs, read after
  bool has_loop = false;              // at once worth translating

  // The cells of one run, as they begin. The routine must outlive them.
  class Cells {
   public:
    explicit Cells(const ScalarRoutine& routine);
    scalar::Cell& operator[](Slot s) { return cells_[s]; }
    void run(scalar::ScalarList* lists, const Node*& failed);

   private:
    static constexpr std::size_t kFew = 64;

    const ScalarRoutine& routine_;
    const machine_code::MachineCode* code_;
    scalar::Cell* cells_;
    scalar::Cell few_[kFew];
    std::vector<scalar::Cell> many_;
  };

 private:
  // Null where there is none.
  const machine_code::MachineCode* machine_code() const;

  // Threads that come first at once may each translate; one of them is heard. No lock that a fork could leave held.
  mutable std::atomic<bool> untranslatable_{!machine_code::is_on()};
  mutable std::atomic<const machine_code::MachineCode*> machine_code_{nullptr};
  mutable std::atomic<std::uint32_t> runs_{0};  // until it is translated; some may be missed
};

}  // namespace tracefn
