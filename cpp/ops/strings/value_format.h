// Formats values as TensorFlow's runtime does: tf.print and StringFormat (format_tensor), assertion messages
// (summarize_value). Independent of the process's locale. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace tracefn {

// "[[1 2]\n [3 4]]"; at most `summarize` elements at each end of an axis, all if it is negative. Strings are quoted.
std::string format_tensor(const Tensor& t, std::int64_t summarize);
// "[1 2][3...]..."; the first `limit` elements, all if it is negative. Strings are not quoted.
std::string summarize_value(const Tensor& t, std::int64_t limit);

// The shorter of printf's %.6g and %.9g (%.15g and %.17g for double) that round-iterations.
std::string number_text(float value);
std::string number_text(double value);
// C's %f ('f'), %e ('e') or %g ('g') with `precision` digits.
std::string printf_text(double value, char style, int precision);
// Escapes backslashes, quotes and control characters as in C; keeps UTF-8.
std::string escaped(std::string_view text);

}  // namespace tracefn
