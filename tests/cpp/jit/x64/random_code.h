// Random scalar code from a seed: nested loops and choices over slots of all types.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "jit/scalar/bytecode.h"
#include "jit/x64/random_slots.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/functions.h"

namespace tracefn::test {

class RandomCode : public RandomSlots {
 public:
  using BytecodeInstruction = scalar::BytecodeInstruction;

  explicit RandomCode(std::uint64_t seed) : RandomSlots(seed) {
    for (DType t : kTypes) {
      for (int k = 0; k < 3; ++k) variables.push_back(new_slot(t, true));
      for (int k = 0; k < 3; ++k) new_slot(t, true);  // constants
    }
    // One that is added to counters, one that ends them, one that they begin with.
    one_ = number(1);
    iterations_ = number(3);
    unlimited_ = number(-1);
    zero_ = number(0);
    for (std::int64_t k = 0; k < 3; ++k) {
      places_[k] = new_slot(DType::kInt64);
      types_[places_[k]] = DType::kInvalid;  // not to be written by others
      write(places_[k], k);
    }
    for (std::size_t k = 0; k < std::size(vectors_); ++k)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        vectors_[k].push_back(vector_slot(k < kVectors       ? DType::kFloat
                                          : k < 2 * kVectors ? DType::kInt32
                                                             : DType::kBool,
                                          k % kVectors < 2));
    block(0);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (!same_node_.contains(i)) nodes_.push_back(std::make_unique<Node>());
      instructions[i].node = nodes_.back().get();
    }
    if (chance(2)) scalar::tighten(instructions, registers.size(), variables);
  }

  std::vector<BytecodeInstruction> instructions;
  std::vector<Slot> variables;
  // Lists of scalars, then two of rows of two floats, then of two int32 and of two bools.
  static constexpr int kLists = 2, kAll = 6;
  static constexpr DType kListTypes[kAll] = {DType::kInt32, DType::kDouble, DType::kFloat,
                                             DType::kFloat, DType::kInt32,  DType::kBool};

 private:
  // One that only ops on vectors write.
  Slot vector_slot(DType t, bool is_variable) {
    const Slot s = new_slot(t, true);
    only_vectors_.insert(s);
    if (is_variable) variables.push_back(s);
    return s;
  }

  // Something that may be written: a variable, or a temporary of before, or a new one.
  Slot target(DType t) {
    std::vector<Slot> fitting;
    for (Slot s : variables)
      if (types_[s] == t && !only_vectors_.contains(s)) fitting.push_back(s);
    for (Slot s : temporaries_)
      if (types_[s] == t) fitting.push_back(s);
    if (!chance(3)) return fitting[below(fitting.size())];
    temporaries_.push_back(new_slot(t));
    return temporaries_.back();
  }

  BytecodeInstruction& add(scalar::Kind kind) {
    instructions.emplace_back();
    instructions.back().kind = kind;
    return instructions.back();
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(instructions.size()); }

  void move(Slot from, Slot to) {
    BytecodeInstruction& s = add(scalar::move_of(size_of(types_[from])));
    s.in[0] = from;
    s.out = to;
  }

  // A function of the table; false if it has no kernel for the dtype.
  bool apply(BlockArity arity, int function, DType t, DType result, BlockResult kind) {
    const BlockSpec spec{arity, function, 1.0, kind};
    const Block found = find_block(spec, t, result);
    if (!found) return false;
    const int n = arity == BlockArity::kTernary ? 3 : arity == BlockArity::kBinary ? 2 : 1;
    Slot in[3] = {};
    for (int k = 0; k < n; ++k)
      in[k] = any(function == id_of<functions::Select> && n == 3 && k == 0 ? DType::kBool : t);
    const Slot out = target(result);
    BytecodeInstruction& s = add(scalar::kind_of(spec, t));
    s.function = arity == BlockArity::kCast ? scalar::kCastFunction : static_cast<std::uint8_t>(function);
    s.operand = t;
    s.result = result;
    if (n == 1) s.unary = found.kernel.unary;
    if (n == 2) s.binary = found.kernel.binary;
    if (n == 3) s.ternary = found.kernel.ternary;
    std::memcpy(s.in, in, sizeof in);
    s.out = out;
    return true;
  }

  void arithmetic() {
    static constexpr int kUnaries[] = {
        id_of<functions::Abs>,   id_of<functions::Neg>,  id_of<functions::Square>, id_of<functions::Reciprocal>,
        id_of<functions::Floor>, id_of<functions::Ceil>, id_of<functions::Round>,  id_of<functions::IsNan>,
        id_of<functions::Sqrt>,  id_of<functions::Exp>,  id_of<functions::Sin>,    id_of<functions::LogicalNot>};
    static constexpr int kBinaries[] = {id_of<functions::Add>,
                                        id_of<functions::Add>,
                                        id_of<functions::Sub>,
                                        id_of<functions::Mul>,
                                        id_of<functions::SquaredDifference>,
                                        id_of<functions::Maximum>,
                                        id_of<functions::Minimum>,
                                        id_of<functions::Div>,
                                        id_of<functions::BitwiseAnd>,
                                        id_of<functions::BitwiseOr>,
                                        id_of<functions::BitwiseXor>,
                                        id_of<functions::LogicalAnd>,
                                        id_of<functions::LogicalOr>,
                                        id_of<functions::FloorDiv>,
                                        id_of<functions::FloorMod>,
                                        id_of<functions::TruncateDiv>,
                                        id_of<functions::TruncateMod>,
                                        id_of<functions::Atan2>};
    static constexpr int kComparisons[] = {id_of<functions::Equal>,   id_of<functions::NotEqual>,
                                           id_of<functions::Less>,    id_of<functions::LessEqual>,
                                           id_of<functions::Greater>, id_of<functions::GreaterEqual>};
    const DType t = kTypes[below(std::size(kTypes))];
    switch (below(6)) {
      case 0: {
        const int function = kUnaries[below(std::size(kUnaries))];
        const bool asks = function == id_of<functions::IsNan>;
        apply(BlockArity::kUnary, function, t, asks ? DType::kBool : t, asks ? BlockResult::kBool : BlockResult::kSame);
        break;
      }
      case 1:
        compare(kComparisons[below(std::size(kComparisons))], t);
        break;
      case 2:
        apply(BlockArity::kTernary, id_of<functions::Select>, t, t, BlockResult::kSame);
        break;
      case 3:
        apply(BlockArity::kCast, 0, t, kTypes[below(std::size(kTypes))], BlockResult::kDstT);
        break;
      default: {
        const int function = kBinaries[below(std::size(kBinaries))];
        // Most divisors would be zero before long.
        const bool divides =
            function >= id_of<functions::Div> && function <= id_of<functions::TruncateMod> && is_integer(t);
        if (divides && !chance(10)) return;
        apply(BlockArity::kBinary, function, t, t, BlockResult::kSame);
      }
    }
  }
  // One comparison, and selects of all types by it.
  void selects() {
    const DType t = kTypes[1 + below(4)];
    const Slot condition = compare(id_of<functions::Less> + static_cast<int>(below(4)), t);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      if (chance(4)) arithmetic();
      const DType of = chance(2) ? t : kTypes[below(std::size(kTypes))];
      const std::size_t before = instructions.size();
      apply(BlockArity::kTernary, id_of<functions::Select>, of, of, BlockResult::kSame);
      if (instructions.size() > before) instructions.back().in[0] = condition;
    }
  }
  Slot compare(int function, DType t) {
    if (!apply(BlockArity::kBinary, function, t, DType::kBool, BlockResult::kBool)) return any(DType::kBool);
    return instructions.back().out;
  }

  void access_list() {
    const auto list = static_cast<std::uint32_t>(below(kLists));
    const DType t = kListTypes[list];
    switch (below(8)) {
      case 0: {
        BytecodeInstruction s{scalar::Kind::kPop};
        s.out = target(t);
        instructions.push_back(s);
        break;
      }
      case 1: {
        BytecodeInstruction s{scalar::Kind::kGet};
        s.in[0] = chance(2) ? zero_ : any(DType::kInt32);
        s.out = target(t);
        instructions.push_back(s);
        break;
      }
      case 2: {
        BytecodeInstruction s{scalar::Kind::kSet};
        s.in[0] = chance(2) ? one_ : any(DType::kInt32);
        s.in[1] = any(t);
        instructions.push_back(s);
        break;
      }
      default:
        add(scalar::Kind::kPush).in[0] = any(t);
    }
    instructions.back().target = list;
    instructions.back().operand = t;
  }

  BytecodeInstruction& add_on(scalar::Kind kind, std::uint32_t list) {
    BytecodeInstruction& s = add(kind);
    s.target = list;
    s.operand = kListTypes[list];
    return s;
  }
  Slot private_slot() {
    const Slot s = new_slot(DType::kInt64);
    types_[s] = DType::kInvalid;
    return s;
  }
  // The number of the first element of a row.
  Slot first_of(Slot row) {
    const Slot at = private_slot();
    BytecodeInstruction& s = add(scalar::Kind::kMulInt64);
    s.in[0] = row;
    s.in[1] = places_[2];
    s.out = at;
    return at;
  }
  // The number of an element with another one behind it: computed from a row, 0, 1 or any, or it, after a check.
  Slot checked_row(std::uint32_t list) {
    const Slot row = chance(12) ? any(DType::kInt64) : places_[below(2)], rows = private_slot();
    const bool wraps = chance(3);
    Slot kept = private_slot();
    move(row, kept);
    add_on(scalar::Kind::kRows, list).out = rows;
    BytecodeInstruction& s = add(wraps ? scalar::Kind::kWrapIndex : scalar::Kind::kCheckIndex);
    s.in[0] = kept;
    s.in[1] = rows;
    s.in[2] = places_[1];
    s.message = &message_;
    if (wraps) s.out = kept = private_slot();
    return chance(2) ? kept : first_of(kept);
  }
  void access_rows() {
    const std::uint32_t list = kLists + (chance(3) ? 1 : 0), other = 2 * kLists + 1 - list;
    switch (below(8)) {
      case 0: {
        const Slot row = private_slot();
        add_on(scalar::Kind::kAppend, list).out = row;
        const Slot at = first_of(row);
        for (std::uint32_t k = 0; k < 2; ++k) store(list, at, k);
        break;
      }
      case 1: {
        const Slot row = private_slot();
        add_on(scalar::Kind::kRemove, list).out = row;
        break;
      }
      case 2: {
        add_on(scalar::Kind::kOwn, list).offset = scalar::kAsIs;
        const Slot at = checked_row(list);
        for (std::size_t n = 1 + below(5); n > 0; --n) {
          if (chance(2)) {
            store(list, at, static_cast<std::uint32_t>(below(2)));
          } else if (chance(5)) {
            add_on(scalar::Kind::kGrow, list).in[0] = iterations_;
          } else {
            load(list, at);
          }
        }
        break;
      }
      case 3:
        add_on(chance(2) ? scalar::Kind::kTake : scalar::Kind::kShare, list).offset = other;
        break;
      case 4:
        if (chance(2)) {
          BytecodeInstruction& made = add_on(scalar::Kind::kReserve, list);
          made.in[0] = iterations_;
          made.in[1] = chance(8) ? iterations_ : unlimited_;
        } else {
          add_on(scalar::Kind::kGrow, list).in[0] = chance(2) ? iterations_ : one_;
        }
        break;
      default:
        load(list, checked_row(list));
    }
  }
  void load(std::uint32_t list, Slot at) {
    const Slot out = target(DType::kFloat);
    BytecodeInstruction& s = add_on(scalar::Kind::kLoad, list);
    s.in[0] = at;
    s.out = out;
    s.offset = static_cast<std::uint32_t>(below(2));
  }
  void store(std::uint32_t list, Slot at, std::uint32_t column) {
    const Slot value = any(DType::kFloat);
    BytecodeInstruction& s = add_on(scalar::Kind::kStore, list);
    s.in[0] = at;
    s.in[1] = value;
    s.offset = column;
  }
  void multiply_add() {
    const DType t = chance(2) ? DType::kFloat : DType::kDouble;
    const Slot in[3] = {any(t), any(t), any(t)}, out = target(t);
    BytecodeInstruction& s =
        add(t == DType::kFloat ? scalar::Kind::kMultiplyAddFloat : scalar::Kind::kMultiplyAddDouble);
    std::memcpy(s.in, in, sizeof in);
    s.out = out;
    s.operand = s.result = t;
  }

  // The op's instructions for each number of some vectors, as those of small tensors are.
  struct Operand {
    const std::vector<Slot>* vector = nullptr;  // or one number
    std::size_t shift = 0;
    Slot number = 0;
  };
  std::vector<Slot>& vector_of(DType t) {
    return vectors_[(t == DType::kFloat ? 0 : t == DType::kInt32 ? 1 : 2) * kVectors + below(kVectors)];
  }
  Operand operand(DType t) {
    if (chance(4)) return {nullptr, 0, any(t)};
    return {&vector_of(t), chance(6) ? 1 + below(4) : 0, 0};
  }
  void on_vectors(BytecodeInstruction s, std::vector<Operand> in, const std::vector<Slot>& out) {
    const std::size_t n = kLanes - below(3);
    for (std::size_t lane = 0; lane < n; ++lane) {
      for (std::size_t k = 0; k < in.size(); ++k)
        s.in[k] = in[k].vector ? (*in[k].vector)[(lane + in[k].shift) % kLanes] : in[k].number;
      s.out = out[lane];
      if (lane > 0) same_node_.insert(instructions.size());
      instructions.push_back(s);
    }
  }
  // If there is a kernel.
  bool on_vectors(BlockArity arity, int function, DType t, DType result, std::vector<Operand> in) {
    const BlockResult kind = arity == BlockArity::kCast                    ? BlockResult::kDstT
                             : result == DType::kBool && t != DType::kBool ? BlockResult::kBool
                                                                           : BlockResult::kSame;
    const BlockSpec spec{arity, function, 1.0, kind};
    const Block found = find_block(spec, t, result);
    if (!found) return false;
    BytecodeInstruction s{scalar::kind_of(spec, t)};
    s.function = arity == BlockArity::kCast ? scalar::kCastFunction : static_cast<std::uint8_t>(function);
    s.operand = t;
    s.result = result;
    if (in.size() == 1) s.unary = found.kernel.unary;
    if (in.size() == 2) s.binary = found.kernel.binary;
    if (in.size() == 3) s.ternary = found.kernel.ternary;
    on_vectors(s, std::move(in), vector_of(result));
    return true;
  }
  void vectors() {
    static constexpr int kUnaries[] = {
        id_of<functions::Abs>,        id_of<functions::Neg>,   id_of<functions::Square>,
        id_of<functions::Reciprocal>, id_of<functions::Floor>, id_of<functions::Ceil>,
        id_of<functions::Round>,      id_of<functions::Sqrt>,  id_of<functions::LogicalNot>};
    static constexpr int kBinaries[] = {id_of<functions::Add>,        id_of<functions::Sub>,
                                        id_of<functions::Mul>,        id_of<functions::Maximum>,
                                        id_of<functions::Minimum>,    id_of<functions::SquaredDifference>,
                                        id_of<functions::LogicalAnd>, id_of<functions::LogicalOr>,
                                        id_of<functions::BitwiseAnd>, id_of<functions::BitwiseXor>};
    static constexpr DType kDTypes[] = {DType::kFloat, DType::kFloat, DType::kInt32, DType::kBool};
    const DType t = kDTypes[below(std::size(kDTypes))];
    switch (below(10)) {
      case 0:
        on_vectors(BlockArity::kUnary, kUnaries[below(std::size(kUnaries))], t, t, {operand(t)});
        break;
      case 1: {
        BytecodeInstruction s{scalar::Kind::kMultiplyAddFloat};
        s.operand = s.result = DType::kFloat;
        on_vectors(s, {operand(s.operand), operand(s.operand), operand(s.operand)}, vector_of(s.operand));
        break;
      }
      case 2:
        on_vectors(BytecodeInstruction{scalar::move_of(size_of(t))}, {operand(t)}, vector_of(t));
        break;
      case 3:
        on_vectors(BlockArity::kCast, 0, t, kDTypes[below(std::size(kDTypes))], {operand(t)});
        break;
      case 4:
      case 5: {
        const int comparison = id_of<functions::Equal> + static_cast<int>(below(6));
        if (!on_vectors(BlockArity::kBinary, comparison, t, DType::kBool, {operand(t), operand(t)})) break;
        const std::vector<Slot>& condition = *std::ranges::find_if(
            vectors_, [&](const auto& v) { return std::ranges::count(v, instructions.back().out) > 0; });
        const DType of = kDTypes[below(std::size(kDTypes))];
        on_vectors(BlockArity::kTernary, id_of<functions::Select>, of, of,
                   {chance(3) ? operand(DType::kBool) : Operand{&condition, 0, 0}, operand(of), operand(of)});
        break;
      }
      case 6:
        through_memory();
        break;
      case 7:
        if (t == DType::kFloat)
          on_vectors(BlockArity::kBinary, chance(2) ? id_of<functions::Div> : id_of<functions::FloorDiv>, t, t,
                     {operand(t), operand(t)});
        break;
      default:
        on_vectors(BlockArity::kBinary, kBinaries[below(std::size(kBinaries))], t, t, {operand(t), operand(t)});
    }
  }
  // Twelve numbers of a list, from two vectors, and a vector from somewhere among them.
  void through_memory() {
    const std::uint32_t list = kLists + static_cast<std::uint32_t>(below(kAll - kLists));
    const DType t = kListTypes[list];
    add_on(scalar::Kind::kOwn, list).offset = kLanes;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::vector<Slot>& from = vector_of(t);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (lane > 0) same_node_.insert(instructions.size());
        BytecodeInstruction& s = add_on(scalar::Kind::kStore, list);
        s.in[0] = places_[0];
        s.in[1] = from[lane];
        s.offset = half * kLanes + lane;
      }
    }
    const std::vector<Slot>& out = vector_of(t);
    const auto first = static_cast<std::uint32_t>(below(kLanes));
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (lane > 0) same_node_.insert(instructions.size());
      BytecodeInstruction& s = add_on(scalar::Kind::kLoad, list);
      s.in[0] = places_[0];
      s.out = out[lane];
      s.offset = first + lane;
    }
  }

  // Whether a number is a multiple of one that is known.
  void multiple() {
    const bool wide = chance(2);
    const DType t = wide ? DType::kInt64 : DType::kInt32;
    const Slot divisor = new_slot(t), zero = new_slot(t), rest = target(t);
    types_[divisor] = types_[zero] = DType::kInvalid;  // not to be written by others
    write(divisor, std::int64_t{1} << below(4));
    BytecodeInstruction s{wide ? scalar::Kind::kFloorModInt64 : scalar::Kind::kFloorModInt32};
    s.in[0] = any(t);
    s.in[1] = divisor;
    s.out = rest;
    instructions.push_back(s);
    if (chance(3)) cheap();
    s.kind = wide ? scalar::Kind::kEqualInt64 : scalar::Kind::kEqualInt32;
    if (chance(2)) s.kind = wide ? scalar::Kind::kNotEqualInt64 : scalar::Kind::kNotEqualInt32;
    s.in[0] = rest;
    s.in[1] = zero;
    s.out = target(DType::kBool);
    instructions.push_back(s);
  }

  // What may be computed on both sides of a choice.
  void cheap() {
    static constexpr DType kIntegers[] = {DType::kInt32, DType::kInt64, DType::kBool};
    static constexpr int kFunctions[] = {
        id_of<functions::Add>,        id_of<functions::Sub>,        id_of<functions::Mul>,   id_of<functions::Maximum>,
        id_of<functions::BitwiseXor>, id_of<functions::LogicalAnd>, id_of<functions::Equal>, id_of<functions::Less>};
    const DType t = kIntegers[below(std::size(kIntegers))];
    const int function = kFunctions[below(std::size(kFunctions))];
    if (chance(4)) {
      const Slot from = any(t);
      move(from, target(t));
    } else if (function == id_of<functions::Equal> || function == id_of<functions::Less>) {
      compare(function, t);
    } else {
      apply(BlockArity::kBinary, function, t, t, BlockResult::kSame);
    }
  }
  void side(int depth, bool is_short) {
    if (!is_short) return block(depth + 1);
    for (std::size_t n = 1 + below(3); n > 0; --n) cheap();
  }

  void choice(int depth) {
    const bool is_short = chance(2);
    const Slot condition =
        chance(2) ? any(DType::kBool) : compare(id_of<functions::Less> + static_cast<int>(below(4)), DType::kFloat);
    const std::uint32_t to_else = here();
    add(scalar::Kind::kJumpUnless).in[0] = condition;
    side(depth, is_short);
    const std::uint32_t to_end = here();
    add(scalar::Kind::kJump);
    instructions[to_else].target = here();
    if (chance(2)) side(depth, is_short);
    instructions[to_end].target = here();
  }

  void loop(int depth) {
    const Slot counter = new_slot(DType::kInt32), condition = new_slot(DType::kBool);
    types_[counter] = types_[condition] = DType::kInvalid;  // not to be written by others
    move(zero_, counter);
    const std::uint32_t start = here();
    BytecodeInstruction less{scalar::Kind::kLessInt32};
    less.in[0] = counter;
    less.in[1] = iterations_;
    less.out = condition;
    instructions.push_back(less);
    const std::uint32_t to_end = here();
    add(scalar::Kind::kJumpUnless).in[0] = condition;
    block(depth + 1);
    BytecodeInstruction next{scalar::Kind::kAddInt32};
    next.in[0] = counter;
    next.in[1] = one_;
    next.out = counter;
    instructions.push_back(next);
    add(scalar::Kind::kLoop).target = start;
    instructions[to_end].target = here();
  }

  void block(int depth) {
    const std::size_t n = 1 + below(depth == 0 ? 24 : 8);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t what = below(20);
      if (what == 0 && depth < 3) {
        loop(depth);
      } else if (what == 1 && depth < 4) {
        choice(depth);
      } else if (what == 2) {
        access_list();
      } else if (what == 3) {
        multiple();
      } else if (what == 4) {
        for (std::size_t k = 1 + below(6); k > 0; --k) access_rows();
      } else if (what == 5) {
        multiply_add();
      } else if (what == 8) {
        selects();
      } else if (what < 12) {
        for (std::size_t k = 1 + below(6); k > 0; --k) vectors();
      } else if (what < 8) {
        const DType t = kTypes[below(std::size(kTypes))];
        const Slot from = any(t);
        move(from, target(t));
      } else {
        arithmetic();
      }
    }
  }

  std::vector<Slot> temporaries_;
  std::vector<std::unique_ptr<Node>> nodes_;
  static constexpr std::uint32_t kLanes = 6;
  static constexpr std::size_t kVectors = 4;
  std::vector<Slot> vectors_[3 * kVectors];  // of floats, int32 and bools; two of each are variables
  std::set<Slot> only_vectors_;
  std::set<std::size_t> same_node_;  // as the instruction before
  Slot one_ = 0, iterations_ = 0, unlimited_ = 0, zero_ = 0;
  Slot places_[3] = {};  // 0, 1 and 2
  const std::string message_ = "row {0} of {1} and {2}";
};

}  // namespace tracefn::test
