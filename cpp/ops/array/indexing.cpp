#include "ops/array/indexing.h"

#include "base/error.h"
#include "ops/build.h"
#include "ops/typed.h"

namespace tracefn {

std::string place_text(const Shape& shape, std::int64_t at) {
  std::string place;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place = concat(at % shape[i], place.empty() ? "" : ",", place);
    at /= shape[i];
  }
  return place.empty() ? place : "[" + place + "]";
}

void bad_index(const Tensor& indices, std::int64_t at, std::int64_t limit) {
  invalid_argument("indices", place_text(indices.shape(), at), " = ", index_at(indices, at), " is not in [0, ", limit,
                   ")");
}

std::string index_vector_text(const Tensor& indices, std::int64_t i) {
  Shape vectors;
  for (int k = 0; k + 1 < indices.rank(); ++k) vectors.push_back(indices.dim(k));
  std::int64_t depth = indices.dim(indices.rank() - 1);
  std::string text;
  for (std::int64_t k = 0; k < depth; ++k) text += concat(k ? ", " : "", index_at(indices, i * depth + k));
  return concat("indices", place_text(vectors, i), " = [", text, "]");
}

bool ignores_bad_indices(const std::string& policy) {
  if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE")
    invalid_argument("Unknown bad indices handling attribute: ", policy);
  return policy == "IGNORE";
}

std::optional<Operand> row_numbers(const Operand& indices) {
  const Shape& shape = indices.shape();
  if (!shape.has_rank() || shape.rank() != 2 || shape[1] != 1) return std::nullopt;
  return build::reshape(indices, build::ints({-1}));
}

}  // namespace tracefn
