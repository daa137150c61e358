// Cuts the index space into boxes, and the boxes into rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "exec/nest/array_nest.h"
#include "jit/vector/target.h"
#include "passes/graph_copy.h"

namespace tracefn {
namespace {

constexpr std::size_t kMostBoxesOfNest = 256;

using Kind = ArrayExpression::Kind;

}  // namespace

// Compiles one nest; used once.
class NestCompiler {
 public:
  NestCompiler(std::span<const NestResult> results, const Shape& shape, const ArrayNest::FindParameter& parameter,
               const ArrayNest::FindConstant& constant)
      : results_(results), shape_(shape), parameter_(parameter), constant_(constant) {}

  std::unique_ptr<const ArrayNest> compile() {
    const auto rank = static_cast<std::size_t>(shape_.rank());
    if (!add_boxes(0, Index(rank, 0), shape_.dims())) return nullptr;
    nest_->results_.assign(results_.begin(), results_.end());
    nest_->shape_ = shape_;
    nest_->codes_ = std::vector<std::atomic<vector_code::Entry>>(nest_->boxes_.size());
    for (const NestResult& r : results_) {
      note(r.array);
      nest_->bytes_ += shape_.num_elements() * static_cast<std::int64_t>(size_of(r.expression->dtype));
    }
    return std::move(nest_);
  }

 private:
  using Operand = ArrayNest::Operand;
  using Index = std::vector<std::int64_t>;  // of the index space

  // Where the axes of an expression are those of the index space.
  int first_axis(const ArrayExpression& e) const { return shape_.rank() - e.shape.rank(); }
  bool repeats(const ArrayExpression& e, int axis) const {
    return e.shape[axis] == 1 && shape_[axis + first_axis(e)] != 1;
  }
  void note(std::uint32_t array) {
    if (std::ranges::find(nest_->arrays_, array) == nest_->arrays_.end()) nest_->arrays_.push_back(array);
  }

  // Those of the segments from `axis` on; axes before it are cut already.
  bool add_boxes(std::size_t axis, const Index& begin, const Dims& sizes) {
    if (axis == begin.size()) return nest_->boxes_.size() < kMostBoxesOfNest && add_box(begin, sizes);
    std::vector<std::int64_t> cuts{sizes[axis]};
    for (const NestResult& r : results_) find_cuts(*r.expression, axis, begin, 0, cuts);
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::int64_t start = 0;
    for (const std::int64_t end : cuts) {
      Index inside = begin;
      Dims segment = sizes;
      inside[axis] = start;
      segment[axis] = end - start;
      if (!add_boxes(axis + 1, inside, segment)) return false;
      start = end;
    }
    return true;
  }

  // Where pieces along `axis` end. `begin` is in the index space of the expression, whose index 0 of `axis` is at
  // `start` of the nest's.
  void find_cuts(const ArrayExpression& e, std::size_t axis, const Index& begin, std::int64_t start,
                 std::vector<std::int64_t>& cuts) const {
    if (e.kind == Kind::kNode)
      for (const ArrayExpressionPtr& operand : e.operands) find_cuts(*operand, axis, begin, start, cuts);
    if (e.kind != Kind::kPieces) return;
    const auto own = static_cast<std::size_t>(e.axis + first_axis(e));
    if (own < axis) {
      const auto [piece, inside] = piece_at(e, begin);
      return find_cuts(*e.operands[piece], axis, inside, start, cuts);
    }
    std::int64_t from = 0;
    for (std::size_t i = 0; i < e.operands.size(); from = e.ends[i], ++i) {
      if (own == axis && from > 0) cuts.push_back(start + from);
      find_cuts(*e.operands[i], axis, begin, own == axis ? start + from : start, cuts);
    }
  }

  // The piece in which a box that begins there is, and where it begins in that.
  std::pair<std::size_t, Index> piece_at(const ArrayExpression& e, const Index& begin) const {
    const auto axis = static_cast<std::size_t>(e.axis + first_axis(e));
    const std::int64_t at = repeats(e, e.axis) ? 0 : begin[axis];
    std::size_t piece = 0;
    while (e.ends[piece] <= at) ++piece;
    Index inside = begin;
    inside[axis] = at - (piece == 0 ? 0 : e.ends[piece - 1]);
    return {piece, inside};
  }

  // Of a box: what of the graph a value is.
  struct Made {
    Value value;
    std::int32_t input = -1;   // the operand, if it is one
    bool is_constant = false;  // its slot is the key
    scalar::Slot slot = 0;
  };

  bool add_box(const Index& begin, const Dims& sizes) {
    graph_ = std::make_unique<Graph>("nest");
    box_ = {};
    made_.clear();
    nodes_.clear();
    key_.clear();
    std::vector<Made> made;
    for (const NestResult& r : results_) made.push_back(value_of(r.expression, begin));
    box_.sizes = sizes;
    for (const NestResult& r : results_) {
      const Dims strides = r.strides(shape_);
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < strides.size(); ++d) offset += begin[d] * strides[d];
      box_.results.push_back({.array = r.array,
                              .bytes = static_cast<std::int64_t>(size_of(r.expression->dtype)),
                              .offset = offset,
                              .moving = {},
                              .strides = strides});
      if (r.at) box_.results.back().moving.emplace_back(parameter_(*r.at, DType::kInt64), 1);
    }
    const bool copies = nodes_.empty();
    for (const Made& m : made) {
      if (!m.is_constant && m.input < 0) {
        graph_->outputs.push_back(m.value);
      } else {
        TRACEFN_CHECK(copies && made.size() == 1);  // what several results share are nodes
        if (m.is_constant) operand_of_slot(m.slot, results_[0].expression->dtype);
      }
    }
    collapse();
    order_operands();
    key_.push_back(copies);
    for (const Value& v : graph_->outputs) key_.push_back(static_cast<std::uint64_t>(v.node));
    const auto [known, is_new] = programs_.emplace(key_, nest_->programs_.size());
    box_.program = known->second;
    if (is_new) {
      ArrayNest::Program program;
      if (!copies) {
        program.group = FusionGroup::compile(*graph_, graph_->outputs, {}, FusionGroup::Parts::kAny);
        if (!program.group) return false;
        program.graph = std::move(graph_);
        program.nodes = nodes_;
        if (program.group->is_one_part()) program.arguments = program.group->code_arguments();
      }
      nest_->programs_.push_back(std::move(program));
    }
    const ArrayNest::Program& made_program = nest_->programs_[box_.program];
    const FusionGroup* const code = made_program.arguments.empty() ? nullptr : made_program.group.get();
    for (ArrayNest::Box& box : boxes_of_rows(copies, code)) {
      place_rows(box);
      measure(box, nest_->programs_[box.program]);
      box.overlaps = may_overlap(box);
      nest_->boxes_.push_back(std::move(box));
    }
    needs_.clear();
    return true;
  }

  Made value_of(const ArrayExpressionPtr& e, const Index& begin) {
    const std::pair<const ArrayExpression*, Index> key{e.get(), begin};
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    Made made;
    switch (e->kind) {
      case Kind::kScalar:
        if (const void* value = constant_(e->slot)) {
          Tensor tensor(e->dtype, Shape());
          std::memcpy(tensor.mutable_raw(), value, size_of(e->dtype));
          key_.insert(key_.end(), {1, e->slot});
          made = {{graph_->add(constant(std::move(tensor), "")), 0}, -1, true, e->slot};
        } else {
          made = input(operand_of_slot(e->slot, e->dtype), e->dtype);
        }
        break;
      case Kind::kElement:
        made = input(operand_of(*e, begin), e->dtype);
        break;
      case Kind::kPieces: {
        const auto [piece, inside] = piece_at(*e, begin);
        made = value_of(e->operands[piece], inside);
        break;
      }
      case Kind::kNode: {
        std::vector<Made> operands;
        for (const ArrayExpressionPtr& operand : e->operands) operands.push_back(value_of(operand, begin));
        made = node(*e, operands);
        break;
      }
    }
    made_[key] = made;
    return made;
  }

  Made node(const ArrayExpression& e, std::span<Made> operands) {
    // A kernel wants one operand at least that is not one element for all of a row.
    if (std::ranges::all_of(operands, [&](const Made& m) { return m.is_constant; })) {
      operands[0] = input(operand_of_slot(operands[0].slot, e.operands[0]->dtype), e.operands[0]->dtype);
    }
    Node copy = *e.node;
    copy.inputs.clear();
    copy.control_inputs.clear();
    key_.insert(key_.end(), {2, reinterpret_cast<std::uintptr_t>(e.node)});
    Needs need;
    for (const Made& m : operands) {
      copy.inputs.push_back(m.value);
      key_.push_back(static_cast<std::uint64_t>(m.value.node));
      if (m.input >= 0) need.push_back(m.input);
      if (m.input < 0 && !m.is_constant) need.push_back(-1);
    }
    needs_.push_back(std::move(need));
    const NodeId id = graph_->add(std::move(copy));
    nodes_.resize(static_cast<std::size_t>(id) + 1);
    nodes_.back() = e.node;
    return {{id, 0}};
  }

  Made input(std::int32_t operand, DType dtype) {
    for (auto& [known, made] : inputs_)
      if (known == operand) return made;
    key_.insert(key_.end(), {3, static_cast<std::uint64_t>(dtype)});
    Made made{{graph_->add(placeholder({dtype, Shape::unknown()}, "")), 0}, operand};
    graph_->inputs.push_back(made.value);
    inputs_.emplace_back(operand, made);
    return made;
  }

  std::int32_t add_operand(Operand operand) {
    for (std::size_t i = 0; i < box_.operands.size(); ++i)
      if (same(box_.operands[i], operand)) return static_cast<std::int32_t>(i);
    note(operand.array);
    for (const auto& [parameter, factor] : operand.moving) note(parameter.array);
    box_.operands.push_back(std::move(operand));
    return static_cast<std::int32_t>(box_.operands.size()) - 1;
  }
  static bool same(const Operand& a, const Operand& b) {
    if (a.array != b.array || a.offset != b.offset || !(a.strides == b.strides) || a.moving.size() != b.moving.size())
      return false;
    for (std::size_t i = 0; i < a.moving.size(); ++i)
      if (a.moving[i].first.array != b.moving[i].first.array || a.moving[i].first.index != b.moving[i].first.index ||
          a.moving[i].second != b.moving[i].second)
        return false;
    return true;
  }
  std::int32_t operand_of_slot(scalar::Slot slot, DType dtype) {
    const NestParameter p = parameter_(slot, dtype);
    return add_operand({.array = p.array,
                        .bytes = static_cast<std::int64_t>(size_of(dtype)),
                        .offset = p.index,
                        .moving = {},
                        .strides = Dims(shape_.dims().size(), 0)});
  }
  std::int32_t operand_of(const ArrayExpression& e, const Index& begin) {
    Operand out{.array = e.array,
                .bytes = static_cast<std::int64_t>(size_of(e.dtype)),
                .offset = e.offset,
                .moving = {},
                .strides = Dims(shape_.dims().size(), 0)};
    for (int d = 0; d < e.shape.rank(); ++d) {
      if (repeats(e, d)) continue;
      const auto axis = static_cast<std::size_t>(d + first_axis(e));
      out.strides[axis] = e.strides[static_cast<std::size_t>(d)];
      out.offset += begin[axis] * out.strides[axis];
    }
    for (const auto& [slot, factor] : e.moving) out.moving.emplace_back(parameter_(slot, DType::kInt64), factor);
    return add_operand(std::move(out));
  }

  // Drops loops that run once, and makes one loop of two where all operands allow.
  void collapse() {
    std::vector<Operand*> all;
    for (std::vector<Operand>* some : {&box_.operands, &box_.results})
      for (Operand& operand : *some) all.push_back(&operand);
    Dims sizes;
    std::vector<Dims> strides(all.size());
    for (std::size_t d = 0; d < box_.sizes.size(); ++d) {
      const std::int64_t size = box_.sizes[d];
      if (size == 1) continue;
      bool joins = !sizes.empty();
      for (std::size_t i = 0; i < all.size() && joins; ++i)
        joins = strides[i][strides[i].size() - 1] == all[i]->strides[d] * size;
      if (joins) {
        sizes[sizes.size() - 1] *= size;
        for (std::size_t i = 0; i < all.size(); ++i) strides[i][strides[i].size() - 1] = all[i]->strides[d];
      } else {
        sizes.push_back(size);
        for (std::size_t i = 0; i < all.size(); ++i) strides[i].push_back(all[i]->strides[d]);
      }
    }
    if (sizes.empty()) {
      sizes = {1};
      for (Dims& s : strides) s = {1};
    }
    box_.sizes = std::move(sizes);
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->strides = std::move(strides[i]);
  }

  // The inputs of the graph are in the order in which they were made.
  void order_operands() {
    if (inputs_.empty()) return;
    std::vector<Operand> ordered;
    std::vector<std::int32_t> moved(box_.operands.size(), -1);
    for (const auto& [operand, made] : inputs_) {
      moved[static_cast<std::size_t>(operand)] = static_cast<std::int32_t>(ordered.size());
      ordered.push_back(std::move(box_.operands[static_cast<std::size_t>(operand)]));
    }
    for (Needs& need : needs_)
      for (std::int32_t& i : need)
        if (i >= 0) i = moved[static_cast<std::size_t>(i)];
    box_.operands = std::move(ordered);
    inputs_.clear();
  }

  static bool is_copied(const Operand& operand) { return operand.form == Operand::kCopied; }
  // Of results, too, if there is one row.
  static bool has_same_copies(const ArrayNest::Box& box, bool one_row) {
    const auto same = [&](const Operand& o) { return !is_copied(o) || o.repeats(box.row); };
    return std::ranges::all_of(box.operands, same) && (one_row || std::ranges::none_of(box.results, is_copied));
  }

  // Whether a row of a result replaces another one: they come one after the other.
  static bool replaces(const ArrayNest::Box& box) {
    return std::ranges::any_of(box.results, [](const Operand& result) { return result.strides[0] == 0; });
  }

  // The box, its rows being those of the loops from `row` on.
  ArrayNest::Box with_rows(std::size_t row) const {
    ArrayNest::Box rows = box_;
    rows.row = row;
    place_rows(rows);
    return rows;
  }

  // Roughly the nanoseconds of a box whose code walks its rows, the copies being the same for all.
  static double time_of(const ArrayNest::Box& box, double cost) {
    constexpr double kCopy = 10, kOfCopied = 0.4, kRow = 4, kVector = 16, kOfCost = 0.1;
    double n = 1, rows = 1;
    for (std::size_t d = 0; d < box.sizes.size(); ++d) (d < box.row ? rows : n) *= static_cast<double>(box.sizes[d]);
    const auto copies = std::ranges::count_if(box.operands, is_copied) + std::ranges::count_if(box.results, is_copied);
    return static_cast<double>(copies) * (kCopy + kOfCopied * n) +
           rows * (kRow + std::ceil(n / kVector) * kVector * kOfCost * cost);
  }

  // Whether vector code walks rows as they are: with no copy of its own, a short row costs less than joining it to
  // others, and a shorter one may.
  bool walks_short_rows(const FusionGroup* code) const {
    constexpr std::int64_t kShort = 6;
    const ArrayNest::Box rows = with_rows(box_.sizes.size() - 1);
    if (!code || !has_same_copies(rows, false)) return false;
    return box_.sizes[rows.row] >= kShort || time_of(rows, code->cost()) < time_of(with_rows(0), code->cost());
  }

  // Makes rows of one element of the only row if that takes less time than its copies.
  void single_out(double cost) {
    if (box_.sizes.size() != 1) return;
    ArrayNest::Box single = box_;
    single.sizes.push_back(1);
    for (std::vector<Operand>* some : {&single.operands, &single.results})
      for (Operand& operand : *some) operand.strides.push_back(1);
    single.row = 1;
    place_rows(single);
    if (time_of(single, cost) < time_of(with_rows(0), cost)) box_ = std::move(single);
  }

  // Short rows are joined to longer ones, and one that is all of a large box is cut, so that threads can share it; what
  // does not divide the loop around them is a box of its own.
  std::vector<ArrayNest::Box> boxes_of_rows(bool copies, const FusionGroup* code) {
    constexpr std::int64_t kJoined = 512, kLong = 4096;
    if (replaces(box_)) return boxes_of_merged_rows(code);
    if (code) single_out(code->cost());
    const std::int64_t kShort = walks_short_rows(code) ? 1 : 32;
    std::size_t row = box_.sizes.size() - 1;
    std::int64_t n = box_.sizes[row];
    while (!copies && n < kShort && row > 0 && n * box_.sizes[row - 1] <= 2 * kJoined) n *= box_.sizes[--row];
    box_.row = row;
    std::vector<ArrayNest::Box> boxes;
    const bool joins = n < kShort && row > 0, cuts = row == 0 && box_.sizes.size() == 1 && n >= 2 * kLong;
    if (copies || !(joins || cuts)) {
      boxes.push_back(std::move(box_));
      return boxes;
    }
    const std::size_t loop = cuts ? 0 : row - 1;
    const std::int64_t size = box_.sizes[loop], block = cuts ? kLong : kJoined / n, rest = size % block;
    ArrayNest::Box left = box_;
    box_.sizes[loop] = block;
    box_.sizes.insert(box_.sizes.begin() + loop, size / block);
    each(box_, [&](Operand& operand) {
      operand.strides.insert(operand.strides.begin() + loop, operand.strides[loop] * block);
    });
    box_.row = loop + 1;
    boxes.push_back(std::move(box_));
    if (rest > 0) {
      each(left, [&](Operand& operand) { operand.offset += (size - rest) * operand.strides[loop]; });
      left.sizes[loop] = rest;
      left.row = loop;
      boxes.push_back(std::move(left));
    }
    return boxes;
  }

  template <typename Change>
  static void each(ArrayNest::Box& box, const Change& change) {
    for (std::vector<Operand>* operands : {&box.operands, &box.results})
      for (Operand& operand : *operands) change(operand);
  }

  // Rows that replace one another are whole vectors, and what is left a box of its own: a vector that is read when
  // a part of it was just stored waits until that is in the cache. If merging again changes nothing, those are the last
  // ones of the row that make a whole vector.
  std::vector<ArrayNest::Box> boxes_of_merged_rows(const FusionGroup* code) {
    constexpr std::int64_t kVectorBytes = vector_code::kAvx2.vector_bytes;
    box_.row = box_.sizes.size() - 1;
    const std::int64_t n = box_.sizes[box_.row], whole = kVectorBytes / box_.results[0].bytes, rest = n % whole;
    std::vector<ArrayNest::Box> boxes{box_};
    if (!code || n < whole || rest == 0) return boxes;
    const std::int64_t last = results_[0].repeatable ? whole : rest;
    boxes.push_back(std::move(box_));
    boxes[0].sizes[boxes[0].row] = n - rest;
    boxes[1].sizes[boxes[1].row] = last;
    each(boxes[1], [&](Operand& operand) { operand.offset += (n - last) * operand.strides[boxes[1].row]; });
    return boxes;
  }

  static Operand::Form form_of(const Operand& operand, const ArrayNest::Box& box) {
    bool dense = true, one = true;
    std::int64_t next = 1;
    for (std::size_t d = box.sizes.size(); d-- > box.row; next *= box.sizes[d]) {
      if (box.sizes[d] == 1) continue;
      dense = dense && operand.strides[d] == next;
      one = one && operand.strides[d] == 0;
    }
    return dense ? Operand::kDense : one ? Operand::kOne : Operand::kCopied;
  }

  // A node must not read one element alone for all of a row.
  void place_rows(ArrayNest::Box& box) const {
    for (std::vector<Operand>* operands : {&box.operands, &box.results})
      for (Operand& operand : *operands) operand.form = form_of(operand, box);
    for (const Needs& need : needs_) {
      const bool has_row = std::ranges::any_of(need, [&](std::int32_t i) {
        return i < 0 || box.operands[static_cast<std::size_t>(i)].form != Operand::kOne;
      });
      if (!has_row) box.operands[static_cast<std::size_t>(need[0])].form = Operand::kCopied;
    }
  }

  static void measure(ArrayNest::Box& box, const ArrayNest::Program& program) {
    // Below this many nanoseconds of work, threads do not pay off.
    constexpr double kInlineWork = 20'000;
    for (std::size_t d = 0; d < box.sizes.size(); ++d) (d < box.row ? box.rows : box.n) *= box.sizes[d];
    for (const Operand& operand : box.operands) box.ones.push_back(operand.form == Operand::kOne);
    box.dense = Dims(box.sizes.size() - box.row, 1);
    for (std::size_t d = box.dense.size() - 1; d-- > 0;) box.dense[d] = box.dense[d + 1] * box.sizes[box.row + d + 1];
    for (std::size_t k = 0; k < program.arguments.size(); ++k) {
      using Argument = FusionGroup::CodeArgument;
      const auto& [kind, i] = program.arguments[k];
      const bool one = kind == Argument::kConstant || (kind == Argument::kInput && box.ones[i]);
      box.scalars |= std::uint64_t{one} << k;
      const std::size_t place = kind == Argument::kOutput ? box.operands.size() + i : i;
      box.places.push_back(kind == Argument::kConstant ? -1 : static_cast<std::int32_t>(place));
      const bool moves = kind != Argument::kConstant && box.row > 0;
      const Operand* const operand = moves ? &box.at_place(box.places.back()) : nullptr;
      box.steps.push_back(moves ? operand->strides[box.row - 1] * operand->bytes : 0);
    }
    box.walks = has_same_copies(box, box.rows == 1);
    const double cost = program.group ? program.group->cost() : 0;
    box.is_small = cost * static_cast<double>(box.rows * box.n) < kInlineWork || box.row == 0 || box.sizes[0] == 1 ||
                   replaces(box);
    for (const std::vector<Operand>* operands : {&box.operands, &box.results})
      for (const Operand& operand : *operands)
        if (operand.form == Operand::kCopied) box.scratch += ArrayNest::room_for(box.n, operand.bytes);
  }

  // Whether elements of a row may be computed twice: what is stored is not read.
  static bool may_overlap(const ArrayNest::Box& box) {
    return std::ranges::none_of(box.results, [&](const Operand& result) {
      return std::ranges::find(box.operands, result.array, &Operand::array) != box.operands.end();
    });
  }

  using Needs = SmallVector<std::int32_t, 3>;  // the operands of a node that are inputs; -1: made by a node

  const std::span<const NestResult> results_;
  const Shape& shape_;
  const ArrayNest::FindParameter& parameter_;
  const ArrayNest::FindConstant& constant_;
  std::unique_ptr<ArrayNest> nest_ = std::make_unique<ArrayNest>();
  std::map<std::vector<std::uint64_t>, std::size_t> programs_;  // by what they compute
  // Of the box under construction.
  std::unique_ptr<Graph> graph_;
  ArrayNest::Box box_;
  std::map<std::pair<const ArrayExpression*, Index>, Made> made_;
  std::vector<std::pair<std::int32_t, Made>> inputs_;  // by operand
  std::vector<Needs> needs_;
  std::vector<const Node*> nodes_;
  std::vector<std::uint64_t> key_;
};

std::unique_ptr<const ArrayNest> ArrayNest::compile(std::span<const NestResult> results, const Shape& shape,
                                                    const FindParameter& parameter, const FindConstant& constant) {
  return NestCompiler(results, shape, parameter, constant).compile();
}

}  // namespace tracefn
