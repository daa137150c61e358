// Captures, constants, scopes, control edges and the order of side effects of graphs being traced.
#include "trace/func_graph.h"

#include "trace/traces.h"

namespace tracefn::test {
namespace {

using Ids = std::vector<NodeId>;

Ids control_inputs(const Trace& trace, NodeId id) {
  const Node& node = trace.graph()->node(id);
  return {node.control_inputs.begin(), node.control_inputs.end()};
}
NodeId last(const Trace& trace) { return trace.graph()->size() - 1; }
// Emits an op without results; its node.
NodeId effect(const Trace& trace, std::string_view op, const std::vector<Operand>& inputs) {
  emit_all(op, inputs);
  return last(trace);
}
NodeId print_text(const Trace& trace, const Operand& text) { return effect(trace, "PrintV2", {text}); }
std::string name_of(const Operand& x) { return x.graph->node(x.value.node).name; }
Tensor many(DType dtype = DType::kFloat) { return Tensor::zeros(dtype, Shape({129})); }

TEST(trace_captures_once_and_after_the_arguments) {
  Operand big = many();
  Trace f;
  Operand x = f.input(DType::kFloat, Shape({129}), "x");
  Operand sum = x + big;
  Operand y = f.input(DType::kFloat, Shape({129}), "y");  // an argument that is added later
  Operand product = sum * big + y;
  CHECK_EQ(f->captures().size(), 1u);
  const Value inner = f->captures()[0].inner;
  CHECK(f.node(sum).inputs[1] == inner && f.graph()->node(f.node(product).inputs[0].node).inputs[1] == inner);
  CHECK_EQ(f.graph()->inputs.size(), 2u);
  f->add_output(product);
  f->finish();
  CHECK(f.graph()->inputs == (std::vector<Value>{x.value, y.value, inner}));
  f->finish();  // again: nothing
  CHECK_EQ(f.graph()->inputs.size(), 3u);
}

TEST(trace_makes_small_tensors_constants) {
  for (DType dtype : {DType::kFloat, DType::kInt32, DType::kBool, DType::kString}) {
    Trace f;
    Operand small = Tensor::zeros(dtype, Shape({128})), big = Tensor::zeros(dtype, Shape({129}));
    Operand constant = f->capture(small), argument = f->capture(big);
    CHECK(f.node(constant).is(OpKind::kConst));
    CHECK_EQ(f.node(argument).op->name, std::string("Placeholder"));
    CHECK(f->capture(small).value == constant.value && f->capture(big).value == argument.value);
    CHECK_EQ(f->constants().size(), 1u);
    CHECK(f->constants()[0].inner == constant.value && f->constants()[0].outer.tensor.raw() == small.tensor.raw());
    CHECK_EQ(f->captures().size(), 1u);
    CHECK(f->captures()[0].inner == argument.value && f->captures()[0].outer.tensor.raw() == big.tensor.raw());
  }
}

TEST(trace_lists_captures_and_constants_in_order_of_use) {
  Trace f;
  std::vector<Operand> used{f32(1), many(), f32(2), many(), f32(3)};
  for (const Operand& x : used) f->capture(x);
  std::vector<FuncGraph::Capture> all = f->captures_and_constants();
  CHECK_EQ(all.size(), used.size());
  for (std::size_t i = 0; i < used.size(); ++i) CHECK(all[i].outer.tensor.raw() == used[i].tensor.raw());
}

// Two tensors of one buffer are told apart by shape.
TEST(trace_captures_views_of_one_buffer_apart) {
  Operand row = Tensor::zeros(DType::kFloat, Shape({1, 200}));
  Operand flat = build::reshape(row, build::ints({200}));
  CHECK(row.tensor.raw() == flat.tensor.raw());
  Trace f;
  Operand a = f->capture(row), b = f->capture(flat);
  CHECK(!(a.value == b.value));
  CHECK_EQ(a.shape(), Shape({1, 200}));
  CHECK_EQ(b.shape(), Shape({200}));
}

TEST(trace_captures_a_variable_by_its_object) {
  Operand v = variable(Tensor::zeros(DType::kDouble, Shape({2, 3})));
  Operand same = Tensor::handle(DType::kResource, v.tensor.object());
  Trace f;
  Operand inside = f->capture(v);
  CHECK(f->capture(same).value == inside.value);
  CHECK_EQ(f->captures().size(), 1u);
  CHECK_EQ(f.graph()->info(inside.value).handle_dtype, DType::kDouble);
  CHECK_EQ(f.graph()->info(inside.value).handle_shape, Shape({2, 3}));
  CHECK_EQ(read(v, DType::kDouble).shape(), Shape({2, 3}));
}

TEST(trace_names_captures) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape({129}), "captured");
  Operand first = f->capture(many());
  CHECK_EQ(name_of(x), std::string("captured"));
  CHECK_EQ(name_of(first), std::string("captured_1"));
  f->enter_scope("deep");
  Operand y = emit1("Identity", {x});
  CHECK_EQ(name_of(y), std::string("deep/Identity"));
  Trace g("g");
  CHECK_EQ(name_of(g->capture(y)), std::string("Identity"));  // its own name, without scopes
}

TEST(trace_captures_through_the_graphs_between) {
  Trace outer("outer");
  Operand x = outer.input(DType::kFloat, Shape());
  Trace middle("middle");
  Trace inner("inner");
  Operand inside = inner->capture(x);
  CHECK_EQ(middle->captures().size(), 1u);
  const FuncGraph::Capture& passed = middle->captures()[0];
  CHECK(passed.outer.graph == outer.graph() && passed.outer.value == x.value);
  CHECK_EQ(inner->captures().size(), 1u);
  const FuncGraph::Capture& used = inner->captures()[0];
  CHECK(used.outer.graph == middle.graph() && used.outer.value == passed.inner && used.inner == inside.value);
  CHECK(used.origin.graph == outer.graph() && used.origin.value == x.value);
  // The same tensor, by the name that the graph between has for it.
  CHECK(inner->capture(Operand(middle.graph(), passed.inner)).value == inside.value);
  CHECK_EQ(inner->captures().size(), 1u);
}

// Gradients reach a tensor from outside only through captures; integers need none.
TEST(trace_inside_a_function_captures_small_numbers_that_have_gradients) {
  Operand real = f32(1), integer = i32(1);
  Trace outer("outer");
  CHECK(outer.node(outer->capture(real)).is(OpKind::kConst));
  Trace inner("inner");
  CHECK(inner.node(inner->capture(integer)).is(OpKind::kConst));
  CHECK(!inner.node(inner->capture(real)).is(OpKind::kConst));
  CHECK_EQ(inner->captures().size(), 1u);
  CHECK(inner->captures()[0].outer.is_eager());
}

TEST(trace_results_of_calls_are_those_of_the_body) {
  Operand big = Tensor::zeros(DType::kFloat, Shape({200}));
  std::fill_n(big.tensor.mutable_data<float>(), 200, 3.0f);
  std::shared_ptr<FuncGraph> caller = traced("caller", {kFloat}, [&](Args& a) {
    Operand factor = a[0] + a[0];
    std::shared_ptr<FuncGraph> callee = traced("callee", {kFloat}, [&](Args& b) {
      return Args{b[0] * factor + big, f32(7)};
    });
    CHECK_EQ(callee->captures().size(), 3u);  // `factor`, `big` and the 7
    CHECK_EQ(callee->graph()->inputs.size(), 4u);
    Operands results = call(*callee, {a[0]});
    return Args{results[0], results[1]};
  });
  CHECK_EQ(caller->captures().size(), 1u);
  std::vector<Tensor> results = run_graph(caller->shared_graph(), {f32(5), big.tensor});
  CHECK_EQ(results[0].data<float>()[199], 53.0f);
  CHECK_EQ(results[1].item<float>(), 7.0f);
}

TEST(trace_outputs_are_never_arguments) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape({-1}));
  Operand out = f->add_output(x), constant = f->add_output(f32(2));
  CHECK(f.node(out).is(OpKind::kIdentity) && f.node(out).inputs[0] == x.value);
  CHECK(f.node(constant).is(OpKind::kIdentity));
  CHECK_EQ(out.shape(), Shape({-1}));
  CHECK(f.graph()->outputs == (std::vector<Value>{out.value, constant.value}));
}

TEST(trace_finish_releases_the_outer_graph) {
  std::shared_ptr<FuncGraph> inner;
  std::weak_ptr<FuncGraph> dropped;
  const Graph* address = nullptr;
  {
    Trace outer("outer");
    dropped = outer.shared();
    address = outer.graph().get();
    Trace trace("inner");
    inner = trace.shared();
    CHECK(inner->outer() == &*outer && FuncGraph::of(address) == outer.shared());
    inner->finish();
    CHECK(inner->finished() && inner->outer() == nullptr);
    CHECK(inner->graph()->outer.lock().get() == address);
  }
  CHECK(dropped.expired());
  CHECK(FuncGraph::of(address) == nullptr);
  CHECK(inner->graph()->outer.expired());
  CHECK(FuncGraph::of(inner->graph()) == inner);
}

TEST(trace_refuses_tensors_of_other_graphs) {
  Operand leaked, unrelated;
  {
    Trace other("other");
    unrelated = emit1("Identity", {other.input(DType::kFloat, Shape())});
  }
  Trace outer("outer");
  {
    Trace body("while_body_3");
    leaked = emit1("Identity", {body.input(DType::kInt32, Shape({2}))});
    body->finish();
  }
  CHECK_THROWS(
      leaked + number(1), kInaccessibleTensor,
      "The tensor <tf.Tensor 'Identity:0' shape=(2,) dtype=int32> cannot be accessed from FuncGraph(name=outer,");
  CHECK_THROWS(leaked + number(1), kInaccessibleTensor, "because it was defined in FuncGraph(name=while_body_3,");
  CHECK_THROWS(
      -unrelated, kType,
      "The tensor <tf.Tensor 'Identity:0' shape=() dtype=float32> cannot be accessed from here, because it was "
      "defined in FuncGraph(name=other,");
  TargetScope eager(eager_target());
  CHECK_THROWS(-unrelated, kType, "cannot be accessed from here");
  CHECK_THROWS(-leaked, kType, "cannot be accessed from here");
}

TEST(trace_captures_nothing_new_once_it_is_finished) {
  Operand big = many(), other = many();
  Trace outer("outer");
  Operand x = outer.input(DType::kFloat, Shape());
  Trace f;
  Operand inside = f->capture(big);
  f->finish();
  CHECK(f->capture(big).value == inside.value);
  CHECK_THROWS(f->capture(x), kInaccessibleTensor, "which is out of scope");
}

TEST(trace_of_a_plain_graph_captures_nothing) {
  Trace outer("outer");
  Operand x = outer.input(DType::kFloat, Shape());
  Trace plain("plain", false);
  CHECK(plain.node(plain->capture(many())).is(OpKind::kConst));
  CHECK(plain->captures().empty());
  CHECK_THROWS(plain->capture(x), kValue,
               "Tensor \"x:0\" of graph 'outer' must be from the same graph as the op, which is in graph 'plain'.");
  TargetScope eager(eager_target());
  Operand v = variable(f32(1));
  CHECK_THROWS(plain->capture(v), kType,
               "A tensor of type resource cannot be used in a tf.Graph that is not a function's.");
}

TEST(trace_passes_what_the_calling_graph_can_reach) {
  Trace outer("outer");
  Operand x = outer.input(DType::kFloat, Shape());
  std::shared_ptr<FuncGraph> callee;
  {
    // The function is traced for a call in one branch.
    Trace branch("cond_true_1");
    callee = traced("callee", {}, [&](Args&) { return Args{-x}; });
    CHECK(branch->passed_for(callee->captures()[0]).graph == branch.graph());
    branch->finish();
  }
  Trace branch("cond_false_1");
  const Operand& passed = branch->passed_for(callee->captures()[0]);
  CHECK(passed.graph == outer.graph() && passed.value == x.value);
}

TEST(trace_knows_constants_of_the_graphs_around) {
  Trace outer("outer");
  Operand dims = emit1("Pack", {number(2), number(3)});
  Operand unknown = outer.input(DType::kInt32, Shape({2}));
  Trace inner("inner");
  Operand inside = inner->capture(dims);
  CHECK(identical(inner->constant_value(inside), Tensor::vector<std::int32_t>(std::vector<std::int32_t>{2, 3})));
  CHECK(!inner->constant_value(inner->capture(unknown)).defined());
  CHECK_EQ(emit1("Fill", {dims, f32(1)}).shape(), Shape({2, 3}));
}

TEST(trace_scopes_make_unique_names) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape());
  auto emitted = [&] { return name_of(-x); };
  CHECK_EQ(emitted(), std::string("Neg"));
  CHECK_EQ(emitted(), std::string("Neg_1"));
  std::string root = f->enter_scope("a");
  CHECK_EQ(root, std::string());
  CHECK_EQ(emitted(), std::string("a/Neg"));
  std::string outer = f->enter_scope("b");
  CHECK_EQ(outer, std::string("a/"));
  CHECK_EQ(emitted(), std::string("a/b/Neg"));
  std::string inner = f->enter_scope("");
  CHECK_EQ(emitted(), std::string("Neg_2"));
  f->leave_scope(inner);
  CHECK_EQ(emitted(), std::string("a/b/Neg_1"));
  f->leave_scope(outer);
  f->leave_scope(root);
  f->enter_scope("a");  // another one
  CHECK_EQ(f->scope(), std::string("a_1/"));
  CHECK_EQ(emitted(), std::string("a_1/Neg"));
  f->enter_scope("a/");  // the first one again
  CHECK_EQ(emitted(), std::string("a/Neg_1"));
  f->enter_scope("");
  f->enter_scope("A");  // names that differ in case alone are not unique
  CHECK_EQ(f->scope(), std::string("A_2/"));
}

TEST(trace_finalized_graph_takes_no_nodes) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape());
  f->set_finalized(true);
  CHECK_THROWS(-x, kRuntime, "Graph is finalized and cannot be modified.");
  CHECK_EQ(f.graph()->size(), 1);
  f->set_finalized(false);
  CHECK_EQ(name_of(-x), std::string("Neg"));
}

TEST(trace_effects_keep_their_order) {
  Operand v = variable(f32(1)), w = variable(f32(2));
  Trace f;
  Operand text = f.input(DType::kString, Shape());
  NodeId first = print_text(f, text), write = effect(f, "AssignVariableOp", {v, f32(3)});
  NodeId second = print_text(f, text), other = effect(f, "AssignVariableOp", {w, f32(3)});
  Operand value = read(v, DType::kFloat);
  NodeId again = effect(f, "AssignVariableOp", {v, value});
  CHECK(control_inputs(f, first).empty());
  CHECK(control_inputs(f, second) == Ids{first});
  CHECK(control_inputs(f, write).empty());  // another resource, no order
  CHECK(control_inputs(f, other).empty());
  CHECK(control_inputs(f, value.value.node) == Ids{write});
  CHECK(control_inputs(f, again) == Ids{value.value.node});
  CHECK(f.graph()->control_outputs == (Ids{first, write, second, other, value.value.node, again}));
  CHECK(f->has_effects());
}

TEST(trace_of_a_plain_graph_orders_no_effects) {
  Trace plain("plain", false);
  Operand text = plain.input(DType::kString, Shape());
  print_text(plain, text);
  CHECK(control_inputs(plain, print_text(plain, text)).empty());
  CHECK(!plain->has_effects());
  plain->set_orders_effects(true);
  print_text(plain, text);
  CHECK(plain->has_effects());
}

TEST(trace_ends_with_a_node_after_its_effects) {
  Trace f;
  Operand text = f.input(DType::kString, Shape());
  f->add_control_output();
  CHECK_EQ(f.graph()->size(), 1);  // no effects, no node
  Operands random =
      emit_all("RandomStandardNormal", std::vector<Operand>{build::ints({2})}, {{"dtype", DType::kFloat}});
  f->add_control_output();
  CHECK(random[0].graph == f.graph());
  CHECK_EQ(f.graph()->find("NoOp"), -1);  // whether random numbers are drawn shows in the results alone
  NodeId first = print_text(f, text), second = print_text(f, text);
  f->add_control_output();
  CHECK(control_inputs(f, f.graph()->find("NoOp")) == (Ids{first, second}));
}

TEST(trace_control_dependencies) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape());
  Operand before = -x, also = x + x;
  std::uint64_t outer = f->enter_control_dependencies({before.value.node});
  Operand inside = x * x;
  CHECK(control_inputs(f, inside.value.node) == Ids{before.value.node});
  Operand after = inside * x;  // its input runs after `before` already
  CHECK(control_inputs(f, after.value.node).empty());
  Operand user = before * x;  // so does this
  CHECK(control_inputs(f, user.value.node).empty());
  std::uint64_t inner = f->enter_control_dependencies({also.value.node});
  CHECK(control_inputs(f, (x - x).value.node) == (Ids{before.value.node, also.value.node}));
  CHECK(control_inputs(f, (inside - x).value.node) == Ids{also.value.node});
  std::uint64_t cleared = f->enter_control_dependencies({}, true);
  CHECK(control_inputs(f, (x - x).value.node).empty());
  f->leave_control_dependencies(outer);  // in any order
  f->leave_control_dependencies(cleared);
  CHECK(control_inputs(f, (x - x).value.node) == Ids{also.value.node});
  f->leave_control_dependencies(inner);
  CHECK(control_inputs(f, (x - x).value.node).empty());
}

TEST(trace_nodes_get_the_device_that_is_set) {
  Trace f;
  Operand x = f.input(DType::kFloat, Shape());
  f->set_device("/device:CPU:0");
  Operand placed = -x;
  f->set_device("");
  Operand anywhere = -x;
  CHECK_EQ(f.node(placed).device, std::string("/device:CPU:0"));
  CHECK_EQ(f.node(anywhere).device, std::string());
}

}  // namespace
}  // namespace tracefn::test
