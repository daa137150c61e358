// ImmutableConst: a tensor whose elements are the bytes of a file.
#include <cstring>

#include "base/files.h"
#include "ops/files/files.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void check_region(const KernelContext& c) {
  const DType dtype = c.attr("dtype").type();
  const Shape& shape = c.attr("shape").shape();
  if (!is_plain(dtype))
    fail(ErrorKind::kUnimplemented, "Sorry, DT_", enum_name(dtype).substr(3),
         " is not currently supported for ImmutableConst");
  if (!shape.is_fully_known()) invalid_argument("The shape of ImmutableConst must be fully known, got ", shape.text());
}

void read(KernelContext& c) {
  Tensor& tensor = c.output(0);
  const std::string bytes = read_local_file(c.attr("memory_region_name").s());
  if (bytes.size() < tensor.bytes())
    fail(ErrorKind::kUnimplemented, "ImmutableConst needs ", tensor.bytes(), " bytes, but the file ",
         c.attr("memory_region_name").s(), " has ", bytes.size());
  std::memcpy(tensor.mutable_raw(), bytes.data(), tensor.bytes());
}

}  // namespace

void register_immutable_const(Registry& r) {
  r.add({.name = "ImmutableConst",
         .outputs = {"tensor: dtype"},
         .attrs = {"dtype: type", "shape: shape", "memory_region_name: string"},
         .doc = "A tensor whose elements are the first bytes of a file.",
         .infer = [](InferContext& c) { c.set_output(0, c.attr("shape").shape()); },
         .check = check_region,
         .kernel = read,
         .grad = without_gradient});
}

}  // namespace tracefn
