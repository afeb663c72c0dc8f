//! The words of the reviewer, as a lesson keeps them. Pure functions.

use reflect_types::ReviewerKind;

/// The longest text that a lesson keeps, in characters.
const LONGEST_FEEDBACK: usize = 4_000;

/// The line before feedback that a judge wrote: agents and people trust a model less than a person.
pub(super) const JUDGE_MARK: &str = "Written by the judge, a model:";
/// The line before feedback that came with a signal, such as the names of failed tests.
pub(super) const SIGNAL_MARK: &str = "Reported by another system:";

/// Words that repeat the verdict. English first, then other languages.
const VERDICTS: &[&str] = &[
    "ok okay okey k good great nice fine cool awesome excellent perfect amazing correct right",
    "incorrect wrong bad poor yes yep yeah yup no nope nah lgtm sgtm pass passed passes fail failed",
    "fails failure success successful accepted rejected approved approve approves thanks thx ty",
    "works worked well exactly agreed",
    // German, Dutch
    "gut richtig falsch korrekt ja nein genau stimmt passt super prima toll danke schlecht bestanden",
    "goed fout juist nee",
    // French, Spanish, Portuguese, Italian
    "bon bien oui non faux parfait merci juste mauvais sí si correcto incorrecto mal perfecto",
    "gracias bueno malo sim não nao certo errado correto obrigado bom sì giusto sbagliato perfetto",
    "grazie bene corretto",
    // Polish, Russian
    "dobrze źle tak nie да нет верно неверно правильно неправильно хорошо плохо отлично спасибо",
    // Chinese, Japanese, Korean
    "好 好的 很好 对 不对 正确 不正确 错 错误 可以 不行 是 不是 谢谢 はい いいえ 正解 不正解 正しい 間違い 良い いいね 네 아니요 맞음 틀림 좋아요",
];

/// Words that add nothing to a verdict.
const FILLERS: &[&str] = &[
    "the a an this that it its is was are were be looks looked seems very really so just quite",
    "totally completely all to me for i you thank much answer result response output run job work",
    "one here and done now das ist war die der antwort sehr est es très la le réponse muy respuesta",
];

/// Whole texts that add nothing, although their words could.
const PHRASES: &[&str] = &[
    "done",
    "as expected",
    "no comment",
    "no comments",
    "no feedback",
    "none",
    "n a",
    "na",
    "nothing",
    "nothing to add",
];

/// The feedback as a lesson starts with it: line breaks kept, at most 4,000 characters. `None` if there is no feedback
/// or if it adds nothing to the verdict.
pub(super) fn reviewer_words(feedback: Option<&str>) -> Option<String> {
    let feedback = feedback?.replace('\0', "").replace("\r\n", "\n").replace('\r', "\n");
    let feedback = feedback.trim();
    if adds_nothing(feedback) {
        return None;
    }
    match feedback.char_indices().nth(LONGEST_FEEDBACK) {
        // The mark is inside the limit.
        Some(_) => Some(feedback.chars().take(LONGEST_FEEDBACK - 1).chain(['…']).collect()),
        None => Some(feedback.to_owned()),
    }
}

/// The words as a lesson starts with them: alone if a person wrote them, marked if a judge or another system did.
pub(super) fn attributed(words: &str, by: ReviewerKind) -> String {
    match by {
        ReviewerKind::Person => words.to_owned(),
        ReviewerKind::Judge => format!("{JUDGE_MARK}\n{words}"),
        ReviewerKind::Signal => format!("{SIGNAL_MARK}\n{words}"),
    }
}

/// Whether feedback says no more than the verdict: "ok", "Correct!", "👍", "that was wrong".
pub(super) fn adds_nothing(feedback: &str) -> bool {
    let trimmed = feedback.trim();
    if matches!(trimmed, "+1" | "-1" | "10/10" | "0/10" | ":)" | ":(" | ":-)" | ":-(") {
        return true;
    }
    let lower = trimmed.to_lowercase().replace('’', "'").replace("n't", " not").replace("'s", " is");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        // No words: a thumb, a check mark, an ellipsis. A sign of mathematics or of a program may be the answer.
        return !trimmed
            .chars()
            .any(|c| c.is_ascii_punctuation() && !matches!(c, '.' | '!' | '?' | '-' | '*'));
    }
    if PHRASES.contains(&words.join(" ").as_str()) {
        return true;
    }
    let plain = |word: &&str| verdict(word) || is_in(FILLERS, word);
    // "not good" is a verdict, "not all" is not.
    let denied = |at: usize| words[at] == "not" && words.get(at + 1).is_some_and(verdict);
    // "no answer" and "no output" say what is missing.
    let says_no = words.contains(&"no");
    words.iter().any(verdict)
        && words.iter().enumerate().all(|(at, word)| plain(word) || denied(at))
        && (!says_no || words.iter().all(verdict))
}

fn verdict(word: &&str) -> bool {
    is_in(VERDICTS, word)
}

fn is_in(lines: &[&str], word: &str) -> bool {
    lines.iter().any(|line| line.split(' ').any(|one| one == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_that_repeats_the_verdict_adds_nothing() {
        for text in [
            "",
            "  ",
            "ok",
            "OK.",
            "Correct!",
            "wrong",
            "Good",
            "yes",
            "no",
            "👍",
            "👎🏽",
            "✅",
            "lgtm",
            "LGTM!!",
            "Looks good to me",
            "that was wrong",
            "This is not right.",
            "It isn't correct",
            "well done",
            "Thank you, perfect!",
            "Nice work :)",
            "the answer is correct",
            "+1",
            "n/a",
            "None",
            "...",
            "Richtig!",
            "Das ist falsch.",
            "très bien",
            "correcto",
            "Верно",
            "正确",
            "不正解",
            "passed",
            "Fail",
        ] {
            assert!(adds_nothing(text), "{text}");
            assert_eq!(reviewer_words(Some(text)), None, "{text}");
        }
        assert_eq!(reviewer_words(None), None);
    }

    #[test]
    fn feedback_with_content_is_kept() {
        for text in [
            "never use --force",
            "Too slow.",
            "No answer",
            "not all rows",
            "42",
            "1",
            "The total was wrong",
            "Good, but too long",
            "look at the timer",
            "wrong field",
            "Sunday",
            "no output was written",
            "correct the spelling",
            "Use JSON",
            "!=",
            "{}",
            "Das Datum ist falsch",
            "Ja, aber ohne Rabatt",
            "not done",
        ] {
            assert!(!adds_nothing(text), "{text}");
            assert_eq!(reviewer_words(Some(text)).as_deref(), Some(text));
        }
    }

    #[test]
    fn line_breaks_stay_and_the_end_of_a_long_text_too() {
        assert_eq!(reviewer_words(Some("Read it.\rThen\r\r\nwrite.")).unwrap(), "Read it.\nThen\n\nwrite.");
        let text = format!("Steps:\r\n1. read\r\n2. write\r\n\r\n{}\nnever use --force", "x".repeat(3_400));
        let words = reviewer_words(Some(&text)).unwrap();
        assert!(words.starts_with("Steps:\n1. read\n2. write\n\nxxx"), "{words}");
        assert!(words.ends_with("\nnever use --force"), "{words}");
    }

    #[test]
    fn the_limit_is_4000_characters() {
        let fits = "ä".repeat(4_000);
        assert_eq!(reviewer_words(Some(&fits)).unwrap(), fits);
        let cut = reviewer_words(Some(&"ä".repeat(4_001))).unwrap();
        assert_eq!((cut.chars().count(), cut.ends_with("ä…")), (4_000, true));
    }
}
