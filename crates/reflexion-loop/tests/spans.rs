//! The spans of a run. They have their own process, because `tracing` caches per process whether a span is enabled, and a run
//! on another thread without a subscriber could disable a span of this test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

extern crate tokio_lean as tokio;

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflexion_loop::*;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// A memory that recalls and stores nothing.
struct Empty;

#[async_trait]
impl LongTermMemory for Empty {
    async fn recall(&self, _: &Task, _: &RecallQuery) -> Result<Recall, Box<dyn Error + Send + Sync>> {
        Ok(Recall::default())
    }

    async fn record(&self, _: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>> {
        Ok(Recorded::default())
    }
}

/// Stores the names of spans and of their parents.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<HashMap<&'static str, Option<&'static str>>>>);

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, _: &tracing::span::Attributes<'_>, id: &tracing::Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let around = span.parent().map(|parent| parent.name());
        if span.name().starts_with("reflexion") {
            self.0.lock().unwrap().insert(span.name(), around);
        }
    }
}

#[tokio::test]
async fn spans_show_the_run_its_trials_and_their_steps() {
    let spans = Spans::default();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));

    let learner = Reflexion::builder()
        .actor(actor_fn(|cx: TrialContext| async move { cx.trial().to_string() }))
        .evaluator(check_fn(|answer: &str| answer == "2"))
        .reflector(LlmReflector::without_model())
        .long_term_memory(Empty);
    learner.build().unwrap().run("task").await.unwrap();
    drop(guard);

    let seen = spans.0.lock().unwrap().clone();
    assert_eq!(seen["reflexion.run"], None);
    assert_eq!(seen["reflexion.recall"], Some("reflexion.run"));
    assert_eq!(seen["reflexion.trial"], Some("reflexion.run"));
    for step in ["reflexion.act", "reflexion.evaluate", "reflexion.reflect", "reflexion.record"] {
        assert_eq!(seen[step], Some("reflexion.trial"), "{step}");
    }
}
