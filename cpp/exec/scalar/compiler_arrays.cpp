// Larger arrays: elementwise ops and ops that move elements become expressions, which nests compute where an array is
// needed.
#include <algorithm>
#include <set>

#include "exec/nest/affine_grid.h"
#include "exec/scalar/compiler.h"
#include "exec/scalar/compiling_kernels.h"
#include "ops/elements.h"
#include "ops/fusable.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// A nest that computes more nodes than this is compiled in parts.
constexpr int kMostNodes = 64;

bool has_elements(const Shape& shape) {
  const std::optional<std::int64_t> n = shape.maybe_num_elements();
  return n && *n > 0;
}

ArrayExpressionPtr element(const Place& array, const Shape& shape, std::int64_t offset, Dims strides) {
  auto e = std::make_shared<ArrayExpression>();
  e->dtype = array.dtype;
  e->shape = shape;
  e->array = array.number;
  e->version = array.version;
  e->offset = offset;
  e->strides = std::move(strides);
  return e;
}

// Whether elements of a row are far from each other, in an array that the first cache does not hold: the op's kernel
// goes by tiles.
bool jumps(const AffineGrid& grid, const Shape& shape) {
  constexpr std::int64_t kLarge = 4096, kFarApart = 16;
  if (shape.num_elements() <= kLarge) return false;
  int inner = shape.rank() - 1;
  while (shape[inner] == 1) --inner;
  return std::ranges::any_of(grid.boxes, [&](const AffineGrid::Box& box) {
    return std::abs(box.strides[static_cast<std::size_t>(inner)]) > kFarApart;
  });
}

// Elements of a dense expression.
std::shared_ptr<ArrayExpression> elements_of(const ArrayExpression& dense, const Shape& shape, std::int64_t first,
                                             Dims strides) {
  auto e = std::make_shared<ArrayExpression>(dense);
  e->shape = shape;
  e->offset += first;
  e->strides = std::move(strides);
  e->uses = 1;
  e->left = 0;
  e->made_by = nullptr;
  e->written_as = nullptr;
  return e;
}

// An expression made of one for each box of a grid.
template <typename OfBox>
std::optional<ArrayExpressionPtr> of_grid(const AffineGrid& grid, const Shape& shape, const OfBox& of_box,
                                          std::size_t axis = 0, std::size_t box = 0) {
  if (axis == grid.ends.size()) return of_box(grid.boxes[box], shape);
  std::vector<ArrayExpressionPtr> pieces;
  const std::vector<std::int64_t>& ends = grid.ends[axis];
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Shape part = shape;
    part[static_cast<int>(axis)] = ends[i] - (i == 0 ? 0 : ends[i - 1]);
    std::optional<ArrayExpressionPtr> piece = of_grid(grid, part, of_box, axis + 1, box * ends.size() + i);
    if (!piece) return std::nullopt;
    pieces.push_back(std::move(*piece));
  }
  return joined(std::move(pieces), ends, static_cast<int>(axis), shape);
}

}  // namespace

// Fewer elements are rather loaded than read where they are.
bool ScalarCompiler::is_view(const Place& p) {
  constexpr std::int64_t kFewest = 8;
  return p.kind == Place::kComputed && p.expression->kind == ArrayExpression::kElement &&
         p.shape.num_elements() >= kFewest;
}

Place ScalarCompiler::computed_place(ArrayExpressionPtr e, Shape shape) {
  Place p;
  p.kind = Place::kComputed;
  p.dtype = e->dtype;
  p.shape = std::move(shape);
  p.expression = std::move(e);
  return p;
}

ArrayExpressionPtr ScalarCompiler::element_of(const Place& array, const Shape& shape, Slot at) const {
  const std::optional<std::int64_t> known = code_.number(at);
  auto e = std::make_shared<ArrayExpression>(*element(array, shape, known.value_or(0), dense_strides(shape)));
  if (!known) e->moving.emplace_back(at, 1);
  return e;
}

bool ScalarCompiler::reads(const ArrayExpression& e, std::uint32_t array) {
  if (e.kind == ArrayExpression::kElement) return e.array == array;
  return std::ranges::any_of(e.operands, [&](const ArrayExpressionPtr& operand) { return reads(*operand, array); });
}

bool ScalarCompiler::note_use(Place& p, const Node& by, int uses) {
  if (p.expression->made_by) {
    p.expression->uses += uses - 1;  // an identity's
    p.expression->left += uses;
  } else {
    p.expression->uses = p.expression->left = uses;
    p.expression->made_by = &by;
    noted_.push_back(p.expression);
  }
  if (!findings_.early.contains(&by)) return true;
  std::optional<Place> now = is_small(p.shape) ? as_elements(p) : in_memory(p);
  if (now) p = std::move(*now);
  return now.has_value();
}

bool ScalarCompiler::compute_earlier(const ArrayExpression& e) {
  if (e.kind == ArrayExpression::kElement) {
    if (e.version == arrays_[e.array].version) return false;
    bool found = stale_;
    for (const ArrayExpressionPtr& noted : noted_)
      if (reads(*noted, e.array)) found |= findings_.early.insert(noted->made_by).second;
    return found;
  }
  bool found = false;
  for (const ArrayExpressionPtr& operand : e.operands) found |= compute_earlier(*operand);
  return found;
}

std::optional<Place> ScalarCompiler::loaded(const Place& p) {
  const ArrayExpression& e = *p.expression;
  if (e.kind != ArrayExpression::kElement) {
    std::optional<Place> array = in_memory(p, p.shape.rank() == 0 ? Shape({1}) : p.shape);
    if (array) unpack(*array, p.shape);
    return array;
  }
  if (!is_current(e)) return std::nullopt;
  Slot at = code_.constant(std::int64_t{0});
  for (const auto& [slot, factor] : e.moving) {
    const Slot part = code_.multiply(slot, factor);
    at = code_.number(at) ? part : code_.add(at, part);
  }
  SmallVector<Slot, 1> slots;
  Dims index(e.strides.size(), 0);
  for (std::int64_t n = p.shape.num_elements(); n > 0; --n) {
    std::int64_t offset = e.offset;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * e.strides[d];
    slots.push_back(code_.load(e.array, e.version, at, offset));
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < e.shape[static_cast<int>(d)]) break;
      index[d] = 0;
    }
  }
  return elements_place(p.dtype, p.shape, std::move(slots));
}

std::optional<ArrayExpressionPtr> ScalarCompiler::expression_of(const Place& p) {
  if (p.kind == Place::kComputed) return p.expression;
  if (p.has_elements() && p.slots.size() == 1) {
    auto e = std::make_shared<ArrayExpression>();
    e->kind = ArrayExpression::kScalar;
    e->dtype = p.dtype;
    e->slot = p.slot();
    return e;
  }
  const std::optional<Place> array = as_array(p, false);
  if (!array || !tracefn::has_elements(p.shape) || !is_latest(*array)) return std::nullopt;
  return element(*array, p.shape, 0, dense_strides(p.shape));
}

bool ScalarCompiler::is_latest(const ArrayExpression& e) {
  if (e.kind == ArrayExpression::kElement) {
    Place array;
    array.kind = Place::kArray;
    array.number = e.array;
    array.version = e.version;
    return is_latest(array);
  }
  return std::ranges::all_of(e.operands, [&](const ArrayExpressionPtr& operand) { return is_latest(*operand); });
}

bool ScalarCompiler::is_current(const ArrayExpression& e) {
  // Rather than that an array is copied, what reads it is computed before the update. This attempt goes on, to find
  // the others.
  if (!compute_earlier(e)) return is_latest(e);
  findings_.more = stale_ = true;
  return true;
}

ArrayExpressionPtr ScalarCompiler::known_parts(const ArrayExpressionPtr& e) {
  if (!e->computes()) return e;
  for (const Stored& stored : stored_)
    if (stored.expression == e && stored.array.version == arrays_[stored.array.number].version)
      return element(stored.array, e->shape, 0, dense_strides(e->shape));
  std::shared_ptr<ArrayExpression> made;
  for (std::size_t i = 0; i < e->operands.size(); ++i) {
    ArrayExpressionPtr operand = known_parts(e->operands[i]);
    if (operand == e->operands[i]) continue;
    if (!made) {
      made = std::make_shared<ArrayExpression>(*e);
      made->written_as = e;
    }
    made->operands[i] = std::move(operand);
  }
  return made ? made : e;
}

std::optional<Place> ScalarCompiler::reshaped(const Places& inputs, const AffineGrid& grid, const Shape& shape) {
  if (grid.boxes.size() != 1 || grid.boxes[0].first < kNumbersOfInput || grid.boxes[0].first % kNumbersOfInput != 0)
    return std::nullopt;
  const Place& input = inputs[static_cast<std::size_t>(grid.boxes[0].first / kNumbersOfInput - 1)];
  if (input.kind != Place::kComputed || input.expression->kind != ArrayExpression::kPieces || shape.rank() == 0 ||
      input.shape.num_elements() != shape.num_elements() || shape.num_elements() <= findings_.most_elements)
    return std::nullopt;
  ArrayExpression whole;
  whole.shape = shape;
  whole.strides = grid.boxes[0].strides;
  if (!whole.is_dense() || index_map(0, whole.strides, shape, input.shape)) return std::nullopt;
  return in_memory(input, shape);
}

ArrayExpressionPtr ScalarCompiler::written_as(const ArrayExpressionPtr& e) { return e->written_as ? e->written_as : e; }

bool ScalarCompiler::is_stored(const ArrayExpressionPtr& e) const {
  return std::ranges::any_of(stored_, [&](const Stored& stored) {
    return stored.expression == e && stored.array.version == arrays_[stored.array.number].version;
  });
}

bool ScalarCompiler::is_needed_later(const ArrayExpressionPtr& e, int read_now, const std::set<ArrayExpressionPtr>& now,
                                     const std::set<ArrayExpressionPtr>& kept) const {
  if (e->left > read_now) return true;
  // By a way that does not lead through what is in memory.
  const auto holds = [&](const ArrayExpression& whole, const auto& self) -> bool {
    return std::ranges::any_of(whole.operands, [&](const ArrayExpressionPtr& part) {
      return part == e || (!kept.contains(part) && !is_stored(part) && self(*part, self));
    });
  };
  return std::ranges::any_of(noted_, [&](const ArrayExpressionPtr& other) {
    return other->left > 0 && !now.contains(other) && !is_stored(other) && holds(*other, holds);
  });
}

std::optional<Place> ScalarCompiler::in_memory(const Place& p) { return in_memory(p, p.shape); }

std::optional<Place> ScalarCompiler::in_memory(const Place& p, const Shape& shape) {
  for (const Stored& stored : stored_)
    if (stored.expression == p.expression && stored.array.shape == shape &&
        stored.array.version == arrays_[stored.array.number].version)
      return stored.array;
  const ArrayExpressionPtr e = known_parts(p.expression);
  if (!is_current(*e)) return std::nullopt;
  if (e->kind == ArrayExpression::kElement && arrays_[e->array].shape == shape && e->is_whole(shape.num_elements())) {
    Place array;
    array.kind = Place::kArray;
    array.dtype = p.dtype;
    array.shape = shape;
    array.number = e->array;
    array.version = e->version;
    return array;
  }
  // What others read, too, and is computed on the way, is kept; outermost first.
  std::set<ArrayExpressionPtr> seen{p.expression}, kept{p.expression};
  std::vector<ArrayExpressionPtr> shared;
  const auto visit = [&](const ArrayExpressionPtr& part, const auto& self) -> void {
    if (!seen.insert(written_as(part)).second && part != e) return;
    if (part->kind != ArrayExpression::kNode) return;
    for (const ArrayExpressionPtr& operand : part->operands) self(operand, self);
    if (part != e && part->shape == p.shape) shared.push_back(part);
  };
  visit(e, visit);
  std::vector<NestResult> results;
  Places arrays;
  const auto add = [&](const ArrayExpressionPtr& part) {
    arrays.push_back(new_array(part->dtype, part == e || p.shape.rank() == 0 ? shape : p.shape));
    results.push_back({part, arrays.back().number, {}});
  };
  add(e);
  for (std::size_t i = shared.size(); i-- > 0;) {
    if (!is_needed_later(written_as(shared[i]), 0, seen, kept)) continue;
    add(shared[i]);
    kept.insert(written_as(shared[i]));
  }
  for (const Place& array : arrays) code_.own(array.number, static_cast<std::uint32_t>(array.shape[0]));
  if (!compute(results, p.shape)) return std::nullopt;
  stored_.push_back({{}, arrays[0], p.expression, nullptr});
  for (std::size_t i = 1; i < results.size(); ++i) {
    stored_.push_back({{}, arrays[i], written_as(results[i].expression), nullptr});
  }
  return arrays[0];
}

bool ScalarCompiler::is_in_place(const Places& values, std::size_t i, const Place& array) {
  const Place& value = values[i];
  if (value.kind != Place::kComputed || array.kind != Place::kArray || !(value.shape == arrays_[array.number].shape))
    return false;
  const std::int64_t count = value.shape.num_elements();
  bool reads = false, elsewhere = false;
  const auto look = [&](const ArrayExpression& e, bool is_own, const auto& self) -> void {
    if (e.kind == ArrayExpression::kElement && e.array == array.number) {
      reads = true;
      elsewhere |= !is_own || !e.is_whole(count);
    }
    for (const ArrayExpressionPtr& operand : e.operands)
      self(*operand, is_own && e.kind == ArrayExpression::kNode, self);
  };
  look(*known_parts(value.expression), true, look);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (j == i) continue;
    elsewhere |= values[j].has_rows() && values[j].number == array.number;
    if (values[j].kind == Place::kComputed) look(*values[j].expression, false, look);
  }
  return reads && !elsewhere;
}

bool ScalarCompiler::compute_in_place(const Place& value, const Place& array) {
  const ArrayExpressionPtr e = known_parts(value.expression);
  if (!is_current(*e)) return false;
  code_.own(array.number);
  const NestResult result{e, array.number, {}};
  if (!compute({&result, 1}, value.shape)) return false;
  next_state(array, code_.node());
  return true;
}

bool ScalarCompiler::in_memory(Places& places) {
  if (!sequences_in_memory(places)) return false;
  for (Place& p : places) {
    if (p.kind != Place::kComputed) continue;
    std::optional<Place> made = is_small(p.shape) ? as_elements(p) : in_memory(p);
    if (!made) return false;
    p = std::move(*made);
  }
  return true;
}

bool ScalarCompiler::compute(std::span<const NestResult> results, const Shape& shape) {
  // The numbers that the nest reads are stored before it, in one array for each dtype.
  struct Numbers {
    DType dtype;
    Place array;
    std::vector<Slot> slots;
  };
  std::vector<Numbers> numbers;
  const auto parameter = [&](Slot slot, DType dtype) {
    auto found = std::ranges::find(numbers, dtype, &Numbers::dtype);
    if (found == numbers.end()) {
      numbers.push_back({dtype, new_array(dtype, Shape({kUnknownDim})), {}});
      found = numbers.end() - 1;
    }
    auto at = std::ranges::find(found->slots, slot);
    if (at == found->slots.end()) at = found->slots.insert(at, slot);
    return NestParameter{found->array.number, at - found->slots.begin()};
  };
  const auto constant = [&](Slot slot) -> const void* {
    return code_.is_constant(slot) ? code_.value(slot).bytes : nullptr;
  };
  std::unique_ptr<const ArrayNest> nest = ArrayNest::compile(results, shape, parameter, constant);
  if (!nest) return refuse("an array of too many parts");
  const Slot zero = code_.constant(std::int64_t{0});
  for (const Numbers& n : numbers) {
    code_.own(n.array.number, static_cast<std::uint32_t>(n.slots.size()));
    for (std::size_t i = 0; i < n.slots.size(); ++i)
      code_.store(n.array.number, zero, static_cast<std::int64_t>(i), n.slots[i]);
  }
  work(results[0].array, std::move(nest));
  return true;
}

std::optional<Place> ScalarCompiler::view(const Place& p, Shape shape, Slot at, std::span<const std::int64_t> offsets) {
  if (!takes_arrays_ || p.has_elements() || offsets.empty()) return std::nullopt;
  std::optional<ArrayExpressionPtr> from = expression_of(p);
  if (from && !(*from)->is_dense()) {
    const std::optional<Place> array = as_array(p, false);
    from = array ? expression_of(*array) : std::nullopt;
  }
  if (!from) return std::nullopt;
  const std::optional<AffineGrid> grid = AffineGrid::find(offsets, shape);
  if (!grid) return std::nullopt;
  const std::optional<std::int64_t> known = code_.number(at);
  const auto of_box = [&](const AffineGrid::Box& box, const Shape& part) -> std::optional<ArrayExpressionPtr> {
    auto e = elements_of(**from, part, box.first + known.value_or(0), box.strides);
    if (!known) e->moving.emplace_back(at, 1);
    return e;
  };
  std::optional<ArrayExpressionPtr> e = of_grid(*grid, shape, of_box);
  if (!e) return std::nullopt;
  Place made = computed_place(std::move(*e), std::move(shape));
  if (is_small(made.shape) && !is_view(made)) return std::nullopt;
  return made;
}

std::optional<Places> ScalarCompiler::elementwise_arrays(const Graph& g, const Node& n, const Places& inputs) {
  const std::optional<NodeBlock> found = node_block(g, n);
  if (!found || !takes_arrays_) return std::nullopt;
  Shape shape;
  for (const Place& p : inputs) {
    if (!p.shape.is_fully_known() || !can_broadcast(shape, p.shape)) return std::nullopt;
    shape = broadcast(shape, p.shape);
  }
  if (!tracefn::has_elements(shape)) return std::nullopt;
  auto e = std::make_shared<ArrayExpression>();
  e->kind = ArrayExpression::kNode;
  e->dtype = found->result;
  e->shape = shape;
  e->node = &n;
  e->num_nodes = 1;
  for (const Place& p : inputs) {
    std::optional<ArrayExpressionPtr> operand = expression_of(p);
    if (!operand) return std::nullopt;
    // What is repeated is computed once.
    const bool repeats = (*operand)->kind == ArrayExpression::kNode && !(p.shape == shape);
    if (repeats || ((*operand)->computes() && (*operand)->num_nodes > kMostNodes)) {
      const std::optional<Place> array = in_memory(p);
      if (!array || !(operand = expression_of(*array))) return std::nullopt;
    }
    e->num_nodes += (*operand)->num_nodes;
    e->operands.push_back(std::move(*operand));
  }
  Place made = computed_place(std::move(e), std::move(shape));
  if (!op_def(*n.op).can_fail(found->result)) return Places{std::move(made)};
  std::optional<Place> array = in_memory(made);
  if (!array) return std::nullopt;
  return Places{std::move(*array)};
}

std::optional<Places> ScalarCompiler::moved_arrays(const Node& n, const Places& inputs) {
  constexpr std::int64_t kMostMoved = std::int64_t{1} << 18;
  if (!takes_arrays_) return std::nullopt;
  const auto results = moved_numbers(n, inputs, kMostMoved);
  if (!results) return std::nullopt;
  // What several read, or a result repeats, is computed once; so is what some box could not read where it is.
  std::vector<char> in_place(inputs.size(), 1);
  const auto moved_box = [&](const AffineGrid::Box& box, const Shape& part) -> std::optional<ArrayExpressionPtr> {
    if (box.first < kNumbersOfInput) {
      const DType dtype = n.outputs[0].dtype;
      const Tensor zero = Tensor::zeros(dtype, Shape());
      return expression_of(elements_place(dtype, Shape(), {code_.constant(zero.raw(), dtype)}));
    }
    const auto i = static_cast<std::size_t>(box.first / kNumbersOfInput - 1);
    std::optional<ArrayExpressionPtr> from = expression_of(inputs[i]);
    if (!from || (*from)->kind == ArrayExpression::kScalar) return from;
    const bool repeats = part.num_elements() > (*from)->num_elements();
    if (!in_place[i] || ((*from)->computes() && ((*from)->uses > 1 || repeats || results->size() > 1))) {
      const std::optional<Place> array = in_memory(inputs[i]);
      from = array ? expression_of(*array) : std::nullopt;
      if (!from) return std::nullopt;
    }
    const std::int64_t first = box.first % kNumbersOfInput;
    if ((*from)->is_dense()) return elements_of(**from, part, first, box.strides);
    const std::optional<IndexMap> map = index_map(first, box.strides, part, (*from)->shape);
    std::optional<ArrayExpressionPtr> e = map ? remapped(*from, *map) : std::nullopt;
    if (!e) in_place[i] = 0;
    return e;
  };
  const auto of_result = [&](const AffineGrid& grid, const Shape& shape) {
    std::optional<ArrayExpressionPtr> e = of_grid(grid, shape, moved_box);
    return e || std::ranges::find(in_place, 0) == in_place.end() ? e : of_grid(grid, shape, moved_box);
  };
  Places outputs;
  for (const Tensor& t : *results) {
    if (t.num_elements() == 0) return std::nullopt;
    const std::optional<AffineGrid> grid = AffineGrid::find(t.span<std::int64_t>(), t.shape());
    if (!grid) return std::nullopt;
    if (std::optional<Place> same = reshaped(inputs, *grid, t.shape())) {
      outputs.push_back(std::move(*same));
      continue;
    }
    if (jumps(*grid, t.shape())) return std::nullopt;
    std::optional<ArrayExpressionPtr> e = of_result(*grid, t.shape());
    if (!e) return std::nullopt;
    outputs.push_back(computed_place(std::move(*e), t.shape()));
    if (!is_small(t.shape()) || is_view(outputs.back())) continue;
    std::optional<Place> elements = as_elements(outputs.back());
    if (!elements) return std::nullopt;
    outputs.back() = std::move(*elements);
  }
  return outputs;
}

}  // namespace tracefn
