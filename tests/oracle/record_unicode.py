"""Writes the tables in cpp/ops/strings/unicode from TensorFlow's answers: scripts (ICU's), the classes of regular
expressions and letters that differ in case only (RE2's), lower and upper case (ICU's).

Run with TensorFlow's Python at the root of the repository: `python tests/oracle/record_unicode.py`.
"""

from __future__ import annotations

import pathlib

import numpy as np
import tensorflow as tf

FOLDER = pathlib.Path("cpp/ops/strings/unicode")
POINTS = np.array([c for c in range(0x110000) if not 0xD800 <= c < 0xE000], np.int32)
TEXTS = tf.constant([chr(c).encode() for c in POINTS])
CATEGORIES = "Cc Cf Co Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()
SCRIPTS = (
    "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo "
    "Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common "
    "Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs "
    "Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul "
    "Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi "
    "Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki "
    "Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean "
    "Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi "
    "Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong "
    "Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian "
    "Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi "
    "Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese "
    "Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan "
    "Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square"
).split()
NONE = 255


def write(file: str, subject: str, *tables: str) -> None:
    """A source file of tables."""
    head = f"// {subject} Written by tests/oracle/record_unicode.py.\n" + '#include "ops/strings/unicode/tables.h"\n'
    body = "\n\n".join(tables)
    text = f"{head}\nnamespace tracefn {{\n\n// clang-format off\n{body}\n// clang-format on\n\n}}  // namespace tracefn\n"
    (FOLDER / file).write_text(text, encoding="utf-8")


def table(name: str, element: str, values: list[str]) -> str:
    """An array under its public name, in lines of 120 columns."""
    lines, line = [], " "
    for value in values:
        if len(line) + len(value) + 2 > 120:
            lines.append(line)
            line = " "
        line += f" {value},"
    head = f"constexpr {element} {name}All[] = {{"
    return "\n".join([head, *lines, line, "};", f"const std::span<const {element}> {name}({name}All);"])


def runs(classes: np.ndarray) -> list[str]:
    """Where the class of the code points changes: the first of the run and the class in one number."""
    first = np.flatnonzero(np.diff(classes, prepend=-1))
    return [f"0x{int(c) << 8 | int(classes[c]):x}" for c in first]


def regex_classes(names: list[str]) -> np.ndarray:
    """For each code point the number of the class of that name which it is in; no two of them meet."""
    classes = np.full(0x110000, NONE, np.int64)
    for number, name in enumerate(names):
        inside = tf.raw_ops.StaticRegexFullMatch(input=TEXTS, pattern=f"\\p{{{name}}}").numpy()
        assert (classes[POINTS[inside]] == NONE).all(), name
        classes[POINTS[inside]] = number
    return classes


def changed(texts: list[str]) -> dict[int, str]:
    return {int(c): text for c, text in zip(POINTS, texts, strict=True) if text != chr(c)}


def steps(mapping: dict[int, str], grouped: bool = False) -> list[str]:
    """Letters whose case is another single letter, as runs of one step and one distance, which may be what they are grouped by."""
    distances = {c: ord(text) - c for c, text in mapping.items() if len(text) == 1}
    found: list[list[int]] = []
    for c, distance in sorted(distances.items(), key=lambda pair: (pair[1] if grouped else 0, pair[0])):
        last = found[-1] if found else None
        if last and last[3] == distance and (c - last[1] == last[2] or last[0] == last[1] and c - last[1] <= 2):
            last[1:3] = c, c - last[1]
        else:
            found.append([c, c, 1, distance])
    return [f"{{0x{a:x}, 0x{b:x}, {step}, {distance}}}" for a, b, step, distance in found]


def longer(mapping: dict[int, str]) -> list[str]:
    """Letters whose case is several letters."""
    rows = {c: text for c, text in mapping.items() if len(text) > 1}
    quoted = {c: "".join(f"\\u{ord(x):04x}" if ord(x) > 127 else x for x in text) for c, text in rows.items()}
    return [f'{{0x{c:x}, "{text}"}}' for c, text in quoted.items()]


def orbits(cased: list[int]) -> list[str]:
    """Letters that (?i) takes for each other: each, and the next one of its circle."""
    texts, next_of = tf.constant([chr(c).encode() for c in cased]), {}
    for c in cased:
        if c in next_of:
            continue
        same = tf.raw_ops.StaticRegexFullMatch(input=texts, pattern=f"(?i)\\x{{{c:x}}}").numpy()
        circle = [cased[i] for i in np.flatnonzero(same)]
        next_of.update(zip(circle, circle[1:] + circle[:1], strict=True))
    return steps({c: chr(other) for c, other in next_of.items() if other != c}, grouped=True)


def main() -> None:
    scripts = tf.strings.unicode_script(np.arange(0x110000, dtype=np.int32)).numpy()
    write("scripts.cpp", "The scripts of code points, by ICU's numbers.", table("kScripts", "ClassRun", runs(scripts)))
    names = [f'"{name}"' for name in SCRIPTS]
    write(
        "regex_classes.cpp",
        "The classes of code points that regular expressions name.",
        table("kCategoryNames", "Name", [f'"{name}"' for name in CATEGORIES]),
        table("kCategories", "ClassRun", runs(regex_classes(CATEGORIES))),
        table("kScriptNames", "Name", names),
        table("kRegexScripts", "ClassRun", runs(regex_classes(SCRIPTS))),
    )
    lower = changed([text.decode() for text in tf.strings.lower(TEXTS, "utf-8").numpy()])
    upper = changed([text.decode() for text in tf.strings.upper(TEXTS, "utf-8").numpy()])
    cased = {*lower, *upper, *map(ord, "".join([*lower.values(), *upper.values()]))}
    write(
        "case.cpp",
        "Letters in lower and upper case, and those that differ in case only.",
        table("kLower", "CaseRun", steps(lower)),
        table("kUpper", "CaseRun", steps(upper)),
        table("kLongUpper", "LongCase", longer(upper)),
        table("kNextOfCase", "CaseRun", orbits(sorted(cased))),
    )


if __name__ == "__main__":
    main()
