// Import of GraphDefs: the same results, names, maps of inputs, and the words for what is wrong.
#include "runtime/graph_import.h"

#include "io/graph_def.h"
#include "runtime/function_import.h"
#include "runtime/node_import.h"
#include "trace/traces.h"

namespace tracefn::test {
namespace {

using Names = std::vector<std::string>;

AttrRecord attr(const std::string& name, Attr value) {
  AttrRecord record;
  record.name = name;
  record.form = AttrRecord::Form::kValue;
  record.value = std::move(value);
  return record;
}
AttrRecord attr_without_value(const std::string& name, AttrRecord::Form form) {
  AttrRecord record = attr(name, Attr());
  record.form = form;
  return record;
}
NodeRecord node(const std::string& name, const std::string& op, Names inputs = {}, std::vector<AttrRecord> attrs = {}) {
  return {.name = name, .op = op, .device = {}, .inputs = std::move(inputs), .attrs = std::move(attrs), .bytes = {}};
}
NodeRecord argument(const std::string& name, DType dtype) {
  return node(name, "Placeholder", {}, {attr("dtype", dtype)});
}
NodeRecord neg(const std::string& name, Names inputs) {
  return node(name, "Neg", std::move(inputs), {attr("T", DType::kFloat)});
}
NodeRecord called(const std::string& name, const std::string& f, Names inputs) {
  const std::vector<DType> types(inputs.size(), DType::kFloat);
  return node(name, "PartitionedCall", std::move(inputs),
              {attr("f", FuncRef{f, nullptr}), attr("Tin", types), attr("Tout", std::vector<DType>{DType::kFloat})});
}
// r = -a, by nodes whose result is `result`.
FunctionRecord negation(const std::string& name, std::vector<NodeRecord> nodes, const std::string& result) {
  FunctionRecord f;
  f.name = name;
  f.inputs = {{"a", DType::kFloat, {}}};
  f.outputs = {{"r", DType::kFloat, {}}};
  f.nodes = std::move(nodes);
  f.results = {{"r", result}};
  return f;
}
GraphRecord file(std::vector<NodeRecord> nodes, std::vector<FunctionRecord> functions = {}) {
  GraphRecord record;
  record.nodes = std::move(nodes);
  record.functions = std::move(functions);
  return record;
}
// The graph that it makes.
std::shared_ptr<Graph> imported(const GraphRecord& record, const ImportRequest& request = {}) {
  Trace plain("plain", false);
  import_graph(*plain, record, request);
  return plain.graph();
}
Names names(const Graph& graph) {
  Names all;
  for (NodeId id = 0; id < graph.size(); ++id) all.push_back(graph.node(id).name);
  return all;
}
const NodeRecord kX = argument("x", DType::kFloat);

// Writes the graph, reads it, and runs what comes of it.
std::vector<Tensor> run_again(const Graph& graph, const Names& inputs, const std::vector<Endpoint>& outputs,
                              std::vector<Tensor> args) {
  const std::string bytes = graph_def(graph).binary();
  Trace f;
  ImportRequest request;
  for (const std::string& name : inputs) {
    const OutputInfo& info = graph.info({graph.find(name), 0});
    request.input_map.push_back({{name, 0}, f.input(info.dtype, info.shape, name + "_given")});
  }
  request.wanted = outputs;
  for (const auto& wanted : import_graph(*f, read_graph_def(bytes), request).wanted)
    f->add_output(std::get<Operand>(wanted));
  f->finish();
  return run_graph(f.graph(), std::move(args));
}

TEST(import_gives_the_same_results) {
  FuncRef step = function("step", {kFloat}, [](Args& a) { return Args{a[0] * a[0], -a[0]}; });
  FuncRef deeper = function("deeper", {kFloat}, [&](Args& a) {
    Operands made =
        emit_all("PartitionedCall", a, {{"f", step}, {"Tout", std::vector<DType>{kFloat.first, kFloat.first}}});
    return Args{made[0] + made[1]};
  });
  FuncRef below = function("below", {kInt, kFloat}, [](Args& a) { return Args{emit1("Less", {a[0], number(3)})}; });
  FuncRef more = function("more", {kInt, kFloat}, [&](Args& a) {
    Operand inputs[] = {a[1]};
    return Args{a[0] + number(1),
                emit_all("PartitionedCall", inputs, {{"f", deeper}, {"Tout", std::vector<DType>{DType::kFloat}}})[0]};
  });
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape(), "x");
  Operand vars[] = {number(0), x};
  Operand out = emit_all("StatelessWhile", vars, {{"cond", below}, {"body", more}})[1];
  make.output(out);
  const Endpoint end{make.graph()->node(out.value.node).name, out.value.output};
  for (float value : {0.5f, -1.25f, 2.0f}) {
    Tensor plain = run_graph(make.graph(), {f32(value)})[0];
    CHECK(identical(plain, run_again(*make.graph(), {"x"}, {end}, {f32(value)})[0]));
  }
}

TEST(import_keeps_effects_and_their_order) {
  GraphMaker body("store");
  Operand handle = body.input(DType::kResource, Shape(), "v"), by = body.input(DType::kFloat, Shape(), "by");
  Operand inputs[] = {handle, by};
  emit_all("AssignAddVariableOp", inputs);
  const NodeId stored = body.graph()->size() - 1;
  body.output(read(handle, DType::kFloat));
  body.graph()->node(body.graph()->size() - 1).control_inputs.push_back(stored);
  body.graph()->control_outputs = {stored, body.graph()->size() - 1};
  GraphMaker make;
  Operand v = make.input(DType::kResource, Shape(), "v"), x = make.input(DType::kFloat, Shape(), "x");
  Operand args[] = {v, x};
  Operand out = emit_all("StatefulPartitionedCall", args,
                         {{"f", FuncRef{"store", body.graph()}}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(out);
  TargetScope eager(eager_target());
  Operand one = variable(f32(1));
  const Endpoint end{make.graph()->node(out.value.node).name, 0};
  CHECK_EQ(run_again(*make.graph(), {"v", "x"}, {end}, {one.tensor, f32(4)})[0].item<float>(), 5.0f);
  CHECK_EQ(read(one, DType::kFloat).tensor.item<float>(), 5.0f);
}

TEST(import_sorts_nodes_and_keeps_control_edges) {
  std::shared_ptr<Graph> graph =
      imported(file({neg("n", {"m"}), neg("m", {"x:0", "^i", "^i"}), kX, argument("i", DType::kInt32)}));
  CHECK(names(*graph) == (Names{"x", "i", "m", "n"}));
  const Node& m = graph->node(2);
  CHECK_EQ(m.control_inputs.size(), 1u);
  CHECK_EQ(m.control_inputs[0], 1);
}

TEST(import_numbers_names_that_are_taken) {
  Trace plain("plain", false);
  const GraphRecord record = file({kX, neg("n", {"x"}), node("s/y", "NoOp")});
  import_graph(*plain, record, {});
  import_graph(*plain, record, {});
  import_graph(*plain, file({node("s", "NoOp")}), {});
  ImportRequest below;
  below.prefix = "p";
  import_graph(*plain, record, below);
  CHECK(names(*plain.graph()) == (Names{"x", "n", "s/y", "x_1", "n_1", "s/y_1", "s_1", "p/x", "p/n", "p/s/y"}));
  CHECK_EQ(plain.graph()->node(4).inputs[0].node, 3);
}

TEST(import_maps_inputs_and_finds_what_is_wanted) {
  Trace f;
  Operand given = f.input(DType::kFloat, Shape({2}), "given");
  ImportRequest request;
  request.input_map = {{{"x", 0}, given}};
  request.wanted = {{"n", 0}, {"x", 0}, {"n", Endpoint::kControl}};
  const GraphRecord record = file({kX, neg("n", {"x"})});
  Imported made = import_graph(*f, record, request);
  const Operand& n = std::get<Operand>(made.wanted[0]);
  CHECK_EQ(n.shape(), Shape({2}));
  CHECK(f.node(n).inputs[0] == given.value);
  CHECK(std::get<Operand>(made.wanted[1]).value == given.value);
  CHECK_EQ(std::get<NodeId>(made.wanted[2]), n.value.node);

  // What is mapped need not be in the file if a node uses it.
  request.input_map = {{{"z", 0}, given}};
  request.wanted = {{"n", 0}};
  made = import_graph(*f, file({neg("n", {"z"})}), request);
  CHECK(f.node(std::get<Operand>(made.wanted[0])).inputs[0] == given.value);

  request.input_map = {{{"z", 0}, given}, {{"x", 1}, given}, {{"n", 0}, given}};  // of these `n` is there
  CHECK_THROWS(import_graph(*f, record, request), kValue,
               "Attempted to map inputs that were not found in graph_def: [z:0, x:1]");
  request.input_map.clear();
  for (const auto& [wanted, words] : std::vector<std::pair<Endpoint, std::string>>{
           {{"z", 0}, "Requested return tensor 'z:0' not found in graph def"},
           {{"z", Endpoint::kControl}, "Requested return node 'z' not found in graph def"},
           {{"n", 3}, "Invalid return output 3 of node 'n', which has 1 output(s)"}}) {
    request.wanted = {wanted};
    CHECK_THROWS(import_graph(*f, record, request), kValue, words);
  }
}

TEST(import_refuses_what_is_no_graph) {
  const NodeRecord count = argument("i", DType::kInt32);
  const auto with_t = [](AttrRecord t) { return node("n", "Neg", {"x"}, {std::move(t)}); };
  using Form = AttrRecord::Form;
  AttrRecord unread = attr_without_value("T", Form::kValue);
  unread.problem = "the type DT_INT4 is not supported";
  unread.place = 17;
  const std::vector<std::pair<std::vector<NodeRecord>, std::string>> wrong = {
      {{neg("n", {"y"})}, "Node 'n': Unknown input node 'y'"},
      {{neg("n", {"x", "^y"})}, "Node 'n': Unknown input node '^y'"},
      {{neg("n", {"x:1"})}, "Node 'n': Connecting to invalid output 1 of source node x which has 1 outputs."},
      {{neg("n", {"x:-1"})}, "Node 'n': Unknown input node 'x:-1'"},
      {{neg("n", {"x:99999999999999999999"})}, "Node 'n': Unknown input node 'x:99999999999999999999'"},
      {{neg("n", {"^x", "x"})}, "Node 'n': Control dependencies must come after regular dependencies"},
      {{kX}, "Node 'x' is not unique"},
      {{neg("n", {"n"})}, "1 nodes in a cycle"},
      {{neg("n", {"m"}), neg("m", {"n"})}, "2 nodes in a cycle"},
      {{neg("n", {"x", "^m"}), neg("m", {"n"})}, "2 nodes in a cycle"},
      {{neg("a b", {"x"})}, "Node 'a b': Node name contains invalid characters"},
      {{neg("_a", {"x"})}, "Node '_a': Node name contains invalid characters"},
      {{neg("", {"x"})}, "Node '': Node name contains invalid characters"},
      {{neg("n", {})}, "NodeDef expected inputs 'float' do not match 0 inputs specified; Op<name=Neg;"},
      {{neg("n", {"x", "x"})}, "NodeDef expected inputs 'float' do not match 2 inputs specified; Op<name=Neg;"},
      {{count, neg("n", {"i"})}, "Input 0 of node n was passed int32 from i:0 incompatible with expected float."},
      {{node("n", "Neg", {"x"})}, "NodeDef missing attr 'T' from Op<name=Neg;"},
      {{node("n", "Cast", {"x"})}, "NodeDef missing attrs 'SrcT', 'DstT' from Op<name=Cast;"},
      {{with_t(attr("T", 3))}, "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'"},
      {{with_t(attr_without_value("T", Form::kMissing))}, "AttrValue missing value with expected type 'type'"},
      {{with_t(attr_without_value("T", Form::kEmptyList))}, "AttrValue had value with type 'list(any)' when 'type'"},
      {{with_t(attr_without_value("T", Form::kPlaceholder))}, "AttrValue had value with unexpected type 'placeholder'"},
      {{with_t(unread)}, "AttrValue at byte 17 cannot be read: the type DT_INT4 is not supported\n\t for attr 'T'"},
      {{with_t(attr("T", DType::kString))}, "Value for attr 'T' of string is not in the list of allowed values: "},
      {{node("m", "AddN", {}, {attr("T", DType::kFloat), attr("N", 0)})},
       "Value for attr 'N' of 0 must be at least minimum 1"},
      {{node("m", "AddN", {}, {attr("T", DType::kFloat), attr("N", std::int64_t{1} << 40)})},
       "Number of inputs 'inputs' is impossible: 1099511627776"},
      {{node("c", "Placeholder", {}, {attr("dtype", DType::kFloat), attr("shape", Shape({2}))}),
        node("m", "MatMul", {"c", "c"}, {attr("T", DType::kFloat)})},
       "Shape must be rank 2 but is rank 1 for '{{node m}} = MatMul"},
  };
  for (const auto& [nodes, words] : wrong) {
    std::vector<NodeRecord> all{kX};
    all.insert(all.end(), nodes.begin(), nodes.end());
    CHECK_THROWS(imported(file(all)), kValue, words);
  }
  CHECK_THROWS(imported(file({node("n", "Frob")})), kNotFound, "Op type not registered 'Frob' in tracefn");
}

TEST(import_checks_versions) {
  auto of_version = [](std::int64_t producer, std::int64_t min_consumer, std::vector<std::int64_t> bad) {
    GraphRecord record = file({kX});
    record.producer = producer;
    record.min_consumer = min_consumer;
    record.bad_consumers = std::move(bad);
    return record;
  };
  CHECK_THROWS(imported(of_version(-1, 0, {})), kValue, "GraphDef producer version -1 below min producer 0");
  CHECK_THROWS(imported(of_version(0, 2475, {})), kValue,
               "GraphDef min consumer version 2475 above current version 2474");
  CHECK_THROWS(imported(of_version(0, 0, {1, 2474})), kValue, "GraphDef disallows consumer version 2474");
  CHECK_EQ(imported(of_version(9999, 2474, {1, 2475}))->size(), 1);
}

TEST(import_takes_the_last_of_two_attributes_and_passes_over_unknown_ones) {
  AttrRecord unread = attr_without_value("extra", AttrRecord::Form::kValue);
  unread.problem = "it is broken";
  std::shared_ptr<Graph> graph =
      imported(file({kX, node("n", "Neg", {"x"}, {attr("T", DType::kString), unread, attr("T", DType::kFloat)})}));
  CHECK_EQ(graph->node(1).attr("T").type(), DType::kFloat);
  // Defaults are the op's.
  graph = imported(file({kX, node("m", "MatMul", {"x", "x"}, {attr("T", DType::kFloat)})}));
  CHECK(!graph->node(1).attr("transpose_a").b());
}

TEST(import_refuses_functions_that_are_none) {
  const auto with = [](FunctionRecord f) { return file({kX, called("c", f.name, {"x"})}, {f}); };
  FunctionRecord untyped = negation("f", {neg("n", {"a"})}, "n:y:0");
  untyped.inputs[0].problem = "the type DT_INT4 is not supported";
  FunctionRecord another_type = negation("f", {neg("n", {"a"})}, "n:y:0");
  another_type.outputs[0].type = DType::kInt32;
  FunctionRecord without_result = negation("f", {neg("n", {"a"})}, "n:y:0");
  without_result.results.clear();
  FunctionRecord a_template = negation("f", {neg("n", {"a"})}, "n:y:0");
  a_template.has_attrs = true;
  FunctionRecord runs_nothing = negation("f", {neg("n", {"a"})}, "n:y:0");
  runs_nothing.control_results = {{"effect", "m"}};
  const std::vector<std::pair<FunctionRecord, std::string>> wrong = {
      {negation("f", {neg("n", {"b"})}, "n:y:0"), "Node 'n': Unknown input node 'b'"},
      {negation("f", {neg("n", {"m"}), neg("m", {"a"})}, "n:y:0"), "does not say which output of the node it is"},
      {negation("f", {neg("n", {"^a", "a"})}, "n:y:0"), "Control dependencies must come after regular dependencies"},
      {negation("f", {neg("n", {"n:y:0"})}, "n:y:0"), "1 nodes in a cycle"},
      {negation("f", {neg("a", {"a"})}, "a"), "Node 'a' is not unique"},
      {negation("f", {neg("n", {"a", "a"})}, "n:y:0"), "do not match 2 inputs specified"},
      {negation("f", {neg("n", {"a"})}, "n:z:0"), "'n:z:0': Neg has no output 'z'"},
      {negation("f", {neg("n", {"a"})}, "n:y:1"), "'n:y:1': Neg has 1 outputs 'y'"},
      {negation("f", {neg("n", {"a"})}, "n:y:-1"), "Input 'n:y:-1' is not of a known form"},
      {negation("f", {neg("n", {"a"})}, "m:y:0"), "there is no node 'm'"},
      {without_result, "Return value 'r' is missing"},
      {another_type, "Return value 'r' is declared as int32 and is float"},
      {untyped, "argument 'a': the type DT_INT4 is not supported"},
      {a_template, "its types are given by attributes of its own, which is not supported"},
      {runs_nothing, "there is no node 'm', which is to run"},
  };
  for (const auto& [f, words] : wrong) {
    CHECK_THROWS(imported(with(f)), kValue, words);
    CHECK_THROWS(imported(with(f)), kValue, "in function 'f'");
  }
  CHECK_THROWS(imported(with(negation("f", {node("n", "Frob", {"a"})}, "n:y:0"))), kNotFound, "in function 'f'");
  CHECK_THROWS(imported(file({kX, called("c", "f", {"x"})})), kNotFound, "Function f is not defined");
  CHECK_THROWS(imported(with(negation("f", {called("n", "f", {"a"})}, "n:output:0"))), kUnimplemented,
               "Function 'f' calls itself");
  // By way of another, which is where it is found.
  FunctionRecord f = negation("f", {called("n", "g", {"a"})}, "n:output:0");
  FunctionRecord g = negation("g", {called("n", "f", {"a"})}, "n:output:0");
  CHECK_THROWS(imported(file({kX, called("c", "f", {"x"})}, {f, g})), kUnimplemented, "Function 'f' calls itself");
  CHECK_THROWS(imported(file({kX, called("c", "f", {"x"})}, {f, g})), kUnimplemented, "in function 'g'");
}

TEST(import_of_a_function_nobody_calls_builds_nothing) {
  // As in TensorFlow, whose library takes any body.
  CHECK_EQ(imported(file({kX}, {negation("f", {neg("n", {"b"})}, "n:y:0")}))->size(), 1);
}

TEST(import_bounds_how_deep_functions_call_functions) {
  auto nested = [](int depth) {
    std::vector<FunctionRecord> functions;
    for (int i = 0; i < depth; ++i)
      functions.push_back(negation(concat("f", i), {called("n", concat("f", i + 1), {"a"})}, "n:output:0"));
    functions.push_back(negation(concat("f", depth), {neg("n", {"a"})}, "n:y:0"));
    return file({kX, called("c", "f0", {"x"})}, std::move(functions));
  };
  std::shared_ptr<Graph> graph = imported(nested(63));
  graph->inputs = {{0, 0}};
  graph->outputs = {{1, 0}};
  CHECK_EQ(run_graph(graph, {f32(2)})[0].item<float>(), -2.0f);
  CHECK_THROWS(imported(nested(64)), kUnimplemented, "nested deeper than 64");
}

TEST(import_of_two_functions_of_one_name) {
  FunctionRecord f = negation("f", {neg("n", {"a"})}, "n:y:0");
  FunctionRecord g = f, h = negation("f", {node("n", "Abs", {"a"}, {attr("T", DType::kFloat)})}, "n:y:0");
  f.bytes = g.bytes = "one";
  h.bytes = "two";
  CHECK_EQ(imported(file({kX, called("c", "f", {"x"})}, {f, g}))->size(), 2);
  CHECK_THROWS(imported(file({kX, called("c", "f", {"x"})}, {f, h})), kValue,
               "Cannot add function 'f' because a different function with the same name already exists.");
  // The graph has it already.
  Trace plain("plain", false);
  import_graph(*plain, file({kX, called("c", "f", {"x"})}, {f}), {});
  import_graph(*plain, file({kX, called("c", "f", {"x"})}, {g}), {});
  CHECK(plain.graph()->node(1).attr("f").func().body == plain.graph()->node(3).attr("f").func().body);
  CHECK_EQ(functions_of(*plain.graph()).size(), 1u);
  CHECK_THROWS(import_graph(*plain, file({kX, called("c", "f", {"x"})}, {h}), {}), kValue,
               "because a different function with the same name already exists");
  import_graph(*plain, file({kX, called("c", "f", {"x"})}), {});  // by its name alone
  CHECK_EQ(functions_of(*plain.graph()).size(), 1u);
}

TEST(import_results_of_a_function_are_never_its_arguments) {
  FunctionRecord f = negation("f", {}, "a");
  std::shared_ptr<Graph> graph = imported(file({kX, called("c", "f", {"x"})}, {f}));
  const Graph& body = *graph->node(1).attr("f").func().body;
  CHECK(!(body.outputs[0] == body.inputs[0]));
  graph->inputs = {{0, 0}};
  graph->outputs = {{1, 0}};
  CHECK_EQ(run_graph(graph, {f32(2)})[0].item<float>(), 2.0f);
}

TEST(import_finds_shapes_of_calls_by_their_arguments) {
  // A file's function has no shapes; the results have those of the call.
  FunctionRecord f = negation("f", {neg("n", {"a"})}, "n:y:0");
  std::shared_ptr<Graph> graph =
      imported(file({node("x", "Placeholder", {}, {attr("dtype", DType::kFloat), attr("shape", Shape({2, 3}))}),
                     called("c", "f", {"x"})},
                    {f}));
  CHECK_EQ(graph->info({1, 0}).shape, Shape({2, 3}));
}

TEST(import_is_not_recorded_from_function_bodies) {
  struct Count final : EmitListener {
    std::vector<std::string> ops;
    void emitted(const OpDef& op, std::span<const Operand>, const AttrList&, Operands&) override {
      ops.push_back(op.name());
    }
  } count;
  EmitListener* before = set_listener(&count);
  imported(file({kX, called("c", "f", {"x"})}, {negation("f", {neg("n", {"a"})}, "n:y:0")}));
  set_listener(before);
  CHECK(count.ops == (Names{"Placeholder", "PartitionedCall"}));
}

TEST(import_names_of_nodes) {
  for (const char* name : {"a", "A9", "0", ".a", "a/b", "a_b", "a-b", "a>b", "a\\b"}) CHECK(is_node_name(name, false));
  for (const char* name : {"", "_a", "/a", "-a", "a b", "a:0", "^a", "a\n", "\xc3\xa9"})
    CHECK(!is_node_name(name, false));
  CHECK(is_node_name("_a", true) && !is_node_name("", true) && !is_node_name("-a", true));
}

TEST(import_orders_nodes_by_what_they_need) {
  using Order = std::vector<std::size_t>;
  CHECK(order_by_needs({}) == Order{});
  CHECK(order_by_needs({{}, {}, {}}) == (Order{0, 1, 2}));
  CHECK(order_by_needs({{2}, {0}, {}, {}}) == (Order{2, 0, 1, 3}));
  CHECK(order_by_needs({{1, 1}, {}}) == (Order{1, 0}));
  CHECK_THROWS(order_by_needs({{}, {2}, {1}, {2}}), kValue, "3 nodes in a cycle");
  // A long chain, last one first, without recursion.
  std::vector<std::vector<std::size_t>> chain;
  for (std::size_t i = 0; i < 200'000; ++i) chain.push_back({i + 1});
  chain.push_back({});
  Order order = order_by_needs(chain);
  CHECK(order.front() == 200'000 && order.back() == 0);
}

}  // namespace
}  // namespace tracefn::test
