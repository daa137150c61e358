// The verifier finds each kind of damage.
#include "ir/verify.h"

#include "../check.h"
#include "../exec/graphs.h"

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
  CHECK_THROWS(verify(*make.graph()), kInternal, "function g, results: 2 instead of 1");
}

}  // namespace
}  // namespace tracefn::test
