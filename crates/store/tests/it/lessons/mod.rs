//! Lessons and their situations: joining, absorbing, superseding, steps, grouping of an earlier bank, and who speaks.

mod absorption;
mod following;
mod grouping;
mod histories;
mod lists;
mod speaker;
mod steps;
mod supersession;
mod together;
mod uses;

use reflect_rules::lessons::{AdviceText, Joined, Placement, SameBy, advice_key};
use reflect_store::{
    ActionRow, CurationRequest, LessonPlan, Linked, MemoryChange, MemoryState, NewMemoryRow, NewTraceRow,
    PossibleContradiction, ProjectCtx, ReviewChange, SpaceId, SpaceName, Store, StoreSettings,
};
use reflect_test_support::TestDb;
use reflect_types::{
    EmbeddedText, KeyId, LessonId, Link, MemoryId, MemoryOrigin, ReviewId, ReviewResult, TraceId, Trust,
};
use serde_json::json;

use crate::given;

/// A project with one embedding space.
struct Bank {
    db: TestDb,
    project: ProjectCtx,
    space: SpaceId,
}

/// A run that was learned from.
#[derive(Debug, Clone, Copy)]
struct Learned {
    trace: TraceId,
    review: ReviewId,
    memory: MemoryId,
    /// What the run created, according to the store.
    created: MemoryId,
}

/// The state of a situation.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
struct Stat {
    status: i16,
    lesson_id: Option<LessonId>,
    merged_into: Option<MemoryId>,
    superseded_by: Option<ReviewId>,
    absorbed: i32,
    searched: bool,
    parked: bool,
}

const ACTIVE: i16 = 1;
const RETIRED: i16 = 2;
const DISABLED: i16 = 4;
const MERGED: i16 = 5;

async fn space(store: &Store) -> SpaceId {
    let name = SpaceName {
        provider: "test".into(),
        model: "model".into(),
        revision: String::new(),
        dimensions: 2,
        embeds: EmbeddedText::Task,
    };
    store.catalogue().ensure_space(&name).await.unwrap().id
}

impl Bank {
    async fn new() -> Self {
        let db = TestDb::create().await;
        // A fifth of the connections are for changes.
        let settings = StoreSettings { max_connections: 40, ..db.settings() };
        let store = Store::connect(&settings).await.unwrap();
        let project = given::project(&store, "p").await;
        let space = space(&store).await;
        project.spaces().adopt(space).await.unwrap();
        Self { db, project, space }
    }

    /// A lesson that founds its own group.
    fn lesson(&self, task: &str, action: &str) -> NewMemoryRow {
        let reflection = format!("In `{task}`: {action}");
        let text = AdviceText { correct_action: action, approach: &[], reflection: &reflection };
        let lesson =
            LessonPlan { advice: advice_key(&text), placement: Placement::Own, ..LessonPlan::default() };
        NewMemoryRow {
            memory_id: MemoryId::generate(),
            origin: MemoryOrigin::Offline,
            task: task.into(),
            reflection,
            summary: String::new(),
            guidance: String::new(),
            key_mistake: String::new(),
            correct_action: action.into(),
            applicable_tools: Vec::new(),
            tools_used: Vec::new(),
            success: Some(true),
            metadata: json!({}),
            model: None,
            prompt_version: None,
            note: None,
            replaced: None,
            quarantined: false,
            flags: Vec::new(),
            trust: Trust::Normal,
            author_key: KeyId::generate(),
            vectors: vec![(self.space, vec![0.6, 0.8])],
            used: None,
            expected: Some(0.5),
            lesson,
        }
    }

    /// A reviewed run that had some memories.
    async fn reviewed(&self, result: ReviewResult, linked: &[MemoryId]) -> (TraceId, ReviewId) {
        let link = Linked { by: Link::Ids, memories: linked.to_vec(), retrieval: None, arm: None };
        let mut run = NewTraceRow { link, ..given::reviewed("run") };
        let review = run.review.as_mut().unwrap();
        review.result = result;
        let ids = (run.trace_id, review.review_id);
        self.project.traces().record(&run, None).await.unwrap();
        ids
    }

    /// A passed run that had some memories, and its lesson.
    async fn learn_with(&self, memory: &NewMemoryRow, linked: &[MemoryId]) -> Learned {
        let result = if memory.success == Some(true) { ReviewResult::Pass } else { ReviewResult::Fail };
        let (trace, review) = self.reviewed(result, linked).await;
        let created = self.project.learning().finish(trace, review, memory).await.unwrap().unwrap();
        Learned { trace, review, memory: memory.memory_id, created }
    }

    async fn learn(&self, memory: &NewMemoryRow) -> Learned {
        self.learn_with(memory, &[]).await
    }

    async fn withdraw(&self, run: Learned) {
        let change =
            ReviewChange { trace: run.trace, instead_of: Some(run.review), review: None, lesson: None };
        assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
    }

    /// Changes a memory as a person does.
    async fn curate(&self, memory: MemoryId, change: MemoryChange) {
        let request = CurationRequest {
            kind: "memory.test",
            summary: json!({}),
            memories: &[memory],
            part_of: None,
            texts: &[],
            regroups: true,
            answers: None,
        };
        let decide = |_: &[MemoryState]| Ok(vec![(memory, change.clone())]);
        self.project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
    }

    /// The actions of the server of one kind, newest first.
    async fn automatic(&self, kind: &str) -> Vec<ActionRow> {
        let (actions, _) = self.project.curation().actions(None, 1000, true).await.unwrap();
        actions.into_iter().filter(|action| action.kind == kind && action.actor == "server").collect()
    }

    async fn undo(&self, action: &ActionRow) {
        let curation = self.project.curation();
        while curation.undo_batch(action.action_id, &given::actor(), Trust::Normal).await.unwrap() {}
    }

    async fn stat(&self, memory: MemoryId) -> Stat {
        sqlx::query_as(
            "select s.status, s.lesson_id, s.merged_into, s.superseded_by, coalesce(s.absorbed, 0) as absorbed,
                    exists (select from memory_vector v where v.memory_id = s.memory_id) as searched,
                    exists (select from parked_vector v where v.memory_id = s.memory_id) as parked
             from memory_stat s where s.memory_id = $1",
        )
        .bind(memory)
        .fetch_one(&mut self.db.superuser().await)
        .await
        .unwrap()
    }

    /// Makes a memory of an untrusted source look as corroboration leaves it: only its trust tells where it came from.
    async fn corroborate(&self, memory: MemoryId) {
        let released = "update memory_stat set quarantined = false, author_key = null, source_trace = null
                        where memory_id = $1";
        sqlx::query(released).bind(memory).execute(&mut self.db.superuser().await).await.unwrap();
    }

    async fn status(&self, memory: MemoryId) -> i16 {
        self.stat(memory).await.status
    }

    /// What a run created, as clients see it.
    async fn created_by(&self, trace: TraceId) -> Option<MemoryId> {
        sqlx::query_scalar("select memory_id from trace_state where trace_id = $1")
            .bind(trace)
            .fetch_one(&mut self.db.superuser().await)
            .await
            .unwrap()
    }
}

fn joined(target: MemoryId) -> Joined {
    Joined { situation: target, lesson: target.into(), by: SameBy::Structure }
}

fn placed(memory: NewMemoryRow, placement: Placement) -> NewMemoryRow {
    NewMemoryRow { lesson: LessonPlan { placement, ..memory.lesson.clone() }, ..memory }
}

fn joining(memory: NewMemoryRow, target: MemoryId) -> NewMemoryRow {
    placed(memory, Placement::Join(joined(target)))
}

fn absorbed(memory: NewMemoryRow, target: MemoryId) -> NewMemoryRow {
    placed(memory, Placement::Absorb(joined(target)))
}

fn contradicting(memory: NewMemoryRow, others: &[MemoryId]) -> NewMemoryRow {
    let contradicting = others
        .iter()
        .map(|other| PossibleContradiction { memory_id: *other, similarity: 0.9, is_protected: false })
        .collect();
    NewMemoryRow { lesson: LessonPlan { contradicting, ..memory.lesson.clone() }, ..memory }
}
