// The families of ops with side effects, by name.
#pragma once

#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {

void register_control_flow(Registry& r);
void register_function_ops(Registry& r);
void register_places(Registry& r);
void register_variable(Registry& r);
void register_variable_scatter(Registry& r);
void register_variable_slice(Registry& r);
void register_optimizers(Registry& r);
void register_adagrad_da(Registry& r);
void register_optional(Registry& r);
void register_mutex(Registry& r);
void register_summary_writers(Registry& r);
void register_summaries(Registry& r);
void register_list(Registry& r);
void register_list_bulk(Registry& r);
void register_composite_variant(Registry& r);
void register_tensor_map(Registry& r);
void register_strings(Registry& r);
void register_string_format(Registry& r);
void register_hash_buckets(Registry& r);
void register_regex(Registry& r);
void register_unicode(Registry& r);
void register_split_strings(Registry& r);
void register_ngrams(Registry& r);
void register_segment_join(Registry& r);
void register_edit_distance(Registry& r);
void register_lookup(Registry& r);
void register_debug(Registry& r);
void register_host_call(Registry& r);
void register_random(Registry& r);
void register_stateless_random(Registry& r);
void register_shuffle(Registry& r);
void register_sobol(Registry& r);
void register_candidates(Registry& r);
void register_gamma(Registry& r);
void register_poisson(Registry& r);
void register_binomial(Registry& r);
void register_bounded_normal(Registry& r);
void register_generator_state(Registry& r);

}  // namespace tracefn
