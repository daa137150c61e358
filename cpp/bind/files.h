// Files for Python's side of tf.io: errors, patterns, checksums.
#pragma once

#include <Python.h>

namespace tracefn::bind {

// Adds to the module: checkpoint_entries, fail_with_errno, local_path, make_local_directories, masked_crc32c,
// matching_local_files, write_local_file.
void init_files(PyObject* module);

}  // namespace tracefn::bind
