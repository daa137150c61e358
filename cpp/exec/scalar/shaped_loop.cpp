#include "exec/scalar/shaped_loop.h"

#include <algorithm>
#include <utility>

#include "exec/compile_mode.h"
#include "ir/functions_of.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Whether a graph, or one that its nodes hold, has an op with a side effect.
bool has_effects(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op->stateful && !op_def(*node.op).has_function_attr) return true;
    bool inside = false;
    for_each_function(node.attrs, [&](const FuncRef& f) { inside = inside || (f.body && has_effects(*f.body)); });
    if (inside) return true;
  }
  return false;
}

}  // namespace

ShapedLoop::ShapedLoop(const Graph& graph, const Node& loop, std::unique_ptr<ScalarLoop> general)
    : graph_(graph), loop_(loop), general_(std::move(general)) {}
ShapedLoop::~ShapedLoop() = default;

bool ShapedLoop::can_help(const Graph& graph, const Node& loop, bool has_general) {
  const bool all_known = std::ranges::all_of(loop.inputs, [&](Value v) {
    const OutputInfo& info = graph.info(v);
    // The general loop asks a list for its elements.
    return info.shape.is_fully_known() && (info.dtype != DType::kVariant || has_general);
  });
  return compile_mode() != CompileMode::kOff && !all_known && !has_effects(*loop.attr("cond").func().body) &&
         !has_effects(*loop.attr("body").func().body);
}

void ShapedLoop::leave_out(std::size_t i) {
  left_out_.push_back(i);
  if (general_) general_->leave_out(i);
}

bool ShapedLoop::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner& shards,
                     const Node*& failed) const {
  for (std::size_t i = 0; i < made_.load(std::memory_order_acquire); ++i)
    if (loops_[i]->run(inputs, outputs, shards, failed)) return true;
  if (!general_ || come_again({inputs.data(), inputs.size()})) {
    const ScalarLoop* made = compiled_for({inputs.data(), inputs.size()});
    if (made && made->run(inputs, outputs, shards, failed)) return true;
  }
  return general_ && general_->run(inputs, outputs, shards, failed);
}

bool ShapedLoop::come_again(std::span<const TensorRef> inputs) const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const TensorRef& input : inputs)
    for (std::int64_t d : input.tensor->shape().dims()) hash = (hash ^ static_cast<std::uint64_t>(d)) * 1099511628211u;
  return last_shapes_.exchange(hash, std::memory_order_relaxed) == hash;
}

const ScalarLoop* ShapedLoop::compiled_for(std::span<const TensorRef> inputs) const {
  if (tries_.load(std::memory_order_relaxed) >= kMost || busy_.test_and_set(std::memory_order_acquire)) return nullptr;
  struct Done {
    std::atomic_flag& busy;
    ~Done() { busy.clear(std::memory_order_release); }
  } done{busy_};
  const std::size_t at = made_.load(std::memory_order_relaxed);
  if (tries_.fetch_add(1, std::memory_order_relaxed) >= kMost) return nullptr;
  std::unique_ptr<ScalarLoop> loop = ScalarLoop::compile(graph_, loop_, inputs, false);
  if (!loop) loop = ScalarLoop::compile(graph_, loop_, inputs, true);
  if (!loop) {
    // What does not fit with these shapes hardly fits with others.
    tries_.fetch_add(kMost / 2, std::memory_order_relaxed);
    return nullptr;
  }
  for (std::size_t i : left_out_) loop->leave_out(i);
  loops_[at] = std::move(loop);
  made_.store(at + 1, std::memory_order_release);
  return loops_[at].get();
}

std::string ShapedLoop::text() const {
  const std::size_t made = made_.load(std::memory_order_acquire);
  return made > 0 ? loops_[made - 1]->text() : general_ ? general_->text() : "";
}

}  // namespace tracefn
