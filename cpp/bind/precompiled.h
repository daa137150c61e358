// Precompiled for the sources of the extension module that do not use pybind11 (see ../precompiled.h).
#pragma once

#include <Python.h>

#include "bind/errors.h"
#include "precompiled.h"
