// Functions and loops for tests of passes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exec/graphs.h"

namespace tracefn::test {

using Body = std::function<std::vector<Operand>(const std::vector<Operand>& args)>;

inline FuncRef function(const std::string& name, const std::vector<Operand>& like, const Body& body) {
  GraphMaker make(name);
  std::vector<Operand> args;
  for (const Operand& x : like) args.push_back(make.input(x.dtype(), x.shape(), "arg" + std::to_string(args.size())));
  for (const Operand& out : body(args)) make.output(out);
  return {name, make.graph()};
}

inline std::vector<DType> dtypes(const std::vector<Operand>& values) {
  std::vector<DType> out;
  for (const Operand& x : values) out.push_back(x.dtype());
  return out;
}

inline Operands loop(const std::vector<Operand>& variables, const Body& condition, const Body& body) {
  return emit_all("StatelessWhile", variables,
                  {{"cond", function("cond", variables, condition)}, {"body", function("body", variables, body)}});
}

// while i < iterations: i, iterations, x, y = i + 1, iterations, body(...), y; both x and y begin as `x`.
inline Operands counted(const Operand& iterations, const Operand& x, const Body& body) {
  auto condition = [](const std::vector<Operand>& v) { return std::vector<Operand>{emit1("Less", {v[0], v[1]})}; };
  auto step = [&](const std::vector<Operand>& v) {
    return std::vector<Operand>{v[0] + build::scalar(DType::kInt32, 1), v[1], body(v)[0], v[3]};
  };
  return loop({build::scalar(DType::kInt32, 0), iterations, x, x}, condition, step);
}

}  // namespace tracefn::test
