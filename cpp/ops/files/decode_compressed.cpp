// DecodeCompressed: data compressed by zlib. The host language has zlib, so that nothing is linked for it.
#include "ops/files/files.h"
#include "ops/image/image_codecs.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void check_compression(const KernelContext& c) {
  const std::string& type = c.attr("compression_type").s();
  if (type == "ZSTD")
    fail(ErrorKind::kUnimplemented, "DecodeCompressed: the compression ZSTD is not supported; ZLIB and GZIP are.");
  if (!type.empty() && type != "ZLIB" && type != "GZIP")
    invalid_argument("Only ZLIB, ZSTD, GZIP or NONE are supported compressions");
}

void decode_compressed(KernelContext& c) {
  map_strings(c, [](const KernelContext& k, const std::string& data) {
    const std::string& type = k.attr("compression_type").s();
    return type.empty() ? data : image_codecs().decompress(type, data);
  });
}

}  // namespace

void register_decode_compressed(Registry& r) {
  r.add({.name = "DecodeCompressed",
         .python = "io.decode_compressed(bytes, compression_type)",
         .aliases = {"compat.v1.decode_compressed"},
         .inputs = {"bytes: string"},
         .outputs = {"output: string"},
         .attrs = {"compression_type: string = ''"},
         .doc =
             "Strings, decompressed.\n\n`compression_type` is 'ZLIB', 'GZIP', or '' for data that are not compressed. "
             "Data that are cut off give as much as there is. Raises DataLossError if they are damaged.",
         .infer = infer::same_as_first,
         .check = check_compression,
         .kernel = decode_compressed,
         .grad = without_gradient});
}

}  // namespace tracefn
