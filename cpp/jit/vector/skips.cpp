#include "jit/vector/skips.h"

#include <algorithm>
#include <cstdint>

namespace tracefn::vector_code {
namespace {

// A jump that is not foreseen costs about as much as so many instructions.
constexpr std::int64_t kLeastSkipped = 20;
constexpr std::int64_t kDivision = 8;  // in instructions

std::int64_t cost_of(LaneOp op) {
  if (num_inputs(op) == 0) return 0;
  return op == LaneOp::kDiv || op == LaneOp::kSqrt ? kDivision : 1;
}

// Who needs a value: a side of a select alone, or more than that.
class Need {
 public:
  static Need of_side(Id select, int side) { return Need(2 * static_cast<std::int64_t>(select) + side - 1); }
  Need() = default;
  void add(Need other) {
    if (side_ == kNobody) {
      side_ = other.side_;
    } else if (side_ != other.side_) {
      side_ = kOthers;
    }
  }
  void add_others() { side_ = kOthers; }
  bool is_of_one_side() const { return side_ >= 0; }
  Id select() const { return static_cast<Id>(side_ / 2); }
  int side() const { return static_cast<int>(side_ % 2) + 1; }

 private:
  static constexpr std::int64_t kNobody = -1, kOthers = -2;
  explicit Need(std::int64_t side) : side_(side) {}
  std::int64_t side_ = kNobody;
};

}  // namespace

std::vector<Skip> find_skips(const std::vector<LaneInstruction>& instructions, const std::vector<char>& is_uniform,
                             int num_vectors) {
  const auto can_skip = [](const LaneInstruction& made) { return made.op == LaneOp::kSelect && made.bits == kSkips; };
  if (std::ranges::none_of(instructions, can_skip)) return {};
  // Readers come after what they read.
  std::vector<Need> needs(instructions.size());
  for (Id i = static_cast<Id>(instructions.size()); i-- > 0;) {
    const LaneInstruction& made = instructions[i];
    for (int k = 0; k < num_inputs(made.op); ++k) {
      Need& operand = needs[made.in[k]];
      if (is_effect(made.op) || is_uniform[i]) {
        operand.add_others();
      } else if (needs[i].is_of_one_side()) {
        operand.add(needs[i]);
      } else if (k > 0 && can_skip(made)) {
        operand.add(Need::of_side(i, k));
      } else {
        operand.add_others();
      }
    }
  }
  std::vector<Skip> skips;
  std::vector<std::int64_t> place(2 * instructions.size(), -1);  // by select and side
  std::vector<std::int64_t> costs;
  for (Id i = 0; i < instructions.size(); ++i) {
    if (is_uniform[i] || !needs[i].is_of_one_side()) continue;
    std::int64_t& at = place[2 * needs[i].select() + static_cast<std::size_t>(needs[i].side()) - 1];
    if (at < 0) {
      at = static_cast<std::int64_t>(skips.size());
      skips.push_back({needs[i].select(), needs[i].side(), {}});
      costs.push_back(0);
    }
    skips[static_cast<std::size_t>(at)].parts.push_back(i);
    costs[static_cast<std::size_t>(at)] += cost_of(instructions[i].op) * num_vectors;
  }
  std::vector<Skip> worth;
  for (std::size_t s = 0; s < skips.size(); ++s)
    if (costs[s] >= kLeastSkipped) worth.push_back(std::move(skips[s]));
  std::ranges::stable_sort(worth, {}, &Skip::select);
  return worth;
}

}  // namespace tracefn::vector_code
