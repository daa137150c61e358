// Tensors as TensorProto in records.
#include "data/element_file.h"

#include "wire/tensor_proto.h"

namespace tracefn::data {
namespace {

class ElementFileIterator final : public Iterator {
 public:
  ElementFileIterator(const std::string& path, ElementSpec spec, std::string_view compression)
      : path_(path), spec_(std::move(spec)), file_(path, compression), records_(file_) {}

  bool next(Element& out) override {
    out.resize(spec_.dtypes.size());
    std::string record;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!records_.next(record)) {
        if (i == 0) return false;
        fail(ErrorKind::kDataLoss, path_, " is cut off in the middle of an element.");
      }
      std::size_t repeated_left = kMostRepeatedBytes;
      out[i] = read_tensor(WireReader(record), repeated_left);
    }
    check_element(spec_, out);
    ++number_;
    return true;
  }

  void save(StateWriter& state) override { state.number(number_); }
  void restore(StateReader& state) override {
    const std::int64_t n = state.count();
    if (skip(n) != n) StateReader::fail_to_read();
  }

 private:
  const std::string path_;
  const ElementSpec spec_;
  InputFile file_;
  RecordReader records_;
  std::int64_t number_ = 0;
};

}  // namespace

void ElementFileWriter::write(const Element& element) {
  for (const Tensor& t : element) {
    Message message;
    write_tensor_content(message, t);
    records_.write(message.binary());
  }
}

std::unique_ptr<Iterator> element_file_iterator(const std::string& path, ElementSpec spec,
                                                std::string_view compression) {
  return std::make_unique<ElementFileIterator>(path, std::move(spec), compression);
}

}  // namespace tracefn::data
