//! Calls about memories: asking for them, writing one, and the skill they add up to.

use std::time::Instant;

use reflect_api::{
    AugmentedTask, AuthoredReflection, CreateSkill, Memory, Retrieval, Skill, TraceSubmission,
};
use reflect_types::{MemoryId, RetrievalId, ReviewResult};
use uuid::Uuid;

use crate::wire::{Answer, Manners, Request};
use crate::{Error, MemoryQuery, NewTrace, ReflectClient, Trajectory, Verdict};

/// Memories that may help with a task, and the receipt of the search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recalled {
    /// The memories, best first.
    pub memories: Vec<Memory>,
    /// The receipt; send it with the trace as [`NewTrace::retrieval_id`].
    pub retrieval_id: Option<RetrievalId>,
    /// Why memories were searched by their words only; None when all went well.
    pub degraded: Option<String>,
}

/// A task with what is known about tasks like it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Augmented {
    /// The task as it was given.
    pub task: String,
    /// The task with memories below it; the task alone when there are none.
    pub augmented_task: String,
    /// The memories that went into it.
    pub memories: Vec<Memory>,
    /// The receipt of the retrieval; None when there was none.
    pub retrieval_id: Option<RetrievalId>,
    /// Why memories are missing or were searched by their words only; None when all went well.
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

    fn alone(task: &str, reason: impl std::fmt::Display) -> Self {
        let (task, augmented_task) = (task.to_owned(), task.to_owned());
        let degraded = Some(format!("no memories: {reason}"));
        Self { task, augmented_task, memories: Vec::new(), retrieval_id: None, degraded }
    }
}

impl ReflectClient {
    /// The memories that may help with a task, best first.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::MemoryQuery;
    ///
    /// let found = client.query_memories(MemoryQuery::new("The import did not run").limit(5)).await?;
    /// for memory in &found.memories {
    ///     println!("{:.2} {}", memory.score, memory.summary);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn query_memories(&self, query: impl Into<MemoryQuery>) -> Result<Recalled, Error> {
        let request = Request::post(self.path(&["memory", "query"]), query.into().query())?;
        let answer = self.answer("query_memories", request).await?;
        Ok(Recalled {
            memories: answer.json("query_memories")?,
            retrieval_id: answer.header("x-retrieval-id").and_then(|id| id.parse().ok()),
            degraded: degraded(&answer),
        })
    }

    /// The task with the memories that may help with it, for use as a prompt.
    ///
    /// When the server does not answer within `retrieval_timeout`, the task comes back alone and `degraded` says why:
    /// an agent must not stop because its memory does. A refusal, such as of a wrong key, is an error.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let augmented = client.augment_with_memories("Refund order 1182").await?;
    /// let prompt = augmented.augmented_task;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn augment_with_memories(&self, query: impl Into<MemoryQuery>) -> Result<Augmented, Error> {
        let query = query.into();
        let task = query.task().to_owned();
        match self.retrieve(query).await {
            Err(error) if error.is_passing() => Ok(self.without(&task, &error)),
            result => result,
        }
    }

    /// The same for a run, which no refusal stops either.
    pub(crate) async fn recall_or_not(&self, query: MemoryQuery) -> Augmented {
        let task = query.task().to_owned();
        self.retrieve(query).await.unwrap_or_else(|error| self.without(&task, &error))
    }

    /// Asks, unless the server did not answer a moment ago.
    pub(crate) async fn retrieve(&self, query: MemoryQuery) -> Result<Augmented, Error> {
        let recall = &self.settings().recall;
        if recall.is_paused(Instant::now()) {
            return Ok(Augmented::alone(query.task(), "the server did not answer a moment ago"));
        }
        let result = self.augment(query).await;
        match &result {
            Ok(_) => recall.is_up(),
            Err(Error::Connection { .. } | Error::Timeout { .. }) => recall.went_down(Instant::now()),
            Err(_) => {}
        }
        result
    }

    fn without(&self, task: &str, error: &Error) -> Augmented {
        if self.settings().recall.may_say(Instant::now()) {
            tracing::warn!(%error, "memories could not be retrieved; runs go on without");
        }
        Augmented::alone(task, error)
    }

    async fn augment(&self, query: MemoryQuery) -> Result<Augmented, Error> {
        let settings = self.settings();
        let manners = Manners {
            timeout: settings.retrieval_timeout.min(settings.manners.timeout),
            max_retries: settings.manners.max_retries.min(1),
        };
        let body = query.within(settings.memory_tokens);
        let request = Request::post(self.path(&["memory", "augment"]), &body)?;
        let answer = self.answer_within("augment_with_memories", request, manners).await?;
        let found: AugmentedTask = answer.json("augment_with_memories")?;
        let why = || degraded(&answer).unwrap_or_else(|| "searched by words only".to_owned());
        Ok(Augmented {
            degraded: found.degraded.then(why),
            task: found.task,
            augmented_task: found.augmented_task,
            memories: found.memories,
            retrieval_id: Some(found.retrieval_id),
        })
    }

    /// Stores a lesson of your own, without a model that writes it. `task` is what it was learned from, and by which
    /// it is found; `result` says how that run went.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{api::AuthoredReflection, types::ReviewResult};
    ///
    /// let lesson = AuthoredReflection { guidance: "Convert dates first.".into(), ..Default::default() };
    /// let stored = client.create_memory("Book a meeting", ReviewResult::Pass, lesson).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_memory(
        &self,
        task: impl Into<String>,
        result: ReviewResult,
        lesson: AuthoredReflection,
    ) -> Result<TraceSubmission, Error> {
        let trace = NewTrace::new(task, Trajectory::Messages(Vec::new()));
        self.create_trace(trace.review(Verdict::new(result).lesson(lesson))).await
    }

    /// The receipt of an earlier search: what was considered, and what became of each of it.
    pub async fn get_retrieval(&self, retrieval_id: RetrievalId) -> Result<Retrieval, Error> {
        let path = self.path(&["retrievals", &retrieval_id.to_string()]);
        self.ask("get_retrieval", Request::get(path)).await
    }

    /// The project's skill, or None while there is none.
    pub async fn get_skill(&self) -> Result<Option<Skill>, Error> {
        let exchange = self.exchange("get_skill", self.settings().manners, Some(404));
        let answer = exchange.run(&Request::get(self.path(&["skill"]))).await?;
        if answer.status == 404 { Ok(None) } else { answer.json("get_skill").map(Some) }
    }

    /// Writes the next version of the skill from the best lessons, 5 of each kind unless told otherwise. With a
    /// language model that may take longer than a minute: see [`with_timeout`](Self::with_timeout).
    pub async fn create_skill(&self, wish: CreateSkill) -> Result<Skill, Error> {
        let request = Request::post(self.path(&["skill", "create"]), &wish)?.once(Uuid::now_v7());
        self.ask("create_skill", request).await
    }
}

/// Why the search was degraded, as the server says it.
fn degraded(answer: &Answer) -> Option<String> {
    answer.header("x-reflect-degraded").map(str::to_owned)
}
