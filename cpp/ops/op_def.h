// OpDef: all that is known about one op, in one record: signature, shape rule, kernel, gradient, documentation, public
// spelling. Records are made once by the registry and never freed; read them from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/signature.h"

namespace tracefn {

class InferContext;
class KernelContext;
class GradContext;
struct BlockSpec;

// Sets the shapes of the outputs; throws Error(kInvalidArgument) when the inputs do not fit. Runs while tracing with
// what is known, and again before the kernel with everything known (see OpRecord::allocates).
using InferFn = void (*)(InferContext&);
using KernelFn = void (*)(KernelContext&);
using GradFn = void (*)(GradContext&);

// The gradient of an op through which no derivative flows (integers, comparisons, prints). Silence is not an answer.
void not_differentiable(GradContext&);

// A kernel's answer to who makes the outputs.
enum class Allocation : std::uint8_t {
  kByShapeRule,  // the executor runs `infer` with all inputs known and allocates every output before the kernel
  kByKernel,     // the kernel calls set_output or allocate_output itself (forwarding, host calls, control flow)
};

// What a family writes down. Inputs, outputs and attributes use the notation of TensorFlow's op registrations:
//   inputs  "x: T", "axis: Tidx", "values: N * T", "args: Tin", "handle: resource"
//   attrs   "T: {half, float, double}", "Tidx: {int32, int64} = DT_INT32", "keep_dims: bool = false", "N: int >= 1",
//           "Tin: list(type) >= 0", "dtype: type", "shape: shape", "f: func", "message: string = ''"
struct OpRecord {
  std::string_view name;
  // Public spelling and parameters, e.g. "math.exp(x)", "math.cumsum(x, axis=0, exclusive, reverse)". A parameter is an
  // input or attribute of that name, in any order; "axis:dim" calls the op's `dim` `axis` in public; "=literal" gives a
  // default. `name` is always the last parameter and not written. Empty: reached through raw_ops and Python wrappers
  // only.
  std::string_view python = {};
  // Further public paths of the same callable: "exp".
  std::vector<std::string_view> aliases = {};
  std::vector<std::string_view> inputs = {};
  std::vector<std::string_view> outputs = {};
  std::vector<std::string_view> attrs = {};
  bool stateful = false;  // has an effect or reads state: kept, ordered, never folded or merged
  bool commutative = false;
  std::string_view doc = {};
  InferFn infer = nullptr;
  KernelFn kernel = nullptr;
  Allocation allocation = Allocation::kByShapeRule;
  // For elementwise ops instead of `kernel`: the block kernels that the driver and fusion run.
  const BlockSpec* block = nullptr;
  GradFn grad = nullptr;
  // Keeps its KernelContext::state() over eager calls too, one per op and attributes, as TensorFlow reuses its kernels.
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
  KernelFn kernel = nullptr;
  Allocation allocation = Allocation::kByShapeRule;
  const BlockSpec* block = nullptr;
  GradFn grad = nullptr;
  std::string doc;
  std::vector<std::string> python_paths;  // the public spelling first, then the aliases; empty when there is none
  std::vector<PublicParameter> parameters;
  std::string public_node_name;  // what the public callable names its node; empty: as raw ops do, the op's name
  bool keeps_state = false;
  bool has_function_attr = false;  // holds graphs: a conditional, a loop, a call

  const std::string& name() const { return signature.name; }
  bool elementwise() const { return block != nullptr; }
};

// Every node's signature is part of an OpDef.
inline const OpDef& op_def(const OpSignature& signature) { return *reinterpret_cast<const OpDef*>(&signature); }

}  // namespace tracefn
