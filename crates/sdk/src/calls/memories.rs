//! Calls about memories: querying, reading and writing them.

use std::time::{Duration, Instant};

use chrono::SecondsFormat;
use reflect_api::{
    AugmentedTask, AuthoredReflection, ListMemories, Memory, MemoryDetail, MemoryHistory, MemorySort,
    Retrieval, StoredMemory, TraceSubmission,
};
use reflect_types::{MemoryId, RetrievalId, ReviewResult};

use super::curation::memory_path;
use super::traces::TraceCalls;
use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::memory_query::MemoryQuery;
use crate::message::Trajectory;
use crate::new_trace::NewTrace;
use crate::paging::{Listing, Page};
use crate::verdict::ReviewVerdict;
use crate::wire::{Answer, CallPolicy, Request};

/// Memories that may help with a task, and the receipt of the query.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recalled {
    /// The memories, best first.
    pub memories: Vec<Memory>,
    /// The receipt. Send it with the trace as [`NewTrace::retrieval_id`].
    pub retrieval_id: Option<RetrievalId>,
    /// Why memories were found by words only. `None` if the query worked fully.
    pub degraded: Option<String>,
}

/// A task with memories about similar tasks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Augmented {
    /// The task without memories.
    pub task: String,
    /// The task followed by memories, or only the task if there are none.
    pub augmented_task: String,
    /// The memories as text without the task, for a system prompt. Empty if there are none.
    pub memory_block: String,
    /// The memories in the augmented task.
    pub memories: Vec<Memory>,
    /// The receipt of the retrieval, if there was one.
    pub retrieval_id: Option<RetrievalId>,
    /// Why memories are missing, or were found by words only. `None` if retrieval worked fully.
    pub degraded: Option<String>,
}

impl Recalled {
    /// The ids of the memories, for [`NewTrace::retrieved_memory_ids`].
    pub fn memory_ids(&self) -> impl Iterator<Item = MemoryId> {
        self.memories.iter().map(|memory| memory.id)
    }
}

impl Augmented {
    /// The ids of the memories, for [`NewTrace::retrieved_memory_ids`].
    pub fn memory_ids(&self) -> impl Iterator<Item = MemoryId> {
        self.memories.iter().map(|memory| memory.id)
    }

    fn without_memories(task: &str, reason: impl std::fmt::Display) -> Self {
        let (task, augmented_task) = (task.to_owned(), task.to_owned());
        let degraded = Some(format!("no memories: {reason}"));
        Self {
            task,
            augmented_task,
            memory_block: String::new(),
            memories: Vec::new(),
            retrieval_id: None,
            degraded,
        }
    }
}

/// Calls about memories: `client.memories`.
#[derive(Debug, Clone)]
pub struct MemoryCalls {
    pub(crate) connection: Connection,
}

impl MemoryCalls {
    /// The memories that may help with a task, best first.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::MemoryQuery;
    ///
    /// let found = client.memories.query(MemoryQuery::new("The import did not run").limit(5)).await?;
    /// for memory in &found.memories {
    ///     println!("{:.2} {}", memory.score, memory.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn query(&self, query: impl Into<MemoryQuery>) -> Result<Recalled, Error> {
        let request = Request::post(self.connection.path(&["memory", "query"]), query.into().query())?;
        let answer = self.connection.answer("memories.query", request).await?;
        Ok(Recalled {
            memories: answer.json("memories.query")?,
            retrieval_id: answer.header("x-retrieval-id").and_then(|id| id.parse().ok()),
            degraded: degraded(&answer),
        })
    }

    /// The task with the memories that may help with it, for use as a prompt.
    ///
    /// If the server does not respond within `retrieval_timeout`, the result is the task without memories, and
    /// `degraded` has the reason. An agent must not stop because its memory is unavailable. A rejected request, for
    /// instance with a wrong key, is an error.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let augmented = client.memories.augment("Refund order 1182").await?;
    /// let prompt = augmented.augmented_task;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn augment(&self, query: impl Into<MemoryQuery>) -> Result<Augmented, Error> {
        let query = query.into();
        let task = query.task().to_owned();
        let timeout = self.connection.settings().retrieval_timeout;
        match self.augment_unless_paused(query, timeout).await {
            Err(error) if error.is_passing() => Ok(self.fall_back_to_task(&task, &error)),
            result => result,
        }
    }

    /// [`augment`](Self::augment) for a run. It never fails: a rejected request also returns only the task. `timeout`
    /// replaces the `retrieval_timeout` of the client.
    pub(crate) async fn augment_or_task(&self, query: MemoryQuery, timeout: Option<Duration>) -> Augmented {
        let task = query.task().to_owned();
        let timeout = timeout.unwrap_or(self.connection.settings().retrieval_timeout);
        let result = self.augment_unless_paused(query, timeout).await;
        result.unwrap_or_else(|error| self.fall_back_to_task(&task, &error))
    }

    /// Queries the server, except for a short time after it failed to respond.
    pub(crate) async fn augment_unless_paused(
        &self,
        query: MemoryQuery,
        timeout: Duration,
    ) -> Result<Augmented, Error> {
        let recall = &self.connection.settings().recall;
        if recall.is_paused(Instant::now()) {
            return Ok(Augmented::without_memories(
                query.task(),
                "the server failed to respond a few seconds ago",
            ));
        }
        let result = self.request_augmented(query, timeout).await;
        match &result {
            Ok(_) => recall.record_success(),
            Err(Error::Connection { .. } | Error::Timeout { .. }) => recall.record_failure(Instant::now()),
            Err(_) => {}
        }
        result
    }

    fn fall_back_to_task(&self, task: &str, error: &Error) -> Augmented {
        if self.connection.settings().recall.should_warn(Instant::now()) {
            tracing::warn!(%error, "cannot retrieve memories; runs continue without them");
        }
        Augmented::without_memories(task, error)
    }

    async fn request_augmented(&self, query: MemoryQuery, timeout: Duration) -> Result<Augmented, Error> {
        let settings = self.connection.settings();
        let policy = CallPolicy {
            timeout: timeout.min(settings.policy.timeout),
            max_retries: settings.policy.max_retries.min(1),
        };
        let body = query.within(settings.memory_tokens);
        let request = Request::post(self.connection.path(&["memory", "augment"]), &body)?;
        let answer = self.connection.answer_within("memories.augment", request, policy).await?;
        let found: AugmentedTask = answer.json("memories.augment")?;
        let why = || degraded(&answer).unwrap_or_else(|| "memories were found by words only".to_owned());
        Ok(Augmented {
            degraded: found.degraded.then(why),
            task: found.task,
            augmented_task: found.augmented_task,
            memory_block: found.memory_block,
            memories: found.memories,
            retrieval_id: Some(found.retrieval_id),
        })
    }

    /// One page of stored memories of any status. Their texts are for people and must not be used in a prompt; use
    /// [`query`](Self::query) for prompts.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::{ListMemories, MemorySort};
    ///
    /// let request = ListMemories { sort: Some(MemorySort::Harm), limit: Some(10), ..Default::default() };
    /// for memory in client.memories.page(&request).await?.items {
    ///     println!("{:.2} {}", memory.credit, memory.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page(&self, request: &ListMemories) -> Result<Page<StoredMemory>, Error> {
        self.connection
            .page("memories.page", with_query(self.connection.path(&["memories"]), &parameters(request)))
            .await
    }

    /// All stored memories that match, as an iterator over pages.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let mut memories = client.memories.iter(Default::default());
    /// while let Some(memory) = memories.next().await {
    ///     println!("{}", memory?.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(&self, request: ListMemories) -> Listing<StoredMemory> {
        let memories = self.clone();
        Listing::new(move |cursor| {
            let memories = memories.clone();
            let mut request = request.clone();
            request.cursor = cursor.or(request.cursor);
            async move { memories.page(&request).await }
        })
    }

    /// One stored memory with its origin and its earlier versions.
    pub async fn get(&self, memory_id: MemoryId) -> Result<MemoryDetail, Error> {
        self.connection
            .ask("memories.get", Request::get(memory_path(&self.connection, memory_id, None)))
            .await
    }

    /// All reviews that changed the utility of a memory and all actions on it, oldest first.
    pub async fn history(&self, memory_id: MemoryId) -> Result<MemoryHistory, Error> {
        self.connection
            .ask("memories.history", Request::get(memory_path(&self.connection, memory_id, Some("history"))))
            .await
    }

    /// Stores a lesson of the caller; no model writes it. `task` is the task that it was learned from, and queries find
    /// it by that task. `result` is the result of that run.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{api::AuthoredReflection, types::ReviewResult};
    ///
    /// let lesson = AuthoredReflection { guidance: "Convert dates first.".into(), ..Default::default() };
    /// let stored = client.memories.create("Book a meeting", ReviewResult::Pass, lesson).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(
        &self,
        task: impl Into<String>,
        result: ReviewResult,
        lesson: AuthoredReflection,
    ) -> Result<TraceSubmission, Error> {
        let trace = NewTrace::new(task, Trajectory::Messages(Vec::new()));
        TraceCalls { connection: self.connection.clone() }
            .create(trace.review(ReviewVerdict::new(result).lesson(lesson)))
            .await
    }

    /// The receipt of an earlier query: all candidates, and the decision on each.
    pub async fn retrieval(&self, retrieval_id: RetrievalId) -> Result<Retrieval, Error> {
        let path = self.connection.path(&["retrievals", &retrieval_id.to_string()]);
        self.connection.ask("memories.retrieval", Request::get(path)).await
    }
}

/// The server's reason for a degraded query.
fn degraded(answer: &Answer) -> Option<String> {
    answer.header("x-reflect-degraded").map(str::to_owned)
}

fn parameters(request: &ListMemories) -> Vec<(&'static str, Option<String>)> {
    let time = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    let number = |number: f64| number.to_string();
    vec![
        ("q", request.q.clone()),
        ("status", request.status.clone()),
        ("origin", request.origin.clone()),
        ("pinned", request.pinned.map(|pinned| pinned.to_string())),
        ("utility_below", request.utility_below.map(number)),
        ("utility_above", request.utility_above.map(number)),
        ("credit_below", request.credit_below.map(number)),
        ("credit_above", request.credit_above.map(number)),
        ("evidence_at_least", request.evidence_at_least.map(|least| least.to_string())),
        ("author_key_id", request.author_key_id.map(|id| id.to_string())),
        ("source_trace_id", request.source_trace_id.map(|id| id.to_string())),
        ("created_after", request.created_after.map(time)),
        ("created_before", request.created_before.map(time)),
        ("text", request.text.clone()),
        ("same_lesson_as", request.same_lesson_as.map(|id| id.to_string())),
        ("lesson_id", request.lesson_id.map(|id| id.to_string())),
        ("superseded", request.superseded.map(|superseded| superseded.to_string())),
        ("include_same_lesson", request.include_same_lesson.map(|all| all.to_string())),
        ("sort", request.sort.map(|sort| sort_word(sort).to_owned())),
        ("limit", request.limit.map(|limit| limit.to_string())),
        ("cursor", request.cursor.clone()),
    ]
}

pub(super) const fn sort_word(sort: MemorySort) -> &'static str {
    match sort {
        MemorySort::Newest => "newest",
        MemorySort::Utility => "utility",
        MemorySort::Evidence => "evidence",
        MemorySort::Attention => "attention",
        MemorySort::Harm => "harm",
    }
}
