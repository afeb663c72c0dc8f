//! The random choices of one case.
//!
//! Characters, numbers and words are not uniform: those that parsers treat in a special way are frequent.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Characters that have a meaning in one of the formats, or are unusual: controls, invisible characters, bidi controls,
/// tags, joiners, characters that change their length in lower case, the last code points.
const CHARACTERS: &[char] = &[
    ' ',
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\u{1b}',
    '\u{7f}',
    '"',
    '\'',
    '\\',
    '/',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ':',
    ';',
    ',',
    '.',
    '<',
    '>',
    '|',
    '`',
    '-',
    '_',
    '+',
    '=',
    '*',
    '#',
    '@',
    '%',
    '&',
    '!',
    '?',
    '~',
    '^',
    '$',
    '0',
    '1',
    '9',
    'a',
    'e',
    'n',
    't',
    'u',
    'x',
    'T',
    'Z',
    'é',
    'ß',
    'İ',
    'ẞ',
    'ﬁ',
    '中',
    '好',
    '。',
    '、',
    'に',
    '한',
    'ب',
    'م',
    '\u{300}',
    '\u{301}',
    '😀',
    '👩',
    '🚀',
    '❤',
    '\u{1f3f4}',
    '🇩',
    '\u{20e3}',
    '\u{85}',
    '\u{ad}',
    '\u{a0}',
    '\u{115f}',
    '\u{17b4}',
    '\u{1780}',
    '\u{180b}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{202e}',
    '\u{2028}',
    '\u{2029}',
    '\u{2060}',
    '\u{2066}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fffd}',
    '\u{ffff}',
    '\u{e0041}',
    '\u{e0067}',
    '\u{e007f}',
    '\u{10ffff}',
    '’',
    '“',
    '”',
    '…',
    '‹',
    '｜',
    '▁',
];
/// Numbers at which something changes: signs, widths of integers, precision, years.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "7",
    "12",
    "100",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "9999",
    "10000",
    "65535",
    "65536",
    "0.0",
    "0.5",
    "1.5",
    "-1.5",
    "1e1",
    "1E+2",
    "1e15",
    "1e16",
    "1e400",
    "-1e400",
    "1e-400",
    "1.0000000000000001",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1700000000",
    "1700000000000",
    "99999999999",
    "100000000000",
    "253402300799999",
    "253402300800000",
    "999999999999999",
    "1000000000000000",
    "1.7976931348623157e308",
    "5e-324",
    "00",
    "01",
    ".5",
    "1.",
    "+1",
    "0x10",
    "1_000",
    "NaN",
    "Infinity",
];
const PLAIN: &[&str] = &[
    "the",
    "run",
    "failed",
    "look",
    "order",
    "use",
    "date",
    "file",
    "never",
    "--force",
    "read_file",
    "a.b",
    "24.00",
    "weather",
    "refund",
    "task",
    "wrong",
    "check",
    "first",
    "user",
    "agent",
];

/// The choices of one case: characters, numbers, words of the target, texts and JSON.
#[derive(Debug)]
pub struct CaseSource<'a> {
    random: SmallRng,
    words: &'a [&'a str],
}

impl<'a> CaseSource<'a> {
    pub(crate) fn new(seed: u64, words: &'a [&'a str]) -> Self {
        Self { random: SmallRng::seed_from_u64(seed), words }
    }

    /// A number below `end`, 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.random.random_range(0..end) }
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the choices. They must not be empty.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }

    /// One of the texts. They must not be empty. [`Self::pick`] cannot be used where a `&str` is expected: it would look for
    /// a slice of `str`.
    pub fn pick_text<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }

    /// A random byte.
    pub fn byte(&mut self) -> u8 {
        self.random.random()
    }

    /// A small number: half of them are below 2, few are above 20, none above `most`.
    pub fn size(&mut self, most: usize) -> usize {
        let mut size = 0;
        while size < most && !self.once_in(if size < 2 { 3 } else { 6 }) {
            size += 1;
        }
        size
    }

    /// A character: mostly an unusual one, sometimes any.
    pub fn character(&mut self) -> char {
        match self.below(12) {
            0 => char::from_u32(self.random.random_range(0..0x11_0000)).unwrap_or('\u{fffd}'),
            1..=4 => char::from(self.random.random_range(b' '..=b'~')),
            _ => *self.pick(CHARACTERS),
        }
    }

    /// A word of the target, or a plain one.
    pub fn word(&mut self) -> &'a str {
        if self.words.is_empty() || self.once_in(4) {
            self.pick_text(PLAIN)
        } else {
            self.pick_text(self.words)
        }
    }

    /// A number as text, not always a valid one.
    pub fn number(&mut self) -> String {
        match self.below(4) {
            0 => self.random.random_range(-1000..100_000_i64).to_string(),
            _ => self.pick_text(NUMBERS).to_owned(),
        }
    }

    /// Words, characters and numbers, at most `most` of them.
    pub fn text(&mut self, most: usize) -> String {
        let mut text = String::new();
        let spaced = self.once_in(2);
        for _ in 0..self.below(most + 1) {
            match self.below(8) {
                0..=2 => text.push(self.character()),
                3 => text.push_str(&self.number()),
                _ => text.push_str(self.word()),
            }
            if spaced && !self.once_in(8) {
                text.push(' ');
            }
        }
        text
    }

    /// A sentence of plain words.
    pub fn prose(&mut self, most: usize) -> String {
        let words: Vec<&str> = (0..=self.below(most)).map(|_| self.pick_text(PLAIN)).collect();
        format!("{}{}", words.join(" "), self.pick_text(&[".", "!", "", "\n", ";", "?"]))
    }

    /// A point in time as text, not always a valid one.
    pub fn time(&mut self) -> String {
        let years =
            ["2026", "1970", "0000", "0001", "9999", "-0001", "+10000", "-262143", "+262142", "99999", "26"];
        let year = self.pick_text(&years);
        let day = self.pick_text(&["-01-01", "-12-31", "-02-29", "-13-01", "-00-00", "-1-1"]);
        let time = self.pick_text(&[
            "T00:00:00",
            "T23:59:59",
            "T23:59:60",
            "T24:00:00",
            " 12:00:00",
            "t12:00:00.123456789",
            "",
        ]);
        let zone = self.pick_text(&["Z", "+00:00", "-23:59", "+24:00", "+0100", "z", "", " UTC"]);
        format!("{year}{day}{time}{zone}")
    }

    /// An id as text, not always a valid one.
    pub fn id(&mut self) -> String {
        let (high, low): (u64, u64) = (self.random.random(), self.random.random());
        let digits = format!("{high:016x}{low:016x}");
        let version = self.pick_text(&["7", "7", "7", "4", "0"]);
        let id = format!(
            "{}-{}-{version}{}-8{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[13..16],
            &digits[17..20],
            &digits[20..]
        );
        match self.below(12) {
            0 => id.to_uppercase(),
            1 => id.replace('-', ""),
            2 => format!("{{{id}}}"),
            3 => id[..self.below(id.len())].to_owned(),
            4 => "00000000-0000-0000-0000-000000000000".to_owned(),
            _ => id,
        }
    }

    /// A text with a fragment repeated, up to `most` bytes: finds work that grows faster than its input.
    pub fn repeated(&mut self, fragment: &str, most: usize) -> String {
        let times = self.below(most / fragment.len().max(1) + 1);
        let (before, after) = (self.text(3), self.text(3));
        format!("{before}{}{after}", fragment.repeat(times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_choices_again() {
        let text = |seed| CaseSource::new(seed, &["word"]).text(50);

        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn choices_stay_within_their_limits() {
        let mut source = CaseSource::new(3, &[]);

        for _ in 0..1000 {
            assert_eq!(source.below(0), 0);
            assert!(source.size(4) <= 4);
            assert!(source.repeated("ab", 100).chars().count() <= 200);
            let (time, id) = (source.time(), source.id());
            assert!(time.len() >= 5 && id.len() <= 38, "{time} {id}");
        }
    }
}
