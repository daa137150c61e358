#include "exec/vector_code/lane.h"

namespace tracefn::vector_code {
namespace {

thread_local Program* current_program = nullptr;

}  // namespace

Recording::Recording(Program& program) { current_program = &program; }
Recording::~Recording() { current_program = nullptr; }
Program& Recording::current() { return *current_program; }

}  // namespace tracefn::vector_code
