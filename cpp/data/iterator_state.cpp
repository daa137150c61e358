// Elements that were read ahead, and the errors in the place of some.
#include "data/iterator_state.h"

namespace tracefn::data {

void StateWriter::result(const Element& element, const std::exception_ptr& error) {
  flag(error != nullptr);
  if (!error) return this->element(element);
  ErrorKind kind = ErrorKind::kUnknown;
  std::string message, node_name;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    kind = e.kind();
    message = e.message();
    node_name = e.node_name();
  } catch (const std::exception& e) {
    message = e.what();
  }
  number(static_cast<std::int64_t>(kind));
  text(message);
  text(node_name);
}

std::exception_ptr StateReader::result(Element& element) {
  if (!flag()) {
    element = this->element();
    return nullptr;
  }
  const auto kind = static_cast<ErrorKind>(count(static_cast<std::int64_t>(ErrorKind::kKeyboardInterrupt)));
  if (kind < ErrorKind::kCancelled || (!is_status(kind) && kind < ErrorKind::kType)) fail_to_read();
  Error error(kind, text());
  error.set_node_name(text());
  return std::make_exception_ptr(std::move(error));
}

}  // namespace tracefn::data
