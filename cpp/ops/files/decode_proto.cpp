// DecodeProtoV2: fields of serialized protocol buffer messages as tensors.
#include <algorithm>
#include <bit>

#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/files/proto_fields.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"
#include "wire/proto_text.h"
#include "wire/proto_tree.h"

namespace tracefn {
namespace {

// Writes values of one field to elements of one tensor.
class Column {
 public:
  Column(const ProtoField& field, Tensor& tensor) : field_(field), dtype_(tensor.dtype()) {
    switch (dtype_) {
      case DType::kString:
        texts_ = tensor.mutable_data<std::string>();
        std::fill_n(texts_, tensor.num_elements(), field.default_string);
        break;
      case DType::kBool:
        fill(tensor.mutable_data<bool>(), tensor.num_elements());
        break;
      case DType::kFloat:
        fill(tensor.mutable_data<float>(), tensor.num_elements());
        break;
      case DType::kDouble:
        fill(tensor.mutable_data<double>(), tensor.num_elements());
        break;
      case DType::kInt32:
        fill(tensor.mutable_data<std::int32_t>(), tensor.num_elements());
        break;
      case DType::kUInt32:
        fill(tensor.mutable_data<std::uint32_t>(), tensor.num_elements());
        break;
      case DType::kInt64:
        fill(tensor.mutable_data<std::int64_t>(), tensor.num_elements());
        break;
      default:
        fill(tensor.mutable_data<std::uint64_t>(), tensor.num_elements());
    }
  }

  void set(std::int64_t place, std::string_view bytes) { texts_[place] = bytes; }
  void set(std::int64_t place, std::uint64_t bits) {
    switch (dtype_) {
      case DType::kBool:
        return put<bool>(place, bits != 0);
      case DType::kFloat:
        return put<float>(place, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      case DType::kDouble:
        return put<double>(place, field_.type == ProtoType::kFloat
                                      ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
                                      : std::bit_cast<double>(bits));
      case DType::kInt32:
        return put<std::int32_t>(place, static_cast<std::int32_t>(bits));
      case DType::kUInt32:
        return put<std::uint32_t>(place, static_cast<std::uint32_t>(bits));
      case DType::kInt64:
        return put<std::int64_t>(place, static_cast<std::int64_t>(bits));
      default:
        return put<std::uint64_t>(place, bits);
    }
  }

 private:
  template <typename T>
  void fill(T* data, std::int64_t n) {
    data_ = data;
    if (n == 0) return;
    set(0, field_.default_bits);
    std::fill_n(data + 1, n - 1, data[0]);
  }
  template <typename T>
  void put(std::int64_t place, T value) {
    static_cast<T*>(data_)[place] = value;
  }

  const ProtoField& field_;
  DType dtype_;
  void* data_ = nullptr;
  std::string* texts_ = nullptr;
};

// A message again, as a parser of all of it writes it: from text, or with fields in order and parts merged.
std::string normalized(const ProtoMessage& type, const std::string& message, bool is_text) {
  ProtoTree tree(type);
  try {
    if (is_text) {
      merge_text(tree, message);
    } else {
      tree.merge(WireReader(message));
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    fail(ErrorKind::kDataLoss, "Unable to parse ", is_text ? "text" : "binary", " protobuf: ", e.message());
  }
  if (!tree.complete())
    fail(ErrorKind::kDataLoss, "Unable to parse ", is_text ? "text" : "binary",
         " protobuf: a required field is missing.");
  return tree.binary();
}

// Calls number(i, bits) or string(i, bytes) for each value of the i-th of `fields`.
template <typename Number, typename String>
void each_field(const std::string& message, const std::vector<const ProtoField*>& fields, Number number,
                String string) {
  try {
    for (WireReader reader(message); reader.next();)
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (fields[i]->number == reader.key() >> 3)
          each_value(
              reader, *fields[i], [&](std::uint64_t bits) { number(i, bits); },
              [&](std::string_view bytes) { string(i, bytes); });
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    fail(ErrorKind::kDataLoss, "CountFields: Failed to consume entire buffer: ", e.message());
  }
}

void decode_proto(KernelContext& c) {
  const std::vector<DType>& types = c.attr("output_types").types();
  if (c.attr("field_names").strings().size() != types.size())
    invalid_argument("field_names and output_types attributes must have the same length");
  const ProtoFields found = proto_fields(c, types, false);
  const std::string& format = c.attr("message_format").s();
  const bool is_text = format == "text";
  if (!is_text && format != "binary") invalid_argument("format must be one of binary or text, got: ", format);
  if (c.input(0).num_elements() == 0) invalid_argument("Bufs argument must contain at least one value");
  std::vector<std::string> rewritten;
  std::span<const std::string> messages = c.input(0).span<std::string>();
  PolledSteps polled(64);
  if (is_text || c.attr("sanitize").b()) {
    for (const std::string& message : messages) {
      rewritten.push_back(normalized(*found.message, message, is_text));
      polled.step();
    }
    messages = rewritten;
  }

  const auto width = static_cast<std::int64_t>(found.fields.size());
  Dims sizes_dims(c.input(0).shape().dims());
  sizes_dims.push_back(width);
  Tensor sizes = Tensor::zeros(DType::kInt32, Shape(sizes_dims));
  auto* counts = sizes.mutable_data<std::int32_t>();
  for (std::size_t m = 0; m < messages.size(); ++m) {
    auto count = [&](std::size_t i, auto) {
      std::int32_t& n = counts[static_cast<std::int64_t>(m) * width + static_cast<std::int64_t>(i)];
      n = found.fields[i]->repeated ? n + 1 : 1;
    };
    each_field(messages[m], found.fields, count, count);
    polled.step();
  }

  std::vector<Column> columns;
  std::vector<std::int64_t> most(found.fields.size(), 1);  // never empty
  for (std::size_t i = 0; i < found.fields.size(); ++i) {
    for (std::size_t m = 0; m < messages.size(); ++m)
      most[i] = std::max<std::int64_t>(most[i], counts[m * found.fields.size() + i]);
    Dims dims(c.input(0).shape().dims());
    dims.push_back(most[i]);
    columns.emplace_back(*found.fields[i], c.allocate_output(i + 1, types[i], Shape(dims)));
  }
  std::vector<std::int64_t> filled(found.fields.size());
  for (std::size_t m = 0; m < messages.size(); ++m) {
    std::fill(filled.begin(), filled.end(), 0);
    auto write = [&](std::size_t i, auto value) {
      const std::int64_t place = found.fields[i]->repeated ? filled[i]++ : 0;
      columns[i].set(static_cast<std::int64_t>(m) * most[i] + place, value);
    };
    each_field(messages[m], found.fields, write, write);
    polled.step();
  }
  c.set_output(0, std::move(sizes));
}

void infer_decode(InferContext& c) {
  const std::size_t fields = c.attr("output_types").types().size();
  if (c.attr("field_names").strings().size() != fields)
    invalid_argument("field_names and output_types attributes must have the same length");
  const Shape& batch = c.shape(0);
  if (!batch.has_rank()) return infer::unknown(c);
  auto with = [&](std::int64_t size) {
    Dims dims(batch.dims());
    dims.push_back(size);
    return Shape(dims);
  };
  c.set_output(0, with(static_cast<std::int64_t>(fields)));
  for (std::size_t i = 0; i < fields; ++i) c.set_output(i + 1, with(kUnknownDim));
}

}  // namespace

void register_decode_proto(Registry& r) {
  r.add({.name = "DecodeProtoV2",
         .python = "io.decode_proto(bytes, message_type, field_names, output_types, descriptor_source, message_format, "
                   "sanitize)",
         .inputs = {"bytes: string"},
         .outputs = {"sizes: int32", "values: output_types"},
         .attrs = {"message_type: string", "field_names: list(string)", "output_types: list(type) >= 0",
                   "descriptor_source: string = 'local://'", "message_format: string = 'binary'",
                   "sanitize: bool = false"},
         .doc =
             "Fields of serialized protocol buffer messages.\n\n`bytes` holds messages of the type `message_type`, in "
             "the wire format or, with `message_format` \"text\", as text. The results are `sizes`, int32 of shape "
             "`bytes.shape + [len(field_names)]`: how often each field is in each message; and for each field a "
             "tensor of shape `bytes.shape + [most]` with its values, padded with the field's default; `most` is at "
             "least 1. A message in "
             "a message is a string. `descriptor_source` is the name of a file that holds a FileDescriptorSet, or "
             "`bytes://` followed by one; without it, the types are tensorflow.Example and those in it. With "
             "`sanitize`, each message is first written anew: in the order of its fields, repeated parts merged. "
             "Raises InvalidArgumentError if there is no such type or field, or it has another dtype; DataLossError "
             "if the bytes are no message.",
         .infer = infer_decode,
         .kernel = decode_proto,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
