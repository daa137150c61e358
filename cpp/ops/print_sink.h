// PrintSink: where tf.print's text goes. cpp/bind installs one that writes to Python's sys.stdout and sys.stderr, so
// that notebooks and redirections see it; without one the text goes to the process's own streams.
#pragma once

#include <string_view>

namespace tracefn {

class PrintSink {
 public:
  virtual ~PrintSink() = default;
  // `stream` is "stdout", "stderr", "log(info)", "log(warning)" or "log(error)". Called on the thread that runs the
  // graph, which holds no lock of the core. May throw Error.
  virtual void write(std::string_view stream, std::string_view text) = 0;
};

// Installs `sink` (null: the process's streams) and returns the one before. Not owned; it must outlive its use.
PrintSink* set_print_sink(PrintSink* sink);
// Writes through the sink; a stream "file://PATH" is appended to here. Error(kNotFound) when the file cannot be opened.
void print_to(std::string_view stream, std::string_view text);
// True for what print_to takes.
bool is_print_stream(std::string_view stream);

}  // namespace tracefn
