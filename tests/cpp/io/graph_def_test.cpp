// GraphDef: the wire bytes of small messages, the text of a graph with a function, and a file for TensorFlow to read.
#include "io/graph_def.h"

#include <cstdlib>
#include <fstream>

#include "check.h"
#include "exec/graphs.h"

namespace tracefn::test {
namespace {

TEST(wire_writes_varints_and_lengths) {
  Message m;
  m.add_int(1, "a", 150);
  m.add_text(2, "b", "testing");
  m.add_message(3, "c").add_int(1, "a", -1);
  m.add_ints(4, "d", {3, 270, 86942});
  m.add_float(5, "e", 1.0f);
  CHECK_EQ(m.binary(), std::string("\x08\x96\x01\x12\x07testing\x1a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                   "\x22\x06\x03\x8e\x02\x9e\xa7\x05\x2d\0\0\x80\x3f",
                                   38));
  CHECK_EQ(m.text(), "a: 150\nb: \"testing\"\nc {\n  a: -1\n}\nd: 3\nd: 270\nd: 86942\ne: 1\n");
}

TEST(wire_writes_text_as_protobuf_does) {
  Message m;
  m.add_bytes(1, "s", std::string("a\nb\"'\\\xe9\0", 8));
  m.add_text(1, "t", "\xc3\xa9\x7f");
  for (float v : {0.1f, 1e20f, 100000.0f, 1e6f, -0.0f, 16777216.0f}) m.add_float(2, "f", v);
  m.add_double(3, "d", 1.0 / 3);
  CHECK_EQ(m.text(),
           "s: \"a\\nb\\\"\\'\\\\\\351\\000\"\nt: \"\xc3\xa9\\177\"\nf: 0.1\nf: 1e+20\nf: 100000\nf: 1e+06\nf: -0\nf: "
           "16777216\n"
           "d: 0.33333333333333331\n");
}

FuncRef twice() {
  GraphMaker body("twice_7");
  Operand x = body.input(DType::kFloat, Shape({-1}), "X");
  body.output(emit1("Identity", {x + x}));
  return {"twice_7", body.graph()};
}

TEST(graph_def_text_of_a_call) {
  FuncRef f = twice();
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kFloat, Shape({2}))};
  make.output(emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0]);
  std::string text = graph_def(*make.graph()).text();
  CHECK(
      text.starts_with("node {\n  name: \"x\"\n  op: \"Placeholder\"\n  attr {\n    key: \"shape\"\n    value {\n"
                       "      shape {\n        dim {\n          size: 2\n        }\n      }\n    }\n  }\n"));
  CHECK(text.find("  input: \"x\"\n  attr {\n    key: \"f\"\n    value {\n      func {\n        name: \"twice_7\"\n") !=
        std::string::npos);
  CHECK(text.find("library {\n  function {\n    signature {\n      name: \"twice_7\"\n      input_arg {\n"
                  "        name: \"x\"\n        type: DT_FLOAT\n      }\n      output_arg {\n"
                  "        name: \"identity\"\n") != std::string::npos);
  CHECK(text.find("      input: \"AddV2:z:0\"\n") != std::string::npos);
  CHECK(text.find("    ret {\n      key: \"identity\"\n      value: \"Identity:output:0\"\n    }\n") !=
        std::string::npos);
  CHECK(text.ends_with("versions {\n  producer: 2474\n  min_consumer: 12\n}\n"));
}

TEST(op_def_fields_stand_by_number) {
  OpSignature op;
  op.name = "Both";
  op.stateful = op.commutative = true;
  CHECK_EQ(op_def_message(op).text(), "name: \"Both\"\nis_stateful: true\nis_commutative: true\n");
}

TEST(graph_def_refuses_two_functions_of_one_name) {
  FuncRef a = twice(), b = twice();
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({2}));
  for (const FuncRef& f : {a, b}) {
    Operand inputs[] = {x};
    emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}});
  }
  CHECK_THROWS(graph_def(*make.graph()), kInvalidArgument, "Two functions of one graph are named 'twice_7'.");
}

// A graph with constants of many dtypes, functions, a loop, effects and control edges. With TRACEFN_GRAPH_DEF_OUT set,
// the bytes are left in that file, for tests/oracle/read_graph_def.py to read with TensorFlow.
TEST(graph_def_of_everything) {
  FuncRef f = twice();
  FuncRef cond, body;
  {
    GraphMaker make("cond_1");
    Operand i = make.input(DType::kInt32, Shape(), "i");
    (void)make.input(DType::kFloat, Shape(), "s");
    make.output(emit1("Less", {i, build::constant(i32(4))}));
    cond = {"cond_1", make.graph()};
  }
  {
    GraphMaker make("body_1");
    Operand i = make.input(DType::kInt32, Shape(), "i"), s = make.input(DType::kFloat, Shape(), "s");
    make.output(i + build::constant(i32(1)));
    make.output(s + build::constant(f32(0.5f)));
    body = {"body_1", make.graph()};
  }
  GraphMaker make;
  Operand x = make.input(DType::kFloat, Shape({3}));
  Operand args[] = {x};
  Operand y = emit_all("PartitionedCall", args, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(emit1("Identity", {y}));
  Operand vars[] = {build::constant(i32(0)), build::constant(f32(1))};
  Operands loop = emit_all("StatelessWhile", vars, {{"cond", cond}, {"body", body}});
  make.output(emit1("Identity", {loop[1]}));
  for (DType d : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16, DType::kInt8, DType::kInt16,
                  DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                  DType::kBool, DType::kComplex64, DType::kComplex128}) {
    make.output(emit1("Const", {}, {{"value", build::scalar_tensor(d, 1)}, {"dtype", d}}));
    make.output(emit1("Const", {}, {{"value", Tensor::zeros(d, Shape({2, 2}))}, {"dtype", d}}));
    make.output(emit1("Const", {}, {{"value", Tensor::zeros(d, Shape({0, 2}))}, {"dtype", d}}));
  }
  std::string words[] = {"a", std::string("b\0c", 3)};
  make.output(build::constant(Tensor::vector<std::string>(words)));
  Operand handle = emit1("VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", Shape({-1, 2})}});
  Operand assign[] = {handle, build::constant(Tensor::zeros(DType::kFloat, Shape({1, 2})))};
  emit_all("AssignVariableOp", assign, {});
  NodeId assigned = make.graph()->size() - 1;
  make.graph()->control_outputs.push_back(assigned);
  Operand read = emit1("ReadVariableOp", {handle}, {{"dtype", DType::kFloat}});
  make.graph()->node(read.value.node).control_inputs.push_back(assigned);
  make.output(read);
  std::string bytes = graph_def(*make.graph()).binary();
  CHECK(bytes.size() > 4000);
  if (const char* path = std::getenv("TRACEFN_GRAPH_DEF_OUT")) {
    std::ofstream(path, std::ios::binary) << bytes;
    std::ofstream(std::string(path) + ".txt", std::ios::binary) << graph_def(*make.graph()).text();
  }
}

}  // namespace
}  // namespace tracefn::test
