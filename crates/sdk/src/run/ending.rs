//! Creates the trace of a run when it ends.
//!
//! | The run ends | The trace |
//! |---|---|
//! | normally | as in its output |
//! | with an error, and it has output or messages | fail, with the text of the error as feedback |
//! | with an error, without output and messages | pending: there is nothing to review |
//! | dropped, and it has output or messages | pending and marked as interrupted |
//! | normally or dropped, without output and messages | none |

use std::fmt::Display;

use reflect_types::ReviewResult;
use serde_json::{Map, Value};

use super::RunContext;
use super::context::RunNotes;
use crate::message::{Message, Trajectory};
use crate::new_trace::NewTrace;
use crate::verdict::ReviewVerdict;

/// Longer error texts are cut.
const MAX_FEEDBACK_CHARS: usize = 2000;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Normally.
    Finished,
    /// With an error.
    Failed {
        /// The type of the error.
        kind: &'static str,
        /// Its text.
        text: String,
    },
    /// Before `finish`. Contains the reason.
    Interrupted(&'static str),
}

impl Ending {
    /// The run failed with this error.
    pub(crate) fn failed<E: Display>(error: &E) -> Self {
        Self::Failed { kind: std::any::type_name::<E>(), text: error.to_string() }
    }
}

/// The trace of a run. `None` if the run has no content.
pub(super) fn trace_of(context: &RunContext, notes: RunNotes, ending: Ending) -> Option<NewTrace> {
    let noted = !notes.messages.is_empty();
    let has_content = noted || notes.output.is_some();
    if !has_content && !matches!(ending, Ending::Failed { .. }) {
        return None;
    }
    let output = notes.output.unwrap_or_default();
    let mut trajectory = output.trajectory.unwrap_or(Trajectory::Messages(notes.messages));
    if trajectory.is_empty() {
        trajectory = [Message::user(context.augmented_task())].into();
    }
    let mut metadata = context.metadata().clone();
    metadata.extend(output.metadata);
    let marks = marks(context, &ending);
    if !marks.is_empty() {
        metadata.insert("reflect".to_owned(), Value::Object(marks));
    }
    let review = match ending {
        Ending::Finished => output.review,
        Ending::Failed { text, kind } if has_content => Some(failure(output.review, text, kind)),
        Ending::Failed { .. } | Ending::Interrupted(_) => None,
    };

    let task = output.task.unwrap_or_else(|| context.task().to_owned());
    let mut trace = NewTrace::new(task, trajectory)
        .with_trace_id(context.trace_id())
        .retrieved_memory_ids(context.given().memory_ids())
        .all_metadata(metadata);
    if let Some(receipt) = context.retrieval_id() {
        trace = trace.retrieval_id(receipt);
    }
    if let Some(used) = output.used_memory_ids {
        trace = trace.used_memory_ids(used);
    }
    if let Some(text) = output.final_response {
        trace = trace.final_response(text);
    }
    if let Some(model) = output.model {
        trace = trace.model(model);
    }
    if let Some(text) = output.reference_context {
        trace = trace.reference_context(text);
    }
    Some(match review {
        Some(verdict) => trace.review(verdict),
        None => trace,
    })
}

/// A fail with the text of the error, or its type if the text is empty. The lesson is dropped, because it was written
/// for a different result.
fn failure(review: Option<ReviewVerdict>, text: String, kind: &str) -> ReviewVerdict {
    let text = if text.trim().is_empty() { kind.to_owned() } else { text };
    let feedback: String = text.chars().take(MAX_FEEDBACK_CHARS).collect();
    let alpha = review.and_then(|verdict| verdict.alpha);
    ReviewVerdict { result: ReviewResult::Fail, feedback: Some(feedback), alpha, lesson: None }
}

/// Metadata about the end of the run. It has its own key, to avoid conflicts with the metadata of the user.
fn marks(context: &RunContext, ending: &Ending) -> Map<String, Value> {
    let mut marks = Map::new();
    // With a receipt, the server already knows the reason.
    if let (Some(reason), None) = (context.degraded(), context.retrieval_id()) {
        marks.insert("degraded".to_owned(), reason.into());
    }
    match ending {
        Ending::Finished => {}
        Ending::Failed { kind, .. } => drop(marks.insert("error".to_owned(), (*kind).into())),
        Ending::Interrupted(by) => drop(marks.insert("interrupted".to_owned(), (*by).into())),
    }
    marks
}

#[cfg(test)]
mod tests {
    use reflect_api::CreateTrace;
    use serde_json::json;

    use super::*;
    use crate::calls::Augmented;
    use crate::run::Output;

    fn context(degraded: Option<&str>) -> RunContext {
        let (task, augmented_task) = ("the task".to_owned(), "the task, and more".to_owned());
        let degraded = degraded.map(str::to_owned);
        let memory_block = String::new();
        let given = Augmented {
            task,
            augmented_task,
            memory_block,
            memories: Vec::new(),
            retrieval_id: None,
            degraded,
        };
        RunContext::new(given, Map::from_iter([("env".to_owned(), "test".into())]))
    }

    fn ended(context: &RunContext, ending: Ending) -> Option<CreateTrace> {
        trace_of(context, context.take_notes(), ending).map(|trace| trace.body().clone())
    }

    fn messages(body: &CreateTrace) -> Value {
        serde_json::from_str(body.trajectory.get()).unwrap()
    }

    fn crash() -> Ending {
        Ending::Failed { kind: "Crash", text: "the tool broke".to_owned() }
    }

    #[test]
    fn a_run_that_ends_as_it_should_is_stored_as_it_said() {
        let run = context(None);
        run.message(Message::assistant("done"));
        run.set_output(Output { model: Some("small".into()), ..Output::reviewed(ReviewVerdict::pass()) });

        let body = ended(&run, Ending::Finished).unwrap();

        assert_eq!(body.trace_id, Some(run.trace_id().as_uuid()));
        assert_eq!(messages(&body), json!([{ "role": "assistant", "content": "done" }]));
        assert_eq!((body.task.as_str(), body.model.as_deref()), ("the task", Some("small")));
        assert_eq!(body.review.unwrap().result, ReviewResult::Pass);
        assert_eq!(Value::Object(body.metadata.unwrap()), json!({ "env": "test" }));
    }

    #[test]
    fn an_error_after_output_is_a_fail_in_its_own_words() {
        let run = context(None);
        run.set_output(Output::reviewed(ReviewVerdict::pass()));

        let body = ended(&run, crash()).unwrap();

        let review = body.review.unwrap();
        assert_eq!(
            (review.result, review.feedback_text.as_deref()),
            (ReviewResult::Fail, Some("the tool broke"))
        );
        assert_eq!(body.metadata.unwrap()["reflect"]["error"], "Crash");
    }

    #[test]
    fn an_error_with_messages_noted_is_a_fail_and_one_with_nothing_to_show_is_not() {
        let run = context(None);
        run.message(Message::assistant("hm"));
        assert!(ended(&run, crash()).unwrap().review.is_some());

        let body = ended(&context(None), crash()).unwrap();
        assert!(body.review.is_none());
        assert_eq!(messages(&body), json!([{ "role": "user", "content": "the task, and more" }]));
    }

    #[test]
    fn an_interrupted_run_is_never_a_failure() {
        let run = context(None);
        run.message(Message::assistant("hm"));
        run.set_output(Output::reviewed(ReviewVerdict::fail("no")));

        let body = ended(&run, Ending::Interrupted("dropped")).unwrap();

        assert!(body.review.is_none());
        assert_eq!(body.metadata.unwrap()["reflect"]["interrupted"], "dropped");
    }

    #[test]
    fn where_nothing_was_said_nothing_is_stored() {
        assert!(ended(&context(None), Ending::Finished).is_none());
        assert!(ended(&context(None), Ending::Interrupted("dropped")).is_none());
    }

    #[test]
    fn a_run_without_memories_says_why() {
        let run = context(Some("no memories: the server is away"));
        run.set_output(Output::text("done"));

        let body = ended(&run, Ending::Finished).unwrap();

        assert_eq!(body.metadata.unwrap()["reflect"]["degraded"], "no memories: the server is away");
        assert_eq!((body.trajectory.get(), body.final_response.as_deref()), ("\"done\"", Some("done")));
    }

    #[test]
    fn feedback_is_no_longer_than_anybody_reads_and_never_empty() {
        let long = failure(None, "é".repeat(3000), "Crash").feedback.unwrap();
        assert_eq!(long.chars().count(), MAX_FEEDBACK_CHARS);
        assert_eq!(failure(None, " ".to_owned(), "Crash").feedback.as_deref(), Some("Crash"));
    }
}
