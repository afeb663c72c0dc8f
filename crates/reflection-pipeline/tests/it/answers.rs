//! Valid, invalid and missing answers, and the history of reflections.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflect_model::scripted::ScriptedModel;
use reflect_model::{ChatMessage, ChatRequest, Remedy};
use reflect_trajectory::SentTrajectory;
use reflect_types::ReviewResult;
use reflection_pipeline::*;
use serde_json::{Value, json};

fn good() -> String {
    json!({"summary": "s", "suggestions": ["do it"]}).to_string()
}

#[tokio::test]
async fn a_repaired_answer_says_so_and_counts_both_calls() {
    let model = ScriptedModel::new().answer("Sorry?").answer(good());

    let result = LlmReflector::new(model.clone()).reflect(&ReflectionInput::default()).await.unwrap();

    assert_eq!(result.parse, Parse::Repaired);
    assert_eq!(result.suggestions, ["do it"]);
    assert!(!result.metadata.contains_key("parse_error"));
    let paid: u64 = model.answers().iter().map(|answer| answer.usage.output_tokens).sum();
    assert_eq!(result.usage.output_tokens, paid);
    assert_eq!(model.calls(), 2);
}

#[tokio::test]
async fn a_fallback_keeps_the_whole_text_and_summarises_its_beginning() {
    let long = "é".repeat(500);
    let model = ScriptedModel::new().answer(long.clone());

    let reflector = LlmReflector::new(model.clone()).with_repairs(0);
    let result = reflector.reflect(&ReflectionInput::default()).await.unwrap();

    assert_eq!(result.summary, "é".repeat(200));
    assert_eq!(result.parse, Parse::Fallback { raw: long });
    assert!(result.usage.input_tokens > 0);
    assert_eq!(model.calls(), 1);
    let saved = serde_json::to_value(&result).unwrap();
    assert_eq!(saved["parse"]["status"], "fallback");
    assert_eq!(saved["metadata"], json!({"reflector": "general_reflector", "parse_error": true}));
}

#[tokio::test]
async fn what_a_model_adds_does_not_reach_the_metadata() {
    let answer = json!({"summary": "s", "parse_error": true, "metadata": {"reflector": "me"}}).to_string();
    let reflector = LlmReflector::new(ScriptedModel::new().answer(answer));

    let result = reflector.reflect(&ReflectionInput::default()).await.unwrap();

    assert_eq!(Value::Object(result.metadata), json!({"reflector": "general_reflector"}));
}

#[tokio::test]
async fn a_model_that_does_not_answer_is_an_error_with_its_remedy() {
    let after = Some(Duration::from_secs(7));
    let model = ScriptedModel::new().answer("hm").error(ModelError::retry_later("busy", after));

    let error = LlmReflector::new(model).reflect(&ReflectionInput::default()).await.unwrap_err();

    assert_eq!(error.remedy(), Remedy::RetryLater { after });
    assert!(error.usage().output_tokens > 0, "the first answer was paid for");
    assert_eq!(error.to_string(), "the model of general_reflector did not answer");
}

#[tokio::test]
async fn a_function_that_fails_is_an_error_with_a_reason_and_keeps_a_remedy() {
    let plain = model_fn("mine", |_: String| async { Err::<String, _>("no key is set") });
    let known =
        model_fn("mine", |_: String| async { Err::<String, _>(ModelError::retry_later("busy", None)) });
    let request = || ChatRequest::new(vec![ChatMessage::user("x")]);

    let plain = plain.chat(request()).await.unwrap_err();
    let known = known.chat(request()).await.unwrap_err();

    assert_eq!(plain.to_string(), "the function mine failed: no key is set");
    assert_eq!(plain.remedy, Remedy::DoNotRetry);
    assert_eq!(known.remedy, Remedy::RetryLater { after: None });
}

#[tokio::test]
async fn a_function_is_given_its_wrong_answer_the_complaint_and_the_schema() {
    let prompts = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&prompts);
    let model = model_fn("mine", move |prompt: String| {
        let mut seen = seen.lock().unwrap();
        seen.push(prompt);
        let answer = if seen.len() == 1 { "nonsense".to_owned() } else { good() };
        async move { Ok::<_, std::convert::Infallible>(answer) }
    });

    let result = LlmReflector::new(model).reflect(&ReflectionInput::default()).await.unwrap();

    assert_eq!(result.parse, Parse::Repaired);
    let prompts = prompts.lock().unwrap();
    assert!(prompts[0].contains("\"key_findings\"") && prompts[0].contains("JSON Schema"));
    assert!(prompts[1].contains("Your answer was:\nnonsense"), "{}", prompts[1]);
    assert!(prompts[1].contains("That answer cannot be used"));
}

/// A reflector that derives its suggestions from its insights.
struct Thoughtful(LlmReflector);

#[async_trait]
impl Reflector for Thoughtful {
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        self.0.analyze(input).await
    }

    async fn insight(&self, analysis: &Analysis) -> Result<Vec<String>, ReflectionError> {
        Ok(vec![format!("from {}", analysis.summary)])
    }

    async fn suggest(
        &self,
        analysis: &Analysis,
        insights: &[String],
    ) -> Result<Vec<String>, ReflectionError> {
        Ok(vec![format!("{} after {}", analysis.suggestions[0], insights[0])])
    }
}

#[tokio::test]
async fn suggestions_can_build_on_the_analysis_and_on_the_insights() {
    let reflector: Arc<dyn Reflector> =
        Arc::new(Thoughtful(LlmReflector::new(ScriptedModel::new().answer(good()))));

    let result = reflector.reflect(&ReflectionInput::default()).await.unwrap();

    assert_eq!(result.insights, ["from s"]);
    assert_eq!(result.suggestions, ["do it after from s"]);
}

#[tokio::test]
async fn reflections_can_be_made_on_another_thread() {
    let reflector = LlmReflector::new(ScriptedModel::new().answer(good()));
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { reflector.reflect(&ReflectionInput::default()).await.unwrap().summary });
    assert_eq!(tasks.join_all().await, ["s"]);
}

#[test]
fn a_history_forgets_the_oldest_and_counts_all() {
    let entry = |n: u32| ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, n.to_string());
    let mut bounded = ReflectionHistory::bounded(2);
    let mut counting = ReflectionHistory::bounded(0);
    let mut unbounded = ReflectionHistory::unbounded();
    for n in 0..1_500 {
        bounded.add(entry(n));
        counting.add(entry(n));
        unbounded.add(entry(n));
    }

    let kept: Vec<&str> = bounded.recent(5).map(|result| result.summary.as_str()).collect();
    assert_eq!(kept, ["1498", "1499"]);
    assert_eq!((bounded.total_count(), bounded.len()), (1_500, 2));
    assert!(counting.is_empty());
    assert_eq!(counting.failure_count(), 1_500);
    assert_eq!(unbounded.len(), 1_500);

    let saved = serde_json::to_string(&bounded).unwrap();
    let mut read: ReflectionHistory = serde_json::from_str(&saved).unwrap();
    assert_eq!(read, bounded);
    read.add(entry(9));
    assert_eq!((read.total_count(), read.len()), (1_501, 2));
}

#[test]
fn a_history_is_bounded_unless_told_otherwise() {
    let mut history = ReflectionHistory::default();
    for _ in 0..=DEFAULT_CAPACITY {
        history.add(ReflectionResult::new(ReflectionType::Insight, ReflectionLevel::Medium, "x"));
    }
    assert_eq!(history.len(), DEFAULT_CAPACITY);
    assert_eq!(history.total_count(), DEFAULT_CAPACITY as u64 + 1);
}

#[test]
fn a_stored_trace_becomes_an_input() {
    let sent =
        serde_json::from_str(r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]"#);
    let run = SentTrajectory::from_wire(sent.unwrap()).unwrap();

    let input = ReflectionInput::default().with_review(ReviewResult::Pass, None).with_trajectory(&run);

    assert_eq!((input.passed, input.feedback, input.output.as_deref()), (Some(true), None, Some("a")));
    assert_eq!(input.trajectory.len(), 2);
}
