//! Recording runs and reading them back.

use reflect_store::{Body, NewTraceRow, StoreError, TraceListFilter};
use reflect_types::{IngestStatus, ReviewMode, ReviewResult, ReviewStatus, TraceId};

use crate::given;

#[tokio::test]
async fn a_recorded_run_comes_back_whole() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let text = format!("[{}]", vec![r#"{"role":"tool","content":"é 🦀"}"#; 500].join(","));
    let sent = NewTraceRow { body: Body::encode(&text), messages: 500, ..given::trace("a task") };

    project.traces().record(&sent, None).await.unwrap();

    let read = project.traces().get(sent.trace_id).await.unwrap();
    assert_eq!(read.trajectory, text);
    assert_eq!(read.task, "a task");
    assert_eq!(read.final_response.as_deref(), Some("done"));
    assert_eq!(read.retrieved, ["mem-a"]);
    assert_eq!(read.metadata, serde_json::json!({ "n": 1 }));
    assert_eq!((read.ingest, read.review_status), (IngestStatus::Completed, ReviewStatus::Pending));
    assert_eq!(read.review, None);
}

#[tokio::test]
async fn an_inline_review_is_there_at_once_and_the_trace_stays_pending() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sent = given::reviewed("a task");

    project.traces().record(&sent, None).await.unwrap();

    let read = project.traces().get(sent.trace_id).await.unwrap();
    let review = read.review.unwrap();
    assert_eq!((review.result, review.mode), (ReviewResult::Fail, ReviewMode::Inline));
    assert_eq!(review.feedback.as_deref(), Some("missed the last row"));
    assert_eq!((read.ingest, read.review_status), (IngestStatus::Queued, ReviewStatus::Pending));
}

#[tokio::test]
async fn the_same_run_under_one_id_is_stored_once_and_another_run_is_refused() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sent = given::reviewed("a task");

    assert!(!project.traces().record(&sent, None).await.unwrap().replayed);
    assert!(project.traces().record(&sent, None).await.unwrap().replayed);
    let other = NewTraceRow { content_digest: [8; 32], ..sent.clone() };
    let clash = project.traces().record(&other, None).await;

    assert!(matches!(clash, Err(StoreError::Conflict { .. })), "{clash:?}");
    assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 1);
}

#[tokio::test]
async fn a_batch_stores_all_but_the_one_that_clashes() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let first = given::trace("first");
    project.traces().record(&first, None).await.unwrap();
    let clash = NewTraceRow { content_digest: [9; 32], ..first.clone() };

    let batch = vec![Some(given::trace("second")), None, Some(clash), Some(given::reviewed("third"))];
    let stored = project.traces().record_many(batch, None).await.unwrap().answer;

    let stored: Vec<bool> = stored.iter().map(Option::is_some).collect();
    assert_eq!(stored, [true, false, false, true]);
    assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 3);
}

#[tokio::test]
async fn pages_are_newest_first_and_lead_to_the_end() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let mut sent = Vec::new();
    for number in 0..7 {
        let trace = given::trace(&format!("task {number}"));
        project.traces().record(&trace, None).await.unwrap();
        sent.push(trace.trace_id);
    }
    sent.reverse();

    let (mut read, mut cursor) = (Vec::new(), None);
    loop {
        let page = project.traces().list(None, cursor, 3).await.unwrap();
        assert!(page.traces.len() <= 3);
        read.extend(page.traces.iter().map(|trace| trace.trace_id));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }

    assert_eq!(read, sent);
}

#[tokio::test]
async fn a_page_stops_before_it_gets_too_large() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let large = format!("[{{\"content\":\"{}\"}}]", "x".repeat(9 * 1024 * 1024));
    for number in 0..3 {
        let trace = NewTraceRow { body: Body::encode(&large), ..given::trace(&format!("task {number}")) };
        project.traces().record(&trace, None).await.unwrap();
    }

    let page = project.traces().list(None, None, 100).await.unwrap();

    assert_eq!(page.traces.len(), 1);
    assert!(page.next.is_some());
}

#[tokio::test]
async fn lists_can_be_cut_down_to_one_review_status() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.traces().record(&given::trace("a task"), None).await.unwrap();

    let pending = project.traces().list(Some(ReviewStatus::Pending), None, 100).await.unwrap();
    let reviewed = project.traces().list(Some(ReviewStatus::Reviewed), None, 100).await.unwrap();

    assert_eq!((pending.traces.len(), reviewed.traces.len()), (1, 0));
}

#[tokio::test]
async fn deleted_runs_are_gone_with_their_reviews_and_the_rest_stays() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (gone, kept) = (given::reviewed("gone"), given::trace("kept"));
    project.traces().record(&gone, None).await.unwrap();
    project.traces().record(&kept, None).await.unwrap();

    let unknown = TraceId::generate();
    let deleted = project.traces().delete(&[gone.trace_id, unknown], &given::actor(), None).await.unwrap();

    assert_eq!(deleted, [gone.trace_id]);
    assert!(matches!(project.traces().get(gone.trace_id).await, Err(StoreError::NotFound { .. })));
    assert!(project.traces().get(kept.trace_id).await.is_ok());
    let left: i64 =
        sqlx::query_scalar("select count(*) from review").fetch_one(&mut db.superuser().await).await.unwrap();
    assert_eq!(left, 0);
    assert_eq!(project.admin().audit_entries(None, 10).await.unwrap()[0].action, "trace.delete");
}

#[tokio::test]
async fn a_trace_whose_body_has_expired_is_still_read() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sent = given::trace("a task");
    project.traces().record(&sent, None).await.unwrap();

    sqlx::query("delete from trace_body").execute(&mut db.superuser().await).await.unwrap();

    assert_eq!(project.traces().get(sent.trace_id).await.unwrap().trajectory, "[]");
}

#[tokio::test]
async fn a_damaged_body_is_reported_and_not_served() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sent = given::trace("a task");
    project.traces().record(&sent, None).await.unwrap();

    let damage = "update trace_body set body = set_byte(body, 5, 255 - get_byte(body, 5))";
    sqlx::query(damage).execute(&mut db.superuser().await).await.unwrap();

    assert!(matches!(project.traces().get(sent.trace_id).await, Err(StoreError::Corrupt { .. })));
}

#[tokio::test]
async fn a_body_in_an_unknown_place_is_reported_and_does_not_fail_lists() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sent = given::trace("a task");
    project.traces().record(&sent, None).await.unwrap();

    let moved = "update trace_body set body = null, body_locator = 's3://bucket/key'";
    sqlx::query(moved).execute(&mut db.superuser().await).await.unwrap();

    assert!(matches!(project.traces().get(sent.trace_id).await, Err(StoreError::Corrupt { .. })));
    let page = project.traces().search(&TraceListFilter::default(), None, 10).await.unwrap();
    assert_eq!((page.rows.len(), &page.rows[0].trajectory), (1, &None));
    let nowhere = sqlx::query("update trace_body set body_locator = null");
    assert!(nowhere.execute(&mut db.superuser().await).await.is_err(), "a body is somewhere");
}
