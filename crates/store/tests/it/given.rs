//! What tests start from.

use std::time::Duration;

use reflect_store::{AuditActor, Body, NewKey, NewReview, NewTraceRow, ProjectCtx, Store};
use reflect_test_support::TestDb;
use reflect_types::{
    Environment, IngestStatus, KeyId, ReviewId, ReviewMode, ReviewResult, Scope, TraceId, Trust,
};

pub(crate) async fn store() -> (TestDb, Store) {
    let db = TestDb::create().await;
    let store = db.store().await;
    (db, store)
}

pub(crate) async fn project(store: &Store, slug: &str) -> ProjectCtx {
    let project = store.catalogue().ensure_project(&slug.parse().unwrap(), &actor()).await.unwrap();
    store.project(project)
}

pub(crate) fn actor() -> AuditActor {
    AuditActor::local("test")
}

pub(crate) fn trace(task: &str) -> NewTraceRow {
    let body = Body::encode(r#"[{"role":"assistant","content":"done"}]"#);
    NewTraceRow {
        final_response: Some("done".into()),
        metadata: serde_json::json!({ "n": 1 }),
        retrieved: vec!["mem-a".into()],
        messages: 1,
        content_digest: [7; 32],
        ..NewTraceRow::new(TraceId::generate(), task.into(), body, KeyId::generate())
    }
}

pub(crate) fn reviewed(task: &str) -> NewTraceRow {
    let review = NewReview {
        review_id: ReviewId::generate(),
        result: ReviewResult::Fail,
        feedback: Some("missed the last row".into()),
        alpha: None,
        mode: ReviewMode::Inline,
        reviewer: "key:test".into(),
        authored: None,
        grace: Duration::ZERO,
        action: None,
        trust: Trust::Normal,
        bounds: None,
        reviewed_at: None,
    };
    NewTraceRow { ingest: IngestStatus::Queued, review: Some(review), ..trace(task) }
}

pub(crate) fn key(public_id: &str) -> NewKey {
    NewKey {
        key_id: KeyId::generate(),
        public_id: public_id.into(),
        digest: [1; 32],
        label: "test".into(),
        scopes: vec![Scope::TraceRead],
        environment: Environment::Live,
        trust: Trust::Normal,
        expires_at: None,
        parent: None,
        address_ranges: Vec::new(),
    }
}
