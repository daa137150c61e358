// Avx512Translator: vector code for AVX-512, whose conditions are in mask registers. Used once, by one thread.
#pragma once

#include "jit/x64/avx512_assembler.h"
#include "jit/x64/vector_translator.h"

namespace tracefn::vector_code {

class Avx512Translator final : public VectorTranslator {
 public:
  Avx512Translator(const Allocation& whole, const Allocation& single);

 private:
  VectorAssembler& general() override { return a_; }
  void compute(const MachineInstruction& s, bool is_full) override;
  void load(const MachineInstruction& s, bool is_full) override;
  void load_mask(const MachineInstruction& s, bool is_full) override;
  void spill(const MachineInstruction& s) override;
  void spill_mask(const MachineInstruction& s) override;
  void choose_lanes() override;
  void lay_out_frame() override;
  void fill_uniforms() override;
  void write_data() override;

  void skip(const MachineInstruction& s);
  void guard(const MachineInstruction& s, bool is_full);
  void store_mask(const MachineInstruction& s, bool is_full);
  VectorOperand operand(const MachineOperand& from) const;
  Mem mask_slot(std::uint64_t number) const;
  // Whether a uniform value is one number, which instructions repeat. No instruction repeats a byte.
  bool repeats() const { return width_ != LaneWidth::k8; }

  Avx512Assembler a_;
  const Label ones_, element_masks_;
  std::int32_t mask_slots_at_ = 0;
};

}  // namespace tracefn::vector_code
