// OpDef: everything known about one op, in one record: signature, shape rule, kernel, gradient, documentation, public
// spelling. Records are created once by the registry and never freed; any thread may read them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/signature.h"
#include "ops/elementwise/function.h"
#include "ops/reduce/reduce_function.h"

namespace tracefn {

class InferContext;
class KernelContext;
class GradContext;
class ContentsContext;
class ElementsContext;
class Shape;
struct Node;
struct Operand;
struct OutputInfo;

// Sets the shapes of the outputs; throws Error(kInvalidArgument) if the inputs do not fit. Runs while tracing with what
// is known, and again before the kernel with everything known (see OpRecord::allocation).
using InferFn = void (*)(InferContext&);
using CheckFn = void (*)(const KernelContext&);
using KernelFn = void (*)(KernelContext&);
using GradFn = void (*)(GradContext&);
// The elements of an output that is an integer vector or scalar, as far as they follow from the inputs
// (ops/contents.h).
using ContentsFn = Shape (*)(const ContentsContext&);
// Computes the outputs element by element (ops/elements.h); false if it cannot.
using ElementsFn = bool (*)(ElementsContext&);
// The op as simpler ones with the same bits, if these fuse with their neighbors.
struct Expansion {
  bool (*applies)(const Node& node, std::span<const OutputInfo* const> inputs);
  Operand (*emit)(const Node& node, std::span<const Operand> inputs);
};

// The gradient of an op without a derivative (integers, comparisons, prints). Must be stated explicitly.
void not_differentiable(GradContext&);

// Who allocates the outputs: the executor, as the shape rule says, or the kernel, for one of these reasons. An op with
// a block leaves it to the driver of elementwise ops.
enum class Allocation : std::uint8_t {
  kByShapeRule,  // the executor runs `check` and `infer` with all inputs known and allocates every output
  kByValues,     // the shape depends on elements that no shape rule reads
  kShared,       // hands on an input, shares its memory or updates it in place, if it can; or the driver does
  kObjects,      // the outputs are handles, or come from a variable, a list, a body, the caller or the host
};

// Whether an op reads elements of input 0 at given indices, or replaces elements of it.
enum class Indexing : std::uint8_t { kNone, kReads, kUpdates };

// How an op changes the variable in input 0 by input 1, of the variable's dtype.
enum class VariableUpdate : std::uint8_t { kSet, kAdd, kSubtract };

// How an op makes a vector whose length is computed: elements at equal distances, from a number on or of input 0, or
// those of input 0 at the indices in input 1.
enum class SequenceRule : std::uint8_t { kNone, kRange, kSlice, kGather };

// Facts for passes, execution and differentiation. An op's rules besides its kernel are here, too.
struct OpFacts {
  bool alias = false;           // output 0 is input 0: nothing to run
  bool reads_variable = false;  // reads the value of the variable that it is given
  std::optional<VariableUpdate> update = {};
  // Cannot fail on inputs whose shapes are known and were accepted. An elementwise op never does, unless it fails on
  // integers: division by zero, a negative power.
  bool cannot_fail = false;
  bool fails_on_integers = false;
  bool asserts = false;          // does nothing if input 0, a scalar, is true; fails otherwise
  bool contracts = false;        // contracts axes: costs far more than reading its inputs or storing its result
  bool serial = false;           // may work for long on one core: one matrix or one row is not shared by threads
  bool finishes = false;         // its kernel takes a BlockFinisher, at least for floating-point numbers
  bool converts_inputs = false;  // the public function converts its arguments to tensors before it runs the op
  // Keeps its functions for later, when it has returned (a dataset does): what runs it does not compile them.
  bool keeps_functions = false;
  bool fed = false;       // a caller may feed another value: nothing is known of it before it runs
  bool measures = false;  // its outputs depend only on its inputs' shapes
  std::optional<ReduceFunction> reduction = {};  // of input 0 over the axes in input 1
  std::optional<double> fill = {};               // output 0 has the shape of input 0, filled with this number
  ContentsFn contents = nullptr;
  const Expansion* expansion = nullptr;
  // Node names, without numbers, that TensorFlow's public functions and operators open a name scope for: "MatMul", or
  // several as "Pow pow".
  std::string_view scopes = {};
  // The type attribute of the inputs whose elements become the outputs' elements, beside zeros, at places that follow
  // from the shapes and from the other inputs.
  std::string_view moves = {};
  ElementsFn elements = nullptr;
  SequenceRule sequence = SequenceRule::kNone;
  Indexing indexing = Indexing::kNone;
};

// The declaration that a family writes. Inputs, outputs and attributes use the notation of TensorFlow's op
// registrations:
//   inputs  "x: T", "axis: Tidx", "values: N * T", "args: Tin", "handle: resource"
//   attrs   "T: {half, float, double}", "Tidx: {int32, int64} = DT_INT32", "keep_dims: bool = false", "N: int >= 1",
//           "Tin: list(type) >= 0", "dtype: type", "shape: shape", "f: func", "message: string = ''"
struct OpRecord {
  std::string_view name;
  // Public spelling and parameters, e.g. "math.exp(x)", "math.cumsum(x, axis=0, exclusive, reverse)". A parameter is an
  // input or attribute of that name, in any order; "axis:dim" makes the op's `dim` `axis` in public; "=literal" gives a
  // default. `name` is always the last parameter and not written. Empty: reachable only through raw_ops and Python
  // wrappers.
  std::string_view python = {};
  // Further public paths of the same callable: "exp".
  std::vector<std::string_view> aliases = {};
  std::vector<std::string_view> inputs = {};
  std::vector<std::string_view> outputs = {};
  std::vector<std::string_view> attrs = {};
  bool stateful = false;  // has a side effect or reads state: kept, ordered, never folded or merged
  bool commutative = false;
  OpKind kind = OpKind::kOther;
  OpFacts facts = {};
  // Parameter names that differ between tf.raw_ops and the graph, "dim:axis".
  std::vector<std::string_view> raw_names = {};
  std::string_view doc = {};
  InferFn infer = nullptr;
  // What TensorFlow's kernel checks of shapes and values before it allocates, in its words: runs before `infer` at
  // execution, and not while tracing, where `infer` has the words of TensorFlow's shape function. May be missing.
  CheckFn check = nullptr;
  KernelFn kernel = nullptr;
  Allocation allocation = Allocation::kByShapeRule;
  // For elementwise ops instead of `kernel`: the block kernels for the driver and fusion.
  const BlockSpec* block = nullptr;
  // Dtypes that an elementwise op accepts without a kernel for them, as in TensorFlow.
  DTypes without_kernel = {};
  GradFn grad = nullptr;
  // Keeps its KernelContext::state() between eager calls too, one per op and attributes, as TensorFlow reuses its
  // kernels.
  bool keeps_state = false;
};

// One public parameter.
struct PublicParameter {
  std::string name;  // "axis"
  int input = -1;    // index into OpSignature::inputs, or -1
  int attr = -1;     // index into OpSignature::attrs, or -1
  bool has_default = false;
  Attr default_value;  // kNone with has_default: None
};

struct OpDef {
  OpSignature signature;
  InferFn infer = nullptr;
  CheckFn check = nullptr;
  KernelFn kernel = nullptr;
  Allocation allocation = Allocation::kByShapeRule;
  const BlockSpec* block = nullptr;
  GradFn grad = nullptr;
  OpFacts facts;
  std::string doc;
  std::vector<std::string> python_paths;  // the public spelling first, then the aliases; empty if there is none
  std::vector<PublicParameter> parameters;
  std::vector<std::pair<std::string, std::string>> raw_names;  // as declared, and as in tf.raw_ops
  std::string public_node_name;  // the public callable's node name; empty: as for raw ops, the op's name
  bool keeps_state = false;
  bool has_function_attr = false;  // holds graphs: a conditional, a loop, a call

  const std::string& name() const { return signature.name; }
  bool elementwise() const { return block != nullptr; }
  // Whether it can fail on inputs whose shapes are known and were accepted, with a result of `dtype`.
  bool can_fail(DType dtype) const { return block ? facts.fails_on_integers && is_integer(dtype) : !facts.cannot_fail; }
  // Whether it computes an elementwise function, given as id_of<F>.
  bool computes(int function) const {
    return block && block->arity != BlockArity::kCast && block->function == function;
  }
  // Whether a node of that name was made in a name scope of its own.
  bool opens_scope(std::string_view node) const;
  // The name of an input or attribute in tf.raw_ops.
  std::string_view raw_name(std::string_view declared) const;
};

// Every node's signature is part of an OpDef.
inline const OpDef& op_def(const OpSignature& signature) { return *reinterpret_cast<const OpDef*>(&signature); }

}  // namespace tracefn
