// Regular expressions: RegexFullMatch, RegexReplace, and the same with constant patterns.
#include <algorithm>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/regex/regex.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

void match_all(KernelContext& c, const Regex& regex) {
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<bool>();
  c.parallel_for(static_cast<std::int64_t>(in.size()), 1000, [&](std::int64_t begin, std::int64_t end) {
    const Regex::Borrowed scratch(regex);
    PolledSteps polled;
    for (std::int64_t i = begin; i < end; ++i, polled.step())
      out[i] = regex.full_match(in[static_cast<std::size_t>(i)], *scratch);
  });
}

// What a match is replaced by: text, in which \0 to \9 stand for groups.
class Rewrite {
 public:
  explicit Rewrite(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] != '\\') continue;
      if (is_digit(text[++i])) last_group_ = std::max(last_group_, text[i] - '0');
    }
  }
  int last_group() const { return last_group_; }

  // False if it ends early: at a backslash that no digit and no backslash follows, as in RE2.
  bool append_to(std::string& out, const Regex::Groups& groups) const {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '\\') {
        out += text_[i];
        continue;
      }
      const char next = ++i < text_.size() ? text_[i] : '\0';
      if (next == '\\') {
        out += '\\';
      } else if (is_digit(next)) {
        out += groups[static_cast<std::size_t>(next - '0')];
      } else {
        return false;
      }
    }
    return true;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view text_;
  int last_group_ = 0;
};

std::string replaced_once(const Regex& regex, const std::string& text, const Rewrite& rewrite,
                          Regex::Scratch& scratch) {
  Regex::Groups groups;
  if (!regex.search(text, 0, rewrite.last_group(), groups, scratch)) return text;
  const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
  std::string out = text.substr(0, begin);
  if (!rewrite.append_to(out, groups)) return text;
  return out.append(text, begin + groups[0].size());
}

// The bytes of the first character. A surrogate counts as one, as in RE2.
std::size_t step_size(std::string_view text) {
  const DecodedCharacter c = decode_utf8(text);
  auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
  const bool surrogate = text.size() >= 3 && text[0] == '\xed' && continues(1) && continues(2);
  return c.valid ? c.size : surrogate ? 3 : 1;
}

std::string replaced(const Regex& regex, const std::string& text, const Rewrite& rewrite, Regex::Scratch& scratch) {
  std::string out;
  Regex::Groups groups;
  std::size_t at = 0, last_end = std::string::npos;
  bool any = false;
  while (at <= text.size() && regex.search(text, at, rewrite.last_group(), groups, scratch)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    out.append(text, at, begin - at);
    // Nothing is not matched again where a match just ended: it goes on after the next character.
    if (begin == last_end && groups[0].empty()) {
      if (begin == text.size()) {
        at = begin + 1;
        break;
      }
      const std::size_t size = step_size(std::string_view(text).substr(begin));
      out.append(text, begin, size);
      at = begin + size;
      continue;
    }
    rewrite.append_to(out, groups);
    at = last_end = begin + groups[0].size();
    any = true;
  }
  if (!any) return text;
  if (at < text.size()) out.append(text, at);
  return out;
}

void replace_all(KernelContext& c, const Regex& regex, const std::string& rewrite_text) {
  const Rewrite rewrite(rewrite_text);
  const bool global = c.attr("replace_global").b();
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::string>();
  c.parallel_for(static_cast<std::int64_t>(in.size()), 1000, [&](std::int64_t begin, std::int64_t end) {
    const Regex::Borrowed scratch(regex);
    PolledSteps polled;
    for (std::int64_t i = begin; i < end; ++i, polled.step()) {
      const std::string& text = in[static_cast<std::size_t>(i)];
      // A rewrite that names a group that does not exist is not made.
      out[i] = rewrite.last_group() > regex.groups() ? text
               : global                              ? replaced(regex, text, rewrite, *scratch)
                                                     : replaced_once(regex, text, rewrite, *scratch);
    }
  });
}

void require_scalar(const KernelContext& c, std::size_t i, std::string_view what) {
  if (c.input(i).rank() != 0) invalid_argument(what, " must be scalar, but received ", c.input(i).shape().text());
}

void infer_with_scalars(InferContext& c) {
  for (std::size_t i = 1; i < c.num_inputs(); ++i) c.require_rank(i, 0);
  c.set_output(0, c.shape(0));
}

void check_pattern(const KernelContext& c) { require_scalar(c, 1, "Pattern"); }
void check_replacement(const KernelContext& c) {
  require_scalar(c, 1, "Pattern");
  require_scalar(c, 2, "Rewrite");
}

void full_match(KernelContext& c) { match_all(c, *compiled_regex(c.input(1).item<std::string>())); }
void static_full_match(KernelContext& c) { match_all(c, *compiled_regex(c.attr("pattern").s())); }
void replace(KernelContext& c) {
  replace_all(c, *compiled_regex(c.input(1).item<std::string>()), c.input(2).item<std::string>());
}
void static_replace(KernelContext& c) { replace_all(c, *compiled_regex(c.attr("pattern").s()), c.attr("rewrite").s()); }

}  // namespace

void register_regex(Registry& r) {
  r.add({.name = "RegexFullMatch",
         .inputs = {"input: string", "pattern: string"},
         .outputs = {"output: bool"},
         .doc = "Whether each whole string matches a regular expression.\n\nRaises InvalidArgumentError if the pattern "
                "is not valid.",
         .infer = infer_with_scalars,
         .check = check_pattern,
         .kernel = full_match,
         .grad = not_differentiable});
  r.add({.name = "StaticRegexFullMatch",
         .inputs = {"input: string"},
         .outputs = {"output: bool"},
         .attrs = {"pattern: string"},
         .doc = "Whether each whole string matches a regular expression.",
         .infer = infer::same_as_first,
         .kernel = static_full_match,
         .grad = not_differentiable});
  r.add({.name = "RegexReplace",
         .inputs = {"input: string", "pattern: string", "rewrite: string"},
         .outputs = {"output: string"},
         .attrs = {"replace_global: bool = true"},
         .doc = "Each string with the matches of a regular expression replaced, or the first match only. In `rewrite`, "
                "\\\\1 to \\\\9 stand for groups, \\\\0 for the match.",
         .infer = infer_with_scalars,
         .check = check_replacement,
         .kernel = replace,
         .grad = not_differentiable});
  r.add({.name = "StaticRegexReplace",
         .inputs = {"input: string"},
         .outputs = {"output: string"},
         .attrs = {"pattern: string", "rewrite: string", "replace_global: bool = true"},
         .doc = "Each string with the matches of a regular expression replaced, or the first match only.",
         .infer = infer::same_as_first,
         .kernel = static_replace,
         .grad = not_differentiable});
}

}  // namespace tracefn
