// TensorProto and TensorShapeProto from bytes.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "tensor/stored_types.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

// Numbers of unsupported types, with their TensorFlow names.
constexpr struct {
  int number;
  const char* name;
} kOtherTypes[] = {
    {0, "DT_INVALID"},
    {31, "DT_INT2"},
    {32, "DT_UINT2"},
    {26, "DT_FLOAT8_E4M3FNUZ"},
    {27, "DT_FLOAT8_E4M3B11FNUZ"},
    {28, "DT_FLOAT8_E5M2FNUZ"},
    {33, "DT_FLOAT4_E2M1FN"},
};

// The numbers of a repeated field, packed or not, until `put` has enough.
template <typename T, typename Put>
void each_number(WireReader proto, std::uint32_t number, Put put) {
  constexpr bool kVarint = std::is_same_v<T, std::uint64_t>;
  const std::uint32_t single = kVarint                    ? varint_field(number)
                               : std::is_same_v<T, float> ? fixed32_field(number)
                                                          : fixed64_field(number);
  while (proto.next()) {
    T value{};
    if (proto.key() == single) {
      if constexpr (kVarint) {
        value = proto.number();
      } else if constexpr (std::is_same_v<T, float>) {
        value = proto.real32();
      } else {
        value = proto.real64();
      }
      if (!put(value)) return;
    } else if (proto.key() == delimited_field(number)) {
      WireReader packed = proto.message();
      if constexpr (kVarint) {
        while (packed.next_varint(value))
          if (!put(value)) return;
      } else {
        while (packed.next_fixed(value))
          if (!put(value)) return;
      }
    }
  }
}

// Elements from the field of their type: missing ones repeat the last, or are zero if there is none.
template <typename T>
class Elements {
 public:
  explicit Elements(Tensor& t) : next_(t.mutable_data<T>()), end_(next_ + t.num_elements()) {}
  bool put(T value) {
    if (next_ == end_) return false;
    *next_++ = std::move(value);
    any_ = true;
    return true;
  }
  void repeat_last() {
    if (next_ == end_) return;
    const T last = any_ ? next_[-1] : T();
    std::fill(next_, end_, last);
  }

 private:
  T* next_;
  T* end_;
  bool any_ = false;
};

template <typename T, typename Number, typename Convert>
void read_elements(WireReader proto, std::uint32_t field, Tensor& t, Convert convert) {
  Elements<T> elements(t);
  each_number<Number>(proto, field, [&](Number v) { return elements.put(convert(v)); });
  elements.repeat_last();
}

template <typename T>
void read_integers(WireReader proto, std::uint32_t field, Tensor& t) {
  read_elements<T, std::uint64_t>(proto, field, t, [](std::uint64_t v) { return static_cast<T>(v); });
}

template <typename T>
void read_halves(WireReader proto, Tensor& t) {
  read_elements<T, std::uint64_t>(proto, 13, t, [](std::uint64_t v) {
    T value;
    value.bits = static_cast<std::uint16_t>(v);
    return value;
  });
}

template <typename T>
void read_reals(WireReader proto, std::uint32_t field, Tensor& t) {
  read_elements<T, T>(proto, field, t, [](T v) { return v; });
}

template <typename T>
void read_complex(WireReader proto, std::uint32_t field, Tensor& t) {
  Elements<std::complex<T>> elements(t);
  T real{};
  bool imaginary = false;
  each_number<T>(proto, field, [&](T v) {
    imaginary = !imaginary;
    if (imaginary) {
      real = v;
      return true;
    }
    return elements.put({real, v});
  });
  elements.repeat_last();
}

void read_strings(WireReader proto, Tensor& t) {
  Elements<std::string> elements(t);
  while (proto.next())
    if (proto.key() == delimited_field(8) && !elements.put(std::string(proto.bytes()))) break;
  elements.repeat_last();
}

// One byte for each element.
void read_float8(WireReader proto, Tensor& t) {
  auto *next = static_cast<char*>(t.mutable_raw()), *end = next + t.num_elements();
  char last = 0;
  while (proto.next()) {
    if (proto.key() != delimited_field(18)) continue;
    for (char byte : proto.bytes())
      if (next != end) *next++ = last = byte;
  }
  std::fill(next, end, last);
}

void read_values(WireReader proto, Tensor& t) {
  if (is_float8(t.dtype())) return read_float8(proto, t);
  if (is_stored_only(t.dtype())) {
    Tensor numbers(number_dtype(t.dtype()), t.shape());
    read_values(proto, numbers);
    t = stored_as(numbers, t.dtype());
    return;
  }
  switch (t.dtype()) {
    case DType::kHalf:
      return read_halves<Half>(proto, t);
    case DType::kBFloat16:
      return read_halves<BFloat16>(proto, t);
    case DType::kFloat:
      return read_reals<float>(proto, 5, t);
    case DType::kDouble:
      return read_reals<double>(proto, 6, t);
    case DType::kInt8:
      return read_integers<std::int8_t>(proto, 7, t);
    case DType::kInt16:
      return read_integers<std::int16_t>(proto, 7, t);
    case DType::kInt32:
      return read_integers<std::int32_t>(proto, 7, t);
    case DType::kUInt8:
      return read_integers<std::uint8_t>(proto, 7, t);
    case DType::kUInt16:
      return read_integers<std::uint16_t>(proto, 7, t);
    case DType::kString:
      return read_strings(proto, t);
    case DType::kComplex64:
      return read_complex<float>(proto, 9, t);
    case DType::kInt64:
      return read_integers<std::int64_t>(proto, 10, t);
    case DType::kBool:
      return read_elements<bool, std::uint64_t>(proto, 11, t, [](std::uint64_t v) { return v != 0; });
    case DType::kComplex128:
      return read_complex<double>(proto, 12, t);
    case DType::kUInt32:
      return read_integers<std::uint32_t>(proto, 16, t);
    case DType::kUInt64:
      return read_integers<std::uint64_t>(proto, 17, t);
    default:
      invalid_argument("a constant of type ", enum_name(t.dtype()), " is not supported");
  }
}

void read_content(std::string_view content, Tensor& t) {
  if (!is_plain(t.dtype())) invalid_argument("a tensor of type ", enum_name(t.dtype()), " has no tensor_content");
  if (content.size() != t.bytes())
    invalid_argument("tensor_content has ", content.size(), " bytes where ", t.shape().text(), " of ",
                     enum_name(t.dtype()), " has ", t.bytes());
  if (t.dtype() == DType::kBool &&
      std::any_of(content.begin(), content.end(), [](char c) { return static_cast<unsigned char>(c) > 1; }))
    invalid_argument("tensor_content has a byte that is no bool");
  std::memcpy(t.mutable_raw(), content.data(), content.size());
}

}  // namespace

DType read_dtype(std::uint64_t number) {
  if (number < kDTypeSlots && is_dtype(static_cast<int>(number))) return static_cast<DType>(number);
  for (const auto& [known, label] : kOtherTypes)
    if (static_cast<std::uint64_t>(known) == number) invalid_argument("the type ", label, " is not supported");
  if (number > 100 && number < 100 + kDTypeSlots && is_dtype(static_cast<int>(number - 100)))
    invalid_argument("the type ", enum_name(static_cast<DType>(number - 100)), "_REF is not supported");
  invalid_argument(number, " is the number of no type");
}

Shape read_shape(WireReader proto) {
  Dims dims;
  bool unknown = false;
  while (proto.next()) {
    if (proto.key() == varint_field(3)) {
      unknown = proto.number() != 0;
    } else if (proto.key() == delimited_field(2)) {
      std::int64_t size = 0;
      for (WireReader dim = proto.message(); dim.next();)
        if (dim.key() == varint_field(1)) size = dim.integer();
      dims.push_back(size);
    }
  }
  if (unknown) return Shape::unknown();
  for (std::int64_t d : dims)
    if (d < kUnknownDim) invalid_argument("a shape has the dimension ", d);
  if (dims.size() > static_cast<std::size_t>(kMaxRank)) invalid_argument("a shape has ", dims.size(), " dimensions");
  std::int64_t n = 1;
  for (std::int64_t d : dims)
    if (d > 0 && __builtin_mul_overflow(n, d, &n))
      invalid_argument("Shape ", Shape(dims).text(), " is too large (more than 2**63 - 1 entries)");
  return Shape(std::move(dims));
}

Tensor read_tensor(WireReader proto, std::size_t& repeated_left) {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::string_view content;
  std::size_t bytes = 0;
  for (WireReader field = proto; field.next();) {
    if (field.key() == varint_field(1)) {
      dtype = read_dtype(field.number());
    } else if (field.key() == delimited_field(2)) {
      shape = read_shape(field.message());
      continue;
    } else if (field.key() == delimited_field(4)) {
      content = field.bytes();
    }
    bytes += (field.key() & 7) == 2 ? field.bytes().size() : 8;
  }
  if (dtype == DType::kInvalid) invalid_argument("a tensor has no type");
  if (!shape.has_rank()) shape = Shape();  // as TensorFlow interprets it
  if (!shape.is_fully_known()) invalid_argument("Shape ", shape.text(), " is not fully defined");
  // The largest element per byte: an int64 as a one-byte varint, an empty string.
  std::int64_t needed = 0;
  if (__builtin_mul_overflow(shape.num_elements(), static_cast<std::int64_t>(size_of(dtype)), &needed))
    invalid_argument("Shape ", shape.text(), " is too large");
  const std::size_t given = std::max(sizeof(std::string), std::size_t{8}) * bytes;
  if (const auto size = static_cast<std::size_t>(needed); size > given) {
    if (!content.empty()) invalid_argument("tensor_content has ", content.size(), " bytes, which is too few");
    if (size - given > repeated_left)
      invalid_argument("a tensor of shape ", shape.text(), " is given by ", bytes,
                       " bytes; all tensors together may be larger than what is given by ", kMostRepeatedBytes >> 20,
                       " MiB");
    repeated_left -= size - given;
  }
  Tensor t(dtype, shape);
  if (!content.empty()) {
    read_content(content, t);
  } else {
    read_values(proto, t);
  }
  return t;
}

}  // namespace tracefn
