//! Merges of merges: a memory that was merged on takes along what it was worth, and loses it again when its own past
//! changes. Each history is compared with one in which the undone or withdrawn part never happened.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use reflect_store::{
    ActionId, CurationRequest, Linked, MemoryChange, MemoryState, NewTraceRow, Presence, ProjectCtx,
    ReviewChange, Store,
};
use reflect_test_support::TestDb;
use reflect_types::{Link, MemoryId, ReviewId, ReviewResult, TraceId, Trust};
use serde_json::json;
use sqlx::PgConnection;

use super::ledgers;
use crate::{given, ledger};

/// Utility, reviews, passes, credit, evidence.
type Standing = (f32, i32, i32, f32, i32);

struct Bank {
    project: ProjectCtx,
    random: SmallRng,
}

impl Bank {
    async fn new(store: &Store, slug: &str) -> Self {
        Self { project: given::project(store, slug).await, random: SmallRng::seed_from_u64(1) }
    }

    /// A memory with these reviews.
    async fn memory(&mut self, results: &[ReviewResult]) -> MemoryId {
        let run = given::reviewed("first");
        self.project.traces().record(&run, None).await.unwrap();
        let lesson = ledger::memory(&mut self.random, &[]);
        let review = run.review.as_ref().unwrap().review_id;
        self.project.learning().finish(run.trace_id, review, &lesson).await.unwrap().unwrap();
        for result in results {
            self.review(lesson.memory_id, *result).await;
        }
        lesson.memory_id
    }

    /// A reviewed run that had the memory, and was learned from.
    async fn review(&mut self, memory: MemoryId, result: ReviewResult) -> (TraceId, ReviewId) {
        let link = Linked { by: Link::Ids, memories: vec![memory], retrieval: None, arm: None };
        let mut run = NewTraceRow { link, ..given::reviewed("run") };
        run.review.as_mut().unwrap().result = result;
        let review = run.review.as_ref().unwrap().review_id;
        self.project.traces().record(&run, None).await.unwrap();
        let mut lesson = ledger::memory(&mut self.random, &[memory]);
        (lesson.used, lesson.expected) = (None, Some(0.5));
        self.project.learning().finish(run.trace_id, review, &lesson).await.unwrap().unwrap();
        (run.trace_id, review)
    }

    async fn withdraw(&self, (trace, review): (TraceId, ReviewId)) {
        let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
        assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
    }

    async fn merge(&self, donor: MemoryId, survivor: MemoryId) -> ActionId {
        let request = CurationRequest {
            kind: "memory.merge",
            summary: json!({}),
            memories: &[donor, survivor],
            part_of: None,
            texts: &[],
            regroups: false,
            answers: None,
        };
        let decide = |states: &[MemoryState]| {
            let shares = states.iter().filter(|state| state.memory_id == donor).map(MemoryState::share);
            Ok(vec![
                (donor, MemoryChange::Presence(Presence::Merged(survivor))),
                (survivor, MemoryChange::Pooled(shares.collect())),
            ])
        };
        let curated = self.project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
        curated.action_id.unwrap()
    }

    async fn undo(&self, action: ActionId) {
        while self.project.curation().undo_batch(action, &given::actor(), Trust::Normal).await.unwrap() {}
    }
}

async fn standing(connection: &mut PgConnection, memory: MemoryId) -> Standing {
    sqlx::query_as("select q, reviews, passes, credit, evidence from memory_stat where memory_id = $1")
        .bind(memory)
        .fetch_one(connection)
        .await
        .unwrap()
}

const PASS: ReviewResult = ReviewResult::Pass;
const FAIL: ReviewResult = ReviewResult::Fail;

/// B is merged into A, A into C, C into D, with reviews in between. Returns the merges of `first` and the memories.
async fn chain(bank: &mut Bank, first: bool) -> (Option<ActionId>, [MemoryId; 4]) {
    let memories = [
        bank.memory(&[PASS, PASS, PASS]).await,
        bank.memory(&[FAIL, PASS]).await,
        bank.memory(&[FAIL]).await,
        bank.memory(&[PASS, FAIL, FAIL]).await,
    ];
    let [b, a, c, d] = memories;
    let merged = match first {
        true => Some(bank.merge(b, a).await),
        false => None,
    };
    bank.review(a, FAIL).await;
    bank.merge(a, c).await;
    bank.review(c, PASS).await;
    bank.merge(c, d).await;
    bank.review(d, PASS).await;
    (merged, memories)
}

async fn check_ledgers(connection: &mut PgConnection, memories: &[MemoryId]) {
    ledgers::check_standing(connection, memories, 0).await;
}

async fn setup() -> (TestDb, Bank, Bank, PgConnection) {
    let (db, store) = given::store().await;
    let (bank, control) = (Bank::new(&store, "p").await, Bank::new(&store, "control").await);
    let connection = db.superuser().await;
    (db, bank, control, connection)
}

#[tokio::test]
async fn undoing_a_merge_reaches_what_its_survivor_was_merged_into() {
    let (_db, mut bank, mut control, mut connection) = setup().await;
    let (merged, memories) = chain(&mut bank, true).await;
    let (_, without) = chain(&mut control, false).await;
    let differing =
        [standing(&mut connection, memories[3]).await, standing(&mut connection, without[3]).await];
    assert_ne!(differing[0], differing[1], "the merge has an effect");

    bank.undo(merged.unwrap()).await;

    for (memory, never) in memories.into_iter().zip(without) {
        assert_eq!(standing(&mut connection, memory).await, standing(&mut connection, never).await);
    }
    check_ledgers(&mut connection, &memories).await;
}

#[tokio::test]
async fn a_review_that_is_withdrawn_after_a_merge_does_not_count_in_the_survivor() {
    let (_db, mut bank, mut control, mut connection) = setup().await;
    let mut memories = Vec::new();
    let mut extra = None;
    for (bank, with_extra) in [(&mut bank, true), (&mut control, false)] {
        let donor = bank.memory(&[FAIL]).await;
        if with_extra {
            extra = Some(bank.review(donor, PASS).await);
        }
        let survivor = bank.memory(&[FAIL, FAIL]).await;
        let last = bank.memory(&[]).await;
        bank.merge(donor, survivor).await;
        bank.merge(survivor, last).await;
        memories.push([donor, survivor, last]);
    }
    assert_ne!(
        standing(&mut connection, memories[0][2]).await,
        standing(&mut connection, memories[1][2]).await
    );

    bank.withdraw(extra.unwrap()).await;

    for (memory, never) in memories[0].into_iter().zip(memories[1]) {
        assert_eq!(standing(&mut connection, memory).await, standing(&mut connection, never).await);
    }
    check_ledgers(&mut connection, &memories[0]).await;
}

#[tokio::test]
async fn reviews_after_a_merge_stay_with_the_memory_that_its_run_had() {
    let (_db, mut bank, _control, mut connection) = setup().await;
    let (donor, survivor) = (bank.memory(&[PASS]).await, bank.memory(&[FAIL]).await);
    bank.merge(donor, survivor).await;
    let before = standing(&mut connection, survivor).await;

    let late = bank.review(donor, PASS).await;
    assert_eq!(standing(&mut connection, survivor).await, before);
    bank.withdraw(late).await;

    assert_eq!(standing(&mut connection, survivor).await, before);
    check_ledgers(&mut connection, &[donor, survivor]).await;
}
