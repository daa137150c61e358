// Profiles in the formats of TensorBoard and of Chrome.
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>

#include "base/concat.h"
#include "exec/profile.h"
#include "wire/message.h"

namespace tracefn::profile {
namespace {

constexpr std::string_view kBytes = "output_bytes";

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Names of events or of their details by numbers from 1 on.
class Names {
 public:
  std::int64_t number(const std::string& name) {
    return numbers_.emplace(name, static_cast<std::int64_t>(numbers_.size()) + 1).first->second;
  }
  // As entries of a map field of an XPlane, from numbers to messages.
  void write(Message& plane, int field, const char* what) const {
    for (const auto& [name, number] : numbers_) {
      Message& entry = plane.add_message(field, what);
      entry.add_int(1, "key", number);
      Message& metadata = entry.add_message(2, "value");
      metadata.add_int(1, "id", number);
      metadata.add_text(2, "name", name);
    }
  }

 private:
  std::map<std::string, std::int64_t> numbers_;
};

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
    out += escaped;
  }
  out += '"';
}

// Nanoseconds as microseconds.
std::string microseconds(std::int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                static_cast<int>(nanoseconds % 1000));
  return text;
}

}  // namespace

std::string xspace(const Recording& recording, const std::string& host) {
  constexpr std::int64_t kPicoseconds = 1000;
  Message space;
  Message& plane = space.add_message(1, "planes");
  plane.add_text(2, "name", "/host:CPU");
  Names events, details;
  auto add_detail = [&](Message& event, const std::string& name, const std::string& value) {
    Message& stat = event.add_message(4, "stats");
    stat.add_int(1, "metadata_id", details.number(name));
    if (const auto number = integer(value)) {
      stat.add_int(4, "int64_value", *number);
    } else {
      stat.add_text(5, "str_value", value);
    }
  };
  for (const Thread& thread : recording.threads) {
    Message& line = plane.add_message(3, "lines");
    line.add_int(1, "id", thread.id);
    line.add_text(2, "name", thread.name);
    line.add_int(3, "timestamp_ns", recording.began_at);
    line.add_int(9, "duration_ps", (recording.end - recording.begin) * kPicoseconds);
    for (const Event& e : thread.events) {
      Message& event = line.add_message(4, "events");
      event.add_int(1, "metadata_id", events.number(e.name));
      event.add_int(2, "offset_ps", (e.begin - recording.begin) * kPicoseconds);
      event.add_int(3, "duration_ps", (e.end - e.begin) * kPicoseconds);
      for (const auto& [name, value] : e.details) add_detail(event, name, value);
      if (e.bytes >= 0) add_detail(event, std::string(kBytes), concat(e.bytes));
    }
  }
  events.write(plane, 4, "event_metadata");
  details.write(plane, 5, "stat_metadata");
  if (recording.left_out > 0) space.add_text(3, "warnings", concat(recording.left_out, " events were left out."));
  space.add_text(4, "hostnames", host);
  return space.binary();
}

std::string chrome_trace(const Recording& recording) {
  constexpr std::string_view kProcess = "1";
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  out += concat("{\"ph\":\"M\",\"pid\":", kProcess, ",\"name\":\"process_name\",\"args\":{\"name\":\"/host:CPU\"}}");
  for (const Thread& thread : recording.threads) {
    const std::string place = concat("\"pid\":", kProcess, ",\"tid\":", thread.id);
    out += concat(",\n{\"ph\":\"M\",", place, ",\"name\":\"thread_name\",\"args\":{\"name\":");
    append_quoted(out, thread.name);
    out += "}}";
    for (const Event& e : thread.events) {
      out += concat(",\n{\"ph\":\"X\",", place, ",\"ts\":", microseconds(e.begin - recording.begin),
                    ",\"dur\":", microseconds(e.end - e.begin), ",\"name\":");
      append_quoted(out, e.name);
      out += ",\"args\":{";
      if (e.bytes >= 0) out += concat("\"", kBytes, "\":", e.bytes);
      for (std::size_t i = 0; i < e.details.size(); ++i) {
        if (i > 0 || e.bytes >= 0) out += ',';
        append_quoted(out, e.details[i].first);
        out += ':';
        append_quoted(out, e.details[i].second);
      }
      out += "}}";
    }
  }
  return out + "\n]}\n";
}

}  // namespace tracefn::profile
