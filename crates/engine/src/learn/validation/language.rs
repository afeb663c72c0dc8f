//! A lesson in another language than the feedback, or than the task if there is no feedback.

use whatlang::{Detector, Lang};

use super::{Reviewed, texts};
use crate::learn::prompt::LessonAnswer;

/// Shorter texts are often detected wrongly. In letters.
const LEAST_LETTERS: usize = 60;
/// Scripts with one sign per syllable or word say more in fewer letters.
const LEAST_SIGNS: usize = 15;
const LEAST_CONFIDENCE: f64 = 0.9;
/// Fewer languages give fewer wrong detections. Others are not checked.
const LANGUAGES: [Lang; 22] = [
    Lang::Eng,
    Lang::Deu,
    Lang::Fra,
    Lang::Spa,
    Lang::Por,
    Lang::Ita,
    Lang::Nld,
    Lang::Swe,
    Lang::Fin,
    Lang::Pol,
    Lang::Ces,
    Lang::Hun,
    Lang::Ron,
    Lang::Tur,
    Lang::Rus,
    Lang::Ell,
    Lang::Heb,
    Lang::Ara,
    Lang::Hin,
    Lang::Cmn,
    Lang::Jpn,
    Lang::Kor,
];

/// The language of the lesson and the expected one, if both are certain and differ.
pub(super) fn wrong_language(
    lesson: &LessonAnswer,
    reviewed: &Reviewed<'_>,
) -> Option<(&'static str, &'static str)> {
    let written = detect(&texts(lesson).collect::<Vec<_>>().join("\n"))?;
    let expected = detect(reviewed.words.unwrap_or(reviewed.task))?;
    (written != expected).then(|| (written.eng_name(), expected.eng_name()))
}

fn detect(text: &str) -> Option<Lang> {
    let prose = prose(text);
    let letters = prose.chars().filter(|c| c.is_alphabetic()).count();
    let signs =
        prose.chars().filter(|c| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')).count();
    if letters < LEAST_LETTERS && signs < LEAST_SIGNS {
        return None;
    }
    let found = Detector::with_allowlist(LANGUAGES.to_vec()).detect(&prose)?;
    (found.is_reliable() && found.confidence() >= LEAST_CONFIDENCE).then(|| found.lang())
}

/// The text without code: nothing between backticks, and no words with signs of programs in them.
fn prose(text: &str) -> String {
    let outside = text.split('`').step_by(2);
    let is_plain = |word: &&str| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.starts_with("--") && !inner.chars().any(|c| c.is_ascii_digit() || "_/\\.={}()<>$@:".contains(c))
    };
    outside.flat_map(str::split_whitespace).filter(is_plain).collect::<Vec<_>>().join(" ")
}
