//! What is written at the moment in which it is erased: it is gone as well, or was never stored.
#![expect(clippy::disallowed_methods, reason = "every task is waited for by its test")]

use std::sync::Arc;

use reflect_store::{
    Erased, ErasureTarget, JudgeIdentity, Linked, ModelCost, NewErasure, NewJudgement, NewReview, NewSkill,
    NewTraceRow, ProjectCtx, ReviewChange, SpaceId, SpaceName, Store,
};
use reflect_test_support::TestDb;
use reflect_types::{EmbeddedText, Link, MemoryId, ReviewResult, TraceId};
use sqlx::{AssertSqlSafe, Executor, PgConnection};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::given;

/// What somebody says of the run while it is being erased.
const WORDS: &str = "canary-late";
const NONE: [String; 0] = [];

/// A run and the memory that came of it, which has no vector yet; and somebody who can hold rows up.
struct Given {
    db: TestDb,
    project: Arc<ProjectCtx>,
    /// The same in another process: one has few connections to change something with.
    elsewhere: Arc<ProjectCtx>,
    space: SpaceId,
    trace: TraceId,
    memory: MemoryId,
    /// A memory of another run, which this one was shown.
    shown: MemoryId,
    holder: PgConnection,
}

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

async fn given() -> Given {
    let (db, store) = given::store().await;
    let project = Arc::new(given::project(&store, "p").await);
    let elsewhere = Arc::new(given::project(&db.store().await, "p").await);
    let space = space(&store).await;
    project.spaces().adopt(space).await.unwrap();
    let (memory, shown) = (MemoryId::generate(), MemoryId::generate());
    let link = Linked { by: Link::Ids, memories: vec![shown], retrieval: None, arm: None };
    let run = NewTraceRow { link, ..given::trace("t") };
    project.traces().record(&run, None).await.unwrap();
    let made = "with p as (select project_id from project where slug = 'p'),
                m as (insert into memory (project_id, memory_id, origin, task, reflection, source_trace)
                      select project_id, $1, 3, 't', 'r', $2 from p)
                insert into memory_stat (project_id, memory_id) select project_id, $1 from p";
    let mut holder = db.superuser().await;
    for (memory, source) in [(memory, run.trace_id), (shown, TraceId::generate())] {
        let made = sqlx::query(made).bind(memory.as_uuid()).bind(source.as_uuid());
        made.execute(&mut holder).await.unwrap();
    }
    Given { db, project, elsewhere, space, trace: run.trace_id, memory, shown, holder }
}

impl Given {
    /// Holds something up until `let_go`.
    async fn hold(&mut self, statement: &str) {
        self.holder.execute("begin").await.unwrap();
        self.holder.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
    }

    async fn let_go(&mut self) {
        self.holder.execute("rollback").await.unwrap();
    }

    /// Waits until so many others wait for a lock, or `work` has ended.
    async fn until_waiting<T>(&self, sessions: i64, work: &JoinHandle<T>) {
        let waiting = "select count(*) from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'";
        let mut observer = self.db.superuser().await;
        while !work.is_finished() {
            let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(&mut observer).await.unwrap();
            if waiting >= sessions {
                return;
            }
        }
    }

    /// Begins to erase the run.
    async fn erase(&self) -> JoinHandle<()> {
        let erasure_id = Uuid::now_v7();
        let target = ErasureTarget::Trace(self.trace);
        let asked = NewErasure { erasure_id, target, keep_memories: false };
        self.elsewhere.erasures().request(&asked, &given::actor(), None).await.unwrap();
        let project = self.elsewhere.clone();
        tokio::spawn(async move {
            assert_eq!(project.erasures().erase_batch(erasure_id).await.unwrap(), Erased::Some);
        })
    }

    async fn count(&self, table: &str) -> i64 {
        let count = AssertSqlSafe(format!("select count(*) from {table}"));
        sqlx::query_scalar(count).fetch_one(&mut self.db.superuser().await).await.unwrap()
    }
}

#[tokio::test]
async fn a_memory_that_is_being_erased_is_not_placed() {
    let mut it = given().await;
    it.hold("select from memory for update").await;
    let erasing = it.erase().await;
    it.until_waiting(1, &erasing).await;

    // Embedded before, and placed now.
    let (project, space, memory) = (it.project.clone(), it.space, it.memory);
    let placing = tokio::spawn(async move {
        project.memories().index(space, &[(memory, "t".to_owned())], &[vec![0.6, 0.8]]).await.unwrap()
    });
    it.until_waiting(2, &placing).await;
    it.let_go().await;

    erasing.await.unwrap();
    assert_eq!(placing.await.unwrap(), 0);
    assert_eq!((it.count("memory_vector").await, it.count("parked_vector").await), (0, 0));
}

fn said() -> NewReview {
    NewReview { feedback: Some(WORDS.to_owned()), ..given::reviewed("t").review.unwrap() }
}

/// Gives the run a verdict, as far as the memory whose utility it moves.
async fn reviewing(it: &mut Given) -> JoinHandle<()> {
    it.hold(&format!("select from memory_stat where memory_id = '{}' for update", it.shown)).await;
    let (project, trace) = (it.project.clone(), it.trace);
    let reviewing = tokio::spawn(async move {
        let review = said();
        let change = ReviewChange { trace, instead_of: None, review: Some(&review), lesson: None };
        assert!(project.reviews().change(&change, &given::actor(), None).await.unwrap());
    });
    it.until_waiting(1, &reviewing).await;
    reviewing
}

#[tokio::test]
async fn a_review_that_is_given_while_its_run_is_erased_loses_its_words() {
    let mut it = given().await;
    let reviewing = reviewing(&mut it).await;

    let erasing = it.erase().await;
    it.until_waiting(2, &erasing).await;
    it.let_go().await;

    reviewing.await.unwrap();
    erasing.await.unwrap();
    assert_eq!((it.count("trace where erased_at is null").await, it.count("review").await), (0, 1));
    assert_eq!(it.db.tables_with(WORDS).await, NONE);
}

#[tokio::test]
async fn a_review_that_is_given_while_its_run_is_deleted_goes_with_it() {
    let mut it = given().await;
    let reviewing = reviewing(&mut it).await;

    let (project, trace) = (it.elsewhere.clone(), it.trace);
    let deleting =
        tokio::spawn(async move { project.traces().delete(&[trace], &given::actor(), None).await.unwrap() });
    it.until_waiting(2, &deleting).await;
    it.let_go().await;

    reviewing.await.unwrap();
    assert_eq!(deleting.await.unwrap(), [it.trace]);
    assert_eq!((it.count("trace where erased_at is null").await, it.count("review").await), (0, 0));
}

#[tokio::test]
async fn a_judgement_that_comes_while_its_run_is_erased_goes_with_it() {
    let mut it = given().await;
    // As far as what it cost, which is written down together with it.
    let cost = "insert into spending (project_id, day)
                select project_id, (now() at time zone 'utc')::date from project where slug = 'p'";
    it.hold(cost).await;
    let (project, trace) = (it.project.clone(), it.trace);
    let judging = tokio::spawn(async move {
        let by = JudgeIdentity { model: "m".to_owned(), rubric_digest: [1; 32] };
        let (result, feedback) = (Some(ReviewResult::Fail), Some(WORDS.to_owned()));
        let judgement = NewJudgement { trace, result, feedback, confidence: None, by: &by, blind: false };
        project.judgements().record(&judgement, ModelCost::default()).await.unwrap()
    });
    it.until_waiting(1, &judging).await;

    let erasing = it.erase().await;
    it.until_waiting(2, &erasing).await;
    it.let_go().await;

    judging.await.unwrap();
    erasing.await.unwrap();
    assert_eq!(it.db.tables_with(WORDS).await, NONE);
}

#[tokio::test]
async fn a_skill_that_is_written_while_its_memory_is_erased_goes_with_it() {
    let mut it = given().await;
    // As far as its version, after it was seen that the memory is there.
    let taken = "insert into skill (project_id, version, content, passed, failed, memory_ids)
                 select project_id, 1, '', 0, 0, '{}' from project where slug = 'p'";
    it.hold(taken).await;
    let (project, memory) = (it.project.clone(), it.memory);
    let writing = tokio::spawn(async move {
        let (content, memory_ids) = (WORDS.to_owned(), vec![memory]);
        let skill = NewSkill { content, passed: 0, failed: 1, memory_ids, model: None };
        project.lessons().skills().create(&skill, None).await.unwrap()
    });
    it.until_waiting(1, &writing).await;

    let erasing = it.erase().await;
    it.until_waiting(2, &erasing).await;
    it.let_go().await;

    writing.await.unwrap();
    erasing.await.unwrap();
    assert_eq!(it.db.tables_with(WORDS).await, NONE);
}
