// Functions against types and shapes, constants against dtypes, counts.
#include "ir/attr_rules.h"

#include "base/error.h"
#include "ir/functions_of.h"
#include "ir/graph.h"

namespace tracefn {
namespace {

class Rules {
 public:
  Rules(const OpSignature& op, const AttrList& attrs, bool eager) : op_(op), attrs_(attrs), eager_(eager) {}

  std::string broken() {
    bool has_functions = false;
    for (std::size_t i = 0; i < attrs_.size() && broken_.empty(); ++i) {
      const Attr& attr = attrs_[i];
      const std::string& name = op_.attrs[i].name;
      if (op_.attrs[i].minimum) check_minimum(name, attr, *op_.attrs[i].minimum);
      if (attr.kind() == Attr::Kind::kTensor) check_constant(attr.tensor());
      for_each_function(attr, [&](const FuncRef& f) { check_function(name, f); });
      has_functions = has_functions || attr.kind() == Attr::Kind::kFunc || attr.kind() == Attr::Kind::kFuncs;
    }
    for (const ArgDef& arg : op_.outputs)
      if (!arg.number_attr.empty()) check_count(arg.number_attr);
    if (has_functions && broken_.empty()) check_output_shapes();
    return broken_;
  }

 private:
  const Attr* find(std::string_view name) const {
    const int i = op_.attr_index(name);
    return i < 0 ? nullptr : &attrs_[static_cast<std::size_t>(i)];
  }
  const std::vector<DType>* types(std::string_view name) const {
    const Attr* attr = find(name);
    return attr && attr->kind() == Attr::Kind::kTypes ? &attr->types() : nullptr;
  }

  template <typename... What>
  void require(bool holds, const What&... what) {
    if (!holds && broken_.empty()) broken_ = concat(what...);
  }

  void check_minimum(const std::string& name, const Attr& attr, std::int64_t least) {
    using Kind = Attr::Kind;
    const bool is_number = attr.kind() == Kind::kInt;
    const auto given = is_number                       ? attr.i()
                       : attr.kind() == Kind::kTypes   ? std::ssize(attr.types())
                       : attr.kind() == Kind::kFuncs   ? std::ssize(attr.funcs())
                       : attr.kind() == Kind::kInts    ? std::ssize(attr.ints())
                       : attr.kind() == Kind::kFloats  ? std::ssize(attr.floats())
                       : attr.kind() == Kind::kBools   ? std::ssize(attr.bools())
                       : attr.kind() == Kind::kStrings ? std::ssize(attr.strings())
                       : attr.kind() == Kind::kShapes  ? std::ssize(attr.shapes())
                                                       : least;
    if (eager_) {
      require(given >= least, is_number ? "Value" : "Length", " for attr '", name, "' of ", given,
              " must be at least minimum ", least, "\n\t; NodeDef: {{node ", op_.name, "}} [Op:", op_.name, "]");
    } else {
      require(given >= least, "Attr '", name, "' of '", op_.name, "' Op passed ", is_number ? "" : "list of length ",
              given, " less than minimum ", least, ".");
    }
  }

  void check_count(const std::string& name) {
    const std::int64_t n = find(name)->i();
    require(n <= kMostOutputs, "Attr '", name, "' of '", op_.name, "' Op passed ", n, ", which is more than the ",
            kMostOutputs, " outputs that an op can have.");
  }

  void check_constant(const Tensor& value) {
    const Attr* dtype = find("dtype");
    if (!dtype || dtype->kind() != Attr::Kind::kType) return;
    require(value.defined() && value.dtype() == dtype->type(), "Attr 'value' of '", op_.name,
            "' Op is a tensor of type ", value.defined() ? name(value.dtype()) : "none", ", but attr 'dtype' is ",
            name(dtype->type()), ".");
  }

  void check_function(const std::string& attr, const FuncRef& f) {
    require(f.body != nullptr, "The graph of function ", f.name, ", attr '", attr, "' of '", op_.name,
            "' Op, is missing.");
    if (!broken_.empty()) return;
    const Graph& body = *f.body;
    const std::vector<DType>* in = types("Tin") ? types("Tin") : types("T");
    const std::vector<DType>* out = types("Tout") ? types("Tout") : types("T");
    const std::vector<DType>*rows = types("Targuments"), *captured = types("Tcaptured");
    if (rows && captured) {  // mapped over, with what is captured behind them
      std::vector<DType> all = *rows;
      all.insert(all.end(), captured->begin(), captured->end());
      check_types({f, attr, "argument"}, all, body.inputs);
      if (types("output_types")) check_types({f, attr, "return value"}, *types("output_types"), body.outputs);
    } else if (in && attr == "body" && !find("cond")) {  // counts, and tells the body how far it is
      std::vector<DType> all = *in;
      all.insert(all.begin(), DType::kInt32);
      check_types({f, attr, "argument"}, all, body.inputs);
    } else if (in) {
      check_types({f, attr, "argument"}, *in, body.inputs);
    }
    if (attr == "cond" && !types("Tout")) {
      require(body.outputs.size() == 1, "`cond` must be a single tensor, got ", body.outputs.size(),
              " tensors: function ", f.name, ", attr 'cond' of '", op_.name, "' Op.");
    } else if (out) {
      check_types({f, attr, "return value"}, *out, body.outputs);
    }
  }

  struct Side {
    const FuncRef& f;
    const std::string& attr;
    const char* part;
  };
  void check_types(const Side& side, const std::vector<DType>& wanted, const std::vector<Value>& values) {
    require(values.size() == wanted.size(), "Function ", side.f.name, ", attr '", side.attr, "' of '", op_.name,
            "' Op, has ", values.size(), " ", side.part, "s. Expected: ", wanted.size(), ".");
    for (std::size_t i = 0; i < values.size() && broken_.empty(); ++i) {
      const DType got = side.f.body->info(values[i]).dtype;
      require(got == wanted[i], "Expected type ", runtime_name(wanted[i]), " for ", side.part, " ", i, " of function ",
              side.f.name, ", attr '", side.attr, "' of '", op_.name, "' Op, but got ", runtime_name(got), ".");
    }
  }

  void check_output_shapes() {
    const Attr* attr = find("output_shapes");
    if (!attr || attr->kind() != Attr::Kind::kShapes || attr->shapes().empty()) return;
    const std::vector<Shape>& shapes = attr->shapes();
    const std::vector<DType>* out = types("Tout") ? types("Tout") : types("T");
    if (!out) return;  // a dataset's shapes need not be those of its functions' results
    require(shapes.size() == out->size(), "`output_shapes` must be the same length as num outputs (", shapes.size(),
            " vs. ", out->size(), ")");
    for (std::size_t i = 0; i < attrs_.size() && broken_.empty(); ++i) {
      if (op_.attrs[i].name == "cond") continue;
      for_each_function(attrs_[i], [&](const FuncRef& f) { check_result_shapes(f, shapes); });
    }
  }

  void check_result_shapes(const FuncRef& f, const std::vector<Shape>& shapes) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      const Shape& own = f.body->info(f.body->outputs[j]).shape;
      require(shapes[j].is_compatible_with(own), "`output_shapes` says ", shapes[j].text(), " of output ", j,
              ", but function ", f.name, " returns a tensor of shape ", own.text(), " there.");
    }
  }

  const OpSignature& op_;
  const AttrList& attrs_;
  const bool eager_;
  std::string broken_;
};

}  // namespace

Attr empty_list(Attr::Kind kind) {
  switch (kind) {
    case Attr::Kind::kInts:
      return std::vector<std::int64_t>();
    case Attr::Kind::kFloats:
      return std::vector<float>();
    case Attr::Kind::kBools:
      return std::vector<bool>();
    case Attr::Kind::kTypes:
      return std::vector<DType>();
    case Attr::Kind::kStrings:
      return std::vector<std::string>();
    case Attr::Kind::kShapes:
      return std::vector<Shape>();
    default:
      return std::vector<FuncRef>();
  }
}

std::string broken_attr_rule(const OpSignature& op, const AttrList& attrs, bool eager) {
  return Rules(op, attrs, eager).broken();
}

}  // namespace tracefn
