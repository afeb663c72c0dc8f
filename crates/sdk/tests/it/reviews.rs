//! Saying how runs went.

use reflect_sdk::ReviewVerdict;
use reflect_sdk::api::ReviewItem;
use reflect_sdk::types::{Alpha, ReviewMode, ReviewResult, ReviewStatus, TraceId};

use crate::given::{given, run_of};
use crate::proxy::Fault;

#[tokio::test]
async fn a_deferred_review_comes_back_with_its_memory() {
    let given = given().await;
    let id = given.client.traces.create(run_of("sum up the report")).await.unwrap().trace_id;
    let verdict = ReviewVerdict::fail("It fell in the third quarter.").alpha(Alpha::try_from(0.1).unwrap());

    let trace = given.while_learning(given.client.reviews.create(id, verdict.clone())).await.unwrap();
    let again = given.client.reviews.create(id, verdict).await.unwrap();
    let other = given.client.reviews.create(id, ReviewVerdict::pass()).await.unwrap_err();

    assert_eq!(trace.review_status, ReviewStatus::Reviewed);
    assert!(trace.created_memory_id.is_some());
    let review = trace.review.unwrap();
    assert_eq!((review.result, review.mode, review.alpha), (ReviewResult::Fail, ReviewMode::Deferred, 0.1));
    assert_eq!(again.created_memory_id, trace.created_memory_id);
    assert_eq!((other.status(), other.code()), (Some(409), Some("conflict")));
}

#[tokio::test]
async fn a_review_is_replaced_and_withdrawn() {
    let given = given().await;
    let id = given.client.traces.create(run_of("sum up the report")).await.unwrap().trace_id;
    let first = given.while_learning(given.client.reviews.create(id, ReviewVerdict::pass())).await.unwrap();

    let second = given
        .while_learning(given.client.reviews.replace(id, ReviewVerdict::fail("It fell.")))
        .await
        .unwrap();
    let without = given.client.reviews.withdraw(id).await.unwrap();

    assert_eq!(second.review.unwrap().result, ReviewResult::Fail);
    assert_ne!(second.created_memory_id, first.created_memory_id);
    assert!(without.review.is_none() && without.created_memory_id.is_none());
}

#[tokio::test]
async fn many_runs_are_reviewed_at_once_each_answered_for_itself() {
    let given = given().await;
    let known = given.client.traces.create(run_of("sum up the report")).await.unwrap().trace_id;
    let unknown = TraceId::generate();
    let mut reviews = vec![(known, ReviewVerdict::pass()), (unknown, ReviewVerdict::pass())];
    reviews.extend((0..100).map(|_| (TraceId::generate(), ReviewVerdict::pass())));

    let outcomes = given.client.reviews.create_many(reviews).await.unwrap();

    assert_eq!(outcomes.len(), 102);
    assert!(matches!(&outcomes[0].item, ReviewItem::Taken { trace_id, .. } if *trace_id == known));
    assert!(outcomes[0].error().is_none());
    assert_eq!(outcomes[1].trace_id, unknown);
    assert_eq!(outcomes[1].error().unwrap().code, "not_found");
    assert_eq!(given.proxy.seen("/reviews/batch").len(), 2);
}

#[tokio::test]
async fn a_run_that_is_still_on_its_way_is_sent_before_its_review() {
    let given = given().await;
    let id = given.client.submit(run_of("sum up the report"));

    let trace = given.while_learning(given.client.reviews.create(id, ReviewVerdict::pass())).await.unwrap();

    assert_eq!((trace.id, trace.review_status), (id, ReviewStatus::Reviewed));
}

#[tokio::test]
async fn a_review_whose_answer_was_lost_is_repeated_under_its_key() {
    let given = given().await;
    let id = given.client.traces.create(run_of("sum up the report")).await.unwrap().trace_id;
    given.proxy.faults([Fault::Lost]);

    given.client.reviews.create_many([(id, ReviewVerdict::pass())]).await.unwrap();
    given.proxy.faults([Fault::Lost]);
    given.client.reviews.withdraw(id).await.unwrap();

    for path in ["/reviews/batch".to_owned(), format!("/traces/{id}/review")] {
        let seen = given.proxy.seen(&path);
        assert_eq!(seen.len(), 2, "{path}");
        assert_eq!(seen[0].headers["idempotency-key"], seen[1].headers["idempotency-key"]);
    }
}
