// The names of instructions, and the lines of the program that they come from.
#include <cstring>
#include <utility>

#include "base/concat.h"
#include "exec/scalar/scalar_routine.h"
#include "ir/node_name.h"
#include "ops/elementwise/functions.h"

namespace tracefn {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;

struct TypedName {
  std::string_view text;
  DType dtype = DType::kInvalid;  // of the operands
};

TypedName typed_name(Kind kind) {
  switch (kind) {
#define TRACEFN_NAME(NAME, T) \
  case Kind::k##NAME##T:      \
    return {#NAME, DType::k##T};
    TRACEFN_SCALAR_TYPES(TRACEFN_NAME, TRACEFN_SCALAR_ARITHMETIC)
    TRACEFN_SCALAR_TYPES(TRACEFN_NAME, TRACEFN_SCALAR_COMPARISONS)
    TRACEFN_NAME(MultiplyAdd, Float)
    TRACEFN_NAME(MultiplyAdd, Double)
    TRACEFN_NAME(Div, Float)
    TRACEFN_NAME(Div, Double)
    TRACEFN_NAME(FloorDiv, Int32)
    TRACEFN_NAME(FloorDiv, Int64)
    TRACEFN_NAME(FloorMod, Int32)
    TRACEFN_NAME(FloorMod, Int64)
#undef TRACEFN_NAME
#define TRACEFN_NAME(NAME, T)      \
  case Kind::kJumpUnless##NAME##T: \
  case Kind::kLoopIf##NAME##T:     \
    return {#NAME, DType::k##T};
    TRACEFN_SCALAR_TYPES(TRACEFN_NAME, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_NAME
    default:
      return {};
  }
}

class Printer {
 public:
  explicit Printer(const ScalarRoutine& routine)
      : routine_(routine), changes_(scalar::written(routine.instructions, routine.initial.size())) {
    for (Slot s : routine.variables) changes_[s] = 1;
  }

  std::string text() const {
    std::string all, line;
    for (std::size_t i = 0; i < routine_.instructions.size(); ++i) {
      const BytecodeInstruction& s = routine_.instructions[i];
      if (std::string from = s.node ? source_of(*s.node) : line; from != line) {
        line = std::move(from);
        all += concat("  # ", line, "\n");
      }
      all += concat("  ", i, ": ", instruction(s), "\n");
    }
    return all;
  }

 private:
  static std::string source_of(const Node& node) {
    const std::vector<SourceLocation::Frame> frames =
        node.source ? node.source->frames() : std::vector<SourceLocation::Frame>();
    if (frames.empty()) return std::string(shown_name(node.name));
    const SourceLocation::Frame& f = frames.back();
    return concat(f.file.substr(f.file.rfind('/') + 1), ":", f.line, "  ", f.text);
  }

  std::string value(Slot s, DType dtype) const {
    if (changes_[s]) return concat("r", s);
    Tensor t(dtype, Shape());
    std::memcpy(t.mutable_raw(), routine_.initial[s].bytes, size_of(dtype));
    if (dtype == DType::kBool) return t.item<bool>() ? "true" : "false";
    if (dtype == DType::kFloat) return concat(t.item<float>());
    if (dtype == DType::kDouble) return concat(t.item<double>());
    return is_integer(dtype) ? std::to_string(t.int_at(0)) : concat("r", s);
  }
  std::string index(const BytecodeInstruction& s, int k) const { return value(s.in[k], DType::kInt64); }

  std::string operands(const BytecodeInstruction& s, DType dtype) const {
    std::string text;
    for (int k = 0; k < scalar::num_inputs(s.kind); ++k) {
      const bool condition = s.kind == Kind::kTernary && k == 0;
      text += concat(k == 0 ? "" : ", ", value(s.in[k], condition ? DType::kBool : dtype));
    }
    return text;
  }
  std::string call(const BytecodeInstruction& s, std::string_view function, DType dtype) const {
    return concat("r", s.out, " = ", function, "(", operands(s, dtype), ")");
  }
  std::string number(const BytecodeInstruction& s) const {
    const std::string at = index(s, 0);
    return concat("a", s.target, "[",
                  at == "0"       ? std::to_string(s.offset)
                  : s.offset == 0 ? at
                                  : concat(at, " + ", s.offset),
                  "]");
  }
  std::string jump(const BytecodeInstruction& s) const {
    if (s.kind == Kind::kJump || s.kind == Kind::kLoop) return concat("go to ", s.target);
    const TypedName typed = typed_name(s.kind);
    const bool loops = s.kind == Kind::kLoopIf || s.kind >= scalar::kFirstLoopIf;
    return concat(
        "go to ", s.target, loops ? " if " : " unless ",
        typed.text.empty() ? value(s.in[0], DType::kBool) : concat(typed.text, "(", operands(s, typed.dtype), ")"));
  }

  std::string instruction(const BytecodeInstruction& s) const {
    if (scalar::jumps(s.kind)) return jump(s);
    if (const TypedName typed = typed_name(s.kind); !typed.text.empty()) return call(s, typed.text, typed.dtype);
    const std::string array = concat("a", s.target), to = concat("r", s.out, " = ");
    switch (s.kind) {
      case Kind::kUnary:
      case Kind::kBinary:
      case Kind::kTernary:
        if (s.function == scalar::kCastFunction) return call(s, name(s.result), s.operand);
        return call(s, functions::kFacts[s.function].name, s.operand);
      case Kind::kMove1:
      case Kind::kMove2:
      case Kind::kMove4:
      case Kind::kMove8:
      case Kind::kMove16:
        return concat(to, "r", s.in[0]);
      case Kind::kPush:
        return concat("push ", value(s.in[0], s.operand), " to ", array);
      case Kind::kPop:
        return concat(to, "pop from ", array);
      case Kind::kGet:
        return concat(to, array, "[", value(s.in[0], DType::kInt32), "]");
      case Kind::kSet:
        return concat(array, "[", value(s.in[0], DType::kInt32), "] = ", value(s.in[1], s.operand));
      case Kind::kRows:
        return concat(to, "number of rows of ", array);
      case Kind::kLoad:
        return concat(to, number(s));
      case Kind::kStore:
        return concat(number(s), " = ", value(s.in[1], s.operand));
      case Kind::kOwn:
        return concat("own ", array, s.offset == scalar::kAsIs ? "" : concat(", ", s.offset, " rows"));
      case Kind::kReserve:
        return concat(array, " = ", value(s.in[0], DType::kInt32), " rows of zeros, at most ",
                      value(s.in[1], DType::kInt32));
      case Kind::kAppend:
        return concat(to, "a new row of ", array);
      case Kind::kRemove:
        return concat(to, "the last row of ", array, ", removed");
      case Kind::kGrow:
        return concat("grow ", array, " to row ", value(s.in[0], DType::kInt32));
      case Kind::kTake:
        return concat("swap ", array, " and a", s.offset);
      case Kind::kShare:
        return concat(array, " = a", s.offset);
      case Kind::kCheckIndex:
        return concat("check 0 <= ", index(s, 0), " < ", index(s, 1));
      case Kind::kWrapIndex:
        return concat(to, "index ", index(s, 0), " of ", index(s, 1));
      case Kind::kWork:
        return s.work->text([this](Slot slot, DType dtype) { return value(slot, dtype); });
      default:
        return "";
    }
  }

  const ScalarRoutine& routine_;
  std::vector<char> changes_;  // by slot
};

}  // namespace

std::string ScalarRoutine::text() const { return Printer(*this).text(); }

}  // namespace tracefn
