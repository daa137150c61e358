// Nests as loops that a reader knows.
#include "base/concat.h"
#include "exec/nest/array_nest.h"

namespace tracefn {
namespace {

using ValueText = scalar::ArrayWork::ValueText;
using Names = std::vector<std::string>;  // of the indices, by axis of the index space

std::string sum_of(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms) {
    const bool negative = term.starts_with("-") && !text.empty();
    text += concat(text.empty() ? "" : negative ? " - " : " + ", negative ? term.substr(1) : term);
  }
  return text.empty() ? "0" : text;
}

std::string scaled(std::int64_t factor, const std::string& text) {
  return factor == 1 ? text : factor == -1 ? "-" + text : concat(factor, " * ", text);
}

std::string text_of(const ArrayExpression& e, const Names& names, const ValueText& value_of) {
  const int rank = e.kind == ArrayExpression::kScalar ? 0 : e.shape.rank();
  const std::size_t missing = names.size() - static_cast<std::size_t>(rank);
  switch (e.kind) {
    case ArrayExpression::kScalar:
      return value_of(e.slot, e.dtype);
    case ArrayExpression::kElement: {
      std::vector<std::string> terms;
      if (e.offset != 0) terms.push_back(std::to_string(e.offset));
      for (const auto& [slot, factor] : e.moving) terms.push_back(scaled(factor, value_of(slot, DType::kInt64)));
      for (std::size_t d = 0; d < e.strides.size(); ++d)
        if (e.shape[static_cast<int>(d)] > 1 && e.strides[d] != 0)
          terms.push_back(scaled(e.strides[d], names[d + missing]));
      return concat("a", e.array, "[", sum_of(terms), "]");
    }
    case ArrayExpression::kNode: {
      std::string operands;
      for (const ArrayExpressionPtr& operand : e.operands)
        operands += concat(operands.empty() ? "" : ", ", text_of(*operand, names, value_of));
      return concat(e.node->op->name, "(", operands, ")");
    }
    case ArrayExpression::kPieces:
      break;
  }
  const std::size_t axis = static_cast<std::size_t>(e.axis) + missing;
  std::string text;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < e.operands.size(); start = e.ends[i], ++i) {
    Names inside = names;
    if (start > 0) inside[axis] = concat("(", names[axis], " - ", start, ")");
    const std::string where = i + 1 < e.operands.size() ? concat(names[axis], " < ", e.ends[i]) : "else";
    text += concat(text.empty() ? "" : "; ", where, ": ", text_of(*e.operands[i], inside, value_of));
  }
  return concat("{", text, "}");
}

}  // namespace

std::string ArrayNest::text(const ValueText& value_of) const {
  Names names;
  std::string loops = "for";
  for (int d = 0; d < shape_.rank(); ++d) {
    names.push_back(d < 6 ? std::string(1, static_cast<char>('i' + d)) : concat("i", d));
    loops += concat(d == 0 ? " " : ", ", names.back(), " < ", shape_[d]);
  }
  std::string text;
  for (const NestResult& r : results_) {
    const Dims strides = r.strides(shape_);
    std::vector<std::string> terms;
    if (r.at) terms.push_back(value_of(*r.at, DType::kInt64));
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (shape_[static_cast<int>(d)] > 1 && strides[d] > 0) terms.push_back(scaled(strides[d], names[d]));
    text += concat(text.empty() ? "" : "; ", "a", r.array, "[", sum_of(terms),
                   "] = ", text_of(*r.expression, names, value_of));
  }
  return concat(loops, ": ", text);
}

}  // namespace tracefn
