// The registration functions of the signal families, one per source file.
#pragma once

namespace tracefn {

class Registry;

void register_fft(Registry& r);
void register_audio_files(Registry& r);
void register_audio_features(Registry& r);

}  // namespace tracefn
