//! Reads a run from JSON. A misspelled field is an error: a verdict or feedback that is silently dropped is a lost lesson.

use reflect_api::{CreateTrace, Review, Trace, UnknownField, decode, fields_of};

/// A run as in POST …/traces, or as written by `traces export`.
pub(super) fn decode_run(json: &[u8]) -> Result<CreateTrace, String> {
    let decoded = decode::<CreateTrace>(json);
    // A misspelled name explains a missing one, so it is reported first.
    if let Some(field) = decoded.unknown.iter().find(|field| is_mistake(field)) {
        return Err(format!("unknown field {field}"));
    }
    decoded.body.map_err(|error| error.to_string())
}

/// Fields of exported runs are known. Other fields of a run without a similar name are ignored, like on the server;
/// in a review they are not.
fn is_mistake(field: &UnknownField) -> bool {
    match field.path.strip_prefix("review.") {
        Some(name) => !fields_of::<Review>().contains(&name),
        None => field.suggestion.is_some() && !fields_of::<Trace>().contains(&field.path.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn error(more: Value) -> Option<String> {
        let mut run = json!({ "task": "t", "trajectory": "x" });
        run.as_object_mut()?.extend(more.as_object()?.clone());
        decode_run(run.to_string().as_bytes()).err()
    }

    #[test]
    fn misspelled_reviews_and_feedback_without_a_result_are_refused_with_the_right_name() {
        let feedback = error(json!({ "review": { "result": "fail", "feedback": "no" } })).unwrap();
        assert_eq!(feedback, "unknown field review.feedback (did you mean feedback_text?)");
        let review = error(json!({ "reviw": { "result": "fail" } })).unwrap();
        assert_eq!(review, "unknown field reviw (did you mean review?)");
        let other = error(json!({ "review": { "result": "pass", "stars": 5 } })).unwrap();
        assert_eq!(other, "unknown field review.stars");
        let result = error(json!({ "review": { "feedback_text": "no" } })).unwrap();
        assert!(result.starts_with("missing field `result`"), "{result}");
    }

    #[test]
    fn exported_runs_and_fields_of_other_programs_are_accepted() {
        let exported = json!({
            "id": "x", "created_at": "2026-01-01T00:00:00Z", "review_status": "reviewed", "arm": null,
            "review": { "result": "pass", "id": "y", "trace_id": "x", "mode": "inline", "reviewer": "key:a" },
        });
        assert_eq!(error(exported), None);
        assert_eq!(error(json!({ "stars": 5 })), None);
    }
}
