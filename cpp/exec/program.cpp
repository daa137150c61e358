// Compiles graphs: selects nodes, assigns registers, finds last uses.
#include "exec/program.h"

#include <limits>
#include <unordered_map>

#include "base/check.h"
#include "exec/expected_shapes.h"
#include "exec/fusion/array_loop.h"
#include "exec/fusion/finished_product.h"
#include "exec/fusion/fusion_group.h"
#include "exec/fusion/variable_update.h"
#include "exec/long_work.h"
#include "exec/scalar/iterator_loop.h"
#include "exec/scalar/scalar_loop.h"
#include "exec/scalar/shaped_loop.h"
#include "ir/functions_of.h"
#include "ir/node_name.h"
#include "ops/fusable.h"
#include "ops/node_kinds.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// In longer ones the call overhead does not matter.
constexpr NodeId kMostNodesOfScalars = 256;

// Functions that call functions twice each double the memory at each level.
constexpr std::size_t kMostFrames = std::size_t{1} << 20;

}  // namespace

// Shared by a program and its bodies: one program per body graph.
using BodyPrograms = std::unordered_map<const Graph*, std::shared_ptr<Program>>;

class Compiler {
 public:
  Compiler(std::shared_ptr<const Graph> graph, std::string name, BodyPrograms& bodies)
      : graph_(std::move(graph)), program_(new Program()), bodies_(bodies) {
    program_->graph_ = graph_;
    first_source_.assign(static_cast<std::size_t>(graph_->size()), kNone);
    program_->name_ = std::move(name);
    if (program_->name_.empty()) program_->name_ = graph_->name();
  }

  std::shared_ptr<Program> compile() {
    place_arguments();
    add_all(order_side_by_side(*graph_));
    for (Value v : graph_->outputs) note_use(v, kEnd);
    assign_registers();
    place_results();
    leave_out_unused();
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

  // Values that one instruction produces together, and arguments: they are adjacent.
  struct Block {
    std::int64_t made_by = -1;  // instruction; -1: an argument
    std::uint32_t size = 1;
    std::uint32_t first_register = 0;
    std::int64_t dies_after = -1;  // instruction, kEnd: a result; -1: never used
  };
  struct Source {
    Program::Place::Kind kind = Program::Place::kNowhere;
    std::uint32_t block = 0;  // or the constant's index
    std::uint32_t offset = 0;
    std::int64_t last_use = -1;  // instruction
    std::uint32_t uses_there = 0;
  };

  void add_all(const SideBySideOrder& order) {
    auto row = order.rows.begin();
    for (std::size_t i = 0; i < order.nodes.size(); ++i) {
      if (row != order.rows.end() && row->first == i) {
        const auto first = static_cast<std::uint32_t>(program_->instructions_.size());
        const auto count = static_cast<std::uint32_t>(row->count);
        program_->rows_.emplace_back(first, count);
        row_end_ = first + count;
        ++row;
      }
      add(order.nodes[i]);
    }
    for (std::size_t r = 0; r < program_->rows_.size(); ++r)
      program_->instructions_[program_->rows_[r].first].row = static_cast<std::int32_t>(r);
  }

  std::uint32_t source_of(Value v) const {
    std::uint32_t first = first_source_[static_cast<std::size_t>(v.node)];
    TRACEFN_CHECK(first != kNone);  // an edge to a later node
    return first + static_cast<std::uint32_t>(v.output);
  }

  // Assigns consecutive sources to the node's outputs.
  void new_source(NodeId node, Source source) {
    std::uint32_t& first = first_source_[static_cast<std::size_t>(node)];
    if (first == kNone) first = static_cast<std::uint32_t>(sources_.size());
    sources_.push_back(source);
  }

  std::uint32_t new_block(std::int64_t made_by, std::uint32_t size) {
    blocks_.push_back({made_by, size});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }

  void place_arguments() {
    for (Value v : graph_->inputs) {
      TRACEFN_CHECK(v.output == 0 && first_source_[static_cast<std::size_t>(v.node)] == kNone);
      new_source(v.node, {Program::Place::kRegister, new_block(-1, 1), 0});
    }
  }

  void note_use(Value v, std::int64_t at) {
    Source& source = sources_[source_of(v)];
    source.uses_there = source.last_use == at ? source.uses_there + 1 : 1;
    source.last_use = at;
    if (source.kind == Program::Place::kRegister) blocks_[source.block].dies_after = at;
  }

  void add(NodeId id) {
    const Node& node = graph_->node(id);
    if (first_source_[static_cast<std::size_t>(id)] != kNone) return;  // an argument
    if (node.is(OpKind::kConst)) {
      program_->constants_.push_back(node.attr("value").tensor());
      program_->may_be_long_ |= any_is_long({&program_->constants_.back(), 1});
      new_source(id, {Program::Place::kConstant, static_cast<std::uint32_t>(program_->constants_.size() - 1)});
      return;
    }
    if (is_alias(node)) {  // needs no instruction
      first_source_[static_cast<std::size_t>(id)] = source_of(node.inputs[0]);
      return;
    }
    add_instruction(id, node);
  }

  void add_instruction(NodeId id, const Node& node) {
    Program& p = *program_;
    const OpDef& op = op_def(*node.op);
    const auto own = static_cast<std::int64_t>(p.instructions_.size());
    // Those of a row use their operands until its end.
    const std::int64_t at = own < row_end_ ? row_end_ - 1 : own;
    if (node.inputs.size() > UINT16_MAX || node.outputs.size() > UINT16_MAX)
      fail(ErrorKind::kUnimplemented, "Node ", node.name, " has ", node.inputs.size(), " inputs and ",
           node.outputs.size(), " outputs. A node that is run has at most ", UINT16_MAX, " of each.");
    Instruction i{};
    i.op = &op;
    i.attrs = &node.attrs;
    i.node = &node;
    i.node_name = shown_name(node.name);
    i.first_operand = static_cast<std::uint32_t>(p.operands_.size());
    i.num_operands = static_cast<std::uint16_t>(node.inputs.size());
    i.num_outputs = static_cast<std::uint16_t>(node.outputs.size());
    i.state_slot = -1;
    i.row = -1;
    if (op.signature.stateful && (!op.has_function_attr || op.facts.keeps_functions))
      i.state_slot = static_cast<std::int32_t>(p.num_state_slots_++);
    for (const Attr& attr : node.attrs) i.calls_host |= static_cast<bool>(attr.host());
    for (Value v : node.inputs) {
      uses_.push_back(source_of(v));
      note_use(v, at);
      p.operands_.emplace_back();
    }
    std::uint32_t block = new_block(at, static_cast<std::uint32_t>(node.outputs.size()));
    instruction_block_.push_back(block);
    instruction_end_.push_back(at);
    i.first_dtype = static_cast<std::uint32_t>(p.dtypes_.size());
    for (std::uint32_t j = 0; j < node.outputs.size(); ++j) {
      p.dtypes_.push_back(node.outputs[j].dtype);
      new_source(id, {Program::Place::kRegister, block, j});
    }
    if (auto block = node_block(*graph_, node)) {
      i.block = block->block;
      i.block_result = block->result;
    }
    add_shapes(node, i);
    add_bodies(node, i);
    i.runner = add_runner(id, node);
    if (i.runner && is_loop(node))
      for (std::uint32_t k = 0; k < i.num_bodies; ++k) p.bodies_[i.first_body + k].inside = i.runner;
    p.may_be_long_ |= i.num_bodies > 0 && (node.form == NodeForm::kOp || node.form == NodeForm::kArrayLoop);
    p.instructions_.push_back(i);
  }

  void add_shapes(const Node& node, Instruction& i) {
    std::vector<Shape> shapes = expected_shapes(*graph_, node);
    i.first_shape = static_cast<std::uint32_t>(program_->shapes_.size());
    i.num_shapes = static_cast<std::uint32_t>(shapes.size());
    for (Shape& shape : shapes) program_->shapes_.push_back(std::move(shape));
  }

  // As the pass that made the node meant it. Any loop may turn out to be one over scalars.
  const InstructionRunner* add_runner(NodeId id, const Node& node) {
    std::unique_ptr<const InstructionRunner> runner;
    if (node.form == NodeForm::kFusionGroup) {
      const Graph& function = *node.attr("f").func().body;
      runner = FusionGroup::compile(function, function.outputs);
    } else if (node.form == NodeForm::kFinishedProduct) {
      runner = FinishedProduct::compile(*node.attr("f").func().body);
    } else if (node.form == NodeForm::kVariableUpdate) {
      runner = UpdateGroup::compile(*node.attr("f").func().body);
    } else if (node.form == NodeForm::kArrayLoop) {
      runner = ArrayLoop::compile(node);
      program_->loops_.push_back(
          {std::string(shown_name(node.name)), runner ? "" : "not one fusion group", runner.get()});
    } else if (is_loop(node)) {
      std::string reason;
      std::unique_ptr<ScalarLoop> loop = ScalarLoop::compile(*graph_, node, &reason);
      if (!loop) runner = IteratorLoop::compile(node);
      if (!runner && ShapedLoop::can_help(*graph_, node, loop != nullptr)) {
        auto shaped = std::make_unique<ShapedLoop>(*graph_, node, std::move(loop));
        shaped_loops_.emplace_back(id, shaped.get());
        runner = std::move(shaped);
      } else if (loop) {
        scalar_loops_.emplace_back(id, loop.get());
        runner = std::move(loop);
      }
      program_->loops_.push_back({std::string(shown_name(node.name)), reason, runner.get()});
    }
    if (!runner) return nullptr;
    program_->runners_.push_back(std::move(runner));
    return program_->runners_.back().get();
  }

  void add_bodies(const Node& node, Instruction& i) {
    i.first_body = static_cast<std::uint32_t>(program_->bodies_.size());
    const Attr* condition = is_loop(node) ? &node.attr("cond") : nullptr;
    if (!op_def(*node.op).facts.keeps_functions)
      for (const Attr& attr : node.attrs)
        for_each_function(attr, [&](const FuncRef& f) { add_body(f, &attr == condition); });
    i.num_bodies = static_cast<std::uint16_t>(program_->bodies_.size() - i.first_body);
  }

  void add_body(const FuncRef& f, bool is_condition) {
    TRACEFN_CHECK(f.body);
    std::shared_ptr<Program>& body = bodies_[f.body.get()];
    if (!body) body = Compiler(f.body, f.name, bodies_).compile();
    if (is_condition && !body->scalars_) body->compile_scalars();
    program_->bodies_.push_back({nullptr, body, static_cast<std::uint32_t>(program_->num_state_slots_)});
    program_->num_state_slots_ += body->num_state_slots();
    program_->num_frames_ += body->num_frames_;
    if (program_->num_frames_ > kMostFrames)
      fail(ErrorKind::kUnimplemented, "Function ", program_->name(),
           " runs other functions, and these others, at more ", "than ", kMostFrames,
           " places all together, which is not supported.");
  }

  // Assigns registers in program order; those of dead blocks are reused.
  void assign_registers() {
    Program& p = *program_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> free;  // by size of block
    auto give = [&](Block& block) {
      std::vector<std::uint32_t>& list = free[block.size];
      if (block.size == 0 || list.empty()) {
        block.first_register = static_cast<std::uint32_t>(p.num_registers_);
        p.num_registers_ += block.size;
      } else {
        block.first_register = list.back();
        list.pop_back();
      }
    };
    // Which blocks die after which instruction, as linked lists through the blocks.
    std::vector<std::int32_t> first_dying(p.instructions_.size(), -1), next_dying(blocks_.size(), -1);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      std::int64_t at = block.dies_after < 0 ? block.made_by : block.dies_after;
      if (at < 0 || at == kEnd || block.size == 0) continue;
      next_dying[b] = first_dying[static_cast<std::size_t>(at)];
      first_dying[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(b);
    }
    for (Block& block : blocks_) {
      if (block.made_by >= 0) break;  // arguments come first
      if (block.dies_after >= 0) give(block);
    }
    std::vector<std::uint64_t> unread(blocks_.size(), 0);
    for (const Source& source : sources_)
      if (source.kind == Program::Place::kRegister && source.last_use < 0 && source.offset < 64)
        unread[source.block] |= std::uint64_t{1} << source.offset;
    for (std::size_t at = 0; at < p.instructions_.size(); ++at) {
      Instruction& i = p.instructions_[at];
      i.unread_outputs = unread[instruction_block_[at]];
      give(blocks_[instruction_block_[at]]);
      i.first_output = blocks_[instruction_block_[at]].first_register;
      place_operands(i, instruction_end_[at]);
      i.first_dead = static_cast<std::uint32_t>(p.dead_.size());
      for (std::int32_t b = first_dying[at]; b >= 0; b = next_dying[static_cast<std::size_t>(b)]) {
        Block& block = blocks_[static_cast<std::size_t>(b)];
        for (std::uint32_t j = 0; j < block.size; ++j) p.dead_.push_back(block.first_register + j);
        free[block.size].push_back(block.first_register);
      }
      std::size_t dead = p.dead_.size() - i.first_dead;
      TRACEFN_CHECK(dead < 65536);
      i.num_dead = static_cast<std::uint16_t>(dead);
    }
  }

  void place_operands(const Instruction& i, std::int64_t at) {
    for (std::uint32_t k = 0; k < i.num_operands; ++k) {
      Source& source = sources_[uses_[i.first_operand + k]];
      Program::Place& place = program_->operands_[i.first_operand + k];
      place.kind = source.kind;
      if (source.kind == Program::Place::kConstant) {
        place.index = source.block;
        continue;
      }
      place.index = blocks_[source.block].first_register + source.offset;
      if (source.last_use != at) continue;
      // An operand used twice: a kernel must not find it moved away, but the elementwise driver reads before it moves.
      place.last_use = source.uses_there == 1 || (i.block && k + 1 == i.num_operands);
    }
  }

  Program::Place place_of(const Source& source) const {
    if (source.kind == Program::Place::kConstant) return {source.kind, false, source.block};
    return {source.kind, false, blocks_[source.block].first_register + source.offset};
  }

  void place_results() {
    for (std::size_t i = 0; i < graph_->inputs.size(); ++i) {
      const Block& block = blocks_[i];
      program_->arguments_.push_back(block.dies_after < 0 ? Program::Place() : place_of(sources_[i]));
    }
    for (Value v : graph_->outputs) program_->results_.push_back(place_of(sources_[source_of(v)]));
    // The last use of a register moves it out.
    std::unordered_map<std::uint32_t, bool> mentioned;
    for (std::size_t r = program_->results_.size(); r-- > 0;) {
      Program::Place& place = program_->results_[r];
      place.last_use = place.kind == Program::Place::kRegister && mentioned.emplace(place.index, true).second;
    }
  }

  // Loops produce no tensors for unused variables.
  void leave_out_unused() {
    leave_out_unused(scalar_loops_);
    leave_out_unused(shaped_loops_);
  }
  template <typename Loop>
  void leave_out_unused(const std::vector<std::pair<NodeId, Loop*>>& loops) {
    for (auto& [node, loop] : loops) {
      const std::uint32_t first = first_source_[static_cast<std::size_t>(node)];
      for (std::size_t j = 0; j < graph_->node(node).outputs.size(); ++j)
        if (sources_[first + j].last_use < 0) loop->leave_out(j);
    }
  }

  std::shared_ptr<const Graph> graph_;
  std::unique_ptr<Program> program_;
  BodyPrograms& bodies_;
  std::vector<std::uint32_t> first_source_;  // by node
  std::vector<Source> sources_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> instruction_block_;
  std::vector<std::int64_t> instruction_end_;                 // itself, or the last one of its row
  std::int64_t row_end_ = 0;                                  // of the row that is being added
  std::vector<std::uint32_t> uses_;                           // sources of all operands
  std::vector<std::pair<NodeId, ScalarLoop*>> scalar_loops_;  // owned by the program, as are the next
  std::vector<std::pair<NodeId, ShapedLoop*>> shaped_loops_;
};

std::shared_ptr<const Program> Program::compile(std::shared_ptr<const Graph> graph, std::string name) {
  BodyPrograms bodies;
  std::shared_ptr<Program> program = Compiler(std::move(graph), std::move(name), bodies).compile();
  if (program->graph().size() <= kMostNodesOfScalars) program->compile_scalars();
  program->choice_ = std::make_unique<ProgramChoice>(program->graph(), program->read_arguments());
  return program;
}

std::vector<std::uint32_t> Program::read_arguments() const {
  std::vector<std::uint32_t> read;
  for (std::uint32_t i = 0; i < arguments_.size(); ++i)
    if (reads(i)) read.push_back(i);
  return read;
}

void Program::compile_scalars() { scalars_ = ScalarProgram::compile(*graph_, read_arguments()); }

std::vector<Program::LoopReport> Program::loops() const {
  std::vector<LoopReport> all = loops_;
  if (const ArrayProgram* whole = choice_ ? choice_->chosen() : nullptr; whole && all.empty())
    all.push_back({"function", "", whole});
  for (LoopReport& loop : all)
    if (loop.runner && loop.runner->has_code()) loop.reason.clear();
  for (const Body& body : bodies_) {
    if (body.inside && body.inside->has_code()) continue;
    const std::vector<LoopReport> inner = body.program->loops();
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

Program::~Program() = default;

}  // namespace tracefn
