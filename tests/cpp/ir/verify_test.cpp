// The verifier finds each kind of damage.
#include "ir/verify.h"

#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

std::shared_ptr<Graph> small() {
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape());
  make.output(x + x);
  return make.graph();
}

TEST(verify_accepts_what_was_traced) { verify(*small()); }

TEST(verify_finds_edges_to_later_nodes) {
  auto graph = small();
  graph->node(1).inputs[0] = {1, 0};
  CHECK_THROWS(verify(*graph), kInternal, "node %1 AddV2: an input comes from node %1, which is not an earlier one");
  graph->node(1).inputs[0] = {0, 1};
  CHECK_THROWS(verify(*graph), kInternal, "output 1 of x, which has none of that number");
}

TEST(verify_names_the_pass) {
  auto graph = small();
  graph->node(1).inputs[0] = {1, 0};
  CHECK_THROWS(verify(*graph, "hoist"), kInternal,
               "after the pass hoist: graph 'f', node %1 AddV2: an input comes from");
}

TEST(verify_finds_wrong_types_and_names) {
  auto graph = small();
  graph->node(0).outputs[0].dtype = DType::kInt32;
  CHECK_THROWS(verify(*graph), kInternal, "output 0 is int32 instead of float32");
  graph = small();
  graph->node(1).name = graph->node(0).name;
  CHECK_THROWS(verify(*graph), kInternal, "has no name of its own");
  graph = small();
  graph->node(1).attrs.clear();
  CHECK_THROWS(verify(*graph), kInternal, "has 0 attributes, AddV2 has 1");
}

TEST(verify_finds_bodies_that_do_not_fit) {
  auto body = small();
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kFloat, Shape())};
  FuncRef f{"g", body};
  Operand y = emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(y);
  verify(*make.graph());
  body->outputs.push_back(body->outputs[0]);
  CHECK_THROWS(verify(*make.graph()), kInternal,
               "Function g, attr 'f' of 'PartitionedCall' Op, has 2 return values. Expected: 1.");
  body->outputs.pop_back();
  body->node(0).outputs[0].dtype = DType::kInt32;
  CHECK_THROWS(verify(*make.graph()), kInternal, "output 0 is int32 instead of float32");
}

TEST(verify_finds_broken_rules_of_attributes) {
  auto attr_of = [](Graph& graph, NodeId id, std::string_view name) -> Attr& {
    Node& node = graph.node(id);
    return node.attrs[static_cast<std::size_t>(node.op->attr_index(name))];
  };
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2}));
  emit_all("Unpack", std::span(&x, 1), {{"num", 2}});
  build::constant(Tensor::scalar(1.0f));
  Graph& graph = *make.graph();
  verify(graph);
  attr_of(graph, 1, "num") = std::int64_t{1} << 40;
  CHECK_THROWS(verify(graph), kInternal, "passed 1099511627776, which is more than the 1048576 outputs");
  attr_of(graph, 1, "num") = std::int64_t{-1};
  CHECK_THROWS(verify(graph), kInternal, "passed -1 less than minimum 0");
  attr_of(graph, 1, "num") = std::int64_t{2};
  attr_of(graph, 2, "value") = Tensor::scalar(std::int32_t{1});
  CHECK_THROWS(verify(graph), kInternal, "is a tensor of type int32, but attr 'dtype' is float32");
  attr_of(graph, 2, "value") = Tensor::scalar(1.0f);
  attr_of(graph, 2, "dtype") = DType::kVariant;
  CHECK_THROWS(verify(graph), kInternal, "but attr 'dtype' is variant");
}

}  // namespace
}  // namespace tracefn::test
