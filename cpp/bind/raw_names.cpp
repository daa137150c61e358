// TensorFlow renames these in its Python API only; graphs keep the declared names.
#include "bind/raw_names.h"

namespace tracefn::bind {

std::string_view raw_parameter(std::string_view op, std::string_view declared) {
  if (declared == "reduction_indices" && op != "ReduceJoin") return "axis";
  if (declared == "squeeze_dims" || declared == "split_dim") return "axis";
  if (op == "ExpandDims" && declared == "dim") return "axis";
  if (op == "Where" && declared == "input") return "condition";
  if (op == "Select" && declared == "t") return "x";
  if (op == "Select" && declared == "e") return "y";
  return declared;
}

}  // namespace tracefn::bind
