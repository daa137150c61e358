// Walks boxes, row by row.
#include "exec/nest/array_nest.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "exec/fusion/fusion_group_rows.h"
#include "exec/scratch.h"
#include "exec/thread_pool.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

using vector_code::Entry;

// Each thread keeps its last copies' memory.
thread_local Scratch kept_scratch;

// n elements of a row, by loops with these strides.
void copy_elements(const char* from, const std::int64_t* strides, char* to, const std::int64_t* to_strides,
                   const std::int64_t* sizes, std::size_t loops, std::int64_t bytes) {
  kernel_table().copies.strided[copy_slot(bytes)](from, strides, to, to_strides, sizes, loops);
}

// The next index of the first `loops` loops; false after the last one.
bool next_index(Dims& index, const Dims& sizes, std::size_t loops) {
  for (std::size_t d = loops; d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

// Calls f(failed); on an Error, `run` learns which node threw it.
template <typename F>
void noting_failed(LongRun& run, const F& f) {
  std::atomic<const Node*> failed{nullptr};
  try {
    f(failed);
  } catch (const Error&) {
    run.failed = failed;
    throw;
  }
}

}  // namespace

Dims NestResult::strides(const Shape& shape) const {
  Dims strides = dense_strides(shape);
  std::fill_n(strides.begin(), replacing, 0);
  return strides;
}

std::size_t ArrayNest::room_for(std::int64_t n, std::int64_t bytes) {
  return (static_cast<std::size_t>(n * bytes) + 63) / 64 * 64;
}

void ArrayNest::run(scalar::ScalarList* arrays, LongRun& run) const {
  for (std::size_t b = 0; b < boxes_.size(); ++b) run_part(b, arrays, run);
  run.copied(bytes_);
}

void ArrayNest::expect_runs() const {
  for (const Program& program : programs_)
    if (program.group) program.group->expect_runs();
}

double ArrayNest::expected_time() const {
  constexpr double kSimpleBox = 8, kBox = 40, kRow = 4, kCopiedRow = 30, kKernelRow = 120, kElement = 0.02,
                   kOfCost = 0.1;
  double time = 0;
  for (const Box& box : boxes_) {
    const Program& program = programs_[box.program];
    const double cost = program.group ? program.group->cost() : 0;
    const bool calls = program.group && program.arguments.empty();
    const double of_element = calls ? cost : kElement + kOfCost * cost;
    const double of_row = calls ? kKernelRow : box.scratch > 0 ? kCopiedRow : kRow;
    time += is_simple(box, program) ? kSimpleBox : kBox;
    time += static_cast<double>(box.rows) * (of_row + of_element * static_cast<double>(box.n));
  }
  return time;
}

Entry ArrayNest::code_of(std::size_t number) const {
  const Box& box = boxes_[number];
  const Program& program = programs_[box.program];
  if (program.arguments.empty()) return nullptr;
  std::atomic<Entry>& kept = codes_[number];
  const Entry known = kept.load(std::memory_order_acquire);
  if (known) return known;
  const vector_code::VectorCode* const code = program.group->code(box.scalars, box.rows * box.n, box.overlaps);
  if (!code) return nullptr;
  kept.store(code->entry(), std::memory_order_release);
  return code->entry();
}

std::int64_t ArrayNest::moved_by(const Operand& operand, const scalar::ScalarList* arrays) {
  std::int64_t by = 0;
  for (const auto& [parameter, factor] : operand.moving) {
    std::int64_t index;
    std::memcpy(&index, arrays[parameter.array].data + parameter.index * 8, sizeof index);
    by += index * factor;
  }
  return by;
}

// One run of a box, or of a range of its first loop, on one thread.
class ArrayNest::Walk {
 public:
  Walk(const Box& box, const Program& program, Entry code, scalar::ScalarList* arrays)
      : box_(box), program_(program), code_(code), arrays_(arrays), sizes_(box.sizes), index_(box.row, 0) {}
  // Precondition: there is a loop around the rows.
  void set_range(std::int64_t begin, std::int64_t end) {
    begin_ = index_[0] = begin;
    sizes_[0] = end;
  }

  void copy() const {
    const Operand &from = box_.operands[0], &to = box_.results[0];
    copy_elements(start_of(from, arrays_), from.strides.data(), start_of(to, arrays_), to.strides.data(),
                  box_.sizes.data(), box_.sizes.size(), from.bytes);
  }

  // Only addresses change from row to row, so that the code walks them.
  void run_code() {
    const std::size_t num = box_.places.size();
    char* starts[GroupPart::kMaxArguments];
    void* places[GroupPart::kMaxArguments];
    Scratch scratch = std::move(kept_scratch);
    if (box_.scratch) copy_operands(scratch.at_least(box_.scratch));
    for (std::size_t k = 0; k < num; ++k)
      starts[k] = box_.places[k] < 0 ? nullptr : start_at(static_cast<std::size_t>(box_.places[k]));
    const std::size_t around = box_.row > 0 ? box_.row - 1 : 0;
    const std::int64_t first = around == 0 ? begin_ : 0, end = box_.row > 0 ? sizes_[around] : 1;
    do {
      for (std::int64_t row = first; row < end; ++row) {
        for (std::size_t k = 0; k < num; ++k) {
          const std::int32_t place = box_.places[k];
          places[k] = place < 0 ? nullptr : starts[k] + offset_of(box_.at_place(place), around) + row * box_.steps[k];
        }
        std::int64_t left = end - row;
        const std::int64_t done = code_(places, box_.n, box_.steps.data(), &left);
        row = end - left;
        if (left > 0) [[unlikely]]
          finish_row(row, done);
      }
    } while (next_index(index_, sizes_, around));
    if (box_.scratch) copy_results();
    kept_scratch = std::move(scratch);
  }
  // A row of run_code(), whose first elements are done.
  void finish_row(std::int64_t row, std::int64_t done) {
    SmallVector<char*, 12> places, results;
    const std::size_t around = box_.row > 0 ? box_.row - 1 : 0;
    for (std::size_t i = 0; i < box_.operands.size() + box_.results.size(); ++i) {
      const Operand& operand = box_.at_place(static_cast<std::int32_t>(i));
      const std::int64_t step = box_.row > 0 ? operand.strides[around] * operand.bytes : 0;
      (i < box_.operands.size() ? places : results).push_back(start_at(i) + offset_of(operand, around) + row * step);
    }
    rows().finish(places.data(), results.data(), done);
  }

  void run_rows() {
    SmallVector<char*, 12> starts, places, results, last;
    Scratch scratch = std::move(kept_scratch);
    char* next = box_.scratch ? scratch.at_least(box_.scratch) : nullptr;
    const auto place = [&](const Operand& operand, SmallVector<char*, 12>& to) {
      starts.push_back(start_of(operand, arrays_));
      to.push_back(next);
      if (operand.form == Operand::kCopied) next += room_for(box_.n, operand.bytes);
    };
    for (const Operand& operand : box_.operands) place(operand, places);
    for (const Operand& result : box_.results) place(result, results);
    last.resize(places.size());
    const std::size_t loops = box_.sizes.size() - box_.row;
    const std::int64_t* const sizes = box_.sizes.data() + box_.row;
    do {
      for (std::size_t i = 0; i < places.size(); ++i) {
        const Operand& operand = box_.operands[i];
        char* const at = starts[i] + offset_of(operand, box_.row);
        if (operand.form != Operand::kCopied) {
          places[i] = at;
        } else if (at != std::exchange(last[i], at)) {
          copy_elements(at, operand.strides.data() + box_.row, places[i], box_.dense.data(), sizes, loops,
                        operand.bytes);
        }
      }
      for (std::size_t j = 0; j < results.size(); ++j)
        if (box_.results[j].form != Operand::kCopied)
          results[j] = starts[places.size() + j] + offset_of(box_.results[j], box_.row);
      run_row(places.data(), results.data());
      for (std::size_t j = 0; j < results.size(); ++j) {
        const Operand& result = box_.results[j];
        if (result.form == Operand::kCopied)
          copy_elements(results[j], box_.dense.data(), starts[places.size() + j] + offset_of(result, box_.row),
                        result.strides.data() + box_.row, sizes, loops, result.bytes);
      }
    } while (next_index(index_, sizes_, box_.row));
    kept_scratch = std::move(scratch);
  }

  // On an Error, `failed` becomes the node of the user's graph that threw it.
  void run(std::atomic<const Node*>& failed) {
    if (code_ && box_.walks) {
      run_code();
    } else {
      run_rows();
    }
    end(failed);
  }
  // What is left of a box with at most one loop around its rows, whose code failed in the first row left.
  void finish(std::int64_t rows_left, std::int64_t done, std::atomic<const Node*>& failed) {
    const auto is_copy = [](const Operand& operand) { return operand.form == Operand::kCopied; };
    // Nothing was stored outside of the copies.
    if (std::ranges::any_of(box_.results, is_copy)) return run(failed);
    Scratch scratch;
    if (box_.scratch) copy_operands(scratch.at_least(box_.scratch));
    finish_row(box_.rows - rows_left, done);
    if (rows_left == 1) return end(failed);
    set_range(box_.rows - rows_left + 1, box_.rows);
    run(failed);
  }

 private:
  void end(std::atomic<const Node*>& failed) {
    if (!rows_) return;
    const Node* node = nullptr;
    try {
      rows_->end(node);
    } catch (const Error&) {
      for (std::size_t id = 0; id < program_.nodes.size(); ++id)
        if (&program_.graph->node(static_cast<NodeId>(id)) == node) failed = program_.nodes[id];
      throw;
    }
  }
  // The operand, or the result behind the operands; of copies, the copy.
  char* start_at(std::size_t place) const {
    if (place < copies_.size() && copies_[place]) return copies_[place];
    return start_of(box_.at_place(static_cast<std::int32_t>(place)), arrays_);
  }
  // Those that all rows have alike. Of results, if there is one row, room for them.
  void copy_operands(char* next) {
    const std::size_t loops = box_.sizes.size() - box_.row;
    copies_.resize(box_.operands.size() + box_.results.size());
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Operand& operand = box_.at_place(static_cast<std::int32_t>(i));
      if (operand.form != Operand::kCopied) continue;
      copies_[i] = next;
      if (i < box_.operands.size())
        copy_elements(start_of(operand, arrays_), operand.strides.data() + box_.row, next, box_.dense.data(),
                      box_.sizes.data() + box_.row, loops, operand.bytes);
      next += room_for(box_.n, operand.bytes);
    }
  }
  void copy_results() const {
    const std::size_t loops = box_.sizes.size() - box_.row;
    for (std::size_t i = box_.operands.size(); i < copies_.size(); ++i) {
      if (!copies_[i]) continue;
      const Operand& result = box_.at_place(static_cast<std::int32_t>(i));
      copy_elements(copies_[i], box_.dense.data(), start_of(result, arrays_), result.strides.data() + box_.row,
                    box_.sizes.data() + box_.row, loops, result.bytes);
    }
  }
  // Of the current index of the first loops.
  std::int64_t offset_of(const Operand& operand, std::size_t loops) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < loops; ++d) at += index_[d] * operand.strides[d];
    return at * operand.bytes;
  }
  FusionGroup::Rows& rows() {
    if (!rows_) rows_.emplace(*program_.group, box_.ones, box_.rows, box_.n);
    return *rows_;
  }
  void run_row(char* const* places, char* const* results) {
    if (!code_) return rows().run(places, results);
    void* all[GroupPart::kMaxArguments];
    for (std::size_t k = 0; k < program_.arguments.size(); ++k) {
      const FusionGroup::CodeArgument& argument = program_.arguments[k];
      all[k] = argument.kind == FusionGroup::CodeArgument::kInput    ? places[argument.index]
               : argument.kind == FusionGroup::CodeArgument::kOutput ? results[argument.index]
                                                                     : nullptr;
    }
    std::int64_t left = 1;
    const std::int64_t done = code_(all, box_.n, nullptr, &left);
    if (done < box_.n) rows().finish(places, results, done);
  }

  const Box& box_;
  const Program& program_;
  const Entry code_;
  scalar::ScalarList* const arrays_;
  std::int64_t begin_ = 0;
  Dims sizes_;                    // of the loops
  Dims index_;                    // of those around the rows
  SmallVector<char*, 8> copies_;  // of run_code(), by operand and result; null where there is none
  std::optional<FusionGroup::Rows> rows_;
};

void ArrayNest::run_small_box(const Box& box, const Program& program, Entry code, scalar::ScalarList* arrays,
                              std::atomic<const Node*>& failed) const {
  void* places[GroupPart::kMaxArguments];
  for (std::size_t k = 0; k < box.places.size(); ++k)
    places[k] = box.places[k] < 0 ? nullptr : start_of(box.at_place(box.places[k]), arrays);
  std::int64_t left = box.rows;
  const std::int64_t done = code(places, box.n, box.steps.data(), &left);
  if (left > 0) Walk(box, program, code, arrays).finish(left, done, failed);
}

void ArrayNest::run_box(std::size_t number, scalar::ScalarList* arrays, std::atomic<const Node*>& failed) const {
  const Box& box = boxes_[number];
  const Program& program = programs_[box.program];
  const Entry code = code_of(number);
  if (box.is_small && code && box.scratch == 0 && box.row <= 1)
    return run_small_box(box, program, code, arrays, failed);
  if (box.is_small) return Walk(box, program, code, arrays).run(failed);
  const double work = program.group->cost() * static_cast<double>(box.rows * box.n / box.sizes[0]);
  ThreadPool::get().parallel_for(box.sizes[0], work, [&](std::int64_t begin, std::int64_t end) {
    Walk walk(box, program, code, arrays);
    walk.set_range(begin, end);
    walk.run(failed);
  });
}

void ArrayNest::run_part(std::size_t number, scalar::ScalarList* arrays, LongRun& run) const {
  const Box& box = boxes_[number];
  const Program& program = programs_[box.program];
  if (!program.group) return Walk(box, program, nullptr, arrays).copy();
  noting_failed(run, [&](std::atomic<const Node*>& failed) { run_box(number, arrays, failed); });
}

void ArrayNest::finish_part(std::size_t number, std::int64_t rows_left, std::int64_t done, scalar::ScalarList* arrays,
                            LongRun& run) const {
  const Box& box = boxes_[number];
  noting_failed(run, [&](std::atomic<const Node*>& failed) {
    Walk(box, programs_[box.program], code_of(number), arrays).finish(rows_left, done, failed);
  });
}

}  // namespace tracefn
