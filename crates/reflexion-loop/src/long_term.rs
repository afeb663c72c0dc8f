//! The door to a memory that outlives the run, and what goes through it.
//!
//! The loop works without one. Where it is (a server, a file, a test) is the business of whoever implements it.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_evaluation::{Attempt, Task};
use reflect_types::{Alpha, ReviewResult};
use reflection_pipeline::{ReflectionResult, trajectory};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A memory that outlives the run.
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

    /// Keeps a trial. Called again with the same [`idempotency_key`](TraceRecord::idempotency_key), it must keep
    /// nothing and give the same answer: a run that resumes cannot know whether its last call arrived.
    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn Error + Send + Sync>>;

    /// Whether a reflection is worth paying for although no trial of this run will read it.
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

/// How memories are asked for.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallQuery {
    /// The most that are wanted.
    pub limit: usize,
    /// The trial they are for.
    pub trial: u32,
    /// Traces of this run are not to be recalled: their notes are shown anyway.
    pub exclude_run_id: String,
}

/// What was recalled.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recall {
    /// The memories, the best first.
    pub memories: Vec<Recalled>,
    /// The receipt, if there is one. It goes with the record of the trial that answers for these memories.
    pub retrieval_id: Option<String>,
}

impl Recall {
    /// Memories by id and text, without a receipt.
    pub fn of<I: Into<String>, T: Into<String>>(memories: impl IntoIterator<Item = (I, T)>) -> Self {
        let memories = memories.into_iter().map(|(id, text)| Recalled { id: id.into(), text: text.into() });
        Self { memories: memories.collect(), retrieval_id: None }
    }
}

/// One memory that was recalled.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    /// Its id.
    pub id: String,
    /// What it says. Untrusted: it is neutralised before it goes into a prompt.
    pub text: String,
}

/// What became of a record.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The trace, if it has an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The memory that the lesson became, if that is known already. The next trial answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
}

/// One candidate of one trial, to be kept as a trace.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone)]
pub struct TraceRecord<'a> {
    /// `run_id/trial/candidate`: the same for every repetition of this call.
    pub idempotency_key: String,
    /// The task as it was given, without memories and notes.
    pub task: &'a Task,
    /// What was done.
    pub attempt: &'a Attempt,
    /// What was thought of it. None if nobody could tell, or if reviews are left to others.
    pub review: Option<TraceReview<'a>>,
    /// The memories that this trial answers for.
    pub retrieved_memory_ids: Vec<String>,
    /// The receipt of those that were recalled, if the trial answers for any of them, or if none were. It may list
    /// more than the trial was shown.
    pub retrieval_id: Option<&'a str>,
    /// `run_id`, `trial`, `candidate`, who evaluated, the score, and what the task came with.
    pub metadata: Map<String, Value>,
}

/// What is thought of a trace.
///
/// See [`LongTermMemory`] for an example.
#[derive(Debug, Clone)]
pub struct TraceReview<'a> {
    /// Pass or fail.
    pub result: ReviewResult,
    /// The same in words.
    pub feedback: Option<&'a str>,
    /// How far it moves utilities. None leaves it to the memory.
    pub alpha: Option<Alpha>,
    /// The reflection of the loop, so that nobody has to pay for another.
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
