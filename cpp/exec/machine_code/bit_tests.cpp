// Looks back from comparisons, no further than to where code may come from elsewhere.
#include "exec/machine_code/bit_tests.h"

#include <optional>

namespace tracefn::machine_code {
namespace {

using scalar::Slot;
using scalar::Step;

// The step before `at` that made `s`, nothing in between being written to `s` or jumped to.
std::optional<std::size_t> made_by(const Code& code, const std::vector<char>& is_target, std::size_t at, Slot s) {
  while (at > 0 && !is_target[at]) {
    --at;
    if (scalar::jumps(code.steps[at].kind)) break;
    if (scalar::writes(code.steps[at].kind) && code.steps[at].out == s) return at;
  }
  return std::nullopt;
}

bool changes(const Code& code, std::size_t from, std::size_t to, Slot s) {
  for (std::size_t i = from; i < to; ++i)
    if (scalar::writes(code.steps[i].kind) && code.steps[i].out == s) return true;
  return false;
}

}  // namespace

void test_bits(Code& code, std::vector<Operation>& operations) {
  const std::vector<char> constants = code.constants();
  const std::vector<char> is_target = scalar::targets(code.steps);
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    Operation& o = operations[i];
    Step& comparison = code.steps[i];
    if ((o.op != Op::kEqual && o.op != Op::kNotEqual) || !is_integer(o.in[0])) continue;
    if (!constants[comparison.in[1]] || integer_in(code.initial[comparison.in[1]], o.in[1]) != 0) continue;
    const std::optional<std::size_t> made = made_by(code, is_target, i, comparison.in[0]);
    if (!made || operations[*made].op != Op::kFloorMod) continue;
    const Step& remainder = code.steps[*made];
    if (!constants[remainder.in[1]] || changes(code, *made, i, remainder.in[0])) continue;
    const std::int64_t divisor = integer_in(code.initial[remainder.in[1]], o.in[0]);
    if (!is_small_power_of_two(divisor)) continue;
    comparison.in[0] = remainder.in[0];
    comparison.in[1] = static_cast<Slot>(code.initial.size());
    code.initial.emplace_back();
    scalar::put(code.initial.back(), divisor - 1);
    o.op = o.op == Op::kEqual ? Op::kNoBits : Op::kAnyBits;
  }
}

}  // namespace tracefn::machine_code
