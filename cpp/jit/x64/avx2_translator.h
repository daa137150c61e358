// Avx2Translator: vector code for AVX2 and FMA, whose conditions are in vectors. Used once, by one thread.
#pragma once

#include <functional>

#include "jit/x64/avx2_assembler.h"
#include "jit/x64/vector_translator.h"

namespace tracefn::vector_code {

class Avx2Translator final : public VectorTranslator {
 public:
  Avx2Translator(const Allocation& whole, const Allocation& single, bool overlaps);

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

  // The lanes of the last vector of a row: fewer than all of them.
  void store_rest(const MachineInstruction& s);
  void skip(const MachineInstruction& s);
  void guard(const MachineInstruction& s, bool is_full);
  void store_mask(const MachineInstruction& s, bool is_full);
  void more_bits(const MachineInstruction& s);
  void choose_bits(const MachineInstruction& s);
  void read_rest(const Mem& memory, const std::function<void(const Mem&)>& read);
  // Copies the bytes of the lanes chosen from where kFree points to the frame, or back.
  enum class Direction : std::uint8_t { kIn, kOut };
  void copy_bytes(Direction direction);
  YmmOperand operand(const MachineOperand& from) const;
  // The lanes chosen, as a mask in the scratch register.
  Ymm chosen_lanes();

  Avx2Assembler a_;
  const Label ones_, lane_masks_;
  std::int32_t chosen_at_ = 0, count_at_ = 0, bytes_at_ = 0, places_at_ = 0;
};

}  // namespace tracefn::vector_code
