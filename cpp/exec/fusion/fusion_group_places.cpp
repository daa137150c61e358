// Assigns places to values: which steps run together, who reads a value, and slots.
#include <algorithm>
#include <optional>

#include "exec/fusion/fusion_group.h"
#include "jit/x64/machine_code.h"
#include "ops/op_def.h"

namespace tracefn {

class GroupPlacer {
 public:
  GroupPlacer(FusionGroup& group, FusionGroup::Parts parts)
      : group_(group), fewest_(parts == FusionGroup::Parts::kAny ? 1 : 2) {}

  void place() {
    functions_.assign(group_.steps_.size(), nullptr);
    if (GroupPart::isa() && machine_code::is_on()) find_functions();
    find_stages();
    find_readers();
    find_slots();
    make_parts();
  }

 private:
  using Level = FusionGroup::Level;
  using Place = FusionGroup::Place;
  using Stage = FusionGroup::Stage;
  using Step = FusionGroup::Step;

  DType dtype_of(const Step& step, std::uint32_t k) const {
    if (step.maker[k] >= 0) return group_.steps_[static_cast<std::size_t>(step.maker[k])].dtype;
    return group_.source_dtypes_[step.in[k]];
  }

  void find_functions() {
    for (std::size_t s = 0; s < group_.steps_.size(); ++s) {
      const Step& step = group_.steps_[s];
      if (!step.reduces && step.level == Level::kElement)
        functions_[s] =
            vector_code::find_function(*op_def(*step.node->op).block, dtype_of(step, step.num_in - 1), step.dtype);
    }
  }

  // The width of a step's numbers; nothing if it has only booleans.
  std::optional<vector_code::LaneWidth> width_of(const Step& step) const {
    for (DType dtype : {dtype_of(step, step.num_in - 1), step.dtype}) {
      if (dtype == DType::kFloat || dtype == DType::kInt32) return vector_code::LaneWidth::k32;
      if (dtype == DType::kDouble || dtype == DType::kInt64) return vector_code::LaneWidth::k64;
    }
    return std::nullopt;
  }

  // Consecutive steps that vector code supports, of one width, form a part.
  void find_stages() {
    const std::vector<Step>& steps = group_.steps_;
    for (std::size_t first = 0, end; first < steps.size(); first = end) {
      std::optional<vector_code::LaneWidth> width;
      for (end = first; end < steps.size() && functions_[end]; ++end) {
        const std::optional<vector_code::LaneWidth> own = width_of(steps[end]);
        if (own && width && own != width) break;
        if (own) width = own;
      }
      if (end > first && end - first >= fewest_) {
        add_stage(first, end, static_cast<std::int32_t>(widths_.size()));
        widths_.push_back(width.value_or(vector_code::LaneWidth::k8));  // booleans alone
        continue;
      }
      if (end == first) ++end;
      for (std::size_t s = first; s < end; ++s) add_stage(s, s + 1, -1);
    }
  }

  void add_stage(std::size_t first, std::size_t end, std::int32_t part) {
    group_.stages_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), part});
  }

  // Slot allocation in order; a slot is reused after its value's last use, and for the result of a step whose operand
  // of the same kind dies there, which block kernels allow.
  void find_slots() {
    FusionGroup& c = group_;
    const std::size_t sources = c.num_inputs_ + c.constants_.size();
    std::vector<std::uint32_t> slot(c.steps_.size(), 0), free[2];
    for (const FusionGroup::Stage& stage : c.stages_) {
      std::vector<std::uint32_t> freed_after_stage;
      for (std::size_t s = stage.first; s < stage.end; ++s) {
        Step& step = c.steps_[s];
        std::vector<std::uint32_t> freed_after[2];
        for (std::uint32_t k = 0; k < step.num_in; ++k) {
          step.in_bytes[k] = static_cast<std::uint8_t>(size_of(dtype_of(step, k)));
          if (step.maker[k] < 0) continue;
          const std::size_t maker = static_cast<std::size_t>(step.maker[k]);
          const Step& made = c.steps_[maker];
          const bool inner = inner_[maker];
          step.in[k] =
              made.output >= 0 ? kOutputs + static_cast<Place>(made.output) : (inner ? kInner : 0) + slot[maker];
          if (inner) step.in_bytes[k] = 0;
          bool again = false;
          for (std::uint32_t j = 0; j < k; ++j) again |= step.maker[j] == step.maker[k];
          if (made.output >= 0 || again || last_use_[maker] != static_cast<std::int32_t>(s)) continue;
          const bool in_place = !step.reduces && made.dtype == step.dtype && made.level == step.level;
          if (stage.part >= 0 && !inner) {
            freed_after_stage.push_back(slot[maker]);  // the part reads it vector by vector to its end
          } else {
            (in_place ? free[inner] : freed_after[inner]).push_back(slot[maker]);
          }
        }
        const bool inner = inner_[s];
        step.out_bytes = inner ? 0 : static_cast<std::uint8_t>(size_of(step.dtype));
        if (step.output >= 0) {
          step.out = kOutputs + static_cast<Place>(step.output);
        } else {
          c.element_bytes_ = std::max(c.element_bytes_, size_of(step.dtype));
          if (free[inner].empty())
            free[inner].push_back(static_cast<std::uint32_t>(inner ? c.num_inner_slots_++ : c.num_slots_++));
          slot[s] = free[inner].back();
          free[inner].pop_back();
          step.out = (inner ? kInner : 0) + slot[s];
        }
        for (bool i : {false, true}) free[i].insert(free[i].end(), freed_after[i].begin(), freed_after[i].end());
      }
      free[0].insert(free[0].end(), freed_after_stage.begin(), freed_after_stage.end());
    }
    auto settle = [&](Place& place) {
      if (place >= kOutputs) {
        place += static_cast<Place>(sources + c.num_slots_ + c.num_inner_slots_ + c.num_spreads_) - kOutputs;
      } else if (place >= kInner) {
        place += static_cast<Place>(sources + c.num_slots_) - kInner;
      } else {
        place += static_cast<Place>(sources);
      }
    };
    for (Step& step : c.steps_) {
      for (std::uint32_t k = 0; k < step.num_in; ++k)
        if (step.maker[k] >= 0) settle(step.in[k]);
      settle(step.out);
    }
    for (DType dtype : c.source_dtypes_) c.element_bytes_ = std::max(c.element_bytes_, size_of(dtype));
  }

  // Finds the last reader of each value, and the values that only steps of the producer's own part read.
  void find_readers() {
    FusionGroup& c = group_;
    const std::size_t sources = c.num_inputs_ + c.constants_.size();
    last_use_.assign(c.steps_.size(), -1);
    inner_.assign(c.steps_.size(), 0);
    c.last_reader_.assign(sources, -1);
    c.feeds_elements_.assign(sources, 0);
    c.feeds_rows_.assign(sources, 0);
    std::vector<std::int32_t> part(c.steps_.size(), -1);
    for (const FusionGroup::Stage& stage : c.stages_)
      for (std::size_t s = stage.first; s < stage.end; ++s) {
        part[s] = stage.part;
        inner_[s] = stage.part >= 0 && c.steps_[s].output < 0;
      }
    for (std::size_t s = 0; s < c.steps_.size(); ++s) {
      const Step& step = c.steps_[s];
      for (std::uint32_t k = 0; k < step.num_in; ++k) {
        if (step.maker[k] >= 0) {
          const auto maker = static_cast<std::size_t>(step.maker[k]);
          last_use_[maker] = static_cast<std::int32_t>(s);
          if (part[maker] != part[s]) inner_[maker] = 0;
          Step& made = c.steps_[maker];
          if (made.level != Level::kElement && (step.level == Level::kElement || step.pair_sum) && made.spread < 0)
            made.spread = static_cast<std::int32_t>(c.num_spreads_++);
          continue;
        }
        c.last_reader_[step.in[k]] = static_cast<std::int32_t>(s);
        const bool elements = step.reduces || step.level == Level::kElement;
        (elements ? c.feeds_elements_ : c.feeds_rows_)[step.in[k]] = 1;
      }
    }
  }

  // Runs after the places are assigned.
  void make_parts() {
    for (Stage& stage : group_.stages_) {
      if (stage.part < 0) continue;
      std::unique_ptr<const GroupPart> part = part_of(stage);
      stage.part = part ? static_cast<std::int32_t>(group_.parts_.size()) : -1;
      if (part) group_.parts_.push_back(std::move(part));
    }
  }

  std::unique_ptr<const GroupPart> part_of(const Stage& stage) const {
    std::vector<GroupPart::Argument> operands;
    // Operands first; step results come after them, once their number is known.
    auto number = [&](const Step& step, std::uint32_t k) -> std::uint32_t {
      const std::int32_t maker = step.maker[k];
      if (maker >= static_cast<std::int32_t>(stage.first))
        return kMade + static_cast<std::uint32_t>(maker) - stage.first;
      const Tensor* constant = nullptr;
      if (maker < 0 && step.in[k] >= group_.num_inputs_) constant = &group_.constants_[step.in[k] - group_.num_inputs_];
      if (constant && constant->num_elements() != 1) constant = nullptr;
      for (std::uint32_t i = 0; i < operands.size(); ++i)
        if (operands[i].place == step.in[k] && operands[i].maker == maker) return i;
      operands.push_back({step.in[k], dtype_of(step, k), maker, constant});
      return static_cast<std::uint32_t>(operands.size()) - 1;
    };
    std::vector<GroupPart::Operation> steps;
    std::vector<GroupPart::Result> results;
    for (std::uint32_t s = stage.first; s < stage.end; ++s) {
      const Step& step = group_.steps_[s];
      GroupPart::Operation& made = steps.emplace_back();
      made.function = functions_[s];
      for (std::uint32_t k = 0; k < step.num_in; ++k) made.in[k] = number(step, k);
      if (!inner_[s]) results.push_back({{step.out, step.dtype, static_cast<std::int32_t>(s)}, s - stage.first});
    }
    if (operands.size() + results.size() > GroupPart::kMaxArguments) return nullptr;
    for (GroupPart::Operation& step : steps)
      for (std::uint32_t& in : step.in)
        if (in >= kMade) in += static_cast<std::uint32_t>(operands.size()) - kMade;
    return std::make_unique<const GroupPart>(widths_[static_cast<std::size_t>(stage.part)], std::move(operands),
                                             std::move(steps), std::move(results));
  }

  static constexpr Place kInner = 1u << 30, kOutputs = 1u << 31;
  static constexpr std::uint32_t kMade = 1u << 31;

  FusionGroup& group_;
  const std::size_t fewest_;                      // steps of a part
  std::vector<vector_code::Function> functions_;  // by step: its vector function, or null
  std::vector<vector_code::LaneWidth> widths_;    // by part
  std::vector<std::int32_t> last_use_;            // by step
  std::vector<char> inner_;                       // by step: nothing outside its part reads the result
};

void FusionGroup::place_values(Parts parts) { GroupPlacer(*this, parts).place(); }

}  // namespace tracefn
