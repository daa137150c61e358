// NodeElements: a node as its rule by element sees it while a ScalarCompiler compiles it.
#pragma once

#include <cstring>

#include "base/check.h"
#include "exec/scalar/compiler.h"
#include "ops/build.h"
#include "ops/elements.h"

namespace tracefn {

class NodeElements : public ElementsContext {
 public:
  NodeElements(ScalarCompiler& compiler, const Node& n, const Places& inputs)
      : ElementsContext(n), compiler_(compiler), inputs_(inputs), outputs_(n.outputs.size()) {}

  // False if an output is missing.
  bool take(Places& outputs) {
    outputs = std::move(outputs_);
    for (const Place& p : outputs)
      if (p.kind == Place::kOpaque) return false;
    return true;
  }

  const Shape& shape(std::size_t i) const override { return inputs_[i].shape; }
  DType dtype(std::size_t i) const override { return inputs_[i].dtype; }
  std::optional<Elements> elements(std::size_t i) override {
    const std::optional<Place> p = compiler_.as_elements(inputs_[i]);
    if (!p) return std::nullopt;
    return Elements(p->slots.begin(), p->slots.end());
  }
  std::optional<Dims> integers(std::size_t i) override {
    const std::optional<Tensor> value = compiler_.known(inputs_[i]);
    if (!value || !is_integer(value->dtype())) return std::nullopt;
    Dims all;
    for (Element e : inputs_[i].slots) all.push_back(*integer(e, value->dtype()));
    return all;
  }
  std::optional<std::int64_t> integer(Element e, DType dtype) const override {
    if (!compiler_.code_.is_constant(e)) return std::nullopt;
    const unsigned char* bytes = compiler_.code_.value(e).bytes;
    auto read = [&]<typename T>(T value) {
      std::memcpy(&value, bytes, sizeof value);
      return static_cast<std::int64_t>(value);
    };
    switch (dtype) {
      case DType::kInt64:
        return read(std::int64_t{0});
      case DType::kInt32:
        return read(std::int32_t{0});
      case DType::kInt16:
        return read(std::int16_t{0});
      case DType::kUInt16:
        return read(std::uint16_t{0});
      case DType::kInt8:
        return read(std::int8_t{0});
      case DType::kUInt8:
        return read(std::uint8_t{0});
      default:
        return std::nullopt;
    }
  }
  Element constant(DType dtype, double value) override {
    const Tensor scalar = build::scalar_tensor(dtype, value);
    return compiler_.code_.constant(scalar.raw(), dtype);
  }
  Element index(std::int64_t value) override { return compiler_.code_.constant(value); }
  Element apply(const BlockSpec& spec, DType operand, DType result, std::span<const Element> in) override {
    const std::optional<Element> made = compiler_.code_.apply(spec, operand, result, in);
    TRACEFN_CHECK(made);  // a rule asks for functions of dtypes that they have
    return *made;
  }
  using ElementsContext::apply;
  Element cast(Element e, DType from, DType to) override { return compiler_.code_.cast(e, from, to); }
  Element multiply_add(DType dtype, Element a, Element b, Element c) override {
    return compiler_.code_.multiply_add(dtype, a, b, c);
  }
  Element size(std::size_t i, int axis) override {
    const Place& p = inputs_[i];
    return p.shape[axis] >= 0 ? index(p.shape[axis]) : compiler_.rows(p);
  }
  bool check_index(Element at, Element limit, std::string message, std::optional<Element> other) override {
    return compiler_.code_.check_index(at, limit, std::move(message), other);
  }
  std::optional<Element> wrap_index(Element at, Element limit, std::string message) override {
    return compiler_.code_.wrap_index(at, limit, std::move(message));
  }
  std::optional<Elements> load(std::size_t i, Element at, std::span<const std::int64_t> offsets) override {
    const std::optional<std::int64_t> known = compiler_.code_.number(at);
    Elements out;
    if (inputs_[i].has_elements() && known) {
      for (std::int64_t offset : offsets) out.push_back(inputs_[i].slots[static_cast<std::size_t>(*known + offset)]);
      return out;
    }
    const std::optional<Place> array = compiler_.as_array(inputs_[i], false);
    if (!array || !compiler_.is_latest(*array)) return std::nullopt;
    for (std::int64_t offset : offsets) out.push_back(compiler_.load(*array, at, offset));
    return out;
  }
  bool update(std::size_t input, std::size_t output, std::span<const Update> updates) override {
    const Place& before = inputs_[input];
    std::optional<Place> array = compiler_.as_array(before, true);
    if (!array || !compiler_.is_latest(*array)) return false;
    if (!before.has_elements()) array = compiler_.own(*array, node);
    compiler_.code_.own(array->number);
    for (const Update& u : updates) compiler_.code_.store(array->number, u.at, u.offset, u.value);
    const Place after = compiler_.next_state(*array, &node);
    if (!before.has_elements()) {
      outputs_[output] = after;
      return true;
    }
    std::optional<Place> elements = compiler_.as_elements(after);
    if (elements) outputs_[output] = std::move(*elements);
    return elements.has_value();
  }
  bool set_loaded(std::size_t output, std::size_t input, Shape shape, Element at,
                  std::span<const std::int64_t> offsets) override {
    if (std::optional<Place> made = compiler_.view(inputs_[input], shape, at, offsets)) {
      outputs_[output] = std::move(*made);
      return true;
    }
    if (static_cast<std::int64_t>(offsets.size()) <= compiler_.findings_.most_elements) {
      std::optional<Elements> loaded = load(input, at, offsets);
      if (loaded) set_output(output, inputs_[input].dtype, std::move(shape), std::move(*loaded));
      return loaded.has_value();
    }
    return false;
  }
  void set_output(std::size_t output, DType dtype, Shape shape, Elements elements) override {
    outputs_[output] = compiler_.elements_place(dtype, std::move(shape),
                                                SmallVector<scalar::Slot, 1>(elements.begin(), elements.end()));
  }

 protected:
  ScalarCompiler& compiler_;
  const Places& inputs_;

 private:
  Places outputs_;
};

}  // namespace tracefn
