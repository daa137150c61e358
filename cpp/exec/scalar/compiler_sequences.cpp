// Vectors whose lengths the code computes: ranges, slices, and what is computed of them element by element, up to an
// update or a reduction that reads them.
#include <algorithm>
#include <map>
#include <set>

#include "exec/scalar/compiler.h"
#include "exec/scalar/compiling_kernels.h"
#include "exec/scalar/node_elements.h"
#include "exec/scalar/sequence.h"
#include "ops/build.h"
#include "ops/elements.h"
#include "ops/fusable.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

using functions::FloorDiv;
using functions::Greater;
using functions::GreaterEqual;
using functions::Less;
using functions::LessEqual;
using functions::LogicalAnd;
using functions::LogicalOr;
using functions::Maximum;
using functions::Minimum;
using functions::Select;

bool is_sequence(const Place& p) { return p.kind == Place::kSequence; }
bool is_number(const Place& p) { return p.has_elements() && p.slots.size() == 1 && p.shape.rank() <= 1; }

Place place_of(std::shared_ptr<Sequence> sequence, const Node& n, const Places& inputs, Shape shape) {
  sequence->node = &n;
  sequence->inputs = inputs;
  if (!sequence->source) sequence->source = &n;
  const auto add = [&](const Sequence::Read& read) {
    if (std::ranges::find(sequence->reads, read) == sequence->reads.end()) sequence->reads.push_back(read);
  };
  if (sequence->array.kind == Place::kArray) add({sequence->array.number, sequence->array.version, sequence->source});
  sequence->may_fail |= sequence->form == Sequence::kGathered;
  for (const SequencePtr& operand : sequence->operands) {
    if (!operand) continue;
    for (const Sequence::Read& read : operand->reads) add(read);
    sequence->may_fail |= operand->may_fail;
  }
  Place p;
  p.kind = Place::kSequence;
  p.dtype = sequence->dtype;
  p.shape = std::move(shape);
  p.sequence = std::move(sequence);
  return p;
}

}  // namespace

// The loop over the elements of some sequences of one length.
class ScalarCompiler::SequenceLoop {
 public:
  SequenceLoop(ScalarCompiler& compiler, Slot count)
      : compiler_(compiler), code_(compiler.code_), count_(count), number_(code_.new_slot(sizeof(std::int64_t))) {}

  // What is read in the loop; before begin().
  void add(const SequencePtr& sequence) {
    if (!added_.insert(sequence.get()).second) return;
    if (sequence->form == Sequence::kRange || sequence->form == Sequence::kSlice) {
      const Slot at = code_.new_slot(code_.bytes(sequence->first));
      code_.move(sequence->first, at);
      carried_.emplace(sequence.get(), at);
    }
    for (const SequencePtr& operand : sequence->operands)
      if (operand) add(operand);
  }
  void begin() {
    code_.move(code_.constant(std::int64_t{0}), number_);
    known_before_ = compiler_.mark();
    start_ = code_.here();
    to_end_ = code_.jump(Kind::kJumpUnless, code_.apply<Less>(DType::kInt64, {number_, count_}));
  }
  Slot number() const { return number_; }
  // The element of this iteration; nothing if an index certainly fails.
  std::optional<Slot> element(const Sequence& s) {
    if (const auto known = elements_.find(&s); known != elements_.end()) return known->second;
    const Node* const before = code_.node();
    code_.set_node(s.source);
    const std::optional<Slot> made = new_element(s);
    code_.set_node(before);
    if (made) elements_.emplace(&s, *made);
    return made;
  }
  void end() {
    std::vector<std::pair<Slot, Slot>> moves{{code_.add(number_, code_.constant(std::int64_t{1})), number_}};
    for (const auto& [sequence, at] : carried_) {
      const DType dtype = sequence->form == Sequence::kRange ? sequence->dtype : DType::kInt64;
      moves.emplace_back(code_.apply<functions::Add>(dtype, {at, sequence->step}), at);
    }
    for (const auto& [from, to] : moves) code_.move(from, to);
    code_.loop(start_);
    code_.land(to_end_);
    compiler_.forget_since(known_before_);
  }

 private:
  std::optional<Slot> new_element(const Sequence& s) {
    switch (s.form) {
      case Sequence::kRange:
        return carried_.at(&s);
      case Sequence::kSlice:
        return compiler_.load(s.array, carried_.at(&s), 0);
      case Sequence::kFilled:
        return s.first;
      case Sequence::kGathered: {
        const std::optional<Slot> index = element(*s.operands[0]);
        if (!index) return std::nullopt;
        const Slot at = code_.cast(*index, s.operands[0]->dtype, DType::kInt64);
        if (!code_.check_index(at, compiler_.length(s.array), "indices[{2}] = {0} is not in [0, {1})", number_))
          return std::nullopt;
        return compiler_.load(s.array, at, 0);
      }
      case Sequence::kMapped:
        break;
    }
    SmallVector<Slot, 3> in;
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
      const std::optional<Slot> operand = s.operands[k] ? element(*s.operands[k]) : s.scalars[k];
      if (!operand) return std::nullopt;
      in.push_back(*operand);
    }
    return code_.apply(*s.function, s.operand, s.dtype, {in.data(), in.size()});
  }

  ScalarCompiler& compiler_;
  ScalarCode& code_;
  Slot count_, number_;
  std::set<const Sequence*> added_;
  std::map<const Sequence*, Slot> carried_, elements_;  // from one iteration to the next; of this one
  std::pair<std::size_t, std::size_t> known_before_;
  std::uint32_t start_ = 0, to_end_ = 0;
};

// A scatter as its rule sees it in one iteration: one index, and one update.
class ScalarCompiler::ScatteredElements final : public NodeElements {
 public:
  ScatteredElements(ScalarCompiler& compiler, const Node& n, const Places& inputs, Slot number)
      : NodeElements(compiler, n, inputs), number_(number) {}

  std::optional<Element> number() const override { return number_; }
  bool update(std::size_t input, std::size_t, std::span<const Update> updates) override {
    for (const Update& u : updates) compiler_.code_.store(inputs_[input].number, u.at, u.offset, u.value);
    return true;
  }

 private:
  Slot number_;
};

scalar::Slot ScalarCompiler::length(const Place& array) {
  return array.shape[0] >= 0 ? code_.constant(array.shape[0]) : rows(array);
}

std::optional<Places> ScalarCompiler::sequenced(const Graph& g, const Node& n, const Places& inputs) {
  if (!takes_arrays_ || n.outputs.size() != 1 || findings_.early.contains(&n)) return std::nullopt;
  const OpDef& op = op_def(*n.op);
  if (op.facts.sequence == SequenceRule::kRange) return range_sequence(n, inputs);
  if (op.facts.sequence == SequenceRule::kSlice && inputs[0].kind == Place::kArray) return slice_sequence(n, inputs);
  if (std::ranges::none_of(inputs, is_sequence)) return std::nullopt;
  if (op.block) return mapped_sequence(g, n, inputs);
  if (op.facts.fill && is_sequence(inputs[0]) && !inputs[0].sequence->may_fail) {
    auto made = std::make_shared<Sequence>();
    made->form = Sequence::kFilled;
    made->dtype = n.outputs[0].dtype;
    made->count = inputs[0].sequence->count;
    made->first = code_.constant(build::scalar_tensor(made->dtype, *op.facts.fill).raw(), made->dtype);
    return Places{place_of(std::move(made), n, inputs, inputs[0].shape)};
  }
  if (op.facts.sequence == SequenceRule::kGather) return gathered_sequence(n, inputs);
  if (op.facts.indexing == Indexing::kUpdates && op.facts.elements) return scattered(n, inputs);
  if (!op.facts.moves.empty() && op.allocation == Allocation::kShared) return reshaped_sequence(n, inputs);
  return std::nullopt;
}

// Its kernel is called where the arguments are refused, for the message.
std::optional<Places> ScalarCompiler::range_sequence(const Node& n, const Places& inputs) {
  constexpr DType kNumber = DType::kInt32;
  if (n.outputs[0].dtype != kNumber || !std::ranges::all_of(inputs, &Place::is_scalar) ||
      std::ranges::all_of(inputs, [&](const Place& p) { return known(p).has_value(); }))
    return std::nullopt;
  const Slot start = inputs[0].slot(), limit = inputs[1].slot(), delta = inputs[2].slot();
  const std::int32_t none = 0;
  const Slot zero = code_.constant(&none, kNumber);
  const Slot forwards = code_.apply<LogicalAnd>(
      DType::kBool, {code_.apply<Greater>(kNumber, {delta, zero}), code_.apply<LessEqual>(kNumber, {start, limit})});
  const Slot backwards = code_.apply<LogicalAnd>(
      DType::kBool, {code_.apply<Less>(kNumber, {delta, zero}), code_.apply<GreaterEqual>(kNumber, {start, limit})});
  if (!fails_unless(code_.apply<LogicalOr>(DType::kBool, {forwards, backwards}), n, inputs)) return std::nullopt;
  const auto wide = [&](Slot s) { return code_.cast(s, kNumber, DType::kInt64); };
  // The quotient rounded up.
  const Slot back = code_.apply<functions::Sub>(DType::kInt64, {wide(start), wide(limit)});
  auto made = std::make_shared<Sequence>();
  made->dtype = kNumber;
  made->count = code_.apply<functions::Neg>(DType::kInt64, {code_.apply<FloorDiv>(DType::kInt64, {back, wide(delta)})});
  made->first = start;
  made->step = delta;
  return Places{place_of(std::move(made), n, inputs, Shape({kUnknownDim}))};
}

bool ScalarCompiler::fails_unless(Slot condition, const Node& n, const Places& inputs) {
  const std::uint32_t to_call = code_.jump(Kind::kJumpUnless, condition);
  const std::uint32_t to_end = code_.jump(Kind::kJump);
  code_.land(to_call);
  const auto known_before = mark();
  const bool can_fail = called(n, inputs).has_value();
  code_.land(to_end);
  forget_since(known_before);
  return can_fail;
}

std::optional<Places> ScalarCompiler::slice_sequence(const Node& n, const Places& inputs) {
  const std::optional<Tensor> strides = known(inputs[3]);
  if (inputs[0].shape.rank() != 1 || !strides || strides->num_elements() != 1 || strides->int_at(0) < 1 ||
      n.outputs[0].shape.is_fully_known() || inputs[1].slots.size() != 1 || inputs[2].slots.size() != 1 ||
      n.attr("ellipsis_mask").i() != 0 || n.attr("new_axis_mask").i() != 0 || n.attr("shrink_axis_mask").i() != 0 ||
      !is_latest(inputs[0]))
    return std::nullopt;
  const Slot size = length(inputs[0]), zero = code_.constant(std::int64_t{0});
  const auto bound = [&](const Place& p, bool is_open, Slot open) {
    if (is_open) return open;
    const Slot given = code_.cast(p.slot(), p.dtype, DType::kInt64);
    const Slot wrapped = code_.apply<Select>(
        DType::kInt64, {code_.apply<Less>(DType::kInt64, {given, zero}), code_.add(given, size), given});
    return code_.apply<Maximum>(DType::kInt64, {zero, code_.apply<Minimum>(DType::kInt64, {wrapped, size})});
  };
  // As good as any larger one, and no sum overflows.
  constexpr std::int64_t kLongest = std::int64_t{1} << 40;
  const std::int64_t stride = std::min(strides->int_at(0), kLongest);
  const Slot begin = bound(inputs[1], n.attr("begin_mask").i() & 1, zero);
  const Slot end = bound(inputs[2], n.attr("end_mask").i() & 1, size);
  const Slot step = code_.constant(stride);
  const Slot room = code_.add(code_.apply<functions::Sub>(DType::kInt64, {end, begin}), code_.constant(stride - 1));
  const Slot steps = stride == 1 ? room : code_.apply<FloorDiv>(DType::kInt64, {room, step});
  auto made = std::make_shared<Sequence>();
  made->form = Sequence::kSlice;
  made->dtype = inputs[0].dtype;
  made->count = code_.apply<Maximum>(DType::kInt64, {zero, steps});
  made->first = begin;
  made->step = step;
  made->array = inputs[0];
  return Places{place_of(std::move(made), n, inputs, Shape({kUnknownDim}))};
}

std::optional<Places> ScalarCompiler::gathered_sequence(const Node& n, const Places& inputs) {
  const Place &params = inputs[0], &indices = inputs[1];
  if (!is_sequence(indices) || params.kind != Place::kArray || params.shape.rank() != 1 || indices.shape.rank() != 1)
    return std::nullopt;
  const std::optional<Tensor> axis = inputs.size() > 2 ? known(inputs[2]) : std::nullopt;
  if (inputs.size() > 2 && (!axis || axis->int_at(0) != 0 || n.attr("batch_dims").i() != 0)) return std::nullopt;
  if (!is_latest(params)) return std::nullopt;
  auto made = std::make_shared<Sequence>();
  made->form = Sequence::kGathered;
  made->dtype = params.dtype;
  made->count = indices.sequence->count;
  made->array = params;
  made->operands.push_back(indices.sequence);
  return Places{place_of(std::move(made), n, inputs, indices.shape)};
}

std::optional<Places> ScalarCompiler::mapped_sequence(const Graph& g, const Node& n, const Places& inputs) {
  const std::optional<NodeBlock> block = node_block(g, n);
  if (!block) return std::nullopt;
  const Place& of = *std::ranges::find_if(inputs, is_sequence);
  auto made = std::make_shared<Sequence>();
  made->form = Sequence::kMapped;
  made->dtype = block->result;
  made->count = of.sequence->count;
  made->function = &*op_def(*n.op).block;
  made->operand = g.info(n.inputs.back()).dtype;
  for (const Place& p : inputs) {
    const bool fits = is_sequence(p) ? p.sequence->count == made->count && p.shape == of.shape : is_number(p);
    if (!fits) return std::nullopt;
    made->operands.push_back(p.sequence);
    made->scalars.push_back(p.sequence ? Slot{0} : p.slot());
  }
  // A division may fail, and then its kernel says so.
  if (op_def(*n.op).facts.fails_on_integers && is_integer(made->operand)) return std::nullopt;
  return Places{place_of(std::move(made), n, inputs, of.shape)};
}

// The same elements in a shape with axes of size 1.
std::optional<Places> ScalarCompiler::reshaped_sequence(const Node& n, const Places& inputs) {
  const Place& of = inputs[0];
  if (!is_sequence(of) || std::ranges::any_of(inputs.begin() + 1, inputs.end(), is_sequence)) return std::nullopt;
  if (op_def(*n.op).facts.sequence == SequenceRule::kSlice) {
    // Every axis is whole.
    const std::int64_t specs = (std::int64_t{1} << inputs[1].shape[0]) - 1, made = n.attr("new_axis_mask").i(),
                       rest = specs & ~made;
    if ((n.attr("begin_mask").i() & rest) != rest || (n.attr("end_mask").i() & rest) != rest ||
        n.attr("ellipsis_mask").i() != 0 || n.attr("shrink_axis_mask").i() != 0)
      return std::nullopt;
  }
  // A roll moves nothing if its shift is a multiple of the length: of all of these, no int64 but 0 is one.
  constexpr std::int64_t kLengths[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  std::optional<Shape> shape;
  for (const std::int64_t count : kLengths) {
    Places example = inputs;
    for (int d = 0; d < of.shape.rank(); ++d)
      if (of.shape[d] < 0) example[0].shape[d] = count;
    const auto results = moved_numbers(n, example, ElementsContext::kMost);
    if (!results || (*results)[0].num_elements() != count) return std::nullopt;
    const Tensor& numbers = (*results)[0];
    for (std::int64_t i = 0; i < count; ++i)
      if (numbers.int_at(i) != kNumbersOfInput + i) return std::nullopt;
    Shape found = numbers.shape();
    for (int d = 0; d < found.rank(); ++d)
      if (found[d] == count) found[d] = kUnknownDim;
    if (shape && !(*shape == found)) return std::nullopt;
    shape = found;
  }
  return Places{place_of(std::make_shared<Sequence>(*of.sequence), n, inputs, *shape)};
}

std::optional<Places> ScalarCompiler::scattered(const Node& n, const Places& inputs) {
  const Place &indices = inputs[1], &updates = inputs[2];
  if (inputs[0].kind != Place::kArray || inputs[0].shape.rank() != 1 || !is_sequence(indices) ||
      !is_sequence(updates) || indices.shape.rank() != 2 || indices.shape[1] != 1 || updates.shape.rank() != 1 ||
      indices.sequence->count != updates.sequence->count || !is_latest(inputs[0]))
    return std::nullopt;
  const Place array = own(inputs[0], n);
  for (const Place* p : {&indices, &updates})
    if (!is_current(*p->sequence) ||
        std::ranges::find(p->sequence->reads, array.number, &Sequence::Read::array) != p->sequence->reads.end())
      return std::nullopt;
  code_.own(array.number);
  SequenceLoop loop(*this, indices.sequence->count);
  loop.add(indices.sequence);
  loop.add(updates.sequence);
  loop.begin();
  const std::optional<Slot> index = loop.element(*indices.sequence), update = loop.element(*updates.sequence);
  bool done = index && update;
  if (done) {
    const Places row{array, elements_place(indices.dtype, Shape({1, 1}), {*index}),
                     elements_place(updates.dtype, Shape({1}), {*update})};
    ScatteredElements context(*this, n, row, loop.number());
    done = op_def(*n.op).facts.elements(context);
  }
  // What certainly fails has stored nothing, and its kernel says so.
  loop.end();
  return done ? std::optional(Places{next_state(array, &n)}) : std::nullopt;
}

bool ScalarCompiler::is_current(const Sequence& sequence) {
  for (const Sequence::Read& read : sequence.reads) {
    if (read.version == arrays_[read.array].version) continue;
    // The next attempt computes it before the array changes.
    findings_.more |= findings_.early.insert(read.by).second;
    return refuse("a slice of an array that is used after it was updated");
  }
  return true;
}

std::optional<Place> ScalarCompiler::in_memory(const SequencePtr& sequence) {
  if (!is_current(*sequence)) return std::nullopt;
  for (const Stored& stored : stored_)
    if (stored.sequence == sequence && stored.array.version == arrays_[stored.array.number].version)
      return stored.array;
  Places inputs = sequence->inputs;
  if (!sequences_in_memory(inputs)) return std::nullopt;
  const std::uint64_t unread = std::exchange(unread_outputs_, 0);
  const Node* const before = code_.node();
  code_.set_node(sequence->node);
  std::optional<Places> made = called(*sequence->node, inputs);
  code_.set_node(before);
  unread_outputs_ = unread;
  if (!made) return std::nullopt;
  stored_.push_back({{}, (*made)[0], nullptr, sequence});
  return (*made)[0];
}

bool ScalarCompiler::sequences_in_memory(Places& places) {
  for (Place& p : places) {
    if (!is_sequence(p)) continue;
    std::optional<Place> array = in_memory(p.sequence);
    if (!array) return false;
    p = std::move(*array);
  }
  return true;
}

}  // namespace tracefn
