//! The server as the long-term memory of a loop: the feature `reflexion-loop`.
//!
//! How a trial becomes a trace is here; under which id it is stored, so that it is stored once, is in `identity`.
//! When to recall and what to record is the loop's business.

mod identity;

use std::error::Error as StdError;

use async_trait::async_trait;
use reflect_api::{AuthoredReflection, CreateTrace, Memory};
use reflect_types::MemoryId;
use reflexion_loop::{
    Attempt, Lesson, LongTermMemory, Recall, RecallQuery, Recalled, Recorded, Task, TraceRecord, TraceReview,
};

use self::identity::Identity;
use crate::{MemoryQuery, Message, NewTrace, ReflectClient, Trajectory, Verdict};

/// The server gives no more in one answer.
const MOST_RECALLED: usize = 100;
/// What the server takes of a feedback or a text of a lesson, in bytes. A long test report is cut, not refused.
const LONGEST_TEXT: usize = 64 * 1024;
/// How much of the task that a memory was learned from stands before it, in characters.
const TASK_SHOWN: usize = 200;

/// Recalls by [`augment_with_memories`](ReflectClient::augment_with_memories), records by `POST …/traces`.
///
/// - A trial is stored once, however often it is recorded, and is answered with the same memory. A run whose id is a UUID
///   of version 7, as [`Reflexion::start`](reflexion_loop::Reflexion::start) makes them, has trace ids that follow from
///   it, for 30 days. Under any other id the server is asked to remember the call, which it does for 48 hours.
/// - The loop's reflection travels with the review, so no second model is asked, and the note of the next trial *is*
///   the memory that it answers for. While the server cannot embed, the memory comes later and nobody answers for it.
/// - Only memories that a trial answers for are named. Its receipt may list more than the prompt had room for, so it is
///   sent only when it lists none.
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
            .limit(query.limit.clamp(1, MOST_RECALLED))
            .metadata_exclude("run_id", query.exclude_run_id.as_str());
        let found = self.retrieve(question).await?;
        let Some(receipt) = found.retrieval_id else {
            return Err(found.degraded.unwrap_or_else(|| "the server gave no receipt".to_owned()).into());
        };
        let memories = found.memories.iter().take(query.limit);
        let memories = memories.map(|memory| Recalled { id: memory.id.to_string(), text: told(memory) });
        Ok(Recall { memories: memories.collect(), retrieval_id: Some(receipt.to_string()) })
    }

    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, Box<dyn StdError + Send + Sync>> {
        let run_id = record.metadata.get("run_id").and_then(|id| id.as_str()).unwrap_or_default();
        let trial = record.metadata.get("trial").and_then(serde_json::Value::as_u64).unwrap_or_default();
        let identity = Identity::of(&record.idempotency_key, run_id, trial);
        let body = CreateTrace { trace_id: identity.trace_id(), ..trace_of(record).into_body() };
        let (trace_id, memory_id) = match (self.store_trace(&body, identity.key()).await, &identity) {
            (Ok(stored), _) => (stored.trace_id, stored.created_memory_id),
            // Stored before, by a run that was then resumed with other options. The first record stays.
            (Err(error), Identity::Trace(id)) if error.code() == Some("conflict") => {
                let stored = self.get_trace(*id).await?;
                (stored.id, stored.created_memory_id)
            }
            (Err(error), _) => return Err(error.into()),
        };
        let memory_id = memory_id.map(|id| id.to_string());
        Ok(Recorded { trace_id: Some(trace_id.to_string()), memory_id })
    }
}

/// A memory as a trial reads it: where it was learned, how that went, and what it says.
fn told(memory: &Memory) -> String {
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
        // Who says nothing is taken to have had what was served last for the same task. A later trial was shown
        // that too, and answers for none of it: it says so.
        (true, None) => trace.used_memory_ids([]),
    };
    match record.review {
        Some(review) => trace.review(verdict(review)),
        None => trace,
    }
}

/// The messages, or the answer alone where there are none.
fn messages(attempt: &Attempt) -> Trajectory {
    let mut messages: Vec<Message> = attempt.trajectory.iter().cloned().map(Message::from_value).collect();
    if messages.is_empty() && !attempt.final_response.is_empty() {
        messages.push(Message::assistant(attempt.final_response.as_str()));
    }
    messages.into()
}

fn verdict(review: TraceReview<'_>) -> Verdict {
    let lesson = review.lesson.map(authored).filter(says_something);
    let feedback = review.feedback.map(|text| cut(text.to_owned()));
    Verdict { feedback, alpha: review.alpha, lesson, ..Verdict::new(review.result) }
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

/// The server refuses a lesson without a word in it.
fn says_something(lesson: &AuthoredReflection) -> bool {
    let texts = [&lesson.summary, &lesson.guidance, &lesson.key_mistake, &lesson.correct_action];
    texts.iter().any(|text| !text.trim().is_empty())
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(LONGEST_TEXT));
    text
}

#[cfg(test)]
mod tests;
