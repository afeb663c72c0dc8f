//! A lesson from the answer of a model: the reviewer's words first, then the text of the model, marked as such. Pure.

use reflect_types::ReviewerKind;

use super::feedback::attributed;
use super::offline::LONGEST_SUMMARY;
use super::prompt::LessonAnswer;
use crate::lessons::AuthoredLesson;
use crate::one_line::one_line;

/// The line before the text of a model.
pub(super) const MODEL_MARK: &str = "Added by a model:";
/// Longer text does not help an agent.
const LONGEST_TEXT: usize = 3_500;

/// The answer without NUL, which Postgres cannot hold, without texts such as "N/A" or "1", and with a limit on each text.
pub(super) fn cleaned(mut answer: LessonAnswer) -> LessonAnswer {
    for text in
        [&mut answer.summary, &mut answer.guidance, &mut answer.key_mistake, &mut answer.correct_action]
    {
        *text = text.replace('\0', "").trim().chars().take(LONGEST_TEXT).collect();
        if says_none(text) {
            text.clear();
        }
    }
    answer
}

fn says_none(text: &str) -> bool {
    let plain = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let has_letters = plain.contains(char::is_alphabetic);
    !has_letters
        || matches!(plain.as_str(), "none" | "n/a" | "na" | "null" | "nil" | "not applicable" | "no mistake")
}

/// What a reviewer said.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReviewerWords<'a> {
    /// The reviewer's words, if they add something to the verdict.
    pub(super) words: Option<&'a str>,
    /// Who wrote them.
    pub(super) by: ReviewerKind,
}

/// The text of the lesson. The reviewer's words and the text of the model are its guidance, so that the text that
/// clients show starts with the words. What the words say already is not said again.
pub(super) fn lesson_text(
    answer: LessonAnswer,
    ReviewerWords { words, by }: ReviewerWords<'_>,
) -> AuthoredLesson {
    let mut said = flat(words.unwrap_or_default());
    let mut new = |text: &str| {
        let text = text.trim().to_owned();
        let repeats = said.contains(&flat(&text));
        said.push_str(&format!(" {}", flat(&text)));
        if repeats { String::new() } else { text }
    };
    let mut added = new(&answer.guidance);
    let key_mistake = new(&answer.key_mistake);
    let correct_action = new(&answer.correct_action);
    if added.is_empty() && key_mistake.is_empty() && correct_action.is_empty() {
        added = new(&answer.summary);
    }
    let has_more = !(added.is_empty() && key_mistake.is_empty() && correct_action.is_empty());
    let marked = match (has_more, added.is_empty()) {
        (false, _) => None,
        (true, true) => Some(MODEL_MARK.to_owned()),
        (true, false) => Some(format!("{MODEL_MARK}\n{added}")),
    };
    let parts: Vec<String> = words.map(|words| attributed(words, by)).into_iter().chain(marked).collect();
    let summary = if answer.summary.is_empty() { &added } else { &answer.summary };
    let summary = if summary.is_empty() { words.unwrap_or_default() } else { summary };
    AuthoredLesson {
        summary: one_line(summary, LONGEST_SUMMARY),
        guidance: parts.join("\n\n"),
        key_mistake,
        correct_action,
        applicable_tools: answer.applicable_tools,
    }
}

/// Without differences in case, punctuation at the ends, and white space.
fn flat(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    line.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::compose;

    fn answer(summary: &str, guidance: &str, key_mistake: &str, correct_action: &str) -> LessonAnswer {
        LessonAnswer {
            summary: summary.to_owned(),
            guidance: guidance.to_owned(),
            key_mistake: key_mistake.to_owned(),
            correct_action: correct_action.to_owned(),
            applicable_tools: vec!["git".to_owned()],
            used_memory_ids: None,
        }
    }

    fn person(words: &str) -> ReviewerWords<'_> {
        ReviewerWords { words: Some(words), by: ReviewerKind::Person }
    }

    #[test]
    fn the_reviewers_words_come_first_and_the_models_text_is_marked() {
        let words = "Two things:\n- check the branch\n- never use --force";
        let model =
            answer("Push\nsafely.", "Push with --force-with-lease.", "The run forced a push.", "Ask first.");
        let text = lesson_text(model, person(words));
        assert_eq!(
            compose(&text),
            "Two things:\n- check the branch\n- never use --force\n\nAdded by a model:\nPush with --force-with-lease.\n\
             Mistake: The run forced a push.\nInstead: Ask first."
        );
        assert_eq!(text.summary, "Push safely.");
        assert_eq!(text.applicable_tools, ["git"]);
    }

    #[test]
    fn words_of_a_judge_are_marked_too() {
        let model = answer("Pay late.", "Pay after the check.", "", "");
        let text =
            lesson_text(model, ReviewerWords { words: Some("Look the price up."), by: ReviewerKind::Judge });
        assert_eq!(
            compose(&text),
            "Written by the judge, a model:\nLook the price up.\n\nAdded by a model:\nPay after the check."
        );
    }

    #[test]
    fn what_the_reviewer_said_is_not_said_again() {
        let words = "The total was wrong. Add the tax.";
        let text = lesson_text(
            answer("Add tax.", "add the tax", "The total was wrong", "Add the tax."),
            person(words),
        );
        assert_eq!(compose(&text), "The total was wrong. Add the tax.\n\nAdded by a model:\nAdd tax.");
        let text = lesson_text(answer("Add the tax.", "Add the tax.", "", ""), person(words));
        assert_eq!(compose(&text), words);
    }

    #[test]
    fn a_model_that_repeats_itself_is_shown_once() {
        let nothing = ReviewerWords { words: None, by: ReviewerKind::Person };
        let text = lesson_text(answer("Look it up.", "Look it up.", "Guessed.", "Look it up."), nothing);
        assert_eq!(compose(&text), "Added by a model:\nLook it up.\nMistake: Guessed.");
        assert_eq!(text.summary, "Look it up.");
    }

    #[test]
    fn a_lesson_of_one_field_is_a_lesson() {
        let text = lesson_text(answer("Orders expire after a week.", "", "", ""), person("too late"));
        assert_eq!(compose(&text), "too late\n\nAdded by a model:\nOrders expire after a week.");
        let text = lesson_text(answer("", "", "It guessed the date.", ""), person("too late"));
        assert_eq!(compose(&text), "too late\n\nAdded by a model:\nMistake: It guessed the date.");
        assert_eq!(text.summary, "too late");
    }

    #[test]
    fn a_number_is_no_lesson() {
        let text = cleaned(answer("Look first.", "1", "2023-08-22 12:11", "Pay 24.00."));
        let kept = [&text.summary, &text.guidance, &text.key_mistake, &text.correct_action];
        assert_eq!(kept, ["Look first.", "", "", "Pay 24.00."]);
    }

    #[test]
    fn texts_that_mean_nothing_are_removed() {
        let text = cleaned(answer("Look\0 first. ", "  Look it up. ", "N/A", "None."));
        assert_eq!(
            [&text.summary, &text.guidance, &text.key_mistake, &text.correct_action],
            ["Look first.", "Look it up.", "", ""]
        );
    }
}
