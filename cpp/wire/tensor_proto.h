// TensorProto, TensorShapeProto and the enum DataType, written and read. Bytes are not trusted: tensors given by one
// repeated value take memory up to a total limit, others in proportion to the bytes. Any thread may call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"
#include "wire/message.h"
#include "wire/wire_reader.h"

namespace tracefn {

// Tensors given by repeated values may exceed the file's size by this much in total.
inline constexpr std::size_t kMostRepeatedBytes = std::size_t{256} << 20;

// TensorProto. Error(kInvalidArgument) if its fields do not make a tensor. `repeated_left` counts down from
// kMostRepeatedBytes.
Tensor read_tensor(WireReader proto, std::size_t& repeated_left);
// TensorShapeProto. Error(kInvalidArgument) if it is not a shape.
Shape read_shape(WireReader proto);
// A number of the enum DataType. Error(kInvalidArgument) if the dtype is not supported.
DType read_dtype(std::uint64_t number);

// The fields of a TensorProto, a TensorShapeProto, and one of the enum DataType. A single element is a number in its
// own field, as in a constant of a graph. Error(kUnimplemented) for resources and variants.
void write_tensor(Message& to, const Tensor& tensor);
void write_shape(Message& to, const Shape& shape);
void write_dtype(Message& to, int number, const char* field, DType dtype);
// The same with the bytes of all elements, as SerializeTensor writes them.
void write_tensor_content(Message& to, const Tensor& tensor);

}  // namespace tracefn
