#include "jit/vector/lane.h"

namespace tracefn::vector_code {
namespace {

thread_local LaneProgram* current_program = nullptr;

}  // namespace

Recording::Recording(LaneProgram& program) { current_program = &program; }
Recording::~Recording() { current_program = nullptr; }
LaneProgram& Recording::current() { return *current_program; }

}  // namespace tracefn::vector_code
