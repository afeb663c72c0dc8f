//! Sends the example runs through the public API, in the order of time: each run can use the lessons of earlier reviews.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_sdk::api::{BulkCurationAction, CreateTrace, CurateMemories, MemorySelection};
use reflect_sdk::types::{IngestStatus, MemoryId, MemoryStatus, ReviewResult, TraceId};
use reflect_sdk::{MemoryQuery, NewTrace, ReflectClient};

use super::example_judge::ExampleJudge;
use super::example_run::{Received, body};
use super::planted_lesson;
use super::scenario::{DeskEvent, Knowledge, PlannedRun, Recalled, Scenario};
use super::topics::Policy;

/// How many memories each run receives.
const RECEIVED: usize = 5;
/// Memories about other topics are less similar.
const LEAST_SIMILARITY: f32 = 0.5;
/// How long to wait for a lesson that the server could not store at once.
const LEARN_TIMEOUT: Duration = Duration::from_secs(120);
/// After how many runs the progress is shown.
const PROGRESS: usize = 70;

/// What was sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loaded {
    pub(super) runs: usize,
    pub(super) reviewed: usize,
    /// How many runs used a lesson.
    pub(super) with_lesson: usize,
}

/// Sends all runs of the scenario.
pub(super) async fn load(
    client: &ReflectClient,
    scenario: &Scenario,
    judge: Option<ExampleJudge>,
) -> anyhow::Result<Loaded> {
    let mut loader = Loader { judge, ..Loader::new(client, scenario) };
    for (at, event) in scenario.events() {
        loader.handle(at, event).await?;
    }
    Ok(loader.loaded)
}

struct Loader<'a> {
    client: &'a ReflectClient,
    scenario: &'a Scenario,
    /// Runs that are sent together with their review, by number.
    unsent: BTreeMap<usize, CreateTrace>,
    /// A memory of the first lesson of each topic that has one.
    taught: BTreeMap<usize, MemoryId>,
    /// How many runs had each kind of knowledge.
    earlier: BTreeMap<Knowledge, usize>,
    loaded: Loaded,
    judge: Option<ExampleJudge>,
}

impl<'a> Loader<'a> {
    fn new(client: &'a ReflectClient, scenario: &'a Scenario) -> Self {
        let (unsent, taught, earlier) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { client, scenario, unsent, taught, earlier, loaded: Loaded::default(), judge: None }
    }

    async fn handle(&mut self, at: DateTime<Utc>, event: DeskEvent) -> anyhow::Result<()> {
        let scenario = self.scenario;
        match event {
            DeskEvent::Run(number) => self.run(&scenario.runs[number]).await,
            DeskEvent::Review(number) => self.review(&scenario.runs[number]).await,
            DeskEvent::Correction(topic) => self.correct(topic).await,
            DeskEvent::Attack => {
                self.loaded.runs += 1;
                self.loaded.reviewed += 1;
                planted_lesson::send(self.client, at).await
            }
        }
    }

    /// The agent queries memories and works on its task. A run that is reviewed later is sent with its review.
    async fn run(&mut self, run: &PlannedRun) -> anyhow::Result<()> {
        let query =
            MemoryQuery::new(run.task.as_str()).limit(RECEIVED).similarity_threshold(LEAST_SIMILARITY);
        let found = self.client.memories.query(query).await?;
        let scenario = self.scenario;
        let topic = scenario.topic_of(run);
        let followed = found.memories.iter().find_map(|memory| topic.policy_of(&memory.correct_action));
        let recalled = self.recalled(run, followed, found.memories.is_empty());
        let attempt = scenario.attempt(run, recalled);
        let received = Received { memories: &found.memories, retrieval_id: found.retrieval_id, followed };
        let body = body(run, topic, &attempt, received)?;
        self.loaded.with_lesson += usize::from(followed.is_some());
        if run.reviewed_at.is_some() {
            self.unsent.insert(run.number, body);
        } else {
            self.send(body).await?;
        }
        Ok(())
    }

    /// What the agent knew, and how many runs before it knew the same.
    fn recalled(&mut self, run: &PlannedRun, followed: Option<Policy>, found_nothing: bool) -> Recalled {
        let knowledge = match followed {
            Some(policy) if policy == run.policy => Knowledge::Lesson,
            Some(_) => Knowledge::OldLesson,
            None if found_nothing && self.taught.contains_key(&run.topic) => Knowledge::HeldOut,
            None => Knowledge::Nothing,
        };
        let count = self.earlier.entry(knowledge).or_default();
        let earlier = *count;
        // Luck plays no part in the first run of a topic.
        *count += usize::from(!run.is_first);
        Recalled { knowledge, earlier }
    }

    async fn review(&mut self, run: &PlannedRun) -> anyhow::Result<()> {
        let Some(body) = self.unsent.remove(&run.number) else { return Ok(()) };
        let verdict = body.review.as_ref().map(|review| review.result == ReviewResult::Pass);
        let (trace, memory) = self.send(body).await?;
        self.loaded.reviewed += 1;
        if let (Some(judge), Some(passed)) = (&mut self.judge, verdict) {
            judge.judge(trace, passed).await?;
        }
        if let Some(memory) = memory {
            self.taught.entry(run.topic).or_insert(memory);
        }
        Ok(())
    }

    /// Sends a run, and returns its id and the memory that its review created. The lesson is part of the review, so the server mostly
    /// stores it at once.
    async fn send(&mut self, body: CreateTrace) -> anyhow::Result<(TraceId, Option<MemoryId>)> {
        let trace = NewTrace::from_body(body);
        let id = trace.trace_id();
        let sent = self.client.traces.create(trace).await?;
        self.loaded.runs += 1;
        if self.loaded.runs.is_multiple_of(PROGRESS) {
            eprintln!("Sent {} of {} example runs …", self.loaded.runs, self.scenario.runs.len());
        }
        if sent.ingest_status == IngestStatus::Completed {
            return Ok((id, sent.created_memory_id));
        }
        Ok((id, self.client.traces.wait_for(id, true, LEARN_TIMEOUT).await?.created_memory_id))
    }

    /// Disables the memories of an old lesson that newer evidence has not superseded.
    async fn correct(&self, topic: usize) -> anyhow::Result<()> {
        let Some(memory) = self.taught.get(&topic) else { return Ok(()) };
        let filter = MemorySelection {
            same_lesson_as: Some(*memory),
            status: Some(vec![MemoryStatus::Active]),
            ..MemorySelection::default()
        };
        let action = BulkCurationAction::Disable;
        let request = CurateMemories { filter, q: None, action, dry_run: false, all: false };
        self.client.curation.change_many(&request).await?;
        Ok(())
    }
}
