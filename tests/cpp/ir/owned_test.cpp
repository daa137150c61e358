// What an object owns is told once for each reference that it holds: as often as others count it.
#include "base/owned.h"

#include <map>

#include "check.h"
#include "exec/graphs.h"
#include "exec/program.h"
#include "trace/func_graph.h"

namespace tracefn::test {
namespace {

// Follows all references from an object, and counts those to each.
class Counter final : OwnedVisitor {
 public:
  template <typename T>
  explicit Counter(const std::shared_ptr<T>& root) {
    shared(root);
    while (!unread_.empty()) {
      auto [object, visit] = unread_.back();
      unread_.pop_back();
      visit(object, *this);
    }
  }
  // How often an object was met, the root once more than it is owned.
  int of(const void* object) const {
    auto found = met_.find(object);
    return found == met_.end() ? 0 : found->second;
  }
  int hosts() const { return hosts_; }

 private:
  void host(const void*) override { ++hosts_; }
  void add_shared(const std::shared_ptr<const void>& object, Visit visit) override { add(object.get(), visit); }
  void add_counted(const RefCounted& object) override {
    add(&object, [](const void* o, OwnedVisitor& v) { static_cast<const RefCounted*>(o)->visit_owned(v); });
  }
  void add(const void* object, Visit visit) {
    if (met_[object]++ == 0) unread_.emplace_back(object, visit);
  }

  std::map<const void*, int> met_;
  std::vector<std::pair<const void*, Visit>> unread_;
  int hosts_ = 0;
};

class Rule final : public RefCounted {
 public:
  void visit_owned(OwnedVisitor& visitor) const override { visitor.host(this); }
};

FuncRef negative(const std::string& name, const Ref<RefCounted>& rule) {
  FuncRef f = function(name, {{DType::kFloat, Shape()}}, [](Args& args) { return Args{-args[0]}; });
  auto body = std::make_shared<Graph>(*f.body);
  body->node(1).gradient = rule;
  return {name, body};
}

TEST(owned_objects_of_a_graph_are_told_for_each_reference) {
  Ref<RefCounted> rule(new Rule());
  FuncRef body = negative("body", rule);
  std::shared_ptr<Graph> graph;
  {
    GraphMaker make;
    Operand x = make.input(DType::kFloat, Shape());
    Operands outputs;
    for (int i = 0; i < 2; ++i) {
      outputs.clear();
      emit(Registry::get().at("PartitionedCall"), std::vector<Operand>{x},
           {std::vector<DType>{DType::kFloat}, std::vector<DType>{DType::kFloat}, body}, outputs);
    }
    make.output(outputs[0]);
    graph = make.graph();
  }
  graph->node(0).gradient = rule;
  Counter counter(graph);
  CHECK_EQ(counter.of(graph.get()), 1);
  CHECK_EQ(counter.of(rule.get()), 2);
  CHECK_EQ(rule->use_count(), 3);  // and this function's
  CHECK_EQ(counter.of(body.body.get()), 2);
  CHECK_EQ(body.body.use_count(), 3);
  CHECK_EQ(counter.hosts(), 1);

  // Copies of a graph share the functions of its nodes.
  auto copy = std::make_shared<Graph>(*graph);
  Counter of_copy(copy);
  CHECK_EQ(of_copy.of(body.body.get()), 2);
  CHECK_EQ(body.body.use_count(), 3);
  CHECK_EQ(rule->use_count(), 4);
}

TEST(owned_objects_of_a_program_are_told_for_each_reference) {
  Ref<RefCounted> rule(new Rule());
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  make.output(x + x);
  std::shared_ptr<Graph> graph = make.graph();
  graph->node(1).gradient = rule;
  auto program = Program::compile(graph);
  Counter counter(program);
  CHECK_EQ(counter.of(graph.get()), 1);
  CHECK_EQ(counter.of(rule.get()), 1);
}

TEST(owned_graphs_of_captures_are_told_for_each_reference) {
  auto outer = std::make_shared<FuncGraph>("outer", nullptr);
  auto inner = std::make_shared<FuncGraph>("inner", outer.get());
  Value x = outer->add_input(DType::kFloat, Shape(), "x");
  Value y = outer->add_input(DType::kFloat, Shape(), "y");
  long outer_owners = outer->shared_graph().use_count(), inner_owners = inner->shared_graph().use_count();
  (void)inner->capture(Operand(outer->shared_graph(), x));
  (void)inner->capture(Operand(outer->shared_graph(), y));
  (void)inner->capture(Operand(Tensor::scalar(1.0f)));
  inner->finish();
  Counter counter(inner);
  CHECK_EQ(counter.of(outer->graph()), outer->shared_graph().use_count() - outer_owners);
  CHECK_EQ(counter.of(inner->graph()), 1 + inner->shared_graph().use_count() - inner_owners);
}

}  // namespace
}  // namespace tracefn::test
