//! Fuzz targets: lessons of models, and feedback of reviewers.

use reflect_fuzz::{CaseSource, FuzzTarget, join, parts};
use reflect_types::{ReviewResult, ReviewerKind};

use super::feedback::{adds_nothing, attributed, reviewer_words};
use super::model_lesson::{MODEL_MARK, ReviewerWords, cleaned, lesson_text};
use super::prompt::LessonAnswer;
use super::validation::{Reviewed, validate};
use crate::lessons::{compose, tidy};

const WORDS: &[&str] = &[
    "never",
    "always",
    "do not",
    "don't",
    "instead of",
    "use",
    "avoid",
    "--force",
    "the run was correct",
    "the answer was wrong",
    "N/A",
    "none",
    "The lesson",
    "Write the lesson",
    "data marks",
    "summary",
    "guidance",
    "because",
    "unless",
    ", ",
    "; ",
    ".\n",
    "- ",
    "`a.b()`",
    "ok",
    "nicht",
    "immer",
    "não",
    "好的",
    "不要",
    "正しい",
    "n't",
    "’",
    "24.00",
    "first",
    "second",
];

#[test]
fn a_lesson_of_a_model_never_replaces_the_words_of_the_reviewer() {
    FuzzTarget::new("lessons").words(WORDS).run(lesson, |input| {
        let Some([task, feedback, summary, guidance, mistake, action]) = parts::<6>(input) else { return };
        let text = |text: &str| text.to_owned();
        let answer = cleaned(LessonAnswer {
            summary: text(summary),
            guidance: text(guidance),
            key_mistake: text(mistake),
            correct_action: text(action),
            applicable_tools: vec![text(task), text(summary)],
            used_memory_ids: Some(vec![text(feedback)]),
        });
        let words = reviewer_words(Some(feedback));
        for result in [ReviewResult::Pass, ReviewResult::Fail] {
            let reviewed = Reviewed { task, result, words: words.as_deref() };
            let verdict = validate(&answer, &reviewed);
            assert_eq!(validate(&answer, &reviewed), verdict, "decided twice");
            if let Err(rejection) = verdict {
                assert!(!rejection.describe().is_empty() && rejection.describe().len() < 500);
            }
        }
        for by in [ReviewerKind::Person, ReviewerKind::Judge, ReviewerKind::Signal] {
            let said = ReviewerWords { words: words.as_deref(), by };
            let lesson = tidy(lesson_text(answer.clone(), said));
            let composed = compose(&lesson);
            assert!(!composed.contains('\0'), "NUL in {composed:?}");
            assert!(composed.chars().count() <= 4 * 8_000 + 100, "{} characters", composed.chars().count());
            assert!(lesson.applicable_tools.iter().all(|tool| !tool.is_empty()), "a tool without a name");
            assert!(!lesson.summary.contains('\n'), "the summary {:?}", lesson.summary);
            if let Some(words) = &words {
                let first = attributed(words, by);
                assert!(composed.starts_with(first.trim()), "{composed:?} does not begin with {first:?}");
            } else if !composed.is_empty() {
                let unmarked = composed.strip_prefix(MODEL_MARK);
                let only_fields = lesson.guidance.is_empty();
                assert!(unmarked.is_some() || only_fields, "{composed:?} is not marked as a model's");
            }
        }
    });
}

#[test]
fn the_words_of_a_reviewer_are_kept_or_add_nothing() {
    FuzzTarget::new("feedback").words(WORDS).run(
        |source| match source.once_in(500) {
            true => {
                let fragment = source.text(2);
                source.repeated(&fragment, 100_000)
            }
            false => source.text(12),
        },
        |input| {
            let Ok(feedback) = str::from_utf8(input) else { return };
            let Some(words) = reviewer_words(Some(feedback)) else {
                assert!(adds_nothing(&feedback.replace('\0', "")));
                return;
            };
            assert!(words.chars().count() <= 4_000 && !words.contains('\0') && words.trim() == words);
            // What is left of a text that was cut may add nothing.
            if words.chars().count() < 4_000 {
                assert_eq!(reviewer_words(Some(&words)), Some(words), "read again");
            }
        },
    );
}

fn lesson(source: &mut CaseSource<'_>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..6 {
        let again = source.below(texts.len() + 1);
        let text = match source.below(8) {
            0 => source.text(12),
            1 => {
                let fragment = source.text(3);
                source.repeated(&fragment, 3_000)
            }
            2 => String::new(),
            // The same words in two places: an echo or an agreement.
            3 => texts.get(again).cloned().unwrap_or_default(),
            4 => (0..source.below(20)).map(|_| format!("{} ", source.word())).collect(),
            _ => (0..=source.size(4)).map(|_| source.prose(8)).collect::<Vec<_>>().join(" "),
        };
        texts.push(text);
    }
    join(&texts)
}
