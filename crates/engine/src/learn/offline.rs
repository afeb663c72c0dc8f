//! A lesson without a model: task, outcome and feedback, put together. Poorer, and labelled as such.

use reflect_store::LearnInput;
use reflect_types::ReviewResult;

use super::lesson::{AuthoredLesson, Lesson, Origin};

const LONGEST_EXCERPT: usize = 300;

/// The lesson, and why no model wrote it.
pub(super) fn lesson(input: &LearnInput, reason: Option<&str>) -> Lesson {
    let note = match reason {
        None => "written without a model, from task, outcome and feedback".to_owned(),
        Some(reason) => format!("written without a model, from task, outcome and feedback: {reason}"),
    };
    let tools_used = super::reflect::tools_used(&input.trajectory);
    Lesson { text: text(input), origin: Origin::Offline { note }, used: None, tools_used }
}

fn text(input: &LearnInput) -> AuthoredLesson {
    let task = excerpt(&input.task);
    let feedback = input.feedback.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(excerpt);
    let answer = input.final_response.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(excerpt);
    match (input.result, feedback) {
        (ReviewResult::Fail, Some(feedback)) => AuthoredLesson {
            // What was learned comes first: lists show the beginning.
            summary: format!("{feedback} (a run of \"{task}\" failed)"),
            guidance: format!(
                "Before a task like \"{task}\", mind what a reviewer said of a failed run: {feedback}"
            ),
            key_mistake: feedback,
            ..AuthoredLesson::default()
        },
        (ReviewResult::Fail, None) => AuthoredLesson {
            summary: format!("A run of \"{task}\" failed, and nobody said why"),
            guidance: match answer {
                Some(answer) => format!("This answer to \"{task}\" was judged wrong: {answer}"),
                None => format!("\"{task}\" was tried and failed; try another way"),
            },
            ..AuthoredLesson::default()
        },
        (ReviewResult::Pass, feedback) => AuthoredLesson {
            summary: match &feedback {
                Some(feedback) => format!("{feedback} (a run of \"{task}\" passed)"),
                None => format!("A run of \"{task}\" passed"),
            },
            guidance: match (feedback, answer) {
                (Some(feedback), _) => format!("What a reviewer liked about a run of \"{task}\": {feedback}"),
                (None, Some(answer)) => format!("This answer to \"{task}\" was judged right: {answer}"),
                (None, None) => format!("The way \"{task}\" was done was judged right; do it the same way"),
            },
            ..AuthoredLesson::default()
        },
    }
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_EXCERPT {
        return line;
    }
    let cut: String = line.chars().take(LONGEST_EXCERPT).collect();
    format!("{cut}…")
}
