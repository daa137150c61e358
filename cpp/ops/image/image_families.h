// The registration functions of image processing.
#pragma once

namespace tracefn {

class Registry;

void register_resize(Registry& r);
void register_resize_nearest(Registry& r);
void register_scale_and_translate(Registry& r);
void register_crop_and_resize(Registry& r);
void register_image_patches(Registry& r);
void register_color(Registry& r);
void register_adjust(Registry& r);
void register_suppression(Registry& r);
void register_combined_suppression(Registry& r);
void register_draw_boxes(Registry& r);
void register_sample_box(Registry& r);
void register_projective_transform(Registry& r);
void register_glimpse(Registry& r);
void register_decoders(Registry& r);
void register_encoders(Registry& r);

}  // namespace tracefn
