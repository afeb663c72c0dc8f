//! Scripted actors, reflectors and a memory for tests. They store their inputs.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput};
use reflexion_loop::*;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A log of events, in order. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    pub(crate) fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn read(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Answers `answer 1` in trial 1, `answer 2` in trial 2, and stores its prompts.
#[derive(Clone, Default)]
pub(crate) struct Counter {
    pub(crate) prompts: Diary,
}

#[async_trait]
impl Actor for Counter {
    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
        self.prompts.write(cx.prompt());
        Ok(format!("answer {}", cx.trial()).into())
    }
}

/// Passes the answer of one trial. 0 passes none.
pub(crate) fn passes_in(trial: u32) -> impl Evaluator {
    check_fn(move |answer: &str| {
        let passed = answer == format!("answer {trial}");
        if passed { Ok(()) } else { Err(format!("{answer} is wrong")) }
    })
}

/// Notes `note on trial n` and stores its inputs.
#[derive(Clone, Default)]
pub(crate) struct Writer {
    pub(crate) inputs: Arc<Mutex<Vec<ReflectionInput>>>,
}

impl Writer {
    pub(crate) fn calls(&self) -> usize {
        self.inputs.lock().unwrap().len()
    }
}

#[async_trait]
impl Reflector for Writer {
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        self.inputs.lock().unwrap().push(input.clone());
        let summary = format!("note on trial {}", input.iteration.unwrap());
        Ok(Analysis { summary, suggestions: vec!["try again".into()], ..Analysis::default() })
    }
}

/// Logs the calls of hooks.
#[derive(Clone, Default)]
pub(crate) struct Talkative(pub(crate) Diary);

#[async_trait]
impl Hooks for Talkative {
    async fn on_trial_start(&self, trial: u32) -> Result<(), BoxError> {
        self.0.write(format!("start{trial}"));
        Ok(())
    }

    async fn on_reflection_generated(&self, trial: u32, _: &str) -> Result<(), BoxError> {
        self.0.write(format!("reflection{trial}"));
        Ok(())
    }

    async fn on_trial_end(&self, trial: u32, _: &Evaluation) -> Result<(), BoxError> {
        self.0.write(format!("end{trial}"));
        Ok(())
    }
}

/// One stored record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(crate) task: String,
    pub(crate) answer: String,
    pub(crate) result: Option<String>,
    pub(crate) alpha: Option<f32>,
    pub(crate) lesson: Option<String>,
    pub(crate) memories: Vec<String>,
    pub(crate) retrieval_id: Option<String>,
}

/// A memory: recalls fixed memories, stores records by key, and creates memory `m1` from the first lesson.
#[derive(Clone, Default)]
pub(crate) struct Bank {
    pub(crate) recalls: Vec<(String, String)>,
    pub(crate) kept: Arc<Mutex<BTreeMap<String, Kept>>>,
    pub(crate) calls: Diary,
}

impl Bank {
    pub(crate) fn recalling(memories: &[(&str, &str)]) -> Self {
        let recalls = memories.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
        Self { recalls, ..Self::default() }
    }

    pub(crate) fn records(&self) -> Vec<Kept> {
        self.kept.lock().unwrap().values().cloned().collect()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.kept.lock().unwrap().keys().cloned().collect()
    }
}

#[async_trait]
impl LongTermMemory for Bank {
    async fn recall(&self, _: &Task, query: &RecallQuery) -> Result<Recall, BoxError> {
        self.calls.write(format!("recall {}", query.trial));
        Ok(Recall { retrieval_id: Some("receipt".into()), ..Recall::of(self.recalls.clone()) })
    }

    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, BoxError> {
        self.calls.write(format!("record {}", record.idempotency_key));
        let mut kept = self.kept.lock().unwrap();
        let review = record.review.as_ref();
        let lesson = review.and_then(|review| review.lesson.as_ref()).map(|lesson| lesson.summary.clone());
        let entry = Kept {
            task: record.task.text.clone(),
            answer: record.attempt.final_response.clone(),
            result: review.map(|review| review.result.to_string()),
            alpha: review.and_then(|review| review.alpha).map(|alpha| alpha.get()),
            lesson,
            memories: record.retrieved_memory_ids.clone(),
            retrieval_id: record.retrieval_id.map(ToOwned::to_owned),
        };
        let has_lesson = entry.lesson.is_some();
        kept.entry(record.idempotency_key.clone()).or_insert(entry);
        let number = record.idempotency_key.split('/').nth(1).unwrap().to_owned();
        Ok(Recorded {
            trace_id: Some(record.idempotency_key),
            memory_id: has_lesson.then(|| format!("m{number}")),
        })
    }
}

/// A learner of the parts above. Trial `passing` passes; 0 passes none.
pub(crate) fn learner(passing: u32) -> ReflexionBuilder {
    Reflexion::builder().actor(Counter::default()).evaluator(passes_in(passing)).reflector(Writer::default())
}

/// All events of a run, and its outcome.
pub(crate) async fn watched(mut run: RunHandle) -> (Vec<Envelope>, Result<Outcome, RunError>) {
    let mut events = Vec::new();
    while let Some(envelope) = run.next_event().await {
        events.push(envelope);
    }
    (events, run.outcome().await)
}

/// The kinds of events with their trials, such as `trial_end1`.
pub(crate) fn kinds(events: &[Envelope]) -> Vec<String> {
    let kind = |envelope: &Envelope| {
        let event = serde_json::to_value(envelope).unwrap();
        let number = event.get("trial_number").map(ToString::to_string).unwrap_or_default();
        format!("{}{number}", event["type"].as_str().unwrap())
    };
    events.iter().map(kind).collect()
}
