// Short ways to run an op in tests of the array families.
#pragma once

#include <cmath>
#include <vector>

#include "check.h"
#include "ops/emit.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace tracefn::test {

// A tensor of the given shape with the given values, converted.
template <typename T>
Tensor make(Shape shape, const std::vector<double>& values) {
  Tensor t(DTypeOf<T>::value, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      t.mutable_data<T>()[i] = T(static_cast<float>(values[i]));
    } else {
      t.mutable_data<T>()[i] = static_cast<T>(values[i]);
    }
  }
  return t;
}
inline Tensor ints(const std::vector<double>& values) {
  return make<std::int32_t>(Shape({static_cast<std::int64_t>(values.size())}), values);
}
inline Tensor floats(Shape shape, const std::vector<double>& values) { return make<float>(std::move(shape), values); }
// Floats that count up from 0.
inline Tensor counting(Shape shape) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < shape.num_elements(); ++i) v.push_back(static_cast<double>(i));
  return floats(std::move(shape), v);
}
inline Tensor int_scalar(std::int32_t v) { return Tensor::scalar(v); }

// A list that CHECK_EQ can print.
struct List : std::vector<double> {
  using std::vector<double>::vector;
  friend std::ostream& operator<<(std::ostream& out, const List& list) {
    for (double v : list) out << v << " ";
    return out;
  }
};

// The elements as doubles.
template <typename T>
List values(const Tensor& t) {
  List out;
  for (const T& v : t.span<T>()) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      out.push_back(static_cast<float>(v));
    } else {
      out.push_back(static_cast<double>(v));
    }
  }
  return out;
}

inline Tensor run(std::string_view op, std::initializer_list<Operand> inputs,
                  std::initializer_list<NamedAttr> attrs = {}) {
  return emit1(op, inputs, attrs).tensor;
}

// The shape rule of `op` for partly known shapes; inputs whose tensor is given are constants.
struct Known {
  Shape shape;
  DType dtype = DType::kFloat;
  Tensor value;
  Known(Shape s, DType d = DType::kFloat) : shape(std::move(s)), dtype(d) {}    // NOLINT
  Known(Tensor t) : shape(t.shape()), dtype(t.dtype()), value(std::move(t)) {}  // NOLINT
};

inline std::vector<Shape> infer(std::string_view op_name, const std::vector<Known>& inputs,
                                std::initializer_list<NamedAttr> named = {}) {
  const OpDef& op = Registry::get().at(op_name);
  std::vector<Operand> operands;
  std::vector<InferContext::Input> known;
  for (const Known& k : inputs) {
    // Only the type matters for completing attributes.
    operands.push_back(Operand(Tensor(k.dtype, Shape({0}))));
    known.push_back({&k.shape, k.dtype, k.value.defined() ? &k.value : nullptr, nullptr});
  }
  AttrList attrs(op.signature.attrs.size());
  for (const NamedAttr& a : named) attrs[static_cast<std::size_t>(op.signature.attr_index(a.name))] = a.value;
  attrs = complete_attrs(op, operands, std::move(attrs));
  std::vector<OutputInfo> outputs(output_dtypes(op.signature, attrs).size());
  InferContext context(op.signature, attrs, known, outputs);
  op.infer(context);
  std::vector<Shape> shapes;
  for (OutputInfo& o : outputs) shapes.push_back(o.shape);
  return shapes;
}

}  // namespace tracefn::test
