//! What goes over the wire: what was not said is not sent, so that requests are short and a null always means
//! something.

use reflect_sdk::api::{ChangeProject, ReportClient};
use reflect_sdk::{MemoryQuery, ReviewVerdict};
use serde_json::{Value, json};

use crate::given::{Given, given, run_of};

fn bodies(given: &Given) -> Vec<(String, Value)> {
    let seen = given.proxy.seen("").into_iter().filter(|seen| !seen.body.is_empty());
    seen.map(|seen| (seen.path, serde_json::from_slice(&seen.body).unwrap())).collect()
}

#[tokio::test]
async fn a_question_is_sent_as_it_was_asked() {
    let given = given().await;

    given.client.memories.query("Refund order 1182").await.unwrap();
    given.client.memories.query(MemoryQuery::new("Refund order 1182").limit(5)).await.unwrap();
    given.client.memories.augment("Refund order 1182").await.unwrap();

    let sent: Vec<Value> = bodies(&given).into_iter().map(|(_, body)| body).collect();
    let plain = json!({ "task": "Refund order 1182" });
    assert_eq!(sent, [plain.clone(), json!({ "task": "Refund order 1182", "limit": 5 }), plain]);
}

#[tokio::test]
async fn no_other_request_sends_what_was_not_said() {
    let given = given().await;
    let (first, second) = (run_of("first"), run_of("second").review(ReviewVerdict::pass()));
    let id = first.trace_id();

    given.client.traces.create(first).await.unwrap();
    given.client.traces.create(second).await.unwrap();
    given.while_learning(given.client.reviews.create(id, ReviewVerdict::pass())).await.unwrap();
    let report = ReportClient { client: "worker-7".into(), sdk: None, dropped: None, spooled: None };
    given.client.project.report_client(report).await.unwrap();

    let sent = bodies(&given);
    assert_eq!(sent.len(), 4, "{sent:?}");
    for (path, body) in sent {
        assert!(!body.to_string().contains("null"), "{path}: {body}");
    }
}

#[tokio::test]
async fn a_null_that_means_something_is_sent() {
    let given = given().await;
    let unlimited = ChangeProject { daily_tokens: Some(None), ..ChangeProject::default() };

    given.client.project.update(unlimited).await.unwrap();

    assert_eq!(bodies(&given)[0].1, json!({ "daily_tokens": null }));
}
