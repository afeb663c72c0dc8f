//! Tests of the report of unknown fields.

use super::*;
use crate::{AugmentTask, CreateTrace, CreateTraces, Review, ReviewTraces, WriteMemory};

fn unknown<T: DeserializeOwned>(body: &str) -> Vec<String> {
    let decoded = decode::<T>(body.as_bytes());
    assert!(decoded.body.is_ok(), "{:?}", decoded.body.err());
    decoded.unknown.iter().map(ToString::to_string).collect()
}

#[test]
fn a_misspelled_field_is_named_with_its_path_and_the_right_name() {
    let run = r#"{"task": "t", "trajectory": "x", "reviw": {}, "colour": 1,
                  "review": {"result": "pass", "feedback": "ok", "reflection": {"sumary": "s"}}}"#;
    let expected = [
        "reviw (did you mean review?)",
        "colour",
        "review.feedback (did you mean feedback_text?)",
        "review.reflection.sumary (did you mean summary?)",
    ];
    assert_eq!(unknown::<CreateTrace>(run), expected);
}

#[test]
fn free_form_values_have_no_unknown_fields() {
    let run = r#"{"task": "t", "trajectory": [{"role": "user", "anything": {"x": 1}}],
                  "metadata": {"any": {"thing": [1, {"y": 2}]}}}"#;
    let decoded = decode::<CreateTrace>(run.as_bytes());
    assert!(decoded.unknown.is_empty(), "{:?}", decoded.unknown);
    let trajectory = decoded.body.unwrap().trajectory;
    assert_eq!(trajectory.get(), r#"[{"role": "user", "anything": {"x": 1}}]"#);
}

#[test]
fn a_path_in_a_list_is_reported_once_for_all_items() {
    let run = r#"{"task": "t", "trajectory": "x", "review": {"result": "fail", "feedbackText": "no"}}"#;
    let body = format!(r#"{{"traces": [{run}, {run}]}}"#);
    let expected = ["traces[].review.feedbackText (did you mean feedback_text?)"];
    assert_eq!(unknown::<CreateTraces>(&body), expected);
}

#[test]
fn bodies_that_contain_another_body_report_too() {
    let reviews = r#"{"reviews": [{"trace_id": "x", "result": "pass", "replce": true, "alpha": 0.1}]}"#;
    assert_eq!(unknown::<ReviewTraces>(reviews), ["reviews[].replce (did you mean replace?)"]);
    let augment = r#"{"task": "t", "limt": 3, "max_tokens": 100}"#;
    assert_eq!(unknown::<AugmentTask>(augment), ["limt (did you mean limit?)"]);
    let memory = r#"{"task": "t", "summary": "s", "guidence": "g"}"#;
    assert_eq!(unknown::<WriteMemory>(memory), ["guidence (did you mean guidance?)"]);
}

#[test]
fn names_are_limited_and_an_error_keeps_what_was_found_before_it() {
    let many: Vec<String> = (0..50).map(|number| format!(r#""zz{number}": 1"#)).collect();
    let decoded = decode::<CreateTrace>(format!("{{{}}}", many.join(",")).as_bytes());
    assert!(decoded.body.is_err() && decoded.has_more);
    assert_eq!(decoded.unknown.len(), MAX_NAMED);

    let decoded = decode::<CreateTrace>(br#"{"task": "t", "trajectory": "x"} {}"#);
    assert!(decoded.body.unwrap_err().to_string().starts_with("trailing characters"));
}

#[test]
fn only_similar_names_are_suggested() {
    let known = fields_of::<CreateTrace>();
    assert!(known.contains(&"retrieved_memory_ids"), "{known:?}");
    assert_eq!(closest("memory_ids", known), Some("retrieved_memory_ids"));
    assert_eq!(closest("Final-Response", known), Some("final_response"));
    for other in ["x", "id", "comment", "", "verdict", &"task".repeat(50)] {
        assert_eq!(closest(other, known), None, "{other}");
    }
    assert!(fields_of::<Review>().contains(&"learns_at"));
}
