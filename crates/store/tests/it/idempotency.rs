//! A call that is made twice has one effect and one answer.

use std::sync::Arc;

use reflect_store::{Claim, ReviewChange, StoreError};

use crate::given;

fn claim(key: &str, request: u8) -> Claim {
    Claim { key: key.into(), request_digest: [request; 32] }
}

#[tokio::test]
async fn the_second_call_gets_the_first_answer() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;

    let first = project.traces().record(&given::trace("a"), Some(&claim("k", 1))).await.unwrap();
    // A server makes a new id for each call that brings none.
    let second = project.traces().record(&given::trace("a"), Some(&claim("k", 1))).await.unwrap();

    assert_eq!(first.answer.trace_id, second.answer.trace_id);
    assert_eq!((first.replayed, second.replayed), (false, true));
    assert_eq!((first.answer.is_new, second.answer.is_new), (true, false));
    assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 1);
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.traces().record(&given::trace("a"), Some(&claim("k", 1))).await.unwrap();

    let other = project.traces().record(&given::trace("b"), Some(&claim("k", 2))).await;

    assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
}

#[tokio::test]
async fn keys_of_two_projects_do_not_meet() {
    let (_db, store) = given::store().await;
    for slug in ["p", "q"] {
        let project = given::project(&store, slug).await;
        let stored = project.traces().record(&given::trace("a"), Some(&claim("k", 1))).await.unwrap();
        assert!(!stored.replayed);
    }
}

#[tokio::test]
async fn many_calls_at_once_store_one_run() {
    let (_db, store) = given::store().await;
    let project = Arc::new(given::project(&store, "p").await);

    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let project = project.clone();
        calls.spawn(async move {
            project.traces().record(&given::trace("a"), Some(&claim("k", 1))).await.unwrap()
        });
    }
    let answers = calls.join_all().await;

    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert!(answers.iter().all(|answer| answer.answer.trace_id == answers[0].answer.trace_id));
    assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 1);
}

#[tokio::test]
async fn a_refused_call_leaves_its_key_free() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let taken = given::trace("a");
    project.traces().record(&taken, None).await.unwrap();
    let clash = reflect_store::NewTraceRow { content_digest: [9; 32], ..taken };

    assert!(project.traces().record(&clash, Some(&claim("k", 1))).await.is_err());

    assert!(!project.traces().record(&given::trace("b"), Some(&claim("k", 2))).await.unwrap().replayed);
}

#[tokio::test]
async fn an_answer_with_a_secret_is_not_given_again() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.keys().create(&given::key("aaaaaaaa"), &given::actor(), Some(&claim("k", 1))).await.unwrap();

    let again = project.keys().create(&given::key("bbbbbbbb"), &given::actor(), Some(&claim("k", 1))).await;

    assert!(matches!(again, Err(StoreError::SecretGone)), "{again:?}");
    assert_eq!(project.keys().list(false, None, 100).await.unwrap().len(), 1);
}

#[tokio::test]
async fn old_answers_are_forgotten_and_young_ones_kept() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    for (key, hours) in [("old", 49), ("young", 47)] {
        project.traces().record(&given::trace("a"), Some(&claim(key, 1))).await.unwrap();
        let age = "update idempotency set created_at = now() - make_interval(hours => $1) where key = $2";
        sqlx::query(age).bind(hours).bind(key).execute(&mut db.superuser().await).await.unwrap();
    }

    assert_eq!(store.maintenance().run().await.unwrap().forgotten, 1);

    assert!(project.traces().record(&given::trace("a"), Some(&claim("young", 1))).await.unwrap().replayed);
    assert!(!project.traces().record(&given::trace("a"), Some(&claim("old", 1))).await.unwrap().replayed);
}

#[tokio::test]
async fn calls_that_come_together_are_each_answered_for_themselves() {
    let (_db, store) = given::store().await;
    let project = Arc::new(given::project(&store, "p").await);
    let old = given::trace("old");
    project.traces().record(&old, Some(&claim("k-old", 1))).await.unwrap();

    let mut calls = tokio::task::JoinSet::new();
    for number in 0_u8..40 {
        let (project, old) = (project.clone(), old.clone());
        calls.spawn(async move {
            let answer = match number % 4 {
                0 => project.traces().record(&given::trace("new"), None).await,
                1 => {
                    project
                        .traces()
                        .record(&given::reviewed("new"), Some(&claim(&format!("k-{number}"), 1)))
                        .await
                }
                // Made before, and made before with other content.
                2 => project.traces().record(&given::trace("again"), Some(&claim("k-old", 1))).await,
                _ => {
                    project
                        .traces()
                        .record(&reflect_store::NewTraceRow { content_digest: [9; 32], ..old }, None)
                        .await
                }
            };
            (number % 4, answer)
        });
    }
    for (kind, answer) in calls.join_all().await {
        match (kind, answer) {
            (0 | 1, Ok(answer)) => assert!(!answer.replayed),
            (2, Ok(answer)) => assert!(answer.replayed && answer.answer.trace_id == old.trace_id),
            (3, Err(StoreError::Conflict { .. })) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 21);
}

#[tokio::test]
async fn runs_that_arrive_together_share_a_transaction() {
    let (db, store) = given::store().await;
    let project = Arc::new(given::project(&store, "p").await);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let project = project.clone();
        calls.spawn(async move { project.traces().record(&given::reviewed("a"), None).await.unwrap() });
    }
    assert!(calls.join_all().await.iter().all(|answer| !answer.replayed));

    let stored: (i64, i64) = sqlx::query_as("select count(*), count(distinct xmin::text) from trace")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    assert_eq!(stored.0, 40);
    assert!(stored.1 < 20, "{} transactions", stored.1);
}

#[tokio::test]
async fn many_reviews_at_once_under_one_key_are_one_review() {
    let (db, store) = given::store().await;
    let project = Arc::new(given::project(&store, "p").await);
    let run = given::trace("a");
    project.traces().record(&run, None).await.unwrap();

    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (project, trace) = (project.clone(), run.trace_id);
        calls.spawn(async move {
            let review = given::reviewed("a").review.unwrap();
            let change = ReviewChange { trace, instead_of: None, review: Some(&review), lesson: None };
            project.reviews().change(&change, &given::actor(), Some(&claim("k", 1))).await.unwrap()
        });
    }

    assert_eq!(calls.join_all().await, [true; 8], "done, now or before");
    let reviews = sqlx::query_scalar("select count(*) from review");
    let reviews: i64 = reviews.fetch_one(&mut db.superuser().await).await.unwrap();
    assert_eq!(reviews, 1);
}
