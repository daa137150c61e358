// Reductions of larger arrays: over few elements by the op's rule by element, each element being an expression of the
// axes that stay, so that no array of what is reduced is made; otherwise of arrays where they are.
#include "exec/nest/array_reduction.h"
#include "exec/scalar/compiler.h"
#include "ops/build.h"
#include "ops/elements.h"
#include "ops/fusable.h"
#include "ops/op_def.h"
#include "ops/reduce/reduce.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

constexpr std::int64_t kMostReduced = 16;

// The op that computes an elementwise function.
const OpDef* op_of(const BlockSpec& spec) {
  static const auto ops = [] {
    std::map<std::pair<BlockArity, int>, const OpDef*> all;
    for (const OpDef* op : Registry::get().all())
      if (op->block && op->block->arity != BlockArity::kCast)
        all.emplace(std::pair(op->block->arity, op->block->function), op);
    return all;
  }();
  const auto found = ops.find({spec.arity, spec.function});
  return found == ops.end() ? nullptr : found->second;
}

}  // namespace

// A reduction as its rule sees it. Each element is an expression of all results, so the axes that stay would need one
// index; they have two, for the order of summation depends on whether there are several. The first result is taken.
class ReducedElements final : public ElementsContext {
 public:
  ReducedElements(ScalarCompiler& compiler, const Node& n, Shape shape, Shape result, DType dtype, Dims axes)
      : ElementsContext(n),
        compiler_(compiler),
        shape_(std::move(shape)),
        result_(std::move(result)),
        dtype_(dtype),
        axes_(std::move(axes)) {}

  void add(ArrayExpressionPtr element) { elements_.push_back(keep(std::move(element))); }
  // Null if the rule has asked for more than there is here.
  ArrayExpressionPtr result() const { return failed_ ? nullptr : made_; }

  const Shape& shape(std::size_t) const override { return shape_; }
  DType dtype(std::size_t) const override { return dtype_; }
  std::optional<Elements> elements(std::size_t) override { return elements_; }
  std::optional<Dims> integers(std::size_t) override { return axes_; }
  std::optional<std::int64_t> integer(Element, DType) const override { return std::nullopt; }
  Element constant(DType dtype, double value) override { return scalar(build::scalar_tensor(dtype, value)); }
  Element index(std::int64_t value) override { return scalar(Tensor::scalar(value)); }
  Element apply(const BlockSpec& spec, DType operand, DType result, std::span<const Element> in) override {
    const OpDef* op = op_of(spec);
    if (!op) return fail();
    SmallVector<ArrayExpressionPtr, 3> operands;
    for (Element i : in) operands.push_back(expressions_[i]);
    return keep(compiler_.elementwise_expression(*op, node, operand, result, result_, std::move(operands)));
  }
  Element cast(Element, DType, DType) override { return fail(); }
  Element multiply_add(DType, Element, Element, Element) override { return fail(); }
  Element size(std::size_t, int axis) override { return index(shape_[axis]); }
  bool check_index(Element, Element, std::string, std::optional<Element>) override { return false; }
  std::optional<Element> wrap_index(Element, Element, std::string) override { return std::nullopt; }
  std::optional<Elements> load(std::size_t, Element, std::span<const std::int64_t>) override { return std::nullopt; }
  bool set_loaded(std::size_t, std::size_t, Shape, Element, std::span<const std::int64_t>) override { return false; }
  bool update(std::size_t, std::size_t, std::span<const Update>) override { return false; }
  void set_output(std::size_t, DType, Shape, Elements elements) override { made_ = expressions_[elements[0]]; }

 private:
  Element keep(ArrayExpressionPtr e) {
    expressions_.push_back(std::move(e));
    return static_cast<Element>(expressions_.size() - 1);
  }
  Element scalar(const Tensor& value) {
    auto e = std::make_shared<ArrayExpression>();
    e->kind = ArrayExpression::kScalar;
    e->dtype = value.dtype();
    e->slot = compiler_.code_.constant(value.raw(), value.dtype());
    return keep(std::move(e));
  }
  Element fail() {
    failed_ = true;
    return 0;
  }

  ScalarCompiler& compiler_;
  const Shape shape_, result_;
  const DType dtype_;
  const Dims axes_;
  std::vector<ArrayExpressionPtr> expressions_;
  Elements elements_;
  ArrayExpressionPtr made_;
  bool failed_ = false;
};

ArrayExpressionPtr ScalarCompiler::elementwise_expression(const OpDef& op, const Node& by, DType operand, DType result,
                                                          Shape shape, SmallVector<ArrayExpressionPtr, 3> operands) {
  Node made;
  made.op = &op.signature;
  made.name = by.name;
  made.source = by.source;
  made.attrs.resize(op.signature.attrs.size());
  if (const int t = op.signature.attr_index("T"); t >= 0) made.attrs[static_cast<std::size_t>(t)] = operand;
  made.outputs.push_back({result, Shape::unknown()});
  routine_.nodes.push_back(std::move(made));
  auto e = std::make_shared<ArrayExpression>();
  e->kind = ArrayExpression::kNode;
  e->dtype = result;
  e->shape = std::move(shape);
  e->node = &routine_.nodes.back();
  e->num_nodes = 1;
  for (const ArrayExpressionPtr& in : operands) e->num_nodes += in->num_nodes;
  e->operands = std::move(operands);
  return e;
}

bool ScalarCompiler::reduces_few(const Graph& function) {
  for (NodeId id : function.order()) {
    const Node& n = function.node(id);
    const std::optional<TrailingReduction> found = trailing_reduction(function, n);
    if (!found) continue;
    const Shape& shape = function.info(n.inputs[0]).shape;
    if (!shape.is_fully_known()) return false;
    std::int64_t count = 1;
    for (int i = 1; i <= found->axes; ++i) count *= shape[shape.rank() - i];
    if (count > kMostReduced) return false;
  }
  return true;
}

bool ScalarCompiler::reduces_nothing(const Node& n, const Places& inputs) const {
  const std::optional<ReduceFunction>& function = op_def(*n.op).facts.reduction;
  if (!function || function == kReduceNorm) return false;
  const std::optional<Tensor> axes = known(inputs[1]);
  return axes && axes->num_elements() == 0;
}

std::optional<ScalarCompiler::Reduction> ScalarCompiler::reduction(const Node& n, const Places& inputs) const {
  const Shape& shape = inputs[0].shape;
  const std::optional<Tensor> given = known(inputs[1]);
  if (!takes_arrays_ || !given || !shape.is_fully_known() || inputs[0].has_elements()) return std::nullopt;
  Reduction found;
  found.gone = AxisMask(static_cast<std::size_t>(shape.rank()), false);
  for (std::int64_t i = 0; i < given->num_elements(); ++i) {
    const std::int64_t axis = given->int_at(i) < 0 ? given->int_at(i) + shape.rank() : given->int_at(i);
    if (axis < 0 || axis >= shape.rank() || found.gone[static_cast<std::size_t>(axis)]) return std::nullopt;
    found.gone[static_cast<std::size_t>(axis)] = true;
    found.axes.push_back(axis);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_gone = found.gone[static_cast<std::size_t>(i)];
    if (!is_gone) found.result.push_back(shape[i]);
    if (is_gone && n.attr("keep_dims").b()) found.result.push_back(1);
  }
  return found;
}

std::optional<Places> ScalarCompiler::reduced_array(const Node& n, const Places& inputs) {
  const std::optional<Reduction> how = reduction(n, inputs);
  if (!how) return std::nullopt;
  const std::optional<Place> array = lent(inputs[0], false);
  if (!array) return std::nullopt;
  const DType dtype = n.outputs[0].dtype;
  Place result = new_array(dtype, how->result.rank() == 0 ? Shape({1}) : how->result);
  auto made =
      ArrayReduction::compile(n, inputs[0].shape, how->gone, {array->number, array->dtype}, {result.number, dtype});
  if (!made) return std::nullopt;
  code_.own(result.number, static_cast<std::uint32_t>(result.shape[0]));
  work(result.number, std::move(made));
  unpack(result, how->result);
  return Places{std::move(result)};
}

std::optional<Places> ScalarCompiler::reduced(const Node& n, const Places& inputs) {
  const Place& in = inputs[0];
  std::optional<Reduction> how = reduction(n, inputs);
  if (!how || !op_def(*n.op).facts.elements) return std::nullopt;
  const AxisMask& gone = how->gone;
  const Shape& result = how->result;
  const int rank = in.shape.rank();
  Shape few = in.shape;
  IndexMap map;
  std::int64_t count = 1, stay = 1;
  for (int i = 0, at = 0; i < rank; ++i) {
    const bool is_gone = gone[static_cast<std::size_t>(i)];
    (is_gone ? count : stay) *= in.shape[i];
    if (!is_gone) few[i] = std::min<std::int64_t>(in.shape[i], 2);
    map.axes.push_back(is_gone ? IndexMap::Axis{} : IndexMap::Axis{0, at, 1});
    if (!is_gone || n.attr("keep_dims").b()) ++at;
  }
  if (count < 2 || count > kMostReduced || stay <= findings_.most_elements) return std::nullopt;
  map.to = result;
  std::optional<ArrayExpressionPtr> e = expression_of(in);
  if (e && (*e)->computes() && (*e)->uses > 1) {
    const std::optional<Place> array = in_memory(in);
    e = array ? expression_of(*array) : std::nullopt;
  }
  if (!e) return std::nullopt;
  ReducedElements context(*this, n, few, result, in.dtype, how->axes);
  Dims at(static_cast<std::size_t>(rank), 0);
  for (std::int64_t i = few.num_elements(); i > 0; --i) {
    for (int d = 0; d < rank; ++d)
      if (gone[static_cast<std::size_t>(d)])
        map.axes[static_cast<std::size_t>(d)].begin = at[static_cast<std::size_t>(d)];
    std::optional<ArrayExpressionPtr> element = remapped(*e, map);
    if (!element) return std::nullopt;
    context.add(std::move(*element));
    for (int d = rank; d-- > 0;) {
      if (++at[static_cast<std::size_t>(d)] < few[d]) break;
      at[static_cast<std::size_t>(d)] = 0;
    }
  }
  if (!op_def(*n.op).facts.elements(context) || !context.result()) return std::nullopt;
  return Places{computed_place(context.result(), result)};
}

}  // namespace tracefn
