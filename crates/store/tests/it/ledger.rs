//! The ledger over random histories: reviews are given, replaced, withdrawn and learned from in any order,
//! and steps are cut off half-way. Utilities and credits must be what the ledger says, read from its start.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use reflect_store::{LessonPlan, Linked, NewMemoryRow, NewReview, NewTraceRow, ProjectCtx, ReviewChange};
use reflect_types::{
    Alpha, Credit, KeyId, Link, MemoryId, MemoryOrigin, ReviewId, ReviewMode, ReviewResult, TraceId, Trust,
    Utility,
};
use sqlx::PgConnection;

use crate::given;

const HISTORIES: u64 = 12;
const STEPS: usize = 80;
const FIRST_MEMORIES: usize = 4;

struct History {
    project: ProjectCtx,
    random: SmallRng,
    memories: Vec<MemoryId>,
    /// Runs, with the verdict that they are thought to have. A step that was cut off makes that a guess.
    runs: Vec<(TraceId, Option<ReviewId>)>,
}

pub(crate) fn memory(random: &mut SmallRng, linked: &[MemoryId]) -> NewMemoryRow {
    let some = |random: &mut SmallRng| -> Vec<MemoryId> {
        linked.iter().copied().filter(|_| random.random_bool(0.5)).collect()
    };
    NewMemoryRow {
        memory_id: MemoryId::generate(),
        origin: MemoryOrigin::Offline,
        task: "sort".into(),
        reflection: "sort well".into(),
        summary: String::new(),
        guidance: String::new(),
        key_mistake: String::new(),
        correct_action: String::new(),
        applicable_tools: Vec::new(),
        tools_used: Vec::new(),
        success: None,
        metadata: serde_json::json!({}),
        model: None,
        prompt_version: None,
        note: None,
        replaced: None,
        quarantined: false,
        flags: Vec::new(),
        trust: Trust::Normal,
        author_key: KeyId::generate(),
        vectors: Vec::new(),
        used: random.random_bool(0.6).then(|| some(random)),
        expected: Some(random.random_range(0.0..=1.0)),
        lesson: LessonPlan::default(),
    }
}

impl History {
    fn review(&mut self) -> NewReview {
        let alpha =
            self.random.random_bool(0.3).then(|| Alpha::try_from(self.random.random_range(0.0..=1.0)));
        NewReview {
            review_id: ReviewId::generate(),
            result: if self.random.random_bool(0.5) { ReviewResult::Pass } else { ReviewResult::Fail },
            feedback: None,
            alpha: alpha.map(Result::unwrap),
            mode: ReviewMode::Deferred,
            reviewer: "key:test".into(),
            authored: None,
            grace: Duration::ZERO,
            action: None,
            trust: Trust::Normal,
            bounds: None,
            reviewed_at: None,
        }
    }

    /// Runs a step, now and then only its beginning, as a process that dies does.
    async fn perhaps_cut_off<T>(&mut self, step: impl Future<Output = T>) -> Option<T> {
        if !self.random.random_bool(0.25) {
            return Some(step.await);
        }
        let time = Duration::from_micros(self.random.random_range(50..4_000));
        tokio::time::timeout(time, step).await.ok()
    }

    /// Memories that later runs can have.
    async fn begin(&mut self) {
        for _ in 0..FIRST_MEMORIES {
            let trace = given::reviewed("sort");
            let review = trace.review.as_ref().unwrap().review_id;
            self.project.traces().record(&trace, None).await.unwrap();
            let memory = memory(&mut self.random, &[]);
            self.project.learning().finish(trace.trace_id, review, &memory).await.unwrap().unwrap();
            self.memories.push(memory.memory_id);
        }
    }

    async fn record(&mut self) {
        let linked: Vec<MemoryId> =
            self.memories.clone().into_iter().filter(|_| self.random.random_bool(0.6)).collect();
        let review = self.random.random_bool(0.5).then(|| self.review());
        let review_id = review.as_ref().map(|review| review.review_id);
        let link = Linked { by: Link::Ids, memories: linked, retrieval: None, arm: None };
        let base = if review.is_some() { given::reviewed("sort") } else { given::trace("sort") };
        let trace = NewTraceRow { link, review, ..base };
        let project = self.project.clone();
        self.perhaps_cut_off(async move {
            project.traces().record(&trace, None).await.unwrap();
            trace.trace_id
        })
        .await
        .into_iter()
        .for_each(|trace| self.runs.push((trace, review_id)));
    }

    async fn learn(&mut self) {
        let Some(&(trace, Some(review))) = self.runs.choose(&mut self.random) else { return };
        let Ok(Some(input)) = self.project.learning().start(review).await else { return };
        let memory = memory(&mut self.random, &input.linked);
        let (project, id) = (self.project.clone(), memory.memory_id);
        let kept = self
            .perhaps_cut_off(async move { project.learning().finish(trace, review, &memory).await.unwrap() });
        if kept.await.flatten().is_some() {
            self.memories.push(id);
        }
    }

    async fn change(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        let at = self.random.random_range(0..self.runs.len());
        let (trace, before) = self.runs[at];
        let review = self.random.random_bool(0.7).then(|| self.review());
        let after = review.as_ref().map(|review| review.review_id);
        let project = self.project.clone();
        let changed = self.perhaps_cut_off(async move {
            let change = ReviewChange { trace, instead_of: before, review: review.as_ref(), lesson: None };
            project.reviews().change(&change, &given::actor(), None).await.unwrap()
        });
        if changed.await == Some(true) {
            self.runs[at].1 = after;
        }
    }
}

/// What the ledger says, read by this test's own rules.
pub(crate) async fn fold(connection: &mut PgConnection) -> BTreeMap<MemoryId, (f32, i32, i32, f32, i32)> {
    type Row = (MemoryId, f32, f32, bool, Option<bool>, Option<f32>, Option<i32>);
    let entries: Vec<Row> = sqlx::query_as(
        "select memory_id, reward, alpha, annealed, used, expected, credited from utility_event \
         where not withdrawn order by seq",
    )
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    let memories: Vec<MemoryId> =
        sqlx::query_scalar("select memory_id from memory").fetch_all(&mut *connection).await.unwrap();
    let mut folded = BTreeMap::new();
    for memory in memories {
        let mine: Vec<&Row> = entries.iter().filter(|entry| entry.0 == memory).collect();
        let utility =
            mine.iter().fold(Utility::START, |utility, entry| utility.after(entry.1, entry.2)).get();
        let passes = mine.iter().filter(|entry| entry.1 == 1.0).count() as i32;
        let mut credited: Vec<&&Row> = mine.iter().filter(|entry| entry.6.is_some()).collect();
        credited.sort_by_key(|entry| entry.6);
        let credit =
            credited.iter().filter(|entry| entry.4 != Some(false)).fold(Credit::START, |credit, entry| {
                credit.after(entry.1, entry.5.unwrap(), (!entry.3).then_some(entry.2))
            });
        folded.insert(memory, (utility, mine.len() as i32, passes, credit.value(), credit.evidence()));
    }
    folded
}

#[tokio::test]
async fn utilities_and_credits_are_what_the_ledger_says_after_any_history() {
    let (db, store) = given::store().await;
    let (mut moved, mut withdrawn) = (0, 0);
    for seed in 0..HISTORIES {
        let project = given::project(&store, &format!("history-{seed}")).await;
        let random = SmallRng::seed_from_u64(seed);
        let mut history = History { project, random, memories: Vec::new(), runs: Vec::new() };
        history.begin().await;
        for _ in 0..STEPS {
            match history.random.random_range(0..10) {
                0..4 => history.record().await,
                4..8 => history.learn().await,
                _ => history.change().await,
            }
        }
    }
    // The last step may have been cut off while Postgres commits it, so all is read from one snapshot.
    let mut connection = db.superuser().await;
    sqlx::query("begin isolation level repeatable read").execute(&mut connection).await.unwrap();
    let stands: Vec<(MemoryId, f32, i32, i32, f32, i32)> =
        sqlx::query_as("select memory_id, q, reviews, passes, credit, evidence from memory_stat")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    let folded = fold(&mut connection).await;
    assert_eq!(stands.len(), folded.len());
    for (memory, q, reviews, passes, credit, evidence) in stands {
        assert_eq!((q, reviews, passes, credit, evidence), folded[&memory], "memory {memory}");
        moved += i32::from(evidence > 1);
    }
    let count = sqlx::query_scalar("select count(*) from utility_event where withdrawn");
    withdrawn += count.fetch_one(&mut connection).await.map(|count: i64| count).unwrap();
    // A history in which nothing happens proves nothing.
    assert!(moved > 20 && withdrawn > 20, "{moved} credits moved, {withdrawn} entries withdrawn");
}
