#include "base/error.h"

namespace tracefn {

void fail_parts(ErrorKind kind, std::initializer_list<TextPart> parts) { throw Error(kind, concat_parts(parts)); }

}  // namespace tracefn
