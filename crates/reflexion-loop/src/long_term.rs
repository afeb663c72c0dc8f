//! The interface to a memory that persists across runs.
//!
//! The memory is optional. Implementations decide where it is stored: on a server, in a file, in a test.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_evaluation::{Attempt, Task};
use reflect_types::{Alpha, ReviewResult};
use reflection_pipeline::{ReflectionResult, trajectory};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A memory that persists across runs.
///
/// ```
/// use std::error::Error;
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use reflexion_loop::{LongTermMemory, Recall, RecallQuery, Recorded, Task, TraceRecord};
///
/// /// Remembers every lesson, and recalls all of them.
/// #[derive(Default)]
/// struct Notebook(Mutex<Vec<String>>);
///
/// #[async_trait]
/// impl LongTermMemory for Notebook {
///     async fn recall(&self, _: &Task, _: &RecallQuery) -> Result<Recall, Box<dyn Error + Send + Sync>> {
///         let lessons = self.0.lock().unwrap();
///         Ok(Recall::of(lessons.iter().enumerate().map(|(id, text)| (id.to_string(), text.clone()))))
///     }
///
///     async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>> {
///         let Some(lesson) = record.review.and_then(|review| review.lesson) else {
///             return Ok(Recorded::default());
///         };
///         let mut lessons = self.0.lock().unwrap();
///         lessons.push(lesson.summary);
///         Ok(Recorded { trace_id: None, memory_id: Some((lessons.len() - 1).to_string()) })
///     }
/// }
/// ```
#[async_trait]
pub trait LongTermMemory: Send + Sync {
    /// Memories that may help with a task.
    async fn recall(&self, task: &Task, query: &RecallQuery) -> Result<Recall, Box<dyn Error + Send + Sync>>;

    /// Records a trial. A repeated call with the same [`idempotency_key`](TraceRecord::idempotency_key) must store
    /// nothing and return the same result, because a resumed run does not know whether its last call arrived.
    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>>;

    /// Whether reflections are generated for this memory even if no trial of this run reads them.
    fn wants_reflections(&self) -> bool {
        true
    }
}

#[async_trait]
impl<M: LongTermMemory + ?Sized> LongTermMemory for Arc<M> {
    async fn recall(&self, task: &Task, query: &RecallQuery) -> Result<Recall, Box<dyn Error + Send + Sync>> {
        (**self).recall(task, query).await
    }

    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>> {
        (**self).record(record).await
    }

    fn wants_reflections(&self) -> bool {
        (**self).wants_reflections()
    }
}

/// A query for memories.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallQuery {
    /// The maximum number of memories.
    pub limit: usize,
    /// The trial that will show them.
    pub trial: u32,
    /// Memories of this run are excluded, because its notes are shown anyway.
    pub exclude_run_id: String,
}

/// The result of a recall.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recall {
    /// The memories, the best first.
    pub memories: Vec<RecalledMemory>,
    /// The receipt, if there is one. It is part of the record of the trial that gives credit to these memories.
    pub retrieval_id: Option<String>,
}

impl Recall {
    /// Memories by id and text, without a receipt.
    pub fn of<I: Into<String>, T: Into<String>>(memories: impl IntoIterator<Item = (I, T)>) -> Self {
        let memories =
            memories.into_iter().map(|(id, text)| RecalledMemory { id: id.into(), text: text.into() });
        Self { memories: memories.collect(), retrieval_id: None }
    }
}

/// One recalled memory.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledMemory {
    /// Its id.
    pub id: String,
    /// Its text. It is untrusted and is neutralised in prompts.
    pub text: String,
}

/// The ids that a record got.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The trace, if it has an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The memory of the lesson, if it is known already. The next trial gives credit to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
}

/// One candidate of one trial, to record as a trace.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone)]
pub struct TraceRecord<'a> {
    /// `run_id/trial/candidate`: the same for every repetition of this call.
    pub idempotency_key: String,
    /// The task, without memories and notes.
    pub task: &'a Task,
    /// The attempt.
    pub attempt: &'a Attempt,
    /// The review. `None` if the verdict is unclear, or if reviews are deferred.
    pub review: Option<TraceReview<'a>>,
    /// The memories that this trial gives credit to.
    pub retrieved_memory_ids: Vec<String>,
    /// The receipt of the recall, if the trial gives credit to a recalled memory or if nothing was recalled. It can list
    /// more memories than the prompt.
    pub retrieval_id: Option<&'a str>,
    /// `run_id`, `trial`, `candidate`, who evaluated, the score, and what the task came with.
    pub metadata: Map<String, Value>,
}

/// The review of a trace.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone)]
pub struct TraceReview<'a> {
    /// Pass or fail.
    pub result: ReviewResult,
    /// The feedback.
    pub feedback: Option<&'a str>,
    /// The learning rate of utilities. `None` for the default of the memory.
    pub alpha: Option<Alpha>,
    /// The reflection of the loop, so the server needs no other.
    pub lesson: Option<Lesson>,
}

/// A reflection in the fields of a lesson.
///
/// See [`Lesson::of`] for an example.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// All of it in one sentence.
    pub summary: String,
    /// What to do: the suggestions, or the insights if there are none.
    pub guidance: Vec<String>,
    /// What went wrong. Of failures only.
    pub key_mistake: Option<String>,
    /// What would have been right. Of failures only.
    pub correct_action: Option<String>,
    /// The tools that the trajectory names.
    pub applicable_tools: Vec<String>,
}

impl Lesson {
    /// A reflection on an attempt, field by field.
    ///
    /// ```
    /// use reflection_pipeline::{ReflectionLevel, ReflectionResult, ReflectionType};
    /// use reflexion_loop::{Attempt, Lesson};
    ///
    /// let reflection = ReflectionResult {
    ///     root_causes: vec!["A month was read as everything since its first day.".into()],
    ///     suggestions: vec!["Write both ends of the period.".into()],
    ///     ..ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "The count was too high.")
    /// };
    /// let lesson = Lesson::of(&reflection, &Attempt::from("1204"), false);
    /// assert_eq!(lesson.correct_action.as_deref(), Some("Write both ends of the period."));
    /// ```
    pub fn of(reflection: &ReflectionResult, attempt: &Attempt, passed: bool) -> Self {
        let guidance =
            if reflection.suggestions.is_empty() { &reflection.insights } else { &reflection.suggestions };
        let mistake = Some(reflection.root_causes.join(" ")).filter(|causes| !causes.is_empty());
        Self {
            summary: reflection.summary.clone(),
            guidance: guidance.clone(),
            key_mistake: mistake.filter(|_| !passed),
            correct_action: reflection.suggestions.first().cloned().filter(|_| !passed),
            applicable_tools: trajectory::tool_names(&attempt.trajectory),
        }
    }
}
