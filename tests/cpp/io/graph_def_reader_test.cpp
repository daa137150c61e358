// Reading of GraphDef: what the writer wrote comes back, and every prefix and every changed byte is read or refused.
#include "io/graph_def_reader.h"

#include "check.h"
#include "exec/graphs.h"
#include "io/graph_def.h"

namespace tracefn::test {
namespace {

TEST(wire_reader_reads_what_is_written) {
  Message m;
  m.add_int(1, "a", -1);
  m.add_text(2, "b", "\xc3\xa9");
  m.add_message(3, "c").add_int(1, "a", 150);
  m.add_ints(4, "d", {3, 270, -86942});
  m.add_float(5, "e", 1.5f);
  m.add_double(6, "f", -0.25);
  const std::string bytes = m.binary();
  WireReader reader(bytes);
  CHECK(reader.next() && reader.key() == varint_field(1) && reader.integer() == -1);
  CHECK(reader.next() && reader.key() == delimited_field(2) && reader.text() == "\xc3\xa9");
  CHECK(reader.next() && reader.key() == delimited_field(3));
  WireReader inner = reader.message();
  CHECK(inner.next() && inner.number() == 150 && !inner.next());
  CHECK(reader.next() && reader.key() == delimited_field(4));
  WireReader packed = reader.message();
  std::vector<std::int64_t> values;
  for (std::uint64_t v = 0; packed.next_varint(v);) values.push_back(static_cast<std::int64_t>(v));
  CHECK(values == std::vector<std::int64_t>({3, 270, -86942}));
  CHECK(reader.next() && reader.key() == fixed32_field(5) && reader.real32() == 1.5f);
  CHECK(reader.next() && reader.key() == fixed64_field(6) && reader.real64() == -0.25);
  CHECK(!reader.next());
}

std::string small_graph() {
  FuncRef f = function("twice", {{DType::kFloat, Shape({-1})}}, [](Args& a) { return Args{a[0] + a[0]}; });
  GraphMaker make;
  Operand inputs[] = {make.input(DType::kFloat, Shape({2}))};
  Operand sum = emit_all("PartitionedCall", inputs, {{"f", f}, {"Tout", std::vector<DType>{DType::kFloat}}})[0];
  make.output(sum + build::constant(Tensor::vector<float>(std::vector<float>{1, 2})));
  build::constant(Tensor::scalar(std::string("text")));
  return graph_def(*make.graph()).binary();
}

TEST(graph_def_comes_back) {
  const std::string bytes = small_graph();
  GraphRecord graph = read_graph_def(bytes);
  CHECK_EQ(graph.nodes.size(), 5u);
  CHECK_EQ(graph.nodes[1].op, std::string("PartitionedCall"));
  CHECK(graph.nodes[1].inputs == std::vector<std::string>({"x"}));
  CHECK_EQ(graph.functions.size(), 1u);
  CHECK_EQ(graph.functions[0].name, std::string("twice"));
  CHECK(graph.functions[0].results == (std::vector<std::pair<std::string, std::string>>{{"addv2", "AddV2:z:0"}}));
  CHECK_EQ(graph.min_consumer, 12);
  for (const AttrRecord& attr : graph.nodes[2].attrs)
    if (attr.name == "value") {
      CHECK(identical(attr.value.tensor(), Tensor::vector<float>(std::vector<float>{1, 2})));
    }
  CHECK_EQ(read_node_def(graph.nodes[0].bytes).name, std::string("x"));
  CHECK_EQ(read_function_def(graph.functions[0].bytes).nodes.size(), 1u);
}

// Reads it, or refuses it with an error of the user's kind.
bool is_read(const std::string& bytes) {
  try {
    read_graph_def(bytes);
    return true;
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kValue);
    return false;
  }
}

TEST(damaged_graph_defs_are_read_or_refused) {
  const std::string bytes = small_graph();
  std::size_t refused = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) refused += !is_read(bytes.substr(0, n));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      refused += !is_read(changed);
    }
  CHECK(refused > bytes.size());
}

}  // namespace
}  // namespace tracefn::test
