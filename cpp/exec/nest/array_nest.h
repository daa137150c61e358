// ArrayNest: loops over the elements of arrays that compute an expression, and what else reads it, into other arrays.
// The index space is cut into boxes in which every operand is an affine function of the index; the rows of a box run
// through a fusion group, or are copied. Any number of threads may run it at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/fusion/fusion_group.h"
#include "exec/nest/array_expression.h"
#include "jit/scalar/array_work.h"

namespace tracefn {

// An expression, and the array into which it is computed, dense: at the array's beginning, or from the element
// of this number on.
struct NestResult {
  ArrayExpressionPtr expression;
  std::uint32_t array = 0;
  std::optional<scalar::Slot> at = {};
  // The array does not have so many of the first axes: what is computed for one index of them replaces what was for the
  // one before. The expression may read it.
  int replacing = 0;
  // If it replaces: computing an element again, from what it became, gives the same.
  bool repeatable = false;

  Dims strides(const Shape& shape) const;
};
// Where the nest finds the value of a slot: an element of an array, which the code stores before.
struct NestParameter {
  std::uint32_t array = 0;
  std::int64_t index = 0;
};

class ArrayNest final : public scalar::ArrayWork, public scalar::PartsOfWork {
 public:
  using FindParameter = std::function<NestParameter(scalar::Slot, DType)>;
  // The value of a slot that is a constant, or null.
  using FindConstant = std::function<const void*(scalar::Slot)>;

  // Of results of one shape. Rows of one that replaces others have 32 elements or more, in one piece. Null if it would
  // have too many boxes.
  static std::unique_ptr<const ArrayNest> compile(std::span<const NestResult> results, const Shape& shape,
                                                  const FindParameter& parameter, const FindConstant& constant);

  void run(scalar::ScalarList* arrays, LongRun& run) const override;
  void expect_runs() const override;
  double expected_time() const override;
  std::vector<std::uint32_t> arrays() const override { return arrays_; }
  std::string text(const ValueText& value_of) const override;

  const PartsOfWork* parts() const override { return this; }
  // A part is a box.
  std::vector<scalar::CodeCall> code_calls() const override;
  void run_part(std::size_t number, scalar::ScalarList* arrays, LongRun& run) const override;
  void finish_part(std::size_t number, std::int64_t rows_left, std::int64_t done, scalar::ScalarList* arrays,
                   LongRun& run) const override;

 private:
  friend class NestCompiler;

  // In elements of the array.
  struct Operand {
    std::uint32_t array = 0;
    std::int64_t bytes = 0;  // of an element
    std::int64_t offset = 0;
    SmallVector<std::pair<NestParameter, std::int64_t>, 1> moving;
    Dims strides;  // by loop
    enum Form : std::uint8_t {
      kDense,   // a row's elements are next to each other
      kOne,     // there is one for all of a row
      kCopied,  // they are elsewhere: a copy is made for each row, unless it has the elements of the last one
    } form = kDense;

    // Whether it reads the same elements in each row, the loops around being the first `loops`.
    bool repeats(std::size_t loops) const {
      return std::all_of(strides.begin(), strides.begin() + loops, [](std::int64_t stride) { return stride == 0; });
    }
  };
  struct Box {
    std::size_t program = 0;
    Dims sizes;           // of its loops, outermost first
    std::size_t row = 0;  // the first one of the loops of a row; if those around are all short, a row has several
    std::int64_t n = 1, rows = 1;
    std::vector<Operand> operands, results;
    std::vector<char> ones;   // by operand
    std::size_t scratch = 0;  // bytes of the copies
    bool is_small = false;    // threads do not pay off
    bool walks = true;        // all rows have the same copies; of results if it is one row
    bool overlaps = false;    // of its code: VectorCode::translate()
    // If the group is one part, of its code: FusionGroup::code(), by argument the operand, then the results, or -1, and
    // the bytes from row to row in the loop around them.
    std::uint64_t scalars = 0;
    SmallVector<std::int32_t, 8> places;
    SmallVector<std::int64_t, 8> steps;
    Dims dense;  // the strides of a copy

    const Operand& at_place(std::int32_t place) const {
      const auto i = static_cast<std::size_t>(place);
      return i < operands.size() ? operands[i] : results[i - operands.size()];
    }
  };
  // What is computed in a row.
  struct Program {
    std::unique_ptr<Graph> graph;                      // of the nodes
    std::unique_ptr<const FusionGroup> group;          // null: the result is operand 0
    std::vector<const Node*> nodes;                    // of the user's graph, by id in `graph`
    std::vector<FusionGroup::CodeArgument> arguments;  // if the group is one part
  };

  static std::size_t room_for(std::int64_t n, std::int64_t bytes);  // for the copy of a row
  // Where the operand's first element is.
  static char* start_of(const Operand& operand, const scalar::ScalarList* arrays) {
    std::int64_t at = operand.offset;
    if (!operand.moving.empty()) at += moved_by(operand, arrays);
    return reinterpret_cast<char*>(arrays[operand.array].data) + at * operand.bytes;
  }
  static std::int64_t moved_by(const Operand& operand, const scalar::ScalarList* arrays);
  class Walk;
  // A box of a group.
  void run_box(std::size_t number, scalar::ScalarList* arrays, std::atomic<const Node*>& failed) const;
  // A small one with at most one loop around its rows, and none of the copies.
  void run_small_box(const Box& box, const Program& program, vector_code::Entry code, scalar::ScalarList* arrays,
                     std::atomic<const Node*>& failed) const;
  // Whether machine code can do it.
  static bool is_simple(const Box& box, const Program& program);
  scalar::CodeCall code_call(std::size_t number) const;
  static scalar::CodeCall::Place place_of(const Operand& operand);
  // Null until the group has done enough work.
  vector_code::Entry code_of(std::size_t number) const;

  std::vector<NestResult> results_;
  Shape shape_;
  std::vector<Program> programs_;
  std::vector<Box> boxes_;
  mutable std::vector<std::atomic<vector_code::Entry>> codes_;  // by box, once there are any
  std::vector<std::uint32_t> arrays_;
  std::int64_t bytes_ = 0;  // that it writes
};

}  // namespace tracefn
