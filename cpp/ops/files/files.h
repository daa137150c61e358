// The families of ops on files and on what is in them, one per source file.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

class Registry;
class KernelContext;
class Tensor;

void register_whole_files(Registry& r);
void register_checkpoints(Registry& r);
void register_decode_raw(Registry& r);
void register_decode_csv(Registry& r);
void register_base64(Registry& r);
void register_decode_compressed(Registry& r);
void register_serialized_tensors(Registry& r);
void register_decode_json_example(Registry& r);
void register_parse_example(Registry& r);
void register_parse_sequence_example(Registry& r);
void register_parse_examples_v1(Registry& r);
void register_immutable_const(Registry& r);
void register_decode_proto(Registry& r);
void register_encode_proto(Registry& r);

// Base64 in one of its two alphabets: with + and /, or with - and _, which URLs take.
std::string base64_text(std::string_view bytes, bool for_urls, bool pad);
std::string base64_bytes(std::string_view text);

// Sets output 0 to f of each string of input 0, which has the same shape.
void map_strings(KernelContext& c, std::string (*f)(const KernelContext&, const std::string&));

}  // namespace tracefn
