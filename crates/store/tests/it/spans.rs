//! Spans that wait for the end of their run: each is stored once, and a closed run takes no more.

use std::time::Duration;

use reflect_store::{
    Body, ClosedRun, NewSpan, ProjectCtx, RunEnd, SpanPolicy, SpanRun, SpanSender, StagedSpans, Store,
};
use reflect_test_support::TestDb;
use reflect_types::{KeyId, TraceId, Trust};
use uuid::Uuid;

use crate::given;

const RUN: Uuid = Uuid::from_u128(0xaa);
const AT_ONCE: SpanPolicy =
    SpanPolicy { grace: Duration::ZERO, quiet: Duration::from_secs(600), max_run_bytes: 1_000_000 };

fn sender(trust: Trust) -> SpanSender {
    SpanSender { key_id: KeyId::from_uuid(Uuid::from_u128(1)), name: "key:test".into(), trust }
}

fn part(number: u128) -> NewSpan {
    NewSpan { part_id: Uuid::from_u128(number), body: Body::encode(&format!("span {number}")) }
}

fn run(numbers: &[u128], root_ended: bool) -> SpanRun {
    let spans: Vec<NewSpan> = numbers.iter().map(|number| part(*number)).collect();
    SpanRun { otlp_id: RUN, trace_id: TraceId::generate(), root_ended, opens: !spans.is_empty(), spans }
}

async fn stage(project: &ProjectCtx, run: SpanRun) -> StagedSpans {
    project.traces().spans().stage(&sender(Trust::Normal), &[run], &AT_ONCE).await.unwrap()
}

fn sorted(closed: &ClosedRun) -> Vec<String> {
    let mut parts = closed.parts.clone();
    parts.sort();
    parts
}

async fn count(db: &TestDb, table: &'static str) -> i64 {
    let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
    sqlx::query_scalar(count).fetch_one(&mut db.superuser().await).await.unwrap()
}

#[tokio::test]
async fn spans_of_several_requests_are_one_run_and_each_is_there_once() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let first = stage(&project, run(&[1, 2, 2], false)).await;
    assert_eq!(first, StagedSpans { added: 2, repeated: 1, ..StagedSpans::default() });
    let second = stage(&project, run(&[2, 3], true)).await;
    assert_eq!(second, StagedSpans { added: 1, repeated: 1, ..StagedSpans::default() });

    let spans = project.traces();
    let closed = spans.spans().close(RUN).await.unwrap().unwrap();
    assert_eq!(sorted(&closed), ["span 1", "span 2", "span 3"]);
    let traces = spans.spans().traces_of(&[RUN, Uuid::from_u128(1)]).await.unwrap();
    assert_eq!(traces, [(RUN, closed.trace_id)]);
    // An attempt that was interrupted is repeated.
    assert_eq!(sorted(&spans.spans().close(RUN).await.unwrap().unwrap()), sorted(&closed));

    spans.spans().end(RUN, &RunEnd::Stored).await.unwrap();
    assert_eq!(spans.spans().close(RUN).await.unwrap(), None);
    assert_eq!((count(&db, "otlp_part").await, count(&db, "otlp_run").await), (0, 1));
    let again = stage(&project, run(&[1, 3, 4], true)).await;
    assert_eq!(again, StagedSpans { repeated: 2, late: 1, ..StagedSpans::default() });
}

#[tokio::test]
async fn a_run_is_due_when_its_root_has_ended_or_after_its_quiet_period() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    stage(&project, run(&[1], false)).await;
    assert_eq!(project.traces().spans().close(RUN).await.unwrap(), None, "it is quiet for no time yet");
    let waits: bool =
        sqlx::query_scalar("select run_at > now() + interval '500 seconds' from job where kind = 5")
            .fetch_one(&mut db.superuser().await)
            .await
            .unwrap();
    assert!(waits);
    // The root has no content of its own.
    stage(&project, run(&[], true)).await;
    assert!(project.traces().spans().close(RUN).await.unwrap().is_some());
}

#[tokio::test]
async fn a_root_alone_opens_no_run() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    stage(&project, run(&[], true)).await;
    assert_eq!((count(&db, "otlp_run").await, count(&db, "job").await), (0, 0));
}

#[tokio::test]
async fn a_run_has_the_trust_of_its_least_trusted_sender() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    for trust in [Trust::Trusted, Trust::Untrusted, Trust::Normal] {
        let spans = project.traces();
        spans
            .spans()
            .stage(&sender(trust), &[run(&[trust.code().unsigned_abs().into()], true)], &AT_ONCE)
            .await
            .unwrap();
    }
    let closed = project.traces().spans().close(RUN).await.unwrap().unwrap();
    assert_eq!((closed.sender.trust, closed.parts.len()), (Trust::Untrusted, 3));
}

#[tokio::test]
async fn spans_beyond_the_size_of_a_run_are_dropped_and_counted() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let small = SpanPolicy { max_run_bytes: 15, ..AT_ONCE };
    let staged =
        project.traces().spans().stage(&sender(Trust::Normal), &[run(&[1, 2, 3], true)], &small).await;
    assert_eq!(staged.unwrap(), StagedSpans { added: 2, dropped: 1, ..StagedSpans::default() });
    // The same again: two are there, which takes no room.
    let again = project.traces().spans().stage(&sender(Trust::Normal), &[run(&[1, 2], true)], &small).await;
    assert_eq!(again.unwrap(), StagedSpans { repeated: 2, ..StagedSpans::default() });
    let closed = project.traces().spans().close(RUN).await.unwrap().unwrap();
    assert_eq!((closed.parts.len(), closed.dropped), (2, 1));
}

#[tokio::test]
async fn runs_that_wait_have_a_limit_for_each_project() {
    let (db, store) = given::store().await;
    let (project, other) = (given::project(&store, "p").await, given::project(&store, "other").await);
    stage(&project, run(&[1], false)).await;
    let fill = "insert into otlp_run (project_id, otlp_id, trace_id, key_id, key_name, trust, due_at)
                select r.project_id, gen_random_uuid(), gen_random_uuid(), r.key_id, r.key_name, 1, r.due_at
                from otlp_run r, generate_series(1, 19998)";
    sqlx::query(fill).execute(&mut db.superuser().await).await.unwrap();
    let new = |number: u128| SpanRun { otlp_id: Uuid::from_u128(number), ..run(&[2], false) };
    let spans = project.traces();
    let both = [new(1), new(2)];
    let staged = spans.spans().stage(&sender(Trust::Normal), &both, &AT_ONCE).await.unwrap();
    assert_eq!(staged, StagedSpans { added: 1, deferred: 1, ..StagedSpans::default() });
    let known = stage(&project, run(&[2], true)).await;
    assert_eq!(known, StagedSpans { added: 1, ..StagedSpans::default() });
    assert_eq!(stage(&other, run(&[1], false)).await.added, 1);

    let large = "update otlp_run set bytes = bytes + (1::bigint << 31) where otlp_id = $1 and parts = 2";
    sqlx::query(large).bind(RUN).execute(&mut db.superuser().await).await.unwrap();
    let full = stage(&project, run(&[3], true)).await;
    assert_eq!(full, StagedSpans { deferred: 1, ..StagedSpans::default() });
    assert!(spans.spans().close(RUN).await.unwrap().is_some(), "what is there ends");
}

#[tokio::test]
async fn runs_that_ended_days_ago_are_removed() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    stage(&project, run(&[1], true)).await;
    project.traces().spans().close(RUN).await.unwrap();
    project.traces().spans().end(RUN, &RunEnd::Refused("no content".into())).await.unwrap();
    store.maintenance().run().await.unwrap();
    assert_eq!(count(&db, "otlp_run").await, 1);
    let old = "update otlp_run set created_at = now() - interval '4 days'";
    sqlx::query(old).execute(&mut db.superuser().await).await.unwrap();
    store.maintenance().run().await.unwrap();
    assert_eq!(count(&db, "otlp_run").await, 0);
}

#[cfg(debug_assertions)]
async fn faulty(fault: reflect_store::StoreFault) -> (TestDb, Store) {
    let db = TestDb::create().await;
    let settings = reflect_store::StoreSettings { fault: Some(fault), ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();
    (db, store)
}

#[cfg(debug_assertions)]
#[tokio::test]
async fn the_mutant_without_ids_of_spans_stores_them_twice() {
    let (_db, store) = faulty(reflect_store::StoreFault::StageSpansAgain).await;
    let project = given::project(&store, "p").await;
    stage(&project, run(&[1, 1], true)).await;
    let closed = project.traces().spans().close(RUN).await.unwrap().unwrap();
    assert_eq!(sorted(&closed), ["span 1", "span 1"]);
}

#[cfg(debug_assertions)]
#[tokio::test]
async fn the_mutant_that_forgets_runs_opens_them_again() {
    let (_db, store) = faulty(reflect_store::StoreFault::ForgetEndedRuns).await;
    let project = given::project(&store, "p").await;
    stage(&project, run(&[1], true)).await;
    let first = project.traces().spans().close(RUN).await.unwrap().unwrap();
    project.traces().spans().end(RUN, &RunEnd::Stored).await.unwrap();
    let again = stage(&project, run(&[1], true)).await;
    assert_eq!(again.added, 1);
    let second = project.traces().spans().close(RUN).await.unwrap().unwrap();
    assert_ne!(first.trace_id, second.trace_id);
}
