// The families of files, by name, and what they share.
#include "ops/families.h"

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/kernel.h"

namespace tracefn {

void register_file_families(Registry& r) {
  register_whole_files(r);
  register_checkpoints(r);
  register_decode_raw(r);
  register_decode_csv(r);
  register_base64(r);
  register_decode_compressed(r);
  register_serialized_tensors(r);
  register_decode_json_example(r);
  register_parse_example(r);
  register_parse_sequence_example(r);
  register_parse_examples_v1(r);
  register_immutable_const(r);
  register_decode_proto(r);
  register_encode_proto(r);
}

void map_strings(KernelContext& c, std::string (*f)(const KernelContext&, const std::string&)) {
  auto* out = c.output(0).mutable_data<std::string>();
  PolledSteps polled(64);
  for (const std::string& element : c.input(0).span<std::string>()) {
    *out++ = f(c, element);
    polled.step();
  }
}

}  // namespace tracefn
