// AttrValue, NodeDef, FunctionDef and GraphDef from bytes.
#include "io/graph_def_reader.h"

#include "base/error.h"

namespace tracefn {
namespace {

using Form = AttrRecord::Form;

// The elements of a ListValue, of any kind.
struct Lists {
  std::vector<std::string> strings;
  std::vector<std::int64_t> ints;
  std::vector<float> floats;
  std::vector<bool> bools;
  std::vector<DType> types;
  std::vector<Shape> shapes;
  std::vector<FuncRef> funcs;
  bool tensors = false;

  Attr attr() && {
    std::size_t kinds = 0;
    Attr only;
    auto take = [&](auto& list) {
      if (list.empty()) return;
      ++kinds;
      only = Attr(std::move(list));
    };
    take(strings), take(ints), take(floats), take(bools), take(types), take(shapes), take(funcs);
    if (tensors) invalid_argument("a list of tensors is not supported");
    if (kinds > 1) invalid_argument("a list has elements of several kinds");
    return only;
  }
};

// NameAttrList. Attributes of a named function fill in a template, except the runtime's own.
FuncRef read_func(WireReader proto) {
  FuncRef f;
  std::string attr;
  while (proto.next()) {
    if (proto.key() == delimited_field(1)) {
      f.name = proto.text();
    } else if (proto.key() == delimited_field(2)) {
      for (WireReader entry = proto.message(); entry.next();)
        if (entry.key() == delimited_field(1) && !entry.bytes().starts_with('_')) attr = entry.text();
    }
  }
  if (!attr.empty())
    invalid_argument("the function '", f.name, "' is given the attribute '", attr,
                     "'; functions with attributes of their own are not supported");
  return f;
}

template <typename List, typename Convert>
void append_varints(const WireReader& field, List& list, Convert convert) {
  if ((field.key() & 7) == 0) {
    list.push_back(convert(field.number()));
    return;
  }
  WireReader packed = field.message();
  for (std::uint64_t v = 0; packed.next_varint(v);) list.push_back(convert(v));
}

Attr read_list(WireReader proto) {
  Lists lists;
  auto as_int = [](std::uint64_t v) { return static_cast<std::int64_t>(v); };
  auto as_bool = [](std::uint64_t v) { return v != 0; };
  while (proto.next()) {
    switch (proto.key()) {
      case delimited_field(2):
        lists.strings.emplace_back(proto.bytes());
        break;
      case varint_field(3):
      case delimited_field(3):
        append_varints(proto, lists.ints, as_int);
        break;
      case fixed32_field(4):
        lists.floats.push_back(proto.real32());
        break;
      case delimited_field(4): {
        WireReader packed = proto.message();
        for (float v = 0; packed.next_fixed(v);) lists.floats.push_back(v);
        break;
      }
      case varint_field(5):
      case delimited_field(5):
        append_varints(proto, lists.bools, as_bool);
        break;
      case varint_field(6):
      case delimited_field(6):
        append_varints(proto, lists.types, read_dtype);
        break;
      case delimited_field(7):
        lists.shapes.push_back(read_shape(proto.message()));
        break;
      case delimited_field(8):
        lists.tensors = true;
        break;
      case delimited_field(9):
        lists.funcs.push_back(read_func(proto.message()));
        break;
      default:
        break;
    }
  }
  return std::move(lists).attr();
}

// The last of the fields counts, as only one of them should be present.
void read_value(WireReader proto, AttrRecord& record, std::size_t& repeated_left) {
  auto is = [&](Attr value) {
    record.value = std::move(value);
    record.form = Form::kValue;
  };
  while (proto.next()) {
    switch (proto.key()) {
      case delimited_field(1):
        is(read_list(proto.message()));
        if (!record.value.has_value()) record.form = Form::kEmptyList;
        break;
      case delimited_field(2):
        is(std::string(proto.bytes()));
        break;
      case varint_field(3):
        is(proto.integer());
        break;
      case fixed32_field(4):
        is(proto.real32());
        break;
      case varint_field(5):
        is(proto.number() != 0);
        break;
      case varint_field(6):
        is(read_dtype(proto.number()));
        break;
      case delimited_field(7):
        is(read_shape(proto.message()));
        break;
      case delimited_field(8):
        is(read_tensor(proto.message(), repeated_left));
        break;
      case delimited_field(9):
        is(proto.text());
        record.form = Form::kPlaceholder;
        break;
      case delimited_field(10):
        is(read_func(proto.message()));
        break;
      default:
        break;
    }
  }
}

class Reader {
 public:
  GraphRecord read(WireReader proto) {
    GraphRecord graph;
    while (proto.next()) {
      switch (proto.key()) {
        case delimited_field(1):
          graph.nodes.push_back(node(proto.message()));
          break;
        case delimited_field(2):
          for (WireReader library = proto.message(); library.next();)
            if (library.key() == delimited_field(1)) graph.functions.push_back(function(library.message()));
          break;
        case delimited_field(4):
          versions(proto.message(), graph);
          break;
        default:
          break;
      }
    }
    return graph;
  }

  NodeRecord node(WireReader proto) {
    NodeRecord node;
    node.bytes = proto.rest();
    while (proto.next()) {
      switch (proto.key()) {
        case delimited_field(1):
          node.name = proto.text();
          break;
        case delimited_field(2):
          node.op = proto.text();
          break;
        case delimited_field(3):
          node.inputs.push_back(proto.text());
          break;
        case delimited_field(4):
          node.device = proto.text();
          break;
        case delimited_field(5):
          attr(proto, node.attrs);
          break;
        default:
          break;
      }
    }
    return node;
  }

  FunctionRecord function(WireReader proto) {
    FunctionRecord f;
    f.bytes = proto.rest();
    while (proto.next()) {
      switch (proto.key()) {
        case delimited_field(1):
          signature(proto.message(), f);
          break;
        case delimited_field(3):
          f.nodes.push_back(node(proto.message()));
          break;
        case delimited_field(4):
          f.results.push_back(texts(proto.message()));
          break;
        case delimited_field(6):
          f.control_results.push_back(texts(proto.message()));
          break;
        default:
          break;
      }
    }
    return f;
  }

 private:
  // An entry of a map<string, AttrValue>.
  void attr(const WireReader& field, std::vector<AttrRecord>& attrs) {
    std::string name;
    AttrRecord record;
    for (WireReader entry = field.message(); entry.next();) {
      if (entry.key() == delimited_field(1)) {
        name = entry.text();
      } else if (entry.key() == delimited_field(2)) {
        record = read_attr(entry.message(), repeated_left_);
      }
    }
    record.name = std::move(name);
    record.place = field.place();
    attrs.push_back(std::move(record));
  }

  static FunctionRecord::Arg arg(WireReader proto) {
    FunctionRecord::Arg arg;
    while (proto.next()) {
      if (proto.key() == delimited_field(1)) {
        arg.name = proto.text();
      } else if (proto.key() == varint_field(3)) {
        try {
          arg.type = read_dtype(proto.number());
        } catch (const Error& e) {
          arg.problem = e.message();
        }
      } else if (proto.key() >= delimited_field(4) && proto.key() <= delimited_field(6)) {
        arg.problem = "its type is to be given by an attribute of the function, which is not supported";
      }
    }
    if (arg.type == DType::kInvalid && arg.problem.empty()) arg.problem = "it has no type";
    return arg;
  }

  static void signature(WireReader proto, FunctionRecord& f) {
    while (proto.next()) {
      switch (proto.key()) {
        case delimited_field(1):
          f.name = proto.text();
          break;
        case delimited_field(2):
          f.inputs.push_back(arg(proto.message()));
          break;
        case delimited_field(3):
          f.outputs.push_back(arg(proto.message()));
          break;
        case delimited_field(4):
          f.has_attrs = true;
          break;
        default:
          break;
      }
    }
  }

  // An entry of a map<string, string>.
  static std::pair<std::string, std::string> texts(WireReader entry) {
    std::pair<std::string, std::string> pair;
    while (entry.next()) {
      if (entry.key() == delimited_field(1)) pair.first = entry.text();
      if (entry.key() == delimited_field(2)) pair.second = entry.text();
    }
    return pair;
  }

  static void versions(WireReader proto, GraphRecord& graph) {
    // int32 on the wire; larger numbers are truncated, as in protobuf.
    auto as_int = [](std::uint64_t v) { return static_cast<std::int64_t>(static_cast<std::int32_t>(v)); };
    while (proto.next()) {
      if (proto.key() == varint_field(1)) graph.producer = as_int(proto.number());
      if (proto.key() == varint_field(2)) graph.min_consumer = as_int(proto.number());
      if (proto.key() == varint_field(3) || proto.key() == delimited_field(3))
        append_varints(proto, graph.bad_consumers, as_int);
    }
  }

  std::size_t repeated_left_ = kMostRepeatedBytes;
};

}  // namespace

AttrRecord read_attr(WireReader proto, std::size_t& repeated_left) {
  AttrRecord record;
  try {
    read_value(proto, record, repeated_left);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kValue) throw;  // the bytes are not a valid message
    record.form = Form::kValue;
    record.value = Attr();
    record.problem = e.message();
  }
  return record;
}

GraphRecord read_graph_def(std::string_view bytes) { return Reader().read(WireReader(bytes)); }
NodeRecord read_node_def(std::string_view bytes) { return Reader().node(WireReader(bytes)); }
FunctionRecord read_function_def(std::string_view bytes) { return Reader().function(WireReader(bytes)); }

}  // namespace tracefn
