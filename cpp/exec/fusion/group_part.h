// GroupPart: consecutive elementwise steps of a fusion group, recorded as one program and run as vector code. Values
// that only its own steps read stay in registers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "jit/vector/functions.h"
#include "jit/x64/vector_code.h"
#include "tensor/tensor.h"

namespace tracefn {

class GroupPart {
 public:
  // The part's inputs and outputs, in the order of the code's places.
  struct Argument {
    std::uint32_t place = 0;  // in the group
    DType dtype = DType::kInvalid;
    std::int32_t maker = -1;           // the group's step that produces it, or -1: a source
    const Tensor* constant = nullptr;  // of one element: embedded in the code; owned by the group
  };
  // in: indices, arguments first, then results of earlier steps of the part.
  struct Operation {
    vector_code::Function function = nullptr;
    std::uint32_t in[3] = {};
  };
  struct Result {
    Argument to;
    std::uint32_t step = 0;  // in the part
  };
  static constexpr std::size_t kMaxArguments = 64;

  // The instruction set that code is made for, that of the kernels; nothing if this processor or these kernels do not
  // take part: code and kernels give the same bits only if both round the same way.
  static std::optional<vector_code::Isa> isa();

  GroupPart(vector_code::LaneWidth width, std::vector<Argument> arguments, std::vector<Operation> steps,
            std::vector<Result> results);

  // Inputs, then outputs.
  std::span<const Argument> arguments() const { return arguments_; }

  // The code for arguments of which those with a bit in `scalars` are one element repeated; made on first use. Null if
  // it cannot be made, or if there are other variants already. Any thread may call; the code lives as long as this.
  // `overlaps`: as in VectorCode::translate().
  const vector_code::VectorCode* code(std::uint64_t scalars, bool overlaps = false) const;

 private:
  vector_code::LaneProgram program() const;

  struct Variant {
    std::uint64_t scalars = 0;
    bool overlaps = false;
    std::unique_ptr<const vector_code::VectorCode> code;
  };
  static constexpr std::size_t kMostVariants = 4;

  vector_code::LaneWidth width_;
  std::vector<Argument> arguments_;
  std::vector<Operation> steps_;
  std::vector<Result> results_;
  mutable Variant variants_[kMostVariants];
  mutable std::atomic<std::size_t> num_variants_{0};
  mutable std::mutex translating_;
};

}  // namespace tracefn
