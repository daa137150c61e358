// FunctionType: parameters, captures and result of a Function or of one of its traces (tracing rules 8, 72, 82, 90).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/call_key.h"

namespace tracefn {

struct Capture {
  std::int64_t id;
  TraceTypePtr type;
};

// A parameter as inspect shows it: "y=<captured_default_value>", "y: T = <captured_default_value>", "*args".
std::string parameter_text(const Parameter& parameter);

// Immutable, shared by threads.
class FunctionType : public RefCounted {
 public:
  explicit FunctionType(std::vector<Parameter> parameters, std::vector<Capture> captures = {},
                        TraceTypePtr output = {});
  // The type of a trace made for `key`.
  FunctionType(const CallKey& key, std::vector<Capture> captures, TraceTypePtr output);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Capture>& captures() const { return captures_; }
  // Null if unknown (a Function's own type).
  const TraceTypePtr& output() const { return output_; }
  // Null if there is none of that name.
  const Parameter* find(std::string_view name) const;

  std::size_t hash() const;
  bool equals(const FunctionType& other) const;

  // "(x, y=<captured_default_value>, *args, z, **kwargs)", "(a: TensorSpec(...), b: Literal[2]) -> TensorSpec(...)".
  std::string text() const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Capture> captures_;
  TraceTypePtr output_;
};

using FunctionTypePtr = Ref<const FunctionType>;

}  // namespace tracefn
