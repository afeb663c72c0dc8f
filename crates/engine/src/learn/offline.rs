//! A lesson without a model: the reviewer's words, or what the run did. It is labelled as such.

use reflect_store::LearnInput;
use reflect_types::ReviewResult;

use super::feedback::{attributed, reviewer_words};
use super::run_summary::RunSummary;
use crate::lessons::{AuthoredLesson, LessonDraft, Origin, tools_used};
use crate::one_line::one_line;

/// The longest summary, in characters.
pub(super) const LONGEST_SUMMARY: usize = 200;

/// The lesson, with the reason why no model wrote it.
pub(super) fn lesson(input: &LearnInput, reason: Option<&str>) -> LessonDraft {
    // The error of a provider may contain NUL, which Postgres cannot hold.
    let reason = reason.map(|reason| reason.replace('\0', "\u{fffd}"));
    let note = match &reason {
        None => "written without a model, from task, outcome and feedback".to_owned(),
        Some(reason) => format!("written without a model, from task, outcome and feedback: {reason}"),
    };
    let origin = Origin::Offline { note, reason };
    LessonDraft { text: text(input), origin, used: None, tools_used: tools_used(&input.trajectory) }
}

/// The reviewer's words alone, because they need no company. Without them, what the run did and how it was judged.
fn text(input: &LearnInput) -> AuthoredLesson {
    let (summary, guidance) = match reviewer_words(input.feedback.as_deref()) {
        Some(words) => (first_line(&words), attributed(&words, input.by)),
        None => described(&RunSummary::of(input), input.result),
    };
    AuthoredLesson { summary, guidance, ..AuthoredLesson::default() }
}

/// The first line of a text that has letters or digits.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| line.contains(char::is_alphanumeric)).unwrap_or(text);
    one_line(line, LONGEST_SUMMARY)
}

/// Summary and guidance of a run without feedback. Runs that passed with the same tools share a lesson, so theirs says nothing
/// that holds for one of them only.
fn described(run: &RunSummary, result: ReviewResult) -> (String, String) {
    if let (ReviewResult::Pass, Some(tools)) = (result, &run.tools) {
        let summary = one_line(&format!("Judged right: {tools}"), LONGEST_SUMMARY);
        return (summary, format!("Approach: {tools}. It was judged right."));
    }
    let judged = match result {
        ReviewResult::Pass => "judged right",
        ReviewResult::Fail => "judged wrong",
    };
    let mut lines = Vec::new();
    if let Some(approach) = &run.approach {
        let plan = run.plan.as_ref().map(|plan| format!(" It began with: {plan}")).unwrap_or_default();
        lines.push(format!("Approach: {approach}.{plan}"));
    }
    lines.push(match &run.answer {
        Some(answer) => format!("Answer that was {judged}: {answer}"),
        None => format!("The run gave no answer and was {judged}."),
    });
    let answered = run.answer.as_ref().map(|answer| format!("answered: {answer}"));
    let did: Vec<String> = run.approach.iter().cloned().chain(answered).collect();
    let did = if did.is_empty() { "no answer".to_owned() } else { did.join("; ") };
    let mut judged = judged.to_owned();
    judged[..1].make_ascii_uppercase();
    (one_line(&format!("{judged}: {did}"), LONGEST_SUMMARY), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::memory;
    use crate::lessons::test_input::input;
    use reflect_types::ReviewerKind;
    use serde_json::json;

    fn reflection(input: &LearnInput) -> String {
        memory(input, lesson(input, None)).reflection
    }

    fn run() -> LearnInput {
        let call = |id: &str, tool: &str| {
            json!({ "role": "assistant", "content": null, "tool_calls": [
                { "id": id, "type": "function", "function": { "name": tool, "arguments": "{}" } }] })
        };
        let trajectory = json!([
            { "role": "user", "content": "refund the order" },
            { "role": "assistant", "content": "I will look the order up first." },
            call("1", "lookup"),
            { "role": "tool", "tool_call_id": "1", "content": "24.00" },
            call("2", "refund"),
            { "role": "tool", "tool_call_id": "2", "content": "done" },
            call("3", "lookup"),
            { "role": "tool", "tool_call_id": "3", "content": "refunded" },
            { "role": "assistant", "content": "Refunded 24.00 EUR.\nAnything else?" },
        ]);
        LearnInput { trajectory: trajectory.to_string(), ..input(ReviewResult::Pass, None) }
    }

    #[test]
    fn the_reviewers_words_come_first_and_whole() {
        let words = format!(
            "Two things:\n1. Check the price.\n\n{}\n\nnever use --force",
            "More detail. ".repeat(260)
        );
        for result in [ReviewResult::Pass, ReviewResult::Fail] {
            let input = input(result, Some(&words));
            assert_eq!(reflection(&input), words, "only the words: nothing is said twice");
            assert_eq!(lesson(&input, None).text.summary, "Two things:");
        }
    }

    #[test]
    fn feedback_of_a_judge_is_marked_as_text_of_a_model() {
        let input = LearnInput {
            by: ReviewerKind::Judge,
            ..input(ReviewResult::Fail, Some("Look the price up.\nThen pay."))
        };
        assert_eq!(reflection(&input), "Written by the judge, a model:\nLook the price up.\nThen pay.");
        assert_eq!(lesson(&input, None).text.summary, "Look the price up.");
        let plain = LearnInput { by: ReviewerKind::Judge, ..run() };
        assert!(
            reflection(&plain).starts_with("Approach: "),
            "without feedback, nothing of it is by the judge"
        );
    }

    #[test]
    fn a_pass_without_feedback_says_which_tools_the_run_used() {
        for feedback in [None, Some("ok"), Some("👍"), Some("Looks good to me!")] {
            let input = LearnInput { feedback: feedback.map(str::to_owned), ..run() };
            assert_eq!(reflection(&input), "Approach: called lookup, then refund. It was judged right.");
            assert_eq!(lesson(&input, None).text.summary, "Judged right: called lookup, then refund");
        }
    }

    #[test]
    fn passes_with_the_same_tools_have_the_same_lesson_whatever_their_answers_are() {
        let other = json!([
            { "role": "assistant", "content": "First the order.", "tool_calls": [
                { "id": "1", "function": { "name": "lookup", "arguments": "{\"order\": 7}" } }] },
            { "role": "assistant", "tool_calls": [
                { "id": "2", "function": { "name": "refund", "arguments": "{}" } }] },
            { "role": "assistant", "content": "Refunded 12.50 EUR." },
        ]);
        let other = LearnInput { trajectory: other.to_string(), task: "refund order 7".into(), ..run() };
        assert_eq!(lesson(&other, None), lesson(&run(), None));
    }

    #[test]
    fn a_fail_without_feedback_says_what_was_judged_wrong() {
        let input = LearnInput { result: ReviewResult::Fail, feedback: Some("wrong".into()), ..run() };
        let text = reflection(&input);
        let approach =
            "Approach: called lookup, then refund (3 calls). It began with: I will look the order up first.";
        assert!(text.starts_with(approach), "{text}");
        assert!(
            text.ends_with("\nAnswer that was judged wrong: Refunded 24.00 EUR. Anything else?"),
            "{text}"
        );
    }

    #[test]
    fn a_run_without_tools_or_without_a_trajectory_is_described_too() {
        let said =
            json!([{ "role": "user", "content": "capital?" }, { "role": "assistant", "content": "Oslo" }]);
        let direct = LearnInput { trajectory: said.to_string(), ..input(ReviewResult::Pass, None) };
        assert_eq!(
            reflection(&direct),
            "Approach: answered directly, without tools.\nAnswer that was judged right: Oslo"
        );
        let expired = LearnInput { final_response: Some("Oslo".into()), ..input(ReviewResult::Pass, None) };
        assert_eq!(reflection(&expired), "Answer that was judged right: Oslo");
        let nothing = input(ReviewResult::Fail, None);
        assert_eq!(reflection(&nothing), "The run gave no answer and was judged wrong.");
        assert_eq!(lesson(&nothing, None).text.summary, "Judged wrong: no answer");
    }

    #[test]
    fn many_tools_and_a_long_answer_stay_short() {
        let calls: Vec<_> = (0..14)
            .map(|n| {
                json!({ "role": "assistant", "tool_calls": [
                { "id": n.to_string(), "function": { "name": format!("tool_{n}"), "arguments": "{}" } }] })
            })
            .collect();
        let input = LearnInput {
            trajectory: json!(calls).to_string(),
            final_response: Some("word ".repeat(500)),
            ..input(ReviewResult::Pass, None)
        };
        assert!(reflection(&input).ends_with("tool_9, then 4 more. It was judged right."));
        let text = reflection(&LearnInput { result: ReviewResult::Fail, ..input });
        assert!(text.contains("tool_9, then 4 more (14 calls)."), "{text}");
        assert_eq!(text.lines().count(), 2);
        assert!(text.chars().count() < 600, "{text}");
    }
}
