//! The thirty tests of the Python API, in its order and with its names, one for one.
//!
//! Three have a different result by design: `wrong types are refused` and `fallback is visible` show in
//! `general_reflector_malformed_json_response` and below it, `recent(0) is empty` in `history_get_recent`.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflection_pipeline::*;
use serde_json::{Value, json};

/// A judge that always gives the same answer.
fn judge(answer: impl ToString) -> impl TextModel + 'static {
    let answer = answer.to_string();
    model_fn("judge", move |_prompt: String| {
        let answer = answer.clone();
        async move { Ok::<_, Infallible>(answer) }
    })
}

/// A minimal reflector.
struct Concrete;

#[async_trait]
impl Reflector for Concrete {
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        let list = |item: &str| vec![item.to_owned()];
        Ok(Analysis {
            summary: format!("Analyzed: {}", input.input.as_deref().unwrap_or("unknown")),
            key_findings: list("finding-1"),
            root_causes: list("cause-1"),
            insights: list("insight-1"),
            suggestions: list("suggestion-1"),
            ..Default::default()
        })
    }
}

fn input() -> ReflectionInput {
    ReflectionInput::default()
}

fn result(kind: ReflectionType) -> ReflectionResult {
    ReflectionResult::new(kind, ReflectionLevel::Medium, "test")
}

async fn analysis(answer: &str) -> Analysis {
    LlmReflector::new(judge(answer)).analyze(&input()).await.unwrap()
}

// ReflectionType

#[test]
fn type_values() {
    let words = ReflectionType::ALL.map(ReflectionType::as_str);
    assert_eq!(words, ["success", "failure", "optimization", "pattern", "insight"]);
}

#[test]
fn type_is_str_enum() {
    assert_eq!(ReflectionType::Success.to_string(), "success");
    for kind in ReflectionType::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        assert_eq!(serde_json::from_value::<ReflectionType>(json!(kind.as_str())).unwrap(), kind);
        assert_eq!(kind.as_str().parse(), Ok(kind));
    }
    assert!("Success".parse::<ReflectionType>().is_err());
}

// ReflectionLevel

#[test]
fn level_values() {
    let words = ReflectionLevel::ALL.map(ReflectionLevel::as_str);
    assert_eq!(words, ["shallow", "medium", "deep", "meta"]);
}

#[test]
fn level_is_str_enum() {
    assert_eq!(ReflectionLevel::Deep.to_string(), "deep");
    for level in ReflectionLevel::ALL {
        assert_eq!(serde_json::to_value(level).unwrap(), level.as_str());
        assert_eq!(level.as_str().parse(), Ok(level));
    }
}

// ReflectionResult

#[test]
fn result_creation() {
    let result = ReflectionResult::new(ReflectionType::Success, ReflectionLevel::Shallow, "All good");
    assert_eq!(result.summary, "All good");
    assert!(result.key_findings.is_empty() && result.root_causes.is_empty());
    assert!(result.insights.is_empty() && result.suggestions.is_empty() && result.metadata.is_empty());
    assert_eq!(result.parse, Parse::Clean);
}

/// A doc test of `ReflectionResult` checks that its fields cannot be set. This test checks that a clone is independent.
#[test]
fn result_frozen() {
    let result = result(ReflectionType::Failure);
    let mut copy = result.clone();
    copy.summary = "changed".into();
    assert_eq!(result.summary, "test");
}

#[test]
fn result_with_all_fields() {
    let result = ReflectionResult {
        key_findings: vec!["f1".into(), "f2".into()],
        root_causes: vec!["c1".into()],
        insights: vec!["i1".into()],
        suggestions: vec!["s1".into(), "s2".into()],
        metadata: serde_json::from_value(json!({"extra": true})).unwrap(),
        ..ReflectionResult::new(ReflectionType::Pattern, ReflectionLevel::Meta, "Pattern found")
    };
    assert_eq!(result.key_findings.len(), 2);
    assert_eq!(result.metadata["extra"], true);
    let saved = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<ReflectionResult>(&saved).unwrap(), result);
}

// ReflectionHistory

#[test]
fn history_empty() {
    let history = ReflectionHistory::new();
    assert_eq!(history.total_count(), 0);
    assert_eq!(history.recent(5).count(), 0);
}

#[test]
fn history_add_updates_counters() {
    let mut history = ReflectionHistory::new();
    history.add(result(ReflectionType::Success));
    history.add(result(ReflectionType::Failure));
    history.add(result(ReflectionType::Insight));
    assert_eq!((history.total_count(), history.success_count(), history.failure_count()), (3, 1, 1));
}

#[test]
fn history_get_recent() {
    let mut history = ReflectionHistory::new();
    for n in 0..10 {
        history.add(ReflectionResult { summary: n.to_string(), ..result(ReflectionType::Insight) });
    }
    let recent: Vec<&str> = history.recent(3).map(|result| result.summary.as_str()).collect();
    assert_eq!(recent, ["7", "8", "9"]);
    assert_eq!(history.recent(100).len(), 10);
    // Intended difference: in Python, 0 returns everything.
    assert_eq!(history.recent(0).len(), 0);
}

#[test]
fn history_get_by_type() {
    let mut history = ReflectionHistory::new();
    history.add(result(ReflectionType::Success));
    history.add(result(ReflectionType::Failure));
    history.add(result(ReflectionType::Success));
    assert_eq!(history.by_type(ReflectionType::Success).count(), 2);
    assert_eq!(history.by_type(ReflectionType::Failure).count(), 1);
    assert_eq!(history.by_type(ReflectionType::Pattern).count(), 0);
}

#[test]
fn history_summarize() {
    let mut history = ReflectionHistory::new();
    history.add(result(ReflectionType::Success));
    history.add(result(ReflectionType::Failure));
    assert_eq!(
        serde_json::to_value(history.summarize()).unwrap(),
        json!({"total": 2, "success": 1, "failure": 1,
            "types": {"success": 1, "failure": 1, "optimization": 0, "pattern": 0, "insight": 0}})
    );
}

// Reflector

/// In Python, an abstract class cannot be instantiated. In Rust, a doc test of the trait checks that an implementation
/// without `analyze` does not compile. An implementation with `analyze` can be a trait object.
#[test]
fn reflector_cannot_instantiate() {
    let object: Arc<dyn Reflector> = Arc::new(Concrete);
    assert_eq!(object.name(), "reflector");
}

#[test]
fn reflector_concrete_subclass() {
    struct Named;
    #[async_trait]
    impl Reflector for Named {
        fn name(&self) -> &str {
            "test"
        }
        fn reflection_type(&self, _: &ReflectionInput) -> ReflectionType {
            ReflectionType::Pattern
        }
        async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
            Ok(Analysis::default())
        }
    }
    assert_eq!(Named.name(), "test");
    assert_eq!(Named.reflection_type(&input()), ReflectionType::Pattern);
}

#[tokio::test]
async fn reflector_reflect_pipeline() {
    let result = Concrete.reflect(&ReflectionInput { input: Some("hello".into()), ..input() }).await.unwrap();
    assert_eq!(result.summary, "Analyzed: hello");
    assert_eq!(result.key_findings, ["finding-1"]);
    assert_eq!(result.root_causes, ["cause-1"]);
    assert_eq!(result.insights, ["insight-1"]);
    assert_eq!(result.suggestions, ["suggestion-1"]);
    assert_eq!(Value::Object(result.metadata), json!({"reflector": "reflector"}));
}

#[test]
fn reflector_defaults() {
    assert_eq!(Concrete.name(), "reflector");
    assert_eq!(Concrete.reflection_type(&input()), ReflectionType::Insight);
    assert_eq!(Concrete.level(), ReflectionLevel::Medium);
}

// GeneralReflector

#[test]
fn general_reflector_defaults() {
    let reflector = LlmReflector::without_model();
    assert_eq!(reflector.name(), "general_reflector");
    assert_eq!(reflector.level(), ReflectionLevel::Deep);
    assert_eq!(reflector.reflection_type(&input()), ReflectionType::Insight);
}

#[test]
fn general_reflector_custom() {
    let reflector = LlmReflector::without_model()
        .with_name("custom")
        .with_type(ReflectionType::Failure)
        .with_level(ReflectionLevel::Meta)
        .with_system_prompt("Custom prompt");
    assert_eq!((reflector.name(), reflector.level()), ("custom", ReflectionLevel::Meta));
    assert_eq!(reflector.reflection_type(&input()), ReflectionType::Failure);
    assert_eq!(reflector.system_prompt(), "Custom prompt");
    assert_eq!(reflector.with_system_prompt("").system_prompt(), LlmReflector::DEFAULT_SYSTEM_PROMPT);
}

#[tokio::test]
async fn general_reflector_no_judge_returns_error() {
    let result = LlmReflector::without_model().reflect(&input()).await.unwrap();
    assert!(result.summary.starts_with("No model was given"), "{}", result.summary);
    assert_eq!(result.metadata["error"], true);
    assert!(result.parse.is_fallback());
}

#[tokio::test]
async fn general_reflector_full_reflection() {
    let answer = json!({
        "summary": "Task completed with issues",
        "key_findings": ["slow execution", "memory spike"],
        "root_causes": ["unoptimized loop"],
        "insights": ["batch processing helps"],
        "suggestions": ["refactor inner loop"],
    });
    let asked = ReflectionInput { input: Some("in".into()), output: Some("out".into()), ..input() };
    let result = LlmReflector::new(judge(answer)).reflect(&asked).await.unwrap();
    assert_eq!(result.summary, "Task completed with issues");
    assert_eq!(result.key_findings.len(), 2);
    assert_eq!(result.root_causes, ["unoptimized loop"]);
    assert_eq!(result.insights, ["batch processing helps"]);
    assert_eq!(result.suggestions, ["refactor inner loop"]);
    assert_eq!(result.parse, Parse::Clean);
}

#[tokio::test]
async fn general_reflector_with_error_context() {
    let answer = json!({"summary": "Error analysis", "key_findings": ["timeout"], "root_causes": [], "insights": [],
        "suggestions": ["increase timeout"]});
    let asked = ReflectionInput { error: Some("ConnectionTimeout".into()), iteration: Some(3), ..input() };
    let reflector = LlmReflector::new(judge(answer)).with_type(ReflectionType::Failure);
    let result = reflector.reflect(&asked).await.unwrap();
    assert_eq!(result.reflection_type, ReflectionType::Failure);
    assert_eq!(result.summary, "Error analysis");
}

#[tokio::test]
async fn general_reflector_prompt_includes_context() {
    let captured = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&captured);
    let model = model_fn("capture", move |prompt: String| {
        seen.lock().unwrap().push(prompt);
        async { Ok::<_, Infallible>(json!({"summary": "ok"}).to_string()) }
    });
    let asked: ReflectionInput =
        serde_json::from_value(json!({"input": "IN", "output": "OUT", "error": "ERR", "iteration": 5}))
            .unwrap();

    LlmReflector::new(model).reflect(&asked).await.unwrap();

    let prompts = captured.lock().unwrap();
    let prompt = prompts[0].as_str();
    assert!(prompt.starts_with(LlmReflector::DEFAULT_SYSTEM_PROMPT));
    assert!(prompt.contains("[Input]\nIN\n\n[Output]\nOUT\n\n[Error]\nERR\n\n[Iteration] 5\n"), "{prompt}");
}

#[tokio::test]
async fn general_reflector_malformed_json_response() {
    let asked = ReflectionInput { input: Some("test".into()), ..input() };
    let result = LlmReflector::new(judge("This is not JSON at all")).reflect(&asked).await.unwrap();
    assert!(result.summary.contains("This is not JSON"));
    // Intended difference: in Python, it looks like a valid answer.
    assert_eq!(result.parse, Parse::Fallback { raw: "This is not JSON at all".into() });
    assert_eq!(result.metadata["parse_error"], true);
    // Intended difference: in Python, a number becomes the summary.
    let wrong = LlmReflector::new(judge(json!({"summary": 5}))).reflect(&asked).await.unwrap();
    assert!(wrong.parse.is_fallback());
    let wrong = LlmReflector::new(judge(json!({"summary": "x", "key_findings": "one"})));
    assert!(wrong.reflect(&asked).await.unwrap().parse.is_fallback());
}

#[tokio::test]
async fn general_reflector_partial_json_response() {
    let answer = json!({"summary": "partial", "key_findings": ["one"]});
    let result = LlmReflector::new(judge(answer)).reflect(&input()).await.unwrap();
    assert_eq!(
        (result.summary.as_str(), result.key_findings.as_slice()),
        ("partial", &["one".to_owned()][..])
    );
    assert!(result.root_causes.is_empty() && result.insights.is_empty() && result.suggestions.is_empty());
    assert_eq!(result.parse, Parse::Clean);
}

#[tokio::test]
async fn parse_response_valid_json() {
    let analysis = analysis(r#"Some preamble {"summary": "ok", "insights": ["a"]} trailing"#).await;
    assert_eq!((analysis.summary.as_str(), analysis.insights.as_slice()), ("ok", &["a".to_owned()][..]));
}

#[tokio::test]
async fn parse_response_no_json() {
    let analysis = analysis("no json here").await;
    assert!(analysis.parse.is_fallback());
    assert!(analysis.summary.contains("no json"));
}

#[tokio::test]
async fn parse_response_empty_string() {
    let analysis = analysis("").await;
    assert!(analysis.parse.is_fallback());
    assert_eq!(analysis.summary, "");
}

#[tokio::test]
async fn parse_response_nested_json() {
    let answer = json!({"summary": "nested", "metadata": {"inner": {"deep": true}}}).to_string();
    let analysis = analysis(&answer).await;
    assert_eq!(analysis.summary, "nested");
    assert_eq!(analysis.extra["metadata"]["inner"]["deep"], true);
}

// Integration

#[tokio::test]
async fn integration_reflect_and_track_history() {
    let answer = json!({"summary": "Iteration went well", "key_findings": ["fast"], "root_causes": [],
        "insights": ["caching works"], "suggestions": ["add more caching"]});
    let reflector = LlmReflector::new(judge(answer)).with_type(ReflectionType::Success);
    let mut history = ReflectionHistory::new();

    history
        .add(reflector.reflect(&ReflectionInput { input: Some("task-1".into()), ..input() }).await.unwrap());

    assert_eq!((history.total_count(), history.success_count()), (1, 1));
    assert_eq!(history.recent(1).next().unwrap().summary, "Iteration went well");
}

#[tokio::test]
async fn integration_multiple_reflectors_different_types() {
    let mut history = ReflectionHistory::new();
    let success = LlmReflector::new(judge(json!({"summary": "success pass"})));
    let failure = LlmReflector::new(judge(json!({"summary": "failure pass"})));
    let reflectors = [
        success.with_type(ReflectionType::Success).with_name("r1"),
        failure.with_type(ReflectionType::Failure).with_name("r2"),
    ];

    for reflector in reflectors {
        history.add(reflector.reflect(&input()).await.unwrap());
    }

    let stats = history.summarize();
    assert_eq!(stats.total, 2);
    assert_eq!(stats.types[&ReflectionType::Success], 1);
    assert_eq!(stats.types[&ReflectionType::Failure], 1);
}
