// What the elements of a dataset depend on besides the dataset: Variables, random numbers, the host language.
#pragma once

#include <string>

#include "data/dataset.h"

namespace tracefn::data {

// The first op in the functions of a dataset, or of those that it is made of, that reads or changes such state; empty
// if there is none. What is only written out, such as prints, does not count.
std::string op_with_external_state(const Dataset& dataset);

}  // namespace tracefn::data
