// Functions of base/files.h and base/crc32c.h for Python. Paths are bytes, since they need not be UTF-8.
#include "bind/files.h"

#include <unistd.h>

#include "base/crc32c.h"
#include "base/files.h"
#include "bind/function_table.h"
#include "bind/py_list.h"
#include "wire/bundle/bundle_reader.h"
#include "wire/bundle/older_reader.h"

namespace tracefn::bind {
namespace {

PyObject* bytes_of(std::string_view text) {
  return owned(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))).release();
}

PyObject* fail_errno(BytesView path, int error) { fail_with_errno(std::string(path.content), error); }

PyObject* path_of(BytesView path) { return bytes_of(local_path(std::string(path.content))); }

void make_directories(BytesView path) { make_local_directories(std::string(path.content)); }

std::uint32_t masked_crc(BytesView bytes) { return masked_crc32c(bytes.content); }

PyObject* matching(BytesView pattern) {
  PyRef list = owned(PyList_New(0));
  for (const std::string& path : matching_local_files(std::string(pattern.content)))
    checked(PyList_Append(list.get(), PyRef::steal(bytes_of(path)).get()));
  return list.release();
}

// The index of a checkpoint without the slices of tensors: a list of (name, number of the dtype, dimensions, slices).
// Without a file of the index, of a checkpoint in the format that came before.
PyObject* entries_of_checkpoint(BytesView path) {
  const std::string prefix(path.content);
  const bool has_index = ::access(local_path(bundle_index_path(prefix)).c_str(), F_OK) == 0;
  const auto entries = has_index ? read_bundle_index(prefix).entries : older_entries(prefix);
  PyRef list = owned(PyList_New(0));
  for (const auto& [key, entry] : entries) {
    if (key.starts_with('\0')) continue;
    PyRef dims = owned(PyTuple_New(static_cast<Py_ssize_t>(entry.shape.dims().size())));
    for (std::size_t i = 0; i < entry.shape.dims().size(); ++i)
      PyTuple_SET_ITEM(dims.get(), static_cast<Py_ssize_t>(i),
                       owned(PyLong_FromLongLong(entry.shape.dims()[i])).release());
    const PyRef name = PyRef::steal(bytes_of(key));
    const PyRef item = owned(Py_BuildValue("(OKOn)", name.get(), static_cast<unsigned long long>(entry.dtype),
                                           dims.get(), static_cast<Py_ssize_t>(entry.slices.size())));
    checked(PyList_Append(list.get(), item.get()));
  }
  return list.release();
}

void write_whole(BytesView path, BytesView contents) { write_local_file(std::string(path.content), contents.content); }

}  // namespace

void init_files(PyObject* module) {
  static PyMethodDef functions[] = {
      function<fail_errno>("fail_with_errno", "path, error", "Raises the class of tf.errors for an errno."),
      function<path_of>("local_path", "path", "A path without the scheme \"file\"; UnimplementedError for others."),
      function<make_directories>("make_local_directories", "path", "Makes a directory and those above it."),
      function<masked_crc>("masked_crc32c", "data", "The checksum that TensorFlow's files hold."),
      function<matching>("matching_local_files", "pattern", "The paths that match a pattern, sorted."),
      function<entries_of_checkpoint>("checkpoint_entries", "prefix",
                                      "What a checkpoint holds: (name, number of the dtype, dimensions, slices)."),
      function<write_whole>("write_local_file", "path, contents", "Writes a file, whole or not at all."),
      {}};
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace tracefn::bind
