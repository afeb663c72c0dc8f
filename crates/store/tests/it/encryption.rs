//! Encryption of bodies and feedback.

use std::time::Duration;

use reflect_store::{
    Body, EncryptionKeys, JudgeIdentity, ModelCost, NewJudgement, NewSignal, NewSpan, ProjectCtx,
    Requirement, SignalSender, SignalSubject, SpaceNumbers, SpanPolicy, SpanRun, SpanSender, Store,
    StoreError, StoreSettings,
};
use reflect_test_support::TestDb;
use reflect_types::{
    KeyId, ProjectSlug, ReviewResult, SignalId, SignalMatching, SignalReport, SignalSource, TraceId, Trust,
};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use crate::given;

const BODY: &str = r#"[{"role":"assistant","content":"the code is swordfish"}]"#;
const FEEDBACK: &str = "never write \"swordfish\"";

fn new_key() -> String {
    EncryptionKeys::generate().unwrap().expose_secret().to_owned()
}

fn keys(text: &str) -> EncryptionKeys {
    EncryptionKeys::parse(&SecretString::from(text.to_owned())).unwrap()
}

async fn open(db: &TestDb, text: Option<&str>) -> Result<Store, StoreError> {
    Store::connect(&StoreSettings { encryption: text.map(keys), ..db.settings() }).await
}

fn secret_trace() -> reflect_store::NewTraceRow {
    let mut trace = given::reviewed("find the code");
    trace.body = Body::encode(BODY);
    trace.review.as_mut().unwrap().feedback = Some(FEEDBACK.to_owned());
    trace
}

/// Stores a run with a review, a judgement and a signal.
async fn record(project: &ProjectCtx) -> reflect_store::NewTraceRow {
    let trace = secret_trace();
    project.traces().record(&trace, None).await.unwrap();
    let by = JudgeIdentity { model: "judge".to_owned(), rubric_digest: [1; 32] };
    let judgement = NewJudgement {
        trace: trace.trace_id,
        result: Some(ReviewResult::Fail),
        feedback: Some(FEEDBACK.to_owned()),
        confidence: None,
        by: &by,
        blind: false,
    };
    assert!(project.judgements().record(&judgement, ModelCost::default()).await.unwrap());
    let signal = NewSignal {
        signal_id: SignalId::generate(),
        source: SignalSource::ci(),
        subject: SignalSubject::Trace(trace.trace_id),
        report: SignalReport::Outcome(ReviewResult::Fail),
        occurred_at: chrono::DateTime::UNIX_EPOCH,
        comment: Some(FEEDBACK.to_owned()),
        url: None,
        metadata: None,
        once: None,
    };
    let (sender, latest) =
        (SignalSender { key_id: trace.key_id, trust: trace.trust }, SignalMatching::Latest);
    let judgements = project.judgements();
    judgements.signals().accept(&[Some(signal)], sender, latest, &|_| false, true, None).await.unwrap();
    trace
}

async fn assert_readable(project: &ProjectCtx, trace: &reflect_store::NewTraceRow) {
    let stored = project.traces().get(trace.trace_id).await.unwrap();
    assert_eq!(stored.trajectory, BODY);
    assert_eq!(stored.review.unwrap().feedback.as_deref(), Some(FEEDBACK));
    let judgement = project.judgements().get(trace.trace_id).await.unwrap().unwrap();
    assert_eq!(judgement.feedback.as_deref(), Some(FEEDBACK));
    let signals = project.judgements().signals().run(trace.trace_id).await.unwrap().signals;
    assert_eq!(signals[0].comment.as_deref(), Some(FEEDBACK));
}

/// A run that arrived as spans and has not been assembled.
const WAITING: Uuid = Uuid::from_u128(0xaa);

/// Keeps two spans of it.
async fn stage(project: &ProjectCtx) {
    let part = |number: u128| NewSpan { part_id: Uuid::from_u128(number), body: Body::encode(BODY) };
    let run = SpanRun {
        otlp_id: WAITING,
        trace_id: TraceId::generate(),
        root_ended: true,
        opens: true,
        spans: vec![part(1), part(2)],
    };
    let sender = SpanSender { key_id: KeyId::generate(), name: "key:test".into(), trust: Trust::Normal };
    let (grace, quiet) = (Duration::ZERO, Duration::from_secs(600));
    let policy = SpanPolicy { grace, quiet, max_run_bytes: 1_000_000 };
    assert_eq!(project.traces().spans().stage(&sender, &[run], &policy).await.unwrap().added, 2);
}

/// How many stored values contain the secret.
async fn leaks(db: &TestDb) -> i64 {
    sqlx::query_scalar(
        "select (select count(*) from trace_body where position('swordfish'::bytea in body) > 0)
              + (select count(*) from review where feedback like '%swordfish%')
              + (select count(*) from judgement where feedback like '%swordfish%')
              + (select count(*) from signal where comment like '%swordfish%')
              + (select count(*) from otlp_part where position('swordfish'::bytea in content) > 0)",
    )
    .fetch_one(&mut db.superuser().await)
    .await
    .unwrap()
}

#[tokio::test]
async fn encrypted_values_are_read_and_not_visible_in_the_database() {
    let db = TestDb::create().await;
    let key = new_key();
    let store = open(&db, Some(&key)).await.unwrap();
    let project = given::project(&store, "shop").await;
    let trace = record(&project).await;

    assert_eq!(leaks(&db).await, 0);
    assert_readable(&project, &trace).await;
    let input = project.learning().start(trace.review.as_ref().unwrap().review_id).await.unwrap().unwrap();
    assert_eq!((input.trajectory.as_str(), input.feedback.as_deref()), (BODY, Some(FEEDBACK)));
    // Another process reads the same data key.
    let other = open(&db, Some(&key)).await.unwrap();
    let slug: ProjectSlug = "shop".parse().unwrap();
    let found = other.catalogue().find_project(&slug).await.unwrap().unwrap();
    assert_readable(&other.project(found), &trace).await;
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_refused_at_the_start() {
    let db = TestDb::create().await;
    let key = new_key();
    let store = open(&db, Some(&key)).await.unwrap();
    record(&given::project(&store, "shop").await).await;

    for wrong in [None, Some(new_key())] {
        let refused = open(&db, wrong.as_deref()).await.unwrap_err();
        let StoreError::Requirement(Requirement::EncryptionKey { key_id, projects }) = &refused else {
            panic!("{refused}")
        };
        assert_eq!((key_id.as_str(), *projects), (keys(&key).ids()[0], 1));
    }
}

#[tokio::test]
async fn plain_rows_stay_readable_and_can_be_encrypted_later() {
    let db = TestDb::create().await;
    let plain = db.store().await;
    let project = given::project(&plain, "shop").await;
    let trace = record(&project).await;
    stage(&project).await;
    assert_eq!(leaks(&db).await, 6);
    assert!(matches!(
        plain.maintenance().rewrap_data_keys().await,
        Err(StoreError::Requirement(Requirement::NoEncryptionKey))
    ));

    let store = open(&db, Some(&new_key())).await.unwrap();
    let project = given::project(&store, "shop").await;
    assert_readable(&project, &trace).await;
    let number = store.catalogue().find_project(&"shop".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(store.maintenance().encrypt_project(number).await.unwrap(), 6);
    assert_eq!(store.maintenance().encrypt_project(number).await.unwrap(), 0);
    assert_eq!(leaks(&db).await, 0);
    assert_readable(&project, &trace).await;
    let closed = project.traces().spans().close(WAITING).await.unwrap().unwrap();
    assert_eq!((closed.parts, closed.unreadable), (vec![BODY.to_owned(); 2], 0));
}

#[tokio::test]
async fn a_run_waits_while_its_key_is_missing_and_says_how_many_of_its_spans_are_damaged() {
    let db = TestDb::create().await;
    let without_key = db.store().await;
    let store = open(&db, Some(&new_key())).await.unwrap();
    let project = given::project(&store, "shop").await;
    stage(&project).await;

    let number = store.catalogue().find_project(&"shop".parse().unwrap()).await.unwrap().unwrap();
    let without_key = without_key.project(number);
    for _ in 0..2 {
        let refused = without_key.traces().spans().close(WAITING).await.unwrap_err();
        assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    }
    let copied = "update otlp_part set content = (select content from otlp_part where part_id = $1) where part_id = $2";
    let copied = sqlx::query(copied).bind(Uuid::from_u128(1)).bind(Uuid::from_u128(2));
    copied.execute(&mut db.superuser().await).await.unwrap();
    let closed = project.traces().spans().close(WAITING).await.unwrap().unwrap();
    assert_eq!((closed.parts, closed.unreadable), (vec![BODY.to_owned()], 1));
}

#[tokio::test]
async fn after_a_rotation_the_old_key_is_not_needed() {
    let db = TestDb::create().await;
    let (old, new) = (new_key(), new_key());
    let store = open(&db, Some(&old)).await.unwrap();
    let trace = record(&given::project(&store, "shop").await).await;

    let store = open(&db, Some(&format!("{new}{old}"))).await.unwrap();
    assert_eq!(store.maintenance().rewrap_data_keys().await.unwrap(), 1);
    assert_eq!(store.maintenance().rewrap_data_keys().await.unwrap(), 0);

    let store = open(&db, Some(&new)).await.unwrap();
    assert_readable(&given::project(&store, "shop").await, &trace).await;
    assert!(open(&db, Some(&old)).await.is_err());
}

#[tokio::test]
async fn a_value_that_was_copied_to_another_row_is_refused() {
    let db = TestDb::create().await;
    let store = open(&db, Some(&new_key())).await.unwrap();
    let project = given::project(&store, "shop").await;
    let (one, other) = (record(&project).await, record(&project).await);

    let copied = sqlx::query(
        "update trace_body set body = (select body from trace_body where trace_id = $1) where trace_id = $2",
    );
    copied.bind(one.trace_id).bind(other.trace_id).execute(&mut db.superuser().await).await.unwrap();

    assert_readable(&project, &one).await;
    let refused = project.traces().get(other.trace_id).await.unwrap_err();
    assert!(matches!(refused, StoreError::Corrupt { what: "body" }), "{refused}");
}

#[tokio::test]
async fn a_pack_contains_plain_text_and_is_encrypted_again_by_an_import() {
    let db = TestDb::create().await;
    let plain = db.store().await;
    let from = given::project(&plain, "plain").await;
    record(&from).await;
    let store = open(&db, Some(&new_key())).await.unwrap();
    let slug: ProjectSlug = "copy".parse().unwrap();
    let mut snapshot = from.moving().snapshot().await.unwrap();
    let moved = snapshot.project().await.unwrap();
    let mut mark = store.imports().begin(&slug, "pack", &moved).await.unwrap();
    let copy = store.project(mark.project);
    for table in ["trace_body", "review", "judgement", "signal"] {
        let rows = snapshot.rows(table, None, &SpaceNumbers::new()).await.unwrap();
        let lines: Vec<&str> = rows.iter().map(|row| row.line.as_str()).collect();
        copy.moving().import_part(&mark, table, &lines, &SpaceNumbers::new()).await.unwrap();
        mark.parts += 1;
        let mut again = copy.moving().snapshot().await.unwrap();
        let again = again.rows(table, None, &SpaceNumbers::new()).await.unwrap();
        assert_eq!(again.iter().map(|row| row.line.as_str()).collect::<Vec<_>>(), lines);
    }
    // Those of the first project.
    assert_eq!(leaks(&db).await, 4);
}
