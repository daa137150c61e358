// A dataset of elements that are in memory.
#pragma once

#include "data/dataset.h"

namespace tracefn::data {

// `kind` is the name of the dataset: a literal.
Ref<Dataset> dataset_of(std::string_view kind, ElementSpec spec, std::vector<Element> elements);
// The elements of a dataset that dataset_of() has made; null for another one.
std::shared_ptr<const std::vector<Element>> elements_of(const Dataset& dataset);
// Reads elements that others may read too.
std::unique_ptr<Iterator> iterator_of(std::shared_ptr<const std::vector<Element>> elements);

}  // namespace tracefn::data
