// Precompiled for the extension module (see ../precompiled.h). pybind11 is not in it: two sources include that.
#pragma once

#include <Python.h>

#include "../precompiled.h"
#include "bind/errors.h"
