// Makes states and transitions, and reads texts by them.
#include "ops/strings/regex/automaton.h"

#include <algorithm>
#include <utility>

#include "base/poll.h"

namespace tracefn {
namespace {

// Steps that searches from places without a match may take, per character: a match that is tried at each place may
// read the text again each time.
constexpr std::size_t kMostTries = 16;
// Where states are used less often than this before memory runs out, making them costs more than they save.
constexpr std::size_t kLeastUses = 10;
constexpr std::size_t kStepsBetweenPolls = 1 << 14;

}  // namespace

RegexAutomaton::RegexAutomaton(const Regex& regex, bool whole)
    : regex_(regex),
      whole_(whole),
      classes_(regex.partition_.classes()),
      row_(static_cast<std::size_t>(classes_) + 2),
      seen_(regex.program_.size(), 0) {
  // Of texts that nothing asserts about, all places look alike.
  auto side = [&](Beside b) { return regex.asserts_ ? b : Beside::kOther; };
  for (int i = 0; i < classes_; ++i) beside_.push_back(side(beside(regex.partition_.example(i))));
  beside_.push_back(Beside::kOther);
  beside_.push_back(side(Beside::kEnd));
  forget();
}

void RegexAutomaton::forget() {
  numbers_.clear();
  states_.assign(1, nullptr);
  table_.assign(row_, 0);  // of the dead state
  std::fill(std::begin(starts_), std::end(starts_), -1);
  bytes_ = 0;
  read_since_ = 0;
  ++generation_;
}

int RegexAutomaton::class_at(std::string_view text, std::size_t at, std::size_t& size) const {
  const DecodedCharacter c = character_at(text, at);
  size = c.size;
  return c.valid ? regex_.partition_.class_of(c.value) : invalid();
}

bool RegexAutomaton::takes(int instruction, int character) const {
  if (character >= classes_) return false;
  const char32_t example = regex_.partition_.example(character);
  const Regex::Instruction& i = regex_.program_[static_cast<std::size_t>(instruction)];
  using Kind = Regex::Instruction::Kind;
  return i.kind == Kind::kChar ? i.character == example : i.kind == Kind::kClass && i.set->contains(example);
}

void RegexAutomaton::follow(int first, std::vector<int>& to, Beside before, const Beside* after) {
  using Kind = Regex::Instruction::Kind;
  pending_.assign(1, first);
  while (!pending_.empty()) {
    const int at = pending_.back();
    pending_.pop_back();
    std::uint32_t& seen = seen_[static_cast<std::size_t>(at)];
    if (seen == round_) continue;
    seen = round_;
    const Regex::Instruction& i = regex_.program_[static_cast<std::size_t>(at)];
    switch (i.kind) {
      case Kind::kSplit:
        pending_.push_back(i.other);
        pending_.push_back(i.next);
        break;
      case Kind::kSave:
        pending_.push_back(i.next);
        break;
      case Kind::kAssert:
        if (!after) {
          to.push_back(at);
        } else if (holds(i.assertion, before, *after)) {
          pending_.push_back(i.next);
        }
        break;
      default:
        to.push_back(at);
    }
  }
}

std::int32_t RegexAutomaton::state_of(std::vector<int>& instructions, Beside before) {
  if (instructions.empty()) return kDead;
  using Kind = Regex::Instruction::Kind;
  if (whole_) std::sort(instructions.begin(), instructions.end());
  const bool asserts = std::any_of(instructions.begin(), instructions.end(), [&](int i) {
    return regex_.program_[static_cast<std::size_t>(i)].kind == Kind::kAssert;
  });
  // What is before matters to assertions only: it goes last, as a negative number.
  if (asserts) instructions.push_back(-1 - static_cast<int>(before));
  if (const auto found = numbers_.find(instructions); found != numbers_.end()) return found->second;
  const std::size_t bytes = instructions.size() * sizeof(int) + row_ * sizeof(Transition) + 100;
  if (bytes_ + bytes > kMostBytes) {
    given_up_ = read_since_ < kLeastUses * states_.size();
    forget();
  }
  bytes_ += bytes;
  const auto number = static_cast<std::int32_t>(table_.size());
  states_.push_back(&numbers_.emplace(instructions, number).first->first);
  table_.resize(table_.size() + row_, kUnknown);
  return number;
}

std::int32_t RegexAutomaton::start_after(Beside before) {
  if (!regex_.asserts_) before = Beside::kOther;
  const auto at = static_cast<std::size_t>(before);
  if (starts_[at] < 0) {
    ++round_;
    made_.clear();
    follow(regex_.start_, made_, before, nullptr);
    const std::int32_t state = state_of(made_, before);
    starts_[at] = state;
  }
  return starts_[at];
}

RegexAutomaton::Transition RegexAutomaton::make_transition(std::int32_t state, int character) {
  using Kind = Regex::Instruction::Kind;
  const std::vector<int>& instructions = *states_[static_cast<std::size_t>(state) / row_];
  const Beside after = beside_[static_cast<std::size_t>(character)];
  threads_.clear();
  if (instructions.back() < 0) {
    ++round_;
    const auto before = static_cast<Beside>(-1 - instructions.back());
    for (std::size_t i = 0; i + 1 < instructions.size(); ++i) follow(instructions[i], threads_, before, &after);
  } else {
    threads_ = instructions;
  }
  ++round_;
  made_.clear();
  bool matched = false;
  for (int thread : threads_) {
    const Regex::Instruction& i = regex_.program_[static_cast<std::size_t>(thread)];
    if (i.kind == Kind::kMatch) {
      matched = !whole_ || character == end();
      if (!whole_) break;  // the others come after it
    } else if (takes(thread, character)) {
      follow(i.next, made_, after, nullptr);
    }
  }
  const std::uint64_t generation = generation_;
  const Transition made = state_of(made_, after) * 2 + (matched ? 1 : 0);
  if (generation_ == generation) transition(state, character) = made;
  return made;
}

std::size_t RegexAutomaton::run(std::string_view text, std::size_t from, std::int32_t state, std::size_t& read) {
  std::size_t found = kNowhere, at = from, counted = from;
  PolledSteps polled(kStepsBetweenPolls);
  while (at < text.size() && state != kDead) {
    std::size_t size = 1;
    const auto first = static_cast<unsigned char>(text[at]);
    const int character = first < 128 ? regex_.partition_.class_of(first) : class_at(text, at, size);
    Transition t = transition(state, character);
    if (t == kUnknown) {
      read_since_ += at - std::exchange(counted, at);
      t = make_transition(state, character);
      if (given_up_) break;
    }
    if (t & 1) found = at;
    state = t >> 1;
    at += size;
    // The same for ASCII and transitions to living states, in registers.
    const Transition* table = table_.data();
    const std::size_t begin = at, limit = std::min(text.size(), at + kStepsBetweenPolls);
    for (; at < limit; ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 128) break;
      t = table[state + regex_.partition_.class_of(byte)];
      if (t <= 1) break;
      found = t & 1 ? at : found;
      state = t >> 1;
    }
    polled.step(static_cast<std::int64_t>(at - begin) + 1);
  }
  read = at;
  read_since_ += at - counted;
  if (state == kDead || given_up_) return found;
  Transition t = transition(state, end());
  if (t == kUnknown) t = make_transition(state, end());
  return t & 1 ? text.size() : found;
}

std::optional<bool> RegexAutomaton::full_match(std::string_view text) {
  if (given_up_) return std::nullopt;
  std::size_t read;
  const bool matched = run(text, 0, start_after(Beside::kEnd), read) == text.size();
  if (given_up_) return std::nullopt;
  return matched;
}

std::size_t RegexAutomaton::skip(std::string_view text, std::size_t at) {
  if (!regex_.prefix_.empty()) return std::min(text.find(regex_.prefix_, at), text.size());
  std::int32_t start = start_after(before_place(text, at));
  // No further than to the next poll.
  const std::size_t limit = text.size() - at < kStepsBetweenPolls ? text.size() : at + kStepsBetweenPolls;
  for (; at < limit; ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 128) break;
    const int character = regex_.partition_.class_of(byte);
    if (transition(start, character) != kNone) break;
    if (!regex_.asserts_) continue;
    start = starts_[static_cast<std::size_t>(beside_[static_cast<std::size_t>(character)])];
    if (start < 0) return at + 1;
  }
  return at;
}

std::optional<RegexAutomaton::Found> RegexAutomaton::search(std::string_view text, std::size_t from) {
  if (given_up_) return std::nullopt;
  if (regex_.anchored_ && from > 0) return Found{};
  std::size_t tried = 0;
  const std::size_t most_tried = kMostTries * (text.size() - from) + 256;
  PolledSteps polled(kStepsBetweenPolls);
  for (std::size_t at = from; at <= text.size();) {
    const std::size_t before = at;
    if (!regex_.anchored_) at = skip(text, at);
    std::size_t read = at;
    const std::size_t end = run(text, at, start_after(before_place(text, at)), read);
    if (given_up_) return std::nullopt;
    if (end != kNowhere) return Found{true, at, end};
    if (regex_.anchored_ || at == text.size()) break;
    tried += read - at;
    if (tried > most_tried) return std::nullopt;
    polled.step(static_cast<std::int64_t>(at - before) + 1);
    at += static_cast<unsigned char>(text[at]) < 128 ? 1 : character_at(text, at).size;
  }
  return Found{};
}

}  // namespace tracefn
