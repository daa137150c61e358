// What EncodeProto and DecodeProtoV2 share: their messages' schema, and the dtypes of fields.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "wire/proto_schema.h"

namespace tracefn {

class KernelContext;

// The fields that an op names, of the message that it names.
struct ProtoFields {
  std::shared_ptr<const ProtoSchema> schema;  // owns the rest
  const ProtoMessage* message = nullptr;
  std::vector<const ProtoField*> fields;

  // Their numbers in the order in which messages hold them.
  std::vector<std::size_t> by_number() const;
};

// By the attributes descriptor_source, message_type and field_names. Error(kInvalidArgument) if there is no such
// message or field, or its values cannot be of that one of `types`; with TensorFlow's words for the op that encodes, or
// the one that decodes. Precondition: there are as many types as names.
ProtoFields proto_fields(const KernelContext& c, std::span<const DType> types, bool encodes);

}  // namespace tracefn
