#include "exec/compile_mode.h"

#include <cstdlib>
#include <string_view>

namespace tracefn {
namespace {

CompileMode given_mode() {
  const char* given = std::getenv("TRACEFN_COMPILE");
  const std::string_view text = given ? given : "";
  return text == "off"      ? CompileMode::kOff
         : text == "always" ? CompileMode::kAlways
         : text == "verify" ? CompileMode::kVerify
                            : CompileMode::kAuto;
}

}  // namespace

CompileMode compile_mode() {
  static const CompileMode mode = given_mode();
  return mode;
}

}  // namespace tracefn
