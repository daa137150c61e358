// The array families, by name.
#include "ops/array/array_families.h"

#include "ops/families.h"

namespace tracefn {

void register_array_families(Registry& r) {
  register_creation(r);
  register_identity(r);
  register_shape_query(r);
  register_reshape(r);
  register_transpose(r);
  register_reduce(r);
  register_matmul(r);
  register_join(r);
  register_split(r);
  register_repeat(r);
  register_pad(r);
  register_space_blocks(r);
  register_reorder(r);
  register_slice(r);
  register_gather(r);
  register_scatter(r);
  register_segment(r);
  register_sparse_segment(r);
  register_partition(r);
  register_counts(r);
  register_sort(r);
  register_arg(r);
  register_unique(r);
  register_search(r);
  register_nth_element(r);
  register_bucketize(r);
  register_scan(r);
  register_linalg(r);
  register_diagonal(r);
  register_unravel(r);
  register_parallel_concat(r);
  register_nn(r);
  register_softmax(r);
  register_fake_quant(r);
  register_quantize_and_dequantize(r);
}

}  // namespace tracefn
