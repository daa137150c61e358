// The process's streams, and files.
#include "ops/debug/print_sink.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "base/error.h"

namespace tracefn {
namespace {

constexpr std::string_view kFile = "file://";
std::atomic<PrintSink*> installed{nullptr};

void write_all(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

void append(const std::string& path, std::string_view text) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"), std::fclose);
  if (!file) fail(ErrorKind::kNotFound, path, "; ", std::strerror(errno));
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
    fail(ErrorKind::kUnknown, path, "; ", std::strerror(errno));
}

}  // namespace

PrintSink* set_print_sink(PrintSink* sink) { return installed.exchange(sink); }

bool is_print_stream(std::string_view stream) {
  return stream == "stdout" || stream == "stderr" || stream == "log(info)" || stream == "log(warning)" ||
         stream == "log(error)" || stream.starts_with(kFile);
}

void print_to(std::string_view stream, std::string_view text) {
  if (stream.starts_with(kFile)) {
    append(std::string(stream.substr(kFile.size())), text);
  } else if (PrintSink* sink = installed.load()) {
    sink->write(stream, text);
  } else {
    write_all(stream == "stdout" ? stdout : stderr, text);
  }
}

}  // namespace tracefn
