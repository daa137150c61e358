// Precompiled for the sources of the extension module that use pybind11 (see ../precompiled.h).
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bind/precompiled.h"
