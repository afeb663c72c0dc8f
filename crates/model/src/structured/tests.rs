//! Tests with valid, invalid, truncated and missing answers.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::Remedy;
use crate::scripted::ScriptedModel;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Report {
    summary: String,
    #[serde(default)]
    steps: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
struct AllOptional {
    score: f64,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum Verdict {
    Pass { score: f64 },
    Fail { reason: String },
}

fn request() -> ChatRequest {
    ChatRequest { max_tokens: Some(300), ..ChatRequest::new(vec![ChatMessage::user("Report.")]) }
}

#[tokio::test]
async fn a_good_answer_is_read_from_one_call_and_the_schema_goes_along() {
    let script = ScriptedModel::new().named("m").answer("Sure: {\"summary\": \"fine\"}");
    let model: Arc<dyn TextModel> = Arc::new(script.clone());

    let report = model.structured::<Report>(request()).await.unwrap();

    assert_eq!(report.value, Report { summary: "fine".into(), steps: vec![] });
    assert_eq!((report.reading, report.model.as_str()), (Reading::Clean, "m"));
    let asked = script.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].schema, Some(OutputSchema::of::<Report>()));
    assert_eq!(asked[0].messages, request().messages);
}

#[tokio::test]
async fn a_wrong_answer_is_shown_again_with_what_is_wrong_and_both_calls_are_counted() {
    let model =
        ScriptedModel::new().answer("{\"summary\": 5}").answer("{\"summary\": \"five\", \"steps\": [\"a\"]}");

    let report = model.structured::<Report>(request()).await.unwrap();

    assert_eq!(report.value.summary, "five");
    assert_eq!(report.reading, Reading::Repaired);
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].messages[1], ChatMessage::assistant("{\"summary\": 5}"));
    let complaint = &asked[1].messages[2].content;
    assert!(complaint.contains("expected a string, near `{\"summary\":5`"), "{complaint}");
    let costs = model.answers().iter().fold(Usage::default(), |mut sum, answer| {
        sum += answer.usage;
        sum
    });
    assert!(costs.output_tokens > 0);
    assert_eq!(report.usage, costs);
}

#[tokio::test]
async fn an_answer_that_stays_wrong_is_an_error_that_keeps_the_text_and_the_cost() {
    let model = ScriptedModel::new().answer("no").answer("still {\"steps\": []}");

    let failed = model.structured::<Report>(request()).await.unwrap_err();

    assert_eq!(failed.raw.as_deref(), Some("still {\"steps\": []}"));
    assert_eq!((failed.calls, failed.error.remedy), (2, Remedy::Unreadable));
    assert!(failed.error.message.contains("missing field `summary`"), "{}", failed.error);
    assert!(failed.usage.input_tokens > 0);
    assert_eq!(failed.to_string(), "the model gave no usable answer in 2 calls");
}

#[tokio::test]
async fn without_repairs_it_asks_once() {
    let model = ScriptedModel::new().answer("no").answer("{\"summary\": \"late\"}");

    let failed =
        model.structured_with::<Report>(request(), OutputSchema::of::<Report>(), 0).await.unwrap_err();

    assert_eq!((failed.calls, model.calls()), (1, 1));
}

#[tokio::test]
async fn a_call_that_fails_keeps_its_remedy_and_what_came_before_it() {
    let busy = || ModelError::retry_later("busy", None);
    let at_once = ScriptedModel::new().error(busy());
    let later = ScriptedModel::new().answer("hm").error(busy());

    let at_once = at_once.structured::<Report>(request()).await.unwrap_err();
    let later = later.structured::<Report>(request()).await.unwrap_err();

    assert_eq!((at_once.raw, at_once.usage), (None, Usage::default()));
    assert_eq!(later.raw.as_deref(), Some("hm"));
    assert!(later.usage.output_tokens > 0);
    assert_eq!(ModelError::from(later).remedy, Remedy::RetryLater { after: None });
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_asked_for_in_shorter_form() {
    let model = ScriptedModel::new().cut_off("{\"summary\": \"and so").answer("{\"summary\": \"short\"}");

    let report = model.structured::<Report>(request()).await.unwrap();

    assert_eq!(report.value.summary, "short");
    let complaint = &model.requests()[1].messages[2].content;
    assert!(complaint.contains("the limit of 300 tokens"), "{complaint}");
}

#[tokio::test]
async fn what_is_complete_of_an_answer_that_was_cut_off_is_kept_if_it_has_the_type() {
    let enough = ScriptedModel::new().cut_off(r#"{"summary": "all of it", "steps": ["one", "tw"#);
    let nothing = ScriptedModel::new().cut_off(r#"{"other": 1, "score": 0."#).answer(r#"{"score": 1}"#);

    let enough = enough.structured::<Report>(request()).await.unwrap();
    let nothing = nothing.structured::<AllOptional>(request()).await.unwrap();

    assert_eq!(enough.value, Report { summary: "all of it".into(), steps: vec![] });
    assert_eq!((enough.reading, enough.calls), (Reading::CutOff, 1));
    assert_eq!((nothing.reading, nothing.calls, nothing.value.score), (Reading::Repaired, 2, 1.0));
}

#[tokio::test]
async fn an_empty_answer_is_not_shown_again() {
    let model = ScriptedModel::new().answer("  ").answer("{\"summary\": \"x\"}");

    model.structured::<Report>(request()).await.unwrap();

    let roles: Vec<_> = model.requests()[1].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [crate::ChatRole::User, crate::ChatRole::User]);
}

#[tokio::test]
async fn a_draft_of_the_wrong_type_does_not_hide_the_answer() {
    let text = r#"{"summary": 1, "steps": 2} no, rather: {"summary": "right"}"#;
    let report = ScriptedModel::new().answer(text).structured::<Report>(request()).await.unwrap();

    assert_eq!((report.value.summary.as_str(), report.reading), ("right", Reading::Clean));
}

#[tokio::test]
async fn a_stray_empty_object_does_not_stand_in_for_a_wrong_answer() {
    let wrong = ScriptedModel::new().answer(r#"{} {"score": "high"}"#).answer(r#"{"score": 1}"#);
    let empty = ScriptedModel::new().answer("{}");

    let repaired = wrong.structured::<AllOptional>(request()).await.unwrap();
    let nothing = empty.structured::<AllOptional>(request()).await.unwrap();

    assert_eq!((repaired.reading, repaired.value.score), (Reading::Repaired, 1.0));
    assert_eq!((nothing.reading, nothing.value), (Reading::Clean, AllOptional::default()));
}

#[tokio::test]
async fn the_variants_of_an_enum_are_recognised_by_their_fields() {
    let text = r#"{"note": "thinking"} {"verdict": "fail", "reason": "no index"}"#;
    let verdict = ScriptedModel::new().answer(text).structured::<Verdict>(request()).await.unwrap();

    assert_eq!(verdict.value, Verdict::Fail { reason: "no index".into() });
}

#[test]
fn an_error_in_non_ascii_text_does_not_panic() {
    let object = json!({ "summary": "é".repeat(200), "steps": "é" }).to_string();
    let problem = read::<Report>(&object, &["summary", "steps"]).unwrap_err();
    assert!(problem.contains("expected a sequence"), "{problem}");
}

#[test]
fn schema_names_have_only_characters_that_providers_accept() {
    let name = OutputSchema::of::<Vec<Option<Report>>>().name;
    assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
}
