// The walk: distributes blocks, rows or the leaves of a reduction to threads and runs the stages.
#include <cstring>
#include <utility>

#include "exec/fusion/fusion_group_tile.h"

namespace tracefn {

using vector_code::VectorCode;

namespace {

// Each thread keeps its last tile's memory.
thread_local Scratch kept_scratch;

}  // namespace

FusionGroup::Run::Tile::Tile(Run& run, std::int64_t most)
    : run_(run),
      group_(run.group_),
      slot_bytes_(run.slot_bytes(most)),
      chunk_(std::min(most, run.chunk_size())),
      scratch_(std::move(kept_scratch)),
      slots_(scratch_.at_least(slot_bytes_ * run.num_tile_slots() + run.slot_bytes(chunk_) * group_.num_inner_slots_ +
                               run.accumulator_bytes())),
      places_(run.first_output() + run.outputs_.size()),
      masks_(group_.masks_.size()) {
  char** slots = places_.data() + run.sources_.size();
  for (std::size_t s = 0; s < group_.num_slots_; ++s) slots[s] = slot(s);
  for (std::size_t s = 0; s < group_.num_inner_slots_; ++s)
    slots[group_.num_slots_ + s] = slot(run.num_tile_slots()) + s * run.slot_bytes(chunk_);
  accumulators_ = slot(run.num_tile_slots()) + group_.num_inner_slots_ * run.slot_bytes(chunk_);
  if (run.many_rows())
    for (std::size_t s = 0; s < group_.num_spreads_; ++s) places_[run.first_spread() + s] = slot(run.spread_slot(s));
  for (std::size_t i = 0; i < run.sources_.size(); ++i) places_[i] = const_cast<char*>(run.sources_[i].data);
}

FusionGroup::Run::Tile::~Tile() { kept_scratch = std::move(scratch_); }

inline void FusionGroup::Run::Tile::run(std::int64_t at, std::int64_t n, std::int64_t row) {
  find_sources(at, n, row);
  find_outputs(at, row);
  run_stages(n);
}

inline void FusionGroup::Run::Tile::find_outputs(std::int64_t at, std::int64_t row) {
  char** outputs = places_.data() + run_.first_output();
  for (std::size_t j = 0; j < run_.outputs_.size(); ++j) {
    const Output& out = run_.outputs_[j];
    outputs[j] = out.data + (out.level == Level::kElement ? at : row) * out.element_size;
  }
}

inline void FusionGroup::Run::Tile::run_rows(std::int64_t at, std::int64_t rows, std::int64_t columns,
                                             std::int64_t stride) {
  find_sources(at, columns, 0);
  find_outputs(at, 0);
  if (rows > 1 && run_code_rows(at, rows, columns, stride)) return;
  for (std::int64_t row = 1;; ++row) {
    run_stages(columns);
    if (row == rows) return;
    at += stride;
    next_row(at, columns, stride);
  }
}

inline void FusionGroup::Run::Tile::next_row(std::int64_t at, std::int64_t columns, std::int64_t stride) {
  for (std::size_t i = 0; i < run_.sources_.size(); ++i) {
    const Source& source = run_.sources_[i];
    if (source.mode == Mode::kFull) {
      places_[i] += stride * source.element_size;
    } else if (source.mode == Mode::kExpanded && (source.row_length == 0 || stride % source.row_length != 0)) {
      places_[i] = expanded(source, at, columns);
    }
  }
  char** outputs = places_.data() + run_.first_output();
  for (std::size_t j = 0; j < run_.outputs_.size(); ++j) outputs[j] += stride * run_.outputs_[j].element_size;
}

inline bool FusionGroup::Run::Tile::run_code_rows(std::int64_t at, std::int64_t rows, std::int64_t columns,
                                                  std::int64_t stride) {
  const Stage& stage = group_.stages_[0];
  if (group_.stages_.size() != 1 || stage.part < 0) return false;
  const PartCode& found = run_.codes_[static_cast<std::size_t>(stage.part)];
  if (!found.code) return false;
  const std::span<const GroupPart::Argument> operands =
      group_.parts_[static_cast<std::size_t>(stage.part)]->arguments();
  void *first[GroupPart::kMaxArguments], *places[GroupPart::kMaxArguments];
  std::int64_t steps[GroupPart::kMaxArguments];
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Place place = operands[k].place;
    steps[k] = found.scalars >> k & 1 ? 0 : stride * static_cast<std::int64_t>(size_of(operands[k].dtype));
    if (place < run_.sources_.size() && run_.sources_[place].mode == Mode::kExpanded) {
      const std::int64_t length = run_.sources_[place].row_length;
      if (length == 0 || stride % length != 0) return false;
      steps[k] = 0;
    }
    first[k] = places[k] = places_[place];
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t left = rows - row;
    const std::int64_t done = found.code->run(places, columns, steps, left);
    row = rows - left;
    if (left == 0) break;
    find_sources(at + row * stride, columns, 0);
    find_outputs(at + row * stride, 0);
    run_part(stage, done, columns);
    for (std::size_t k = 0; k < operands.size(); ++k) places[k] = static_cast<char*>(first[k]) + (row + 1) * steps[k];
  }
  return true;
}

void FusionGroup::Run::Tile::run_placed(char* const* inputs, char* const* outputs, std::int64_t n, std::int64_t block) {
  char** results = places_.data() + run_.first_output();
  for (std::int64_t at = 0; at < n; at += block) {
    for (std::size_t i = 0; i < group_.num_inputs_; ++i) {
      const Source& source = run_.sources_[i];
      places_[i] = inputs[i] + (source.mode == Mode::kFull ? at * source.element_size : 0);
    }
    for (std::size_t j = 0; j < run_.outputs_.size(); ++j) results[j] = outputs[j] + at * run_.outputs_[j].element_size;
    run_stages(std::min(block, n - at));
  }
}

void FusionGroup::Run::Tile::finish_placed(char* const* inputs, char* const* outputs, std::int64_t done,
                                           std::int64_t n) {
  std::copy_n(inputs, group_.num_inputs_, places_.data());
  std::copy_n(outputs, run_.outputs_.size(), places_.data() + run_.first_output());
  run_part(group_.stages_[0], done, n);
}

void FusionGroup::Run::Tile::run_iterations(std::int64_t at, std::int64_t n) {
  find_sources(at, n, 0);
  char** outputs = places_.data() + run_.first_output();
  const Iterations& iterations = *run_.iterations_;
  for (std::size_t j = 0; j < run_.outputs_.size(); ++j) {
    char*& input = places_[iterations.changing[j]];
    if (iterations.number % 2 == 0 || input != memory_of(j, at)) continue;
    std::memcpy(spare_slot(j), input, static_cast<std::size_t>(n * run_.outputs_[j].element_size));
    input = spare_slot(j);
  }
  for (std::int64_t left = iterations.number; left > 0; --left) {
    polled_.step();
    for (std::size_t j = 0; j < run_.outputs_.size(); ++j) outputs[j] = left % 2 ? memory_of(j, at) : spare_slot(j);
    run_stages(n);
    for (std::size_t j = 0; j < run_.outputs_.size(); ++j) places_[iterations.changing[j]] = outputs[j];
  }
}

inline void FusionGroup::Run::Tile::spread(const Step& step, std::int64_t n) const {
  if (!run_.many_rows() || step.spread < 0) return;
  repeat_each(places_[step.out], places_[run_.first_spread() + static_cast<std::size_t>(step.spread)], n / run_.n_,
              run_.n_, static_cast<std::int64_t>(size_of(step.dtype)));
}

inline void FusionGroup::Run::Tile::accumulate(std::size_t s, std::int64_t rows, std::int64_t n, char* acc) const {
  const Step& step = group_.steps_[s];
  const void* in[2];
  for (std::uint32_t k = 0; k < step.num_in; ++k) in[k] = places_[run_.place_of(step, k)];
  step.accumulate(in, rows, n, run_.scalars_[s], acc);
}

inline void FusionGroup::Run::Tile::run_stages(std::int64_t n) {
  forget_masks();
  for (const Stage& stage : group_.stages_) {
    if (stage.part >= 0 || stage.end - stage.first > 1) {
      run_part(stage, 0, n);
      forget_masks();
    } else {
      run_step(stage.first, 0, n);
    }
  }
}

inline void FusionGroup::Run::Tile::run_part(const Stage& stage, std::int64_t done, std::int64_t n) {
  const VectorCode* code = stage.part >= 0 ? run_.codes_[static_cast<std::size_t>(stage.part)].code : nullptr;
  while (done < n) {
    if (code) {
      done += run_code(stage.part, *code, done, n - done);
      if (done == n) return;
    }
    const std::int64_t m = std::min(chunk_, n - done);
    forget_masks();
    for (std::uint32_t s = stage.first; s < stage.end; ++s) run_step(s, done, m);
    done += m;
  }
}

inline std::int64_t FusionGroup::Run::Tile::run_code(std::int32_t part, const VectorCode& code, std::int64_t begin,
                                                     std::int64_t n) const {
  const std::span<const GroupPart::Argument> operands = group_.parts_[static_cast<std::size_t>(part)]->arguments();
  const std::uint64_t scalars = run_.codes_[static_cast<std::size_t>(part)].scalars;
  void* places[GroupPart::kMaxArguments];
  for (std::size_t k = 0; k < operands.size(); ++k) {
    char* const at = places_[run_.place_for_elements(operands[k].maker, operands[k].place)];
    const bool moves = begin > 0 && !(scalars >> k & 1);
    places[k] = moves ? at + begin * static_cast<std::int64_t>(size_of(operands[k].dtype)) : at;
  }
  return code.run(places, n);
}

inline void FusionGroup::Run::Tile::run_step(std::uint32_t s, std::int64_t begin, std::int64_t n) {
  const Step& step = group_.steps_[s];
  if (step.mask >= 0 && !takes_branch(step.mask, step.branch, begin, n)) return;
  if (step.reduces) {
    if (!run_.by_rows_) return;  // the one at the end, which the caller runs
    accumulate(s, n / run_.n_, run_.n_, accumulators_);
    step.reduction.finish(accumulators_, n / run_.n_, run_.n_, places_[step.out]);
    return spread(step, n);
  }
  const bool of_elements = step.level == Level::kElement;
  const int scalars = run_.scalars_[s];
  const void* in[3];
  for (std::uint32_t k = 0; k < step.num_in; ++k)
    in[k] = places_[run_.place_of(step, k)] + (scalars >> k & 1 ? 0 : begin * step.in_bytes[k]);
  const int status =
      step.block.run(in, places_[step.out] + begin * step.out_bytes, of_elements ? n : n / run_.n_, scalars);
  if (!of_elements) spread(step, n);
  if (status != kBlockOk) {
    status_ |= status;
    failed_ = failed_ ? std::min(failed_, &step) : &step;
  }
}

inline bool FusionGroup::Run::Tile::takes_branch(std::int32_t mask, bool branch, std::int64_t begin, std::int64_t n) {
  MaskState& state = masks_[static_cast<std::size_t>(mask)];
  if (state == MaskState::kUnknown) {
    const auto selection = static_cast<std::size_t>(group_.masks_[static_cast<std::size_t>(mask)]);
    const Step& step = group_.steps_[selection];
    const bool one = run_.scalars_[selection] & 1;
    const char* flags = places_[run_.place_of(step, 0)] + (one ? 0 : begin * step.in_bytes[0]);
    const std::int64_t count = one ? 1 : n;
    const bool alike = std::memcmp(flags, flags + 1, static_cast<std::size_t>(count - 1)) == 0;
    state = !alike ? MaskState::kMixed : *flags ? MaskState::kAllTrue : MaskState::kAllFalse;
  }
  return state != (branch ? MaskState::kAllFalse : MaskState::kAllTrue);
}

inline void FusionGroup::Run::Tile::find_sources(std::int64_t at, std::int64_t n, std::int64_t row) {
  for (std::size_t i = 0; i < run_.sources_.size(); ++i) {
    const Source& source = run_.sources_[i];
    switch (source.mode) {
      case Mode::kUnused:
      case Mode::kSplat:
        break;
      case Mode::kFull:
        places_[i] = const_cast<char*>(source.data + at * source.element_size);
        break;
      case Mode::kPerRow:
        places_[i] = const_cast<char*>(source.data + row * source.element_size);
        break;
      case Mode::kExpanded:
        places_[i] = expanded(source, at, n);
        break;
    }
  }
}

inline char* FusionGroup::Run::Tile::expanded(const Source& source, std::int64_t at, std::int64_t n) const {
  const BroadcastPlan& plan = run_.plans_[source.plan];
  const std::int64_t inner = plan.dims.back();
  const std::int64_t column = at % inner;
  if (plan.strides[0].back() == 1 && column + n <= inner) {
    std::int64_t offset = RowWalk(plan, at / inner).offset(0) + column;
    return const_cast<char*>(source.data + offset * source.element_size);
  }
  char* to = slot(source.slot);
  expand(plan, 0, source.data, to, at, n);
  return to;
}

void FusionGroup::Run::execute(ShardRunner& shards, const Node*& failed) {
  if (elements_ == 0) return;
  find_codes();
  if (iterations_) {
    run_iterations(shards);
  } else if (by_rows_) {
    parallel_for(shards, rows_, group_.cost_ * static_cast<double>(n_), [&](std::int64_t begin, std::int64_t end) {
      Tile tile(*this, tile_rows_ * n_);
      for (std::int64_t row = begin; row < end; row += tile_rows_)
        tile.run(row * n_, std::min(tile_rows_, end - row) * n_, row);
      tile.report();
    });
  } else if (group_.num_reductions_) {
    reduce(shards);
  } else {
    const std::int64_t block = block_size();
    parallel_for(shards, elements_, group_.cost_, [&](std::int64_t begin, std::int64_t end) {
      Tile tile(*this, block);
      for (std::int64_t at = begin; at < end; at += block) tile.run(at, std::min(block, end - at), 0);
      tile.report();
    });
  }
  end(failed);
}

void FusionGroup::Run::end(const Node*& failed) const {
  if (const Step* step = failed_.load(std::memory_order_acquire)) {
    failed = step->node;
    check_status(status_.load(std::memory_order_relaxed));
  }
}

void FusionGroup::Run::run_block(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  const std::int64_t block = block_size();
  std::int64_t left = 0;  // elements, after the rows
  if (columns == stride && (num_expanded_ == 0 || columns < kShortRow)) {
    // Adjacent rows, as longer ones: operands that repeat from row to row are expanded for the first of these only.
    const std::int64_t together = num_expanded_ == 0 ? rows : std::clamp<std::int64_t>(block / columns, 1, rows);
    left = rows % together * columns;
    rows /= together;
    columns = stride = columns * together;
  }
  Tile tile(*this, std::min(block, columns));
  for (std::int64_t j = 0; j < columns; j += block) tile.run_rows(at + j, rows, std::min(block, columns - j), stride);
  if (left) tile.run_rows(at + rows * stride, 1, left, left);
  tile.report();
}

void FusionGroup::Run::reduce(ShardRunner& shards) {
  const std::size_t end = group_.steps_.size() - 1;
  const Step& last = group_.steps_[end];
  const std::int64_t leaf = 64 * 64 / last.reduction.accumulator_bytes;
  // Without intermediates there are no blocks.
  const std::int64_t block = end == 0 && num_expanded_ == 0 ? elements_ : std::max(leaf, block_size() / leaf * leaf);
  const auto accumulate = [&](std::int64_t begin, std::int64_t rows, std::int64_t n, char* acc) {
    Tile tile(*this, block);
    const std::int64_t acc_size = last.reduction.accumulator_bytes;
    if (n <= block) {
      const std::int64_t at_once = std::max<std::int64_t>(1, block / std::max<std::int64_t>(n, 1));
      for (std::int64_t row = 0; row < rows; row += at_once) {
        std::int64_t count = std::min(at_once, rows - row);
        tile.run(begin + row * n, count * n, 0);
        tile.accumulate(end, count, n, acc + row * acc_size);
      }
    } else {
      for (std::int64_t row = 0; row < rows; ++row) halve(tile, end, leaf, begin + row * n, n, acc + row * acc_size);
    }
    tile.report();
  };
  const Output& out = outputs_[static_cast<std::size_t>(last.output)];
  reduce_rows([&](std::int64_t n, double cost, const auto& shard) { parallel_for(shards, n, cost, shard); },
              last.reduction, accumulate, rows_, n_, group_.cost_, out.data, out.element_size);
}

void FusionGroup::Run::halve(Tile& tile, std::size_t end, std::int64_t leaf, std::int64_t begin, std::int64_t n,
                             char* acc) const {
  if (n <= leaf) {
    tile.run(begin, n, 0);
    tile.accumulate(end, 1, n, acc);
    return;
  }
  const ReduceKernel& reduction = group_.steps_[end].reduction;
  const std::int64_t half = (n / 2 + leaf - 1) / leaf * leaf;
  alignas(16) char both[32];
  halve(tile, end, leaf, begin, half, both);
  halve(tile, end, leaf, begin + half, n - half, both + reduction.accumulator_bytes);
  reduction.merge(both, 2, 1, 1, acc);
}

}  // namespace tracefn
