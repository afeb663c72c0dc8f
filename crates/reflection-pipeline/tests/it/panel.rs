//! Several reflectors on one run.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::Remedy;
use reflect_model::scripted::ScriptedModel;
use reflection_pipeline::*;
use serde_json::{Value, json};
use tokio::sync::Barrier;

fn member(name: &str, answer: Value) -> LlmReflector {
    LlmReflector::new(ScriptedModel::new().answer(answer.to_string())).with_name(name)
}

fn unreadable(name: &str) -> LlmReflector {
    LlmReflector::new(ScriptedModel::new().answer("what?")).with_name(name).with_repairs(0)
}

fn busy(name: &str) -> LlmReflector {
    LlmReflector::new(ScriptedModel::new().error(ModelError::retry_later("busy", None))).with_name(name)
}

fn failed() -> ReflectionInput {
    ReflectionInput { passed: Some(false), ..Default::default() }
}

#[tokio::test]
async fn members_are_merged_by_priority_and_what_two_say_is_said_once() {
    let panel = Panel::new()
        .with_name("jury")
        .with(member("low", json!({"summary": "low", "suggestions": ["Check  the date", "b"]})))
        .with_priority(
            5,
            member(
                "high",
                json!({"summary": "high", "suggestions": ["check the date", "a"], "root_causes": ["r"]}),
            ),
        )
        .with(
            member("last", json!({"summary": "last", "insights": ["i"]}))
                .with_level(ReflectionLevel::Shallow),
        );

    let result = panel.reflect(&failed()).await.unwrap();

    assert_eq!(result.summary, "high");
    assert_eq!(result.suggestions, ["check the date", "a", "b"]);
    assert_eq!((result.root_causes, result.insights), (vec!["r".into()], vec!["i".into()]));
    assert_eq!((result.reflection_type, result.level), (ReflectionType::Failure, ReflectionLevel::Deep));
    assert_eq!(result.parse, Parse::Clean);
    assert_eq!(
        Value::Object(result.metadata),
        json!({"reflector": "jury", "members": ["high", "low", "last"]})
    );
}

#[tokio::test]
async fn one_that_fails_does_not_stop_the_rest_and_is_named() {
    let panel = Panel::new()
        .with_priority(9, busy("busy"))
        .with(unreadable("odd"))
        .with(member("good", json!({"summary": "g"})));

    let report = panel.ask(&failed()).await;
    assert_eq!(report.results.len(), 1 + 1);
    assert_eq!(report.failures[0].to_string(), "busy: the model of busy did not answer: busy");

    let panel = Panel::new()
        .with_priority(9, busy("busy"))
        .with(unreadable("odd"))
        .with(member("good", json!({"summary": "g"})));
    let result = panel.reflect(&failed()).await.unwrap();
    assert_eq!((result.summary.as_str(), &result.parse), ("g", &Parse::Clean));
    assert_eq!(
        result.metadata["failed"],
        json!([{"reflector": "busy", "error": "the model of busy did not answer: busy"}])
    );
    assert_eq!(result.metadata["unread"], json!(["odd"]));
    assert!(result.usage.output_tokens > 0);
}

#[tokio::test]
async fn what_was_paid_for_counts_even_if_it_led_to_nothing() {
    let model = ScriptedModel::new().answer("hm").error(ModelError::retry_later("busy", None));
    let good = ScriptedModel::new().answer(json!({"summary": "g"}).to_string());
    let panel = Panel::new().with(LlmReflector::new(model.clone())).with(LlmReflector::new(good.clone()));

    let result = panel.reflect(&failed()).await.unwrap();

    let paid = |model: &ScriptedModel| model.answers()[0].usage.output_tokens;
    assert_eq!(result.usage.output_tokens, paid(&model) + paid(&good));
}

#[tokio::test]
async fn on_failure_only_those_are_asked_whom_it_concerns() {
    let panel = || {
        let quick = |name: &str| member(name, json!({"summary": "x"}));
        Panel::new()
            .with(quick("derived"))
            .with(quick("optimizer").with_type(ReflectionType::Optimization))
            .with(quick("cheerful").with_type(ReflectionType::Success))
            .with(quick("general").with_type(ReflectionType::Insight))
    };

    let on_failure = panel().ask(&failed()).await;
    let on_success = panel().ask(&ReflectionInput { passed: Some(true), ..Default::default() }).await;
    let everybody = panel().on_failure(ReflectionType::ALL).ask(&failed()).await;

    assert_eq!(on_failure.skipped, ["cheerful", "general"]);
    assert_eq!(on_failure.results.len(), 2);
    assert_eq!((on_success.results.len(), everybody.results.len()), (4, 4));
    let merged = panel().reflect(&failed()).await.unwrap();
    assert_eq!(merged.metadata["skipped"], json!(["cheerful", "general"]));
}

#[tokio::test]
async fn a_panel_without_a_result_is_an_error_that_says_why() {
    let all_busy = Panel::new().with(busy("a")).with(busy("b")).reflect(&failed()).await.unwrap_err();
    let no_match =
        Panel::new().with(busy("a").with_type(ReflectionType::Success)).reflect(&failed()).await.unwrap_err();

    assert_eq!(all_busy.remedy(), Remedy::RetryLater { after: None });
    assert_eq!(
        all_busy.to_string(),
        "every reflector of the panel panel failed: a: the model of a did not answer: busy; \
         b: the model of b did not answer: busy"
    );
    assert!(matches!(no_match, ReflectionError::NoMatchingReflector { .. }));
}

#[tokio::test]
async fn answers_that_cannot_be_read_count_only_if_there_is_nothing_else() {
    let result = Panel::new().with(unreadable("a")).with(unreadable("b")).reflect(&failed()).await.unwrap();

    assert_eq!((result.summary.as_str(), result.parse.is_fallback()), ("what?", true));
    assert_eq!(result.metadata["parse_error"], true);
}

/// Completes only when all three members run.
struct Meeting(Arc<Barrier>);

#[async_trait]
impl Reflector for Meeting {
    async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        self.0.wait().await;
        Ok(Analysis { summary: "met".into(), ..Default::default() })
    }
}

#[tokio::test]
async fn members_work_at_the_same_time() {
    let barrier = Arc::new(Barrier::new(3));
    let seat = || Meeting(Arc::clone(&barrier));
    let panel = Panel::new().with(seat()).with(seat()).with(seat());

    // If the members ran one after the other, the first would wait forever.
    let wait = std::time::Duration::from_secs(30);
    let result = tokio::time::timeout(wait, panel.reflect(&failed())).await.unwrap().unwrap();

    assert_eq!(result.summary, "met");
}

#[tokio::test]
async fn a_panel_can_sit_on_a_panel() {
    let inner = Panel::new().with_name("inner").with(member("m", json!({"summary": "deep inside"})));
    let result = Panel::new().with(inner).reflect(&failed()).await.unwrap();
    assert_eq!(result.summary, "deep inside");
    assert_eq!(result.metadata["members"], json!(["inner"]));
}
