// Branches of selects: which steps a block can skip when all its elements take the other branch, as in masked loops,
// padded sequences and formulas with special cases.
#include <algorithm>

#include "exec/fusion/fusion_group.h"
#include "ops/elementwise/functions.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Below this many nanoseconds per element, testing the mask does not pay off.
constexpr double kLeastSaved = 0.6;

}  // namespace

void FusionGroup::find_branches() {
  struct Need {
    bool known = false;  // some reader was seen
    std::int32_t mask = -1;
    bool branch = false;
    void add(std::int32_t by_mask, bool by_branch) {
      if (!known) {
        *this = {true, by_mask, by_branch};
      } else if (mask != by_mask || branch != by_branch) {
        mask = -1;
      }
    }
  };
  auto selects = [](const Step& step) {
    return !step.reduces && step.level == Level::kElement && op_def(*step.node->op).computes(id_of<functions::Select>);
  };
  // Masks by producer: a step, or a source after all steps.
  auto mask_of = [&](const Step& selection) {
    return selection.maker[0] >= 0 ? selection.maker[0] : static_cast<std::int32_t>(steps_.size() + selection.in[0]);
  };
  std::vector<Need> needs(steps_.size());
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    Need& need = needs[s];
    if (step.output >= 0 || step.reduces || step.level != Level::kElement ||
        op_def(*step.node->op).can_fail(step.dtype))
      need.add(-1, false);
    for (std::uint32_t k = 0; k < step.num_in; ++k) {
      if (step.maker[k] < 0) continue;
      Need& operand = needs[static_cast<std::size_t>(step.maker[k])];
      if (k > 0 && selects(step)) {
        operand.add(mask_of(step), k == 1);
      } else {
        operand.add(need.mask, need.branch);
      }
    }
  }
  std::vector<double> saves[2];
  for (auto& by_mask : saves) by_mask.assign(steps_.size() + num_inputs_ + constants_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (needs[s].mask >= 0)
      saves[needs[s].branch][static_cast<std::size_t>(needs[s].mask)] += op_def(*steps_[s].node->op).block->cost;
  std::vector<std::int32_t> by(steps_.size(), -1);  // the mask of each step worth skipping
  bool any = false;
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (needs[s].mask >= 0 && saves[needs[s].branch][static_cast<std::size_t>(needs[s].mask)] >= kLeastSaved) {
      by[s] = needs[s].mask;
      any = true;
    }
  if (!any) return;
  // In order, but each after its mask.
  std::vector<std::int32_t> order;
  std::vector<char> placed(steps_.size(), 0);
  auto ready = [&](std::size_t s) {
    const Step& step = steps_[s];
    auto there = [&](std::int32_t maker) {
      return maker < 0 || static_cast<std::size_t>(maker) >= steps_.size() || placed[static_cast<std::size_t>(maker)];
    };
    return there(by[s]) && std::all_of(step.maker, step.maker + step.num_in, there);
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (placed[s] || !ready(s)) continue;
      placed[s] = more = true;
      order.push_back(static_cast<std::int32_t>(s));
    }
  }
  if (order.size() < steps_.size()) return;
  std::vector<std::int32_t> selections(saves[0].size(), -1);
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (selects(steps_[s])) selections[static_cast<std::size_t>(mask_of(steps_[s]))] = static_cast<std::int32_t>(s);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (by[s] < 0) continue;
    const std::int32_t selection = selections[static_cast<std::size_t>(by[s])];
    auto known = std::find(masks_.begin(), masks_.end(), selection);
    steps_[s].mask = static_cast<std::int32_t>(known - masks_.begin());
    steps_[s].branch = needs[s].branch;
    if (known == masks_.end()) masks_.push_back(selection);
  }
  arrange(order);
}

void FusionGroup::arrange(const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> moved(steps_.size(), -1);
  std::vector<Step> steps;
  for (std::int32_t s : order) {
    moved[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(steps.size());
    steps.push_back(steps_[static_cast<std::size_t>(s)]);
  }
  for (Step& step : steps)
    for (std::uint32_t k = 0; k < step.num_in; ++k)
      if (step.maker[k] >= 0) step.maker[k] = moved[static_cast<std::size_t>(step.maker[k])];
  for (std::int32_t& s : output_step_) s = moved[static_cast<std::size_t>(s)];
  for (std::int32_t& s : masks_) s = moved[static_cast<std::size_t>(s)];
  steps_ = std::move(steps);
}

}  // namespace tracefn
