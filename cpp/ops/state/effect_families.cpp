// The families of ops with side effects, by name.
#include "ops/families.h"
#include "ops/state/effect_records.h"

namespace tracefn {

void register_effect_families(Registry& r) {
  register_control_flow(r);
  register_function_ops(r);
  register_places(r);
  register_variable(r);
  register_variable_scatter(r);
  register_variable_slice(r);
  register_optimizers(r);
  register_adagrad_da(r);
  register_optional(r);
  register_mutex(r);
  register_summary_writers(r);
  register_summaries(r);
  register_list(r);
  register_list_bulk(r);
  register_composite_variant(r);
  register_tensor_map(r);
  register_strings(r);
  register_string_format(r);
  register_hash_buckets(r);
  register_regex(r);
  register_unicode(r);
  register_split_strings(r);
  register_ngrams(r);
  register_segment_join(r);
  register_edit_distance(r);
  register_lookup(r);
  register_debug(r);
  register_host_call(r);
  register_random(r);
  register_stateless_random(r);
  register_shuffle(r);
  register_sobol(r);
  register_candidates(r);
  register_gamma(r);
  register_poisson(r);
  register_binomial(r);
  register_bounded_normal(r);
  register_generator_state(r);
}

}  // namespace tracefn
