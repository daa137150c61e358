// The op families, in groups. They are called by name, because a linker silently drops self-registering object
// files from a static library.
#pragma once

namespace tracefn {
class Registry;

void register_elementwise_families(Registry& r);  // unary, binary, compare, select, cast
void register_array_families(Registry& r);        // creation, shape, reduce, slice, gather, matmul, linalg, nn
void register_window_families(Registry& r);       // convolutions, pooling, losses of sequences
void register_ragged_families(Registry& r);       // rows of different lengths
void register_sparse_families(Registry& r);       // sparse tensors and sets
void register_linalg_families(Registry& r);       // decompositions, banded matrices, older versions of diagonals
void register_image_families(Registry& r);        // resizing, colors, boxes, files of images
void register_signal_families(Registry& r);       // Fourier transforms, sound
void register_effect_families(Registry& r);       // control flow, variables, lists, strings, random, print, host calls
void register_quantized_families(Registry& r);    // quantized integers
void register_older_families(Registry& r);        // ops of older programs
void register_file_families(Registry& r);         // files, and the formats of what is in them

void register_data_families(Registry& r);  // datasets and iterators; cpp/data has them

// Calls all of the above.
void register_all(Registry& r);
}  // namespace tracefn
