// Calls functions of tracefn._image_codecs.
#include "bind/image_codecs.h"

#include <Python.h>

#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/py_ref.h"

namespace tracefn::bind {
namespace {

PyRef bytes_object(std::string_view data) {
  return owned(PyBytes_FromStringAndSize(data.data(), static_cast<Py_ssize_t>(data.size())));
}

std::string text_of(const PyRef& bytes) {
  char* data;
  Py_ssize_t size;
  checked(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
  return {data, static_cast<std::size_t>(size)};
}

// Precondition for all calls: the lock is held. An ImportError is raised as it is.
template <typename... Args>
PyRef call_codec(const char* function, const char* format, Args... args) {
  PyRef module = owned(PyImport_ImportModule("tracefn._image_codecs"));
  return owned(PyObject_CallMethod(module.get(), function, format, args...));
}

// From None, or a tuple (frames, height, width, channels, pixels).
std::optional<Picture> picture_of(const PyRef& result) {
  if (result.get() == Py_None) return std::nullopt;
  long long frames, height, width, channels;
  PyObject* pixels;
  if (!PyArg_ParseTuple(result.get(), "LLLLO", &frames, &height, &width, &channels, &pixels)) throw_python_error();
  Picture picture{.frames = frames,
                  .height = height,
                  .width = width,
                  .channels = channels,
                  .pixels = text_of(PyRef::borrow(pixels))};
  if (static_cast<std::int64_t>(picture.pixels.size()) != frames * height * width * channels)
    fail(ErrorKind::kInternal, "A reader of images returned ", picture.pixels.size(), " bytes.");
  return picture;
}

class PythonImageCodecs final : public ImageCodecs {
 public:
  std::optional<std::string> inflate(std::string_view zlib, std::size_t most) override {
    const EnsuredGil gil;
    PyRef result = call_codec("inflate", "On", bytes_object(zlib).get(), static_cast<Py_ssize_t>(most));
    if (result.get() == Py_None) return std::nullopt;
    return text_of(result);
  }
  std::string deflate(std::string_view data, std::int64_t level) override {
    const EnsuredGil gil;
    return text_of(call_codec("deflate", "OL", bytes_object(data).get(), static_cast<long long>(level)));
  }
  std::string decompress(std::string_view format, std::string_view data) override {
    const EnsuredGil gil;
    PyRef result = call_codec("decompress", "sO", std::string(format).c_str(), bytes_object(data).get());
    if (PyBytes_Check(result.get())) return text_of(result);
    fail(ErrorKind::kDataLoss, "inflate() failed with error ", text_of(owned(PyUnicode_AsUTF8String(result.get()))));
  }
  std::string compress(std::string_view format, std::string_view data) override {
    const EnsuredGil gil;
    return text_of(call_codec("compress", "sO", std::string(format).c_str(), bytes_object(data).get()));
  }
  std::optional<Picture> read_jpeg(std::string_view file, const JpegOptions& options) override {
    const EnsuredGil gil;
    return picture_of(call_codec("read_jpeg", "OLLi", bytes_object(file).get(),
                                 static_cast<long long>(options.channels), static_cast<long long>(options.ratio),
                                 static_cast<int>(options.recover_truncated)));
  }
  std::optional<Picture> read(std::string_view format, std::string_view file, bool all_frames) override {
    const EnsuredGil gil;
    return picture_of(
        call_codec("read", "sOi", std::string(format).c_str(), bytes_object(file).get(), static_cast<int>(all_frames)));
  }
  std::string write_jpeg(const Picture& picture, const JpegFormat& f) override {
    const EnsuredGil gil;
    return text_of(call_codec(
        "write_jpeg", "O(LLL)LiiiiLLO", bytes_object(picture.pixels).get(), static_cast<long long>(picture.height),
        static_cast<long long>(picture.width), static_cast<long long>(picture.channels),
        static_cast<long long>(f.quality), static_cast<int>(f.progressive), static_cast<int>(f.optimize),
        static_cast<int>(f.chroma_downsampling), static_cast<int>(f.inches), static_cast<long long>(f.x_density),
        static_cast<long long>(f.y_density), bytes_object(f.xmp).get()));
  }
};

}  // namespace

ImageCodecs& python_image_codecs() {
  static auto* codecs = new PythonImageCodecs;  // never destroyed: threads may run until the process ends
  return *codecs;
}

}  // namespace tracefn::bind
