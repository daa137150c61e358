// PrintSink: the destination of tf.print's text. cpp/bind installs one that writes to Python's sys.stdout and
// sys.stderr, so that notebooks and redirections see it; otherwise the text goes to the process's own streams.
#pragma once

#include <string_view>

namespace tracefn {

class PrintSink {
 public:
  virtual ~PrintSink() = default;
  // `stream` is "stdout", "stderr", "log(info)", "log(warning)" or "log(error)". Called on the thread that runs the
  // graph, with no lock of the core held. May throw Error.
  virtual void write(std::string_view stream, std::string_view text) = 0;
};

// Installs `sink` (null: the process's streams) and returns the previous one. Not owned; it must outlive its use.
PrintSink* set_print_sink(PrintSink* sink);
// Writes through the sink; a stream "file://PATH" is appended to here. Error(kNotFound) if the file cannot be opened.
void print_to(std::string_view stream, std::string_view text);
// True for the streams that print_to accepts.
bool is_print_stream(std::string_view stream);

}  // namespace tracefn
