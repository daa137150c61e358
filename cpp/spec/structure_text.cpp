// One walk writes both: with numbered leaves, or with the leaves' own text.
#include "spec/structure_text.h"

#include <functional>

#include "base/error.h"
#include "spec/dict_type.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/record_type.h"
#include "spec/tensor_type.h"

namespace tracefn {
namespace {

using LeafText = std::function<std::string(const TraceType&)>;

bool is_structure(const TraceType& type) {
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
    case TypeKind::kAttrs:
    case TypeKind::kDataclass:
    case TypeKind::kCustomNest:
      return true;
    default:
      return false;
  }
}

class Writer {
 public:
  Writer(LeafText leaf, bool sort_dicts) : leaf_(std::move(leaf)), sort_dicts_(sort_dicts) {}

  std::string text(const TraceType& type) {
    switch (type.kind()) {
      case TypeKind::kList:
        return concat("[", joined(type), "]");
      case TypeKind::kTuple:
        return concat("(", joined(type), type.children().size() == 1 ? ",)" : ")");
      case TypeKind::kDict:
        return dict(static_cast<const DictType&>(type));
      case TypeKind::kNamedTuple:
      case TypeKind::kAttrs:
      case TypeKind::kDataclass:
        return record(static_cast<const RecordType&>(type));
      case TypeKind::kCustomNest:
        return concat(static_cast<const CustomNestType&>(type).class_name(), "(", joined(type), ")");
      default:
        return leaf_(type);
    }
  }

 private:
  std::string joined(const TraceType& type) {
    std::string out;
    for (const TraceTypePtr& child : type.children()) out += concat(out.empty() ? "" : ", ", text(*child));
    return out;
  }

  std::string record(const RecordType& type) {
    std::string out = type.class_name() + "(";
    for (std::size_t i = 0; i < type.fields().size(); ++i)
      out += concat(i ? ", " : "", type.fields()[i], "=", text(*type.children()[i]));
    return out + ")";
  }

  std::string dict(const DictType& type) {
    // Leaves are numbered by sorted key, regardless of display order.
    std::vector<std::string> values(type.children().size());
    for (std::size_t i : type.sorted()) values[i] = text(*type.children()[i]);
    bool ordered = type.class_name() == "OrderedDict";
    std::string out;
    for (std::size_t at = 0; at < values.size(); ++at) {
      std::size_t i = sort_dicts_ && !ordered ? type.sorted()[at] : at;
      out += at ? ", " : "";
      out += ordered ? concat("(", type.keys()[i]->repr(), ", ", values[i], ")")
                     : concat(type.keys()[i]->repr(), ": ", values[i]);
    }
    if (ordered) return out.empty() ? "OrderedDict()" : concat("OrderedDict([", out, "])");
    return concat("{", out, "}");
  }

  LeafText leaf_;
  bool sort_dicts_;
};

}  // namespace

std::string leaf_text(const TraceType& type) {
  switch (type.kind()) {
    case TypeKind::kTensor: {
      auto& tensor = static_cast<const TensorType&>(type);
      return concat(tensor.dtype(), " Tensor, shape=", tensor.shape().python_text());
    }
    case TypeKind::kLiteral:
      return static_cast<const LiteralType&>(type).value()->repr();
    case TypeKind::kObject:
      return static_cast<const ObjectType&>(type).object()->repr();
    default:
      return type.text();
  }
}

std::string structure_text(const TraceType& type, std::vector<std::string>& leaves) {
  if (!is_structure(type)) return leaf_text(type);
  auto number = [&](const TraceType& leaf) {
    leaves.push_back(leaf_text(leaf));
    return concat("<", leaves.size(), ">");
  };
  return Writer(number, /*sort_dicts=*/true).text(type);
}

std::string value_text(const TraceType& type) {
  if (type.kind() == TypeKind::kLiteral) return static_cast<const LiteralType&>(type).value()->str();
  return Writer(leaf_text, /*sort_dicts=*/false).text(type);
}

}  // namespace tracefn
