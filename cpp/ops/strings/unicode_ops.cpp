// Unicode: decoding, encoding, transcoding, scripts.
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/encodings.h"
#include "ops/strings/unicode/tables.h"

namespace tracefn {
namespace {

// What to do about bytes that are no characters.
struct OnErrors {
  bool strict = false, ignore = false, replace_controls = false;
  char32_t replacement = kReplacementCharacter;
};

OnErrors read_on_errors(const KernelContext& c, bool controls) {
  const std::string& errors = c.attr("errors").s();
  const std::int64_t replacement = c.attr("replacement_char").i();
  if (replacement < 0 || replacement > static_cast<std::int64_t>(kLastCodePoint))
    invalid_argument("replacement_char out of unicode codepoint range");
  return {errors == "strict", errors == "ignore", controls && c.attr("replace_control_characters").b(),
          static_cast<char32_t>(replacement)};
}

bool is_control(char32_t c) { return c <= 0x1f; }

Encoding input_encoding(const KernelContext& c) {
  const std::string& name = c.attr("input_encoding").s();
  std::optional<Encoding> encoding = encoding_named(name);
  if (!encoding) invalid_argument("Could not create converter for input encoding: ", name);
  return *encoding;
}

// The code points of each string, one after the other, and where each string begins.
struct Decoded {
  std::vector<std::int64_t> splits{0};
  std::vector<std::int32_t> values;
  std::vector<std::int64_t> starts;
};

Decoded decode_all(const KernelContext& c, bool with_starts) {
  const OnErrors on = read_on_errors(c, true);
  const Encoding encoding = input_encoding(c);
  Decoded out;
  PolledSteps polled(1024);
  for (const std::string& text : c.input(0).span<std::string>()) {
    TextDecoder decoder(encoding, text);
    while (!decoder.done()) {
      polled.step();
      const auto start = static_cast<std::int64_t>(decoder.at());
      DecodedCharacter found = decoder.next();
      if (!found.valid && on.strict) invalid_argument("Invalid formatting on input string");
      if (!found.valid || (on.replace_controls && is_control(found.value))) {
        if (on.ignore) continue;
        found.value = on.replacement;
      }
      out.values.push_back(static_cast<std::int32_t>(found.value));
      if (with_starts) out.starts.push_back(start);
    }
    out.splits.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

template <typename T, typename From>
Tensor as_vector(const std::vector<From>& values) {
  Tensor out(DTypeOf<T>::value, Shape({static_cast<std::int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), out.mutable_data<T>());
  return out;
}

void decode(KernelContext& c) {
  const bool with_starts = c.num_outputs() > 2;
  Decoded out = decode_all(c, with_starts);
  const bool narrow = c.attr("Tsplits").type() == DType::kInt32;
  if (narrow && out.splits.back() > INT32_MAX)
    invalid_argument("The number of characters, ", out.splits.back(), ", does not fit in 32 bits.");
  c.set_output(0, narrow ? as_vector<std::int32_t>(out.splits) : as_vector<std::int64_t>(out.splits));
  c.set_output(1, as_vector<std::int32_t>(out.values));
  if (with_starts) c.set_output(2, as_vector<std::int64_t>(out.starts));
}

void infer_decode(InferContext& c) {
  const Shape& in = c.shape(0);
  const std::int64_t n = in.is_fully_known() ? in.num_elements() : kUnknownDim;
  c.set_output(0, Shape({n == kUnknownDim ? n : n + 1}));
  for (std::size_t i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape({kUnknownDim}));
}

Encoding output_encoding(const KernelContext& c) { return *encoding_named(c.attr("output_encoding").s()); }

void transcode(KernelContext& c) {
  const OnErrors on = read_on_errors(c, true);
  const Encoding from = input_encoding(c), to = output_encoding(c);
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::string>();
  PolledSteps polled(1024);
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (TextDecoder decoder(from, in[i]); !decoder.done();) {
      polled.step();
      DecodedCharacter found = decoder.next();
      if (!found.valid || (on.replace_controls && is_control(found.value))) {
        if (on.strict) invalid_argument("Invalid formatting on input string");
        if (on.ignore) continue;
        found.value = on.replacement;
      }
      append_encoded(to, out[i], is_surrogate(found.value) ? kReplacementCharacter : found.value);
    }
  }
}

void infer_encode(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  const std::int64_t splits = dim_of(c.shape(1), 0);
  c.set_output(0, Shape({splits > 0 ? splits - 1 : splits == 0 ? 0 : kUnknownDim}));
}

void check_encode(const KernelContext& c) {
  const Tensor& values = c.input(0);
  const Tensor& splits = c.input(1);
  if (values.rank() != 1 || splits.rank() != 1)
    invalid_argument("Both the input_tensor and input_splits should be of rank 1. ");
  if (splits.num_elements() == 0)
    invalid_argument("Input_splits should contain elements, but given input_values has 0 elements");
  if (splits.int_at(0) != 0) invalid_argument("First value in input_splits must be zero.");
  if (splits.int_at(splits.num_elements() - 1) != values.num_elements())
    invalid_argument("Last value in input_splits must be equal to length of input_tensor.");
  for (std::int64_t i = 1; i < splits.num_elements(); ++i)
    if (splits.int_at(i) < splits.int_at(i - 1))
      invalid_argument("Values in input_splits must be equal or in ascending order.");
  read_on_errors(c, false);
}

void encode(KernelContext& c) {
  const OnErrors on = read_on_errors(c, false);
  const Encoding to = output_encoding(c);
  auto* out = c.output(0).mutable_data<std::string>();
  const auto* values = c.input(0).data<std::int32_t>();
  const Tensor& splits = c.input(1);
  PolledSteps polled(1024);
  for (std::int64_t i = 0; i + 1 < splits.num_elements(); ++i) {
    for (std::int64_t at = splits.int_at(i); at < splits.int_at(i + 1); ++at) {
      polled.step();
      auto value = static_cast<char32_t>(values[at]);
      if (!is_code_point(value)) {
        if (on.strict) invalid_argument("Code point is out of range for Unicode, or is a surrogate.");
        if (on.ignore) continue;
        value = on.replacement;
      }
      append_encoded(to, out[i], is_surrogate(value) ? kReplacementCharacter : value);
    }
  }
}

void script(KernelContext& c) {
  auto in = c.input(0).span<std::int32_t>();
  auto* out = c.output(0).mutable_data<std::int32_t>();
  c.parallel_for(static_cast<std::int64_t>(in.size()), 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto value = static_cast<char32_t>(in[static_cast<std::size_t>(i)]);
      out[i] = value > kLastCodePoint ? -1 : class_of(kScripts, value);
    }
  });
}

}  // namespace

void register_unicode(Registry& r) {
  OpRecord decoding{.name = "UnicodeDecode",
                    .inputs = {"input: string"},
                    .outputs = {"row_splits: Tsplits", "char_values: int32"},
                    .attrs = {"input_encoding: string", "errors: {'strict', 'replace', 'ignore'} = 'replace'",
                              "replacement_char: int = 65533", "replace_control_characters: bool = false",
                              "Tsplits: {int32, int64} = DT_INT64"},
                    .doc =
                        "The code points of the strings, one string after the other, and the ends of the strings "
                        "among them.",
                    .infer = infer_decode,
                    .kernel = decode,
                    .allocation = Allocation::kByValues,
                    .grad = not_differentiable};
  r.add(decoding);
  decoding.name = "UnicodeDecodeWithOffsets";
  decoding.outputs.push_back("char_to_byte_starts: int64");
  decoding.doc = "The results of UnicodeDecode, and the byte at which each character begins.";
  r.add(decoding);
  r.add({.name = "UnicodeEncode",
         .inputs = {"input_values: int32", "input_splits: Tsplits"},
         .outputs = {"output: string"},
         .attrs = {"errors: {'ignore', 'replace', 'strict'} = 'replace'",
                   "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}", "replacement_char: int = 65533",
                   "Tsplits: {int32, int64} = DT_INT64"},
         .doc = "Strings of the code points between consecutive splits.",
         .infer = infer_encode,
         .check = check_encode,
         .kernel = encode,
         .grad = not_differentiable});
  r.add({.name = "UnicodeTranscode",
         .python = "strings.unicode_transcode(input, input_encoding, output_encoding, errors, replacement_char, "
                   "replace_control_characters)",
         .inputs = {"input: string"},
         .outputs = {"output: string"},
         .attrs = {"input_encoding: string", "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
                   "errors: {'strict', 'replace', 'ignore'} = 'replace'", "replacement_char: int = 65533",
                   "replace_control_characters: bool = false"},
         .doc = "Each string in another encoding.\n\nInput encodings are UTF-8, UTF-16, UTF-32, US-ASCII, ISO-8859-1 "
                "and windows-1252. Bytes that are no characters become `replacement_char` if `errors` is \"replace\", "
                "nothing if it is \"ignore\", and an InvalidArgumentError if it is \"strict\".",
         .infer = infer::same_as_first,
         .kernel = transcode,
         .grad = not_differentiable});
  r.add({.name = "UnicodeScript",
         .python = "strings.unicode_script(input)",
         .inputs = {"input: int32"},
         .outputs = {"output: int32"},
         .doc = "The script of each code point, by ICU's number (UScriptCode); -1 for what is no code point.",
         .infer = infer::same_as_first,
         .kernel = script,
         .grad = not_differentiable});
}

}  // namespace tracefn
