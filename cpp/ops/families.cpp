// The list of op families.
#include "ops/families.h"

#include "ops/array/array_families.h"
#include "ops/conv/conv_families.h"
#include "ops/image/image_families.h"
#include "ops/linalg/linalg_families.h"
#include "ops/nn/recurrent.h"
#include "ops/older/older_families.h"
#include "ops/pool/pool_families.h"
#include "ops/signal/signal_families.h"

namespace tracefn {

void register_window_families(Registry& r) {
  register_conv(r);
  register_depthwise(r);
  register_batch_norm(r);
  register_local_response(r);
  register_isotonic(r);
  register_ctc_loss(r);
  register_ctc_decoders(r);
  register_dilation(r);
  register_pool(r);
  register_pool_gradients(r);
  register_fractional_pool(r);
  register_gru_cell(r);
  register_lstm_cell(r);
  register_lstm_block(r);
}

void register_linalg_families(Registry& r) {
  register_factors(r);
  register_spectra(r);
  register_matrix_functions(r);
  register_least_squares(r);
  register_tridiagonal(r);
  register_banded(r);
  register_cross(r);
  register_einsum(r);
  register_tensor_diagonal(r);
  register_diagonal_versions(r);
}

void register_image_families(Registry& r) {
  register_resize(r);
  register_resize_nearest(r);
  register_scale_and_translate(r);
  register_crop_and_resize(r);
  register_image_patches(r);
  register_color(r);
  register_adjust(r);
  register_suppression(r);
  register_combined_suppression(r);
  register_draw_boxes(r);
  register_sample_box(r);
  register_projective_transform(r);
  register_glimpse(r);
  register_decoders(r);
  register_encoders(r);
}

void register_older_families(Registry& r) {
  register_rearranged(r);
  register_small_values(r);
  register_layout_changes(r);
  register_versions(r);
}

void register_signal_families(Registry& r) {
  register_fft(r);
  register_audio_files(r);
  register_audio_features(r);
}

void register_all(Registry& r) {
  register_elementwise_families(r);
  register_array_families(r);
  register_window_families(r);
  register_ragged_families(r);
  register_sparse_families(r);
  register_linalg_families(r);
  register_image_families(r);
  register_signal_families(r);
  register_effect_families(r);
  register_quantized_families(r);
  register_older_families(r);
  register_file_families(r);
  register_data_families(r);
}

}  // namespace tracefn
