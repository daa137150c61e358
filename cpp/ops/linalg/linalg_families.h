// The registration functions of the linear algebra families, one per source file.
#pragma once

namespace tracefn {

class Registry;

void register_factors(Registry& r);
void register_spectra(Registry& r);
void register_matrix_functions(Registry& r);
void register_least_squares(Registry& r);
void register_tridiagonal(Registry& r);
void register_banded(Registry& r);
void register_cross(Registry& r);
void register_einsum(Registry& r);
void register_tensor_diagonal(Registry& r);
void register_diagonal_versions(Registry& r);

}  // namespace tracefn
