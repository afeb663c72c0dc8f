//! The server as the long-term memory of a loop: the feature `reflexion-loop`.
//!
//! This module converts trials into traces; `identity` derives their ids. The loop decides when to recall and record.

mod identity;

use std::error::Error as StdError;

use async_trait::async_trait;
use reflect_api::{AuthoredReflection, CreateTrace, Memory};
use reflect_types::MemoryId;
use reflexion_loop::{
    Attempt, Lesson, LongTermMemory, Recall, RecallQuery, RecalledMemory, Recorded, Task, TraceRecord,
    TraceReview,
};

use self::identity::Identity;
use crate::client::ReflectClient;
use crate::memory_query::MemoryQuery;
use crate::message::{Message, Trajectory};
use crate::new_trace::NewTrace;
use crate::verdict::ReviewVerdict;

/// The maximum of the server for one request.
const MAX_RECALLED: usize = 100;
/// The maximum size of feedback and lesson texts in bytes. Longer texts, such as test reports, are cut.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// How many characters of the original task are shown with a memory.
const TASK_SHOWN: usize = 200;

/// Recalls by [`memories.augment`](crate::MemoryCalls::augment), records by `POST …/traces`.
///
/// - Recording is idempotent: a repetition stores nothing and returns the same memory. If the run id is a UUID of version
///   7, as from [`Reflexion::start`](reflexion_loop::Reflexion::start), trace ids are derived from it, which works for 30
///   days. With any other run id, an idempotency key is sent, which the server keeps for 48 hours.
/// - The review contains the reflection of the loop, so the server calls no model. The note of the next trial is the
///   memory that gets its credit. If the server cannot embed at that time, the memory is created later and gets no
///   credit.
/// - A trace lists only memories that the trial gives credit to. The receipt can list memories that did not fit into the
///   prompt, so it is sent only if it lists none.
///
/// ```no_run
/// use reflect_sdk::ReflectClient;
/// use reflexion_loop::{Reflexion, actor_fn, check_fn};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|cx| async move { cx.prompt() }))
///     .evaluator(check_fn(|answer: &str| answer.contains("both ends")))
///     .long_term_memory(ReflectClient::from_env()?)
///     .max_trials(1)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[async_trait]
impl LongTermMemory for ReflectClient {
    async fn recall(
        &self,
        task: &Task,
        query: &RecallQuery,
    ) -> Result<Recall, Box<dyn StdError + Send + Sync>> {
        let question = MemoryQuery::new(&task.text)
            .limit(query.limit.clamp(1, MAX_RECALLED))
            .metadata_exclude("run_id", query.exclude_run_id.as_str());
        let timeout = self.connection().settings().retrieval_timeout;
        let found = self.memories.augment_unless_paused(question, timeout).await?;
        let Some(receipt) = found.retrieval_id else {
            return Err(found.degraded.unwrap_or_else(|| "the server returned no receipt".to_owned()).into());
        };
        let memories = found.memories.iter().take(query.limit);
        let memories =
            memories.map(|memory| RecalledMemory { id: memory.id.to_string(), text: render_memory(memory) });
        Ok(Recall { memories: memories.collect(), retrieval_id: Some(receipt.to_string()) })
    }

    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn StdError + Send + Sync>> {
        let run_id = record.metadata.get("run_id").and_then(|id| id.as_str()).unwrap_or_default();
        let trial = record.metadata.get("trial").and_then(serde_json::Value::as_u64).unwrap_or_default();
        let identity = Identity::of(&record.idempotency_key, run_id, trial);
        let body = CreateTrace { trace_id: identity.trace_id(), ..trace_of(record).body().clone() };
        let (trace_id, memory_id) = match (self.traces.store(&body, identity.key()).await, &identity) {
            (Ok(stored), _) => (stored.trace_id, stored.created_memory_id),
            // The trial was stored before the run was resumed with other options. The first record stays.
            (Err(error), Identity::Trace(id)) if error.code() == Some("conflict") => {
                let stored = self.traces.get(*id).await?;
                (stored.id, stored.created_memory_id)
            }
            (Err(error), _) => return Err(error.into()),
        };
        let memory_id = memory_id.map(|id| id.to_string());
        Ok(Recorded { trace_id: Some(trace_id.to_string()), memory_id })
    }
}

/// The text of a memory in a prompt: its original task, the result and the lesson.
fn render_memory(memory: &Memory) -> String {
    let ended = match memory.success {
        Some(true) => " (passed)",
        Some(false) => " (failed)",
        None => "",
    };
    let shown: String = memory.task.chars().take(TASK_SHOWN).collect();
    let rest = if shown.len() < memory.task.len() { "…" } else { "" };
    format!("Task: {shown}{rest}{ended}\n{}", memory.reflection)
}

fn trace_of(record: TraceRecord<'_>) -> NewTrace {
    let mut trace = NewTrace::new(&record.task.text, messages(record.attempt)).all_metadata(record.metadata);
    if !record.attempt.final_response.is_empty() {
        trace = trace.final_response(&record.attempt.final_response);
    }
    let named: Vec<MemoryId> = record.retrieved_memory_ids.iter().filter_map(|id| id.parse().ok()).collect();
    let receipt = record.retrieval_id.and_then(|id| id.parse().ok());
    trace = match (named.is_empty(), receipt) {
        (false, _) => trace.retrieved_memory_ids(named),
        (true, Some(receipt)) => trace.retrieval_id(receipt),
        // Without ids, the server assumes the memories of the last query for the same task. An empty list says that this
        // trial gives credit to none of them.
        (true, None) => trace.used_memory_ids([]),
    };
    match record.review {
        Some(review) => trace.review(verdict(review)),
        None => trace,
    }
}

/// The messages, or only the answer if there are none.
fn messages(attempt: &Attempt) -> Trajectory {
    let mut messages: Vec<Message> = attempt.trajectory.iter().cloned().map(Message::from_value).collect();
    if messages.is_empty() && !attempt.final_response.is_empty() {
        messages.push(Message::assistant(attempt.final_response.as_str()));
    }
    messages.into()
}

fn verdict(review: TraceReview<'_>) -> ReviewVerdict {
    let lesson = review.lesson.map(authored).filter(has_text);
    let feedback = review.feedback.map(|text| cut(text.to_owned()));
    ReviewVerdict { feedback, alpha: review.alpha, lesson, ..ReviewVerdict::new(review.result) }
}

fn authored(lesson: Lesson) -> AuthoredReflection {
    AuthoredReflection {
        summary: cut(lesson.summary),
        guidance: cut(lesson.guidance.join("\n")),
        key_mistake: cut(lesson.key_mistake.unwrap_or_default()),
        correct_action: cut(lesson.correct_action.unwrap_or_default()),
        applicable_tools: lesson.applicable_tools,
    }
}

/// The server rejects lessons without text.
fn has_text(lesson: &AuthoredReflection) -> bool {
    let texts = [&lesson.summary, &lesson.guidance, &lesson.key_mistake, &lesson.correct_action];
    texts.iter().any(|text| !text.trim().is_empty())
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text
}

#[cfg(test)]
mod tests;
