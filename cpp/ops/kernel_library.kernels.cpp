// The one exported function of a kernel library: fills the table with what was compiled for its instruction set.
#include "ops/kernel_table.h"

extern "C" __attribute__((visibility("default"))) bool tracefn_fill_kernels(tracefn::KernelTable* table,
                                                                            unsigned long bytes) {
  if (bytes != sizeof(tracefn::KernelTable)) return false;
  tracefn::fill_elementwise(table->elementwise);
  tracefn::fill_array(table->array);
  tracefn::fill_gemm(table->gemm);
  tracefn::fill_decompositions(table->decompositions);
  tracefn::fill_depthwise(table->depthwise);
  tracefn::fill_pool(table->pool);
  tracefn::fill_normalization(table->normalization);
  tracefn::fill_softmax(table->softmax);
  tracefn::fill_random(table->random);
  tracefn::fill_optimizers(table->optimizers);
  tracefn::fill_image(table->image);
  tracefn::fill_fft(table->fft);
  tracefn::fill_copies(table->copies);
  tracefn::fill_search(table->search);
  return true;
}
