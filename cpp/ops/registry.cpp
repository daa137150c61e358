// Parses op records: the notation of inputs, outputs, attributes and public spellings.
#include "ops/registry.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/check.h"
#include "ir/attr_rules.h"
#include "ops/elementwise/functions.h"
#include "ops/families.h"
#include "ops/op_summary.h"

namespace tracefn {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  while (!trim(s).empty()) {
    std::size_t at = s.find(separator);
    parts.push_back(trim(s.substr(0, at)));
    if (at == std::string_view::npos) break;
    s.remove_prefix(at + 1);
  }
  return parts;
}

// Cuts `s` at the first `mark`; returns the part after it, or empty.
std::string_view cut(std::string_view& s, std::string_view mark) {
  std::size_t at = s.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(s.substr(at + mark.size()));
  s = trim(s.substr(0, at));
  return rest;
}

// Every spelling of a dtype. Records have some ten thousand of them, which are read at the start of each process.
const std::unordered_map<std::string_view, DType>& dtype_words() {
  static const auto* words = [] {
    auto* all = new std::unordered_map<std::string_view, DType>();
    for (int i = 1; i < kDTypeSlots; ++i) {
      if (!is_dtype(i)) continue;
      const DType d = static_cast<DType>(i);
      for (std::string_view word : {runtime_name(d), name(d), enum_name(d)}) all->emplace(word, d);
    }
    return all;
  }();
  return *words;
}

bool parse_dtype(std::string_view text, DType& out) {
  const auto found = dtype_words().find(text);
  if (found == dtype_words().end()) return false;
  out = found->second;
  return true;
}

std::int64_t parse_int(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TRACEFN_CHECK(error == std::errc() && end == text.data() + text.size());
  return value;
}

std::string unquote(std::string_view text) {
  TRACEFN_CHECK(text.size() >= 2 && (text.front() == '\'' || text.front() == '"'));
  return std::string(text.substr(1, text.size() - 2));
}

Attr parse_value(Attr::Kind kind, std::string_view text) {
  switch (kind) {
    case Attr::Kind::kInt:
      return parse_int(text);
    case Attr::Kind::kFloat:
      return std::stof(std::string(text));
    case Attr::Kind::kBool:
      return text == "true";
    case Attr::Kind::kString:
      return unquote(text);
    case Attr::Kind::kType: {
      DType d = DType::kInvalid;
      TRACEFN_CHECK(parse_dtype(text, d));
      return d;
    }
    case Attr::Kind::kTensor: {  // a vector of bytes
      TRACEFN_CHECK(text.starts_with('[') && text.ends_with(']'));
      const auto words = split(text.substr(1, text.size() - 2), ',');
      Tensor bytes(DType::kUInt8, Shape({static_cast<std::int64_t>(words.size())}));
      auto* to = bytes.mutable_data<std::uint8_t>();
      for (std::string_view word : words) *to++ = static_cast<std::uint8_t>(parse_int(word));
      return bytes;
    }
    case Attr::Kind::kShape:
      return text == "unknown" || text == "{ unknown_rank: true }" ? Shape::unknown() : Shape();
    default:
      break;
  }
  if (kind == Attr::Kind::kInts) {
    TRACEFN_CHECK(text.starts_with('[') && text.ends_with(']'));
    std::vector<std::int64_t> values;
    if (text != "[]")
      for (std::string_view word : split(text.substr(1, text.size() - 2), ',')) values.push_back(parse_int(word));
    return values;
  }
  if (kind == Attr::Kind::kFloats && text.starts_with('[') && text != "[]") {
    std::vector<float> values;
    for (std::string_view word : split(text.substr(1, text.size() - 2), ','))
      values.push_back(std::stof(std::string(word)));
    return values;
  }
  TRACEFN_CHECK(text == "[]");  // other lists have no other default in the ops recorded
  return empty_list(kind);
}

Attr::Kind parse_kind(std::string_view text) {
  const Attr::Kind kind = kind_of(text);
  if (kind != Attr::Kind::kNone) return kind;
  fail(ErrorKind::kInternal, "op record: unknown attribute type '", text, "'");
}

// "T: {half, float} = DT_FLOAT", "N: int >= 1", "mode: {'a', 'b'} = 'a'"
AttrDef parse_attr(std::string_view text) {
  AttrDef attr;
  std::string_view rest = text;
  std::string_view type = cut(rest, ":");
  attr.name = rest;
  bool list = false;
  if (type.starts_with("list({")) {
    list = true;
    type.remove_prefix(5);
    std::size_t close = type.find("})");
    TRACEFN_CHECK(close != std::string_view::npos);
    std::string_view tail = trim(type.substr(close + 2));
    if (tail.ends_with("= []")) {
      attr.default_value = std::vector<DType>();
      tail = trim(tail.substr(0, tail.size() - 4));
    }
    if (tail.starts_with(">=")) attr.minimum = parse_int(trim(tail.substr(2)));
    for (std::string_view word : split(type.substr(1, close - 1), ',')) {
      DType d = DType::kInvalid;
      TRACEFN_CHECK(parse_dtype(word, d));
      attr.allowed_types.push_back(d);
    }
    attr.kind = Attr::Kind::kTypes;
    return attr;
  }
  // "=" of a default, not of ">="
  std::string_view initial;
  for (std::size_t i = 1; i < type.size(); ++i) {
    if (type[i] == '=' && type[i - 1] != '>') {
      initial = trim(type.substr(i + 1));
      type = trim(type.substr(0, i));
      break;
    }
  }
  if (std::string_view minimum = cut(type, ">="); !minimum.empty()) attr.minimum = parse_int(minimum);
  if (type.starts_with("{")) {
    TRACEFN_CHECK(type.ends_with("}") && !list);
    attr.kind = Attr::Kind::kType;
    for (std::string_view word : split(type.substr(1, type.size() - 2), ',')) {
      if (word.front() == '\'') {
        attr.kind = Attr::Kind::kString;
        attr.allowed_strings.push_back(unquote(word));
      } else {
        DType d = DType::kInvalid;
        TRACEFN_CHECK(parse_dtype(word, d));
        attr.allowed_types.push_back(d);
      }
    }
  } else {
    attr.kind = parse_kind(type);
  }
  if (!initial.empty()) attr.default_value = parse_value(attr.kind, initial);
  return attr;
}

// "x: T", "values: N * T", "args: Tin", "handle: resource"
ArgDef parse_arg(std::string_view text, const std::vector<AttrDef>& attrs) {
  ArgDef arg;
  std::string_view rest = text;
  std::string_view type = cut(rest, ":");
  arg.name = rest;
  std::string_view number = type;
  if (std::string_view element = cut(number, "*"); !element.empty()) {
    arg.number_attr = number;
    type = element;
  }
  for (const AttrDef& attr : attrs) {
    if (attr.name != type) continue;
    (attr.kind == Attr::Kind::kTypes ? arg.type_list_attr : arg.type_attr) = type;
    return arg;
  }
  if (!parse_dtype(type, arg.type)) fail(ErrorKind::kInternal, "op record: unknown type in '", text, "'");
  return arg;
}

// "math.cumsum(x, axis=0, exclusive, reverse)"
void parse_python(std::string_view text, OpDef& def) {
  std::string_view path = text;
  std::string_view list = cut(path, "(");
  TRACEFN_CHECK(text.ends_with(")"));
  def.python_paths.emplace_back(path);
  for (std::string_view item : split(list.substr(0, list.size() - 1), ',')) {
    if (item.starts_with("name=")) {
      def.public_node_name = unquote(item.substr(5));
      continue;
    }
    PublicParameter p;
    std::string_view initial = cut(item, "=");
    std::string_view target = cut(item, ":");
    if (target.empty()) target = item;
    p.name = item;
    for (std::size_t i = 0; i < def.signature.inputs.size(); ++i)
      if (def.signature.inputs[i].name == target) p.input = static_cast<int>(i);
    p.attr = def.signature.attr_index(target);
    TRACEFN_CHECK((p.input >= 0) != (p.attr >= 0));
    if (!initial.empty()) {
      p.has_default = true;
      if (initial != "None")
        p.default_value = p.attr >= 0 ? parse_value(def.signature.attrs[static_cast<std::size_t>(p.attr)].kind, initial)
                                      : Attr(parse_int(initial));
    } else if (p.attr >= 0 && def.signature.attrs[static_cast<std::size_t>(p.attr)].default_value.has_value()) {
      p.has_default = true;
      p.default_value = def.signature.attrs[static_cast<std::size_t>(p.attr)].default_value;
    }
    def.parameters.push_back(std::move(p));
  }
}

// The dtypes of the last input; everything if no list restricts them.
DTypes accepted_dtypes(const OpSignature& signature) {
  const ArgDef& operand = signature.inputs.back();
  if (operand.type_attr.empty()) return DTypes::of(operand.type);
  DTypes accepted;
  for (DType d : signature.attrs[static_cast<std::size_t>(signature.attr_index(operand.type_attr))].allowed_types)
    accepted = accepted | DTypes::of(d);
  return accepted.empty() ? DTypes{~0u} : accepted;
}

}  // namespace

void not_differentiable(GradContext&) {}

void Registry::add(const OpRecord& record) {
  if (!record.infer || !(record.kernel || record.block) || !record.grad || by_name_.count(record.name))
    fail(ErrorKind::kInternal, "op record '", record.name, "' is incomplete or stands twice");
  TRACEFN_CHECK(!record.check || record.allocation == Allocation::kByShapeRule);
  auto def = std::make_unique<OpDef>();
  OpSignature& s = def->signature;
  s.name = record.name;
  s.stateful = record.stateful;
  s.commutative = record.commutative;
  for (std::string_view text : record.attrs) s.attrs.push_back(parse_attr(text));
  for (std::string_view text : record.inputs) s.inputs.push_back(parse_arg(text, s.attrs));
  for (std::string_view text : record.outputs) s.outputs.push_back(parse_arg(text, s.attrs));
  for (const AttrDef& attr : s.attrs)
    def->has_function_attr |= attr.kind == Attr::Kind::kFunc || attr.kind == Attr::Kind::kFuncs;
  def->infer = record.infer;
  def->check = record.check;
  def->kernel = record.kernel;
  def->allocation = record.allocation;
  def->block = record.block;
  if (record.block && record.block->arity != BlockArity::kCast) {
    const auto function = static_cast<std::size_t>(record.block->function);
    const DTypes accepted = accepted_dtypes(s), with_kernel = functions::kFacts[function].dtypes;
    if (!record.kernel && !((accepted | with_kernel) == (record.without_kernel | with_kernel)))
      fail(ErrorKind::kInternal, "op record '", record.name, "' accepts dtypes that its function has no kernels for");
    accepted_.resize(functions::kFacts.size());
    accepted_[function] = accepted_[function] | accepted;
  }
  def->grad = record.grad;
  s.kind = record.kind;
  def->facts = record.facts;
  for (std::string_view text : record.raw_names) {
    std::string_view renamed = cut(text, ":");
    TRACEFN_CHECK(!renamed.empty());
    def->raw_names.emplace_back(text, renamed);
  }
  def->keeps_state = record.keeps_state;
  def->doc = record.doc;
  if (!record.python.empty()) {
    parse_python(record.python, *def);
    for (std::string_view alias : record.aliases) def->python_paths.emplace_back(alias);
  }
  all_.push_back(def.get());
  by_name_.emplace(s.name, def.get());
  owned_.push_back(std::move(def));
}

void Registry::require_ops_of_functions() const {
  for (std::size_t i = 0; i < accepted_.size(); ++i) {
    const functions::Facts& function = functions::kFacts[i];
    if (function.is_op && !((accepted_[i] & function.dtypes) == function.dtypes))
      fail(ErrorKind::kInternal, "no op record accepts all dtypes of the elementwise function ", function.name);
  }
}

bool OpDef::opens_scope(std::string_view node) const {
  if (facts.scopes.empty()) return false;
  node = node.substr(node.rfind('/') + 1);
  std::size_t end = node.size();
  while (end > 0 && node[end - 1] >= '0' && node[end - 1] <= '9') --end;
  if (end > 0 && end < node.size() && node[end - 1] == '_') node = node.substr(0, end - 1);
  for (std::string_view rest = facts.scopes; !rest.empty();) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, space) == node) return true;
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return false;
}

std::string_view OpDef::raw_name(std::string_view declared) const {
  for (const auto& [name, renamed] : raw_names)
    if (name == declared) return renamed;
  return declared;
}

const OpDef* Registry::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const OpDef& Registry::at(std::string_view name) const {
  const OpDef* def = find(name);
  if (!def) fail(ErrorKind::kNotFound, "Op type not registered '", name, "' in tracefn.");
  return *def;
}

const Registry& Registry::get() {
  static const Registry* registry = [] {
    auto* r = new Registry();
    register_all(*r);
    r->require_ops_of_functions();
    return r;
  }();
  return *registry;
}

}  // namespace tracefn
