// Work before the walk: checks shapes, picks sources, row counts, outputs, scalars and code.
#include "exec/fusion/fusion_group.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "exec/compile_mode.h"
#include "exec/fusion/fusion_group_run.h"
#include "exec/memory_for.h"
#include "ops/fusable.h"

namespace tracefn {
namespace {

// The size of a tile of several rows.
constexpr std::int64_t kBlockOfRows = 16 * 1024;
// Nanoseconds of a fusion group's work before its parts are translated, which takes some ten thousands.
constexpr std::int64_t kWorthTranslating = 50'000;
std::int64_t at_first() { return compile_mode() == CompileMode::kAlways ? 0 : kWorthTranslating; }
std::atomic<std::int64_t> worth_translating{at_first()};

}  // namespace

bool FusionGroup::Run::fits() {
  if (!find_shape()) return false;
  elements_ = shape_.num_elements();
  n_ = 1;
  if (group_.num_reductions_) {
    if (shape_.rank() < group_.reduced_axes_) return false;
    int first = shape_.rank() - group_.reduced_axes_;
    for (int axis = 0; axis < shape_.rank(); ++axis) {
      kept_.push_back(axis < first ? shape_[axis] : 1);
      if (axis < first) dropped_.push_back(shape_[axis]);
      if (axis >= first) n_ *= shape_[axis];
    }
    if (elements_ == 0) return false;
  }
  rows_ = n_ ? elements_ / n_ : 0;
  by_rows_ = group_.goes_by_rows();
  if (by_rows_ && (n_ < kShortestRow || n_ > kLongestRow)) return false;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (group_.last_reader_[i] >= 0) sources_[i].mode = mode_of(*sources_[i].tensor, group_.feeds_elements_[i]);
  if (by_rows_) take_many_rows();
  for (const Step& step : group_.steps_)
    if (!step_fits(step)) return false;
  return !iterations_ || keep_their_shape();
}

void FusionGroup::Run::make_outputs(std::span<Tensor> outputs) {
  for (Source& source : sources_) {
    source.data = static_cast<const char*>(source.tensor->raw());
    source.element_size = static_cast<std::int64_t>(size_of(source.tensor->dtype()));
    if (source.mode != Mode::kExpanded) continue;
    const Tensor* operand = source.tensor;
    source.plan = static_cast<std::uint32_t>(plans_.size());
    plans_.push_back(make_broadcast_plan(shape_, std::span<const Tensor* const>(&operand, 1)));
    const BroadcastPlan& plan = plans_.back();
    if (plan.rank == 2 && plan.strides[0][0] == 0) source.row_length = plan.dims[1];
    source.slot = static_cast<std::uint32_t>(group_.num_slots_) + num_expanded_++;
  }
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const Step& step = group_.steps_[static_cast<std::size_t>(group_.output_step_[j])];
    if (!take_input(j, step, group_.output_step_[j], outputs[j])) {
      const Shape& shape = shape_of(step.level);
      if (!is_memory_for(outputs[j], step.dtype, shape)) outputs[j] = Tensor(step.dtype, shape);
    }
    outputs_.push_back({outputs[j].mutable_data<char>(), static_cast<std::int64_t>(size_of(step.dtype)), step.level});
  }
  find_scalars();
}

bool FusionGroup::Run::starts_blocks(const Shape& shape, std::span<Tensor> outputs) {
  if (!fits() || !(shape == shape_)) return false;
  make_outputs(outputs);
  find_codes();
  return true;
}

FusionGroup::Run::Run(const FusionGroup& group, std::span<const char> ones, std::int64_t elements)
    : group_(group), iterations_(nullptr), sources_(ones.size() + group.constants_.size()), elements_(elements) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const bool is_input = i < ones.size();
    sources_[i].mode = !is_input || ones[i] ? Mode::kSplat : Mode::kFull;
    sources_[i].data = is_input ? nullptr : static_cast<const char*>(group.constants_[i - ones.size()].raw());
    sources_[i].element_size = static_cast<std::int64_t>(size_of(group.source_dtypes_[i]));
  }
  for (const std::int32_t step : group.output_step_) {
    const DType dtype = group.steps_[static_cast<std::size_t>(step)].dtype;
    outputs_.push_back({nullptr, static_cast<std::int64_t>(size_of(dtype)), Level::kElement});
  }
  find_scalars();
  find_codes();
}

bool FusionGroup::Run::find_shape() {
  bool first = true;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!group_.feeds_elements_[i]) continue;
    const Shape& shape = sources_[i].tensor->shape();
    if (first) {
      shape_ = shape;
      first = false;
    } else if (!(shape == shape_) && !shape.is_scalar()) {
      if (!can_broadcast(shape_, shape)) return false;
      shape_ = broadcast(shape_, shape);
    }
  }
  return !first;
}

inline FusionGroup::Run::Mode FusionGroup::Run::mode_of(const Tensor& t, bool feeds_elements) const {
  std::int64_t n = t.num_elements();
  if (n == elements_ && t.rank() <= shape_.rank()) return Mode::kFull;
  if (n == 1) return Mode::kSplat;
  // A shape without the reduced axes would align with the elements' last axes, not with the rows.
  if (by_rows_ && (t.shape() == kept_ || (!feeds_elements && t.shape() == dropped_))) return Mode::kPerRow;
  return Mode::kExpanded;
}

inline bool FusionGroup::Run::step_fits(const Step& step) const {
  if ((step.level != Level::kElement || step.reduces) && !step.pair_sum) {
    for (std::uint32_t k = 0; k < step.num_in; ++k) {
      if (step.maker[k] >= 0) continue;  // levels were checked at compile time
      const Source& source = sources_[step.in[k]];
      const Shape& shape = source.tensor->shape();
      if (step.reduces) {
        if (!(shape == shape_)) return false;
      } else if (!shape.is_scalar() && !(source.mode == Mode::kPerRow && shape == shape_of(step.level))) {
        return false;
      }
    }
    return true;
  }
  for (std::uint32_t k = 0; k < step.num_in; ++k) {
    if (step.maker[k] >= 0 ? group_.steps_[static_cast<std::size_t>(step.maker[k])].level == Level::kElement
                           : sources_[step.in[k]].tensor->shape() == shape_)
      return true;
  }
  // No single operand has the full shape; the broadcast of all may.
  Shape together;
  for (std::uint32_t k = 0; k < step.num_in; ++k)
    together = broadcast(together, step.maker[k] >= 0 ? kept_ : sources_[step.in[k]].tensor->shape());
  return together == shape_;
}

inline bool FusionGroup::Run::take_input(std::size_t output, const Step& step, std::int32_t at, Tensor& out) {
  if (step.level != Level::kElement) return false;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Tensor& t = *inputs_[i].tensor;
    const bool free = iterations_ ? i == iterations_->changing[output] : group_.last_reader_[i] <= at;
    if (!inputs_[i].last_use || !free || t.dtype() != step.dtype || !(t.shape() == shape_) || !t.writable()) continue;
    out = std::move(t);
    return true;
  }
  return false;
}

void FusionGroup::Run::find_scalars() {
  for (const Step& step : group_.steps_) {
    int scalars = 0;
    const bool of_elements = step.level == Level::kElement || step.pair_sum;
    for (std::uint32_t k = 0; k < step.num_in; ++k) {
      const bool one = of_elements ? is_one(step.maker[k], step.in[k])
                                   : step.maker[k] < 0 && sources_[step.in[k]].mode == Mode::kSplat;
      scalars |= one << k;
    }
    scalars_.push_back(scalars);
  }
}

void FusionGroup::Run::find_codes() {
  if (group_.parts_.empty()) return;
  const double passes = iterations_ ? static_cast<double>(iterations_->number) : 1.0;
  const bool worth = group_.is_worth_translating(static_cast<double>(elements_) * passes);
  for (const auto& part : group_.parts_) {
    PartCode& found = codes_.emplace_back();
    const std::span<const GroupPart::Argument> operands = part->arguments();
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (is_one(operands[k].maker, operands[k].place)) found.scalars |= std::uint64_t{1} << k;
    if (worth) found.code = part->code(found.scalars);
  }
}

inline void FusionGroup::Run::take_many_rows() {
  std::size_t repeated = group_.num_spreads_;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const bool of_rows = sources_[i].mode == Mode::kPerRow && group_.feeds_elements_[i];
    if (of_rows && group_.feeds_rows_[i]) return;  // it would have to be read both ways
    repeated += of_rows || sources_[i].mode == Mode::kExpanded;
  }
  const auto row_bytes = static_cast<std::int64_t>((group_.num_slots_ + repeated + 1) * group_.element_bytes_) * n_;
  tile_rows_ = std::clamp<std::int64_t>(kBlockOfRows / row_bytes, 1, rows_);
  if (!many_rows()) return;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].mode == Mode::kPerRow && group_.feeds_elements_[i]) sources_[i].mode = Mode::kExpanded;
}

void FusionGroup::translate_after(std::optional<std::int64_t> nanoseconds) {
  worth_translating.store(nanoseconds.value_or(at_first()), std::memory_order_relaxed);
}

void FusionGroup::expect_runs() const {
  constexpr std::int64_t kMuch = std::int64_t{1} << 60;
  worked_.store(kMuch, std::memory_order_relaxed);
}

bool FusionGroup::is_worth_translating(double elements) const {
  const auto work = static_cast<std::int64_t>(std::min(cost_ * elements, 1e15));
  const std::int64_t least = worth_translating.load(std::memory_order_relaxed);
  return worked_.load(std::memory_order_relaxed) >= least ||
         worked_.fetch_add(work, std::memory_order_relaxed) + work >= least;
}

std::vector<FusionGroup::CodeArgument> FusionGroup::code_arguments() const {
  std::vector<CodeArgument> all;
  const std::size_t sources = num_inputs_ + constants_.size();
  const std::size_t first_output = sources + num_slots_ + num_inner_slots_ + num_spreads_;
  for (const GroupPart::Argument& argument : parts_[0]->arguments()) {
    if (argument.place >= first_output) {
      all.push_back({CodeArgument::kOutput, argument.place - static_cast<Place>(first_output)});
    } else {
      TRACEFN_CHECK(argument.place < sources);
      all.push_back({argument.place < num_inputs_ ? CodeArgument::kInput : CodeArgument::kConstant, argument.place});
    }
  }
  return all;
}

const vector_code::VectorCode* FusionGroup::code(std::uint64_t scalars, std::int64_t elements, bool overlaps) const {
  return is_worth_translating(static_cast<double>(elements)) ? parts_[0]->code(scalars, overlaps) : nullptr;
}

bool FusionGroup::fits(std::span<const Shape> inputs) const {
  std::vector<Tensor> tensors;
  SmallVector<TensorRef, 8> refs;
  tensors.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    tensors.emplace_back(source_dtypes_[i], inputs[i], Ref<Buffer>(), nullptr);
    refs.push_back({&tensors.back(), false});
  }
  return Run(*this, {refs.data(), refs.size()}, nullptr).fits();
}

bool FusionGroup::run_iterations(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                                 const Node*& failed, const Iterations* iterations) const {
  Run run(*this, inputs, iterations);
  if (!run.fits()) return false;
  run.make_outputs(outputs);
  run.execute(shards, failed);
  return true;
}

}  // namespace tracefn
