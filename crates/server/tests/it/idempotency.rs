//! `Idempotency-Key` on every call that stores something or takes it back.

use reflect_test_support::{TestApp, TestResponse, trace};
use serde_json::{Value, json};

#[tokio::test]
async fn a_repeated_call_gets_the_first_answer_and_has_no_second_effect() {
    let app = TestApp::start().await;
    let first = app.post_once("/traces", "k1", &trace()).await.expect(201).json();
    let second = app.post_once("/traces", "k1", &trace()).await.expect(201).json();
    assert_eq!(first, second);

    let batch = json!({ "traces": [trace(), trace()] });
    let first = app.post_once("/traces/batch", "k2", &batch).await.expect(200).json();
    assert_eq!(app.post_once("/traces/batch", "k2", &batch).await.expect(200).json(), first);

    let deletion = json!({ "trace_ids": [first["results"][0]["id"]] });
    let deleted = app.post_once("/traces/delete", "k3", &deletion).await.expect(200).json();
    assert_eq!(deleted["deleted"], 1);
    assert_eq!(app.post_once("/traces/delete", "k3", &deletion).await.expect(200).json(), deleted);

    assert_eq!(app.get("/traces").await.expect(200).json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_key_cannot_be_used_for_another_call() {
    let app = TestApp::start().await;
    app.post_once("/traces", "k", &trace()).await.expect(201);
    let mut other = trace();
    other["task"] = json!("another");
    let refused = app.post_once("/traces", "k", &other).await.expect(422);
    assert_eq!(refused.code(), "idempotency_key_reused");
    let elsewhere = app.post_once("/traces/delete", "k", &json!({ "trace_ids": [] })).await.expect(422);
    assert_eq!(elsewhere.code(), "idempotency_key_reused");
}

#[tokio::test]
async fn a_new_keys_text_is_not_given_twice() {
    let app = TestApp::start().await;
    let body = json!({ "label": "l", "scopes": ["trace:read"] });
    app.post_once("/api-keys", "k", &body).await.expect(201);
    assert_eq!(app.post_once("/api-keys", "k", &body).await.expect(409).code(), "answer_not_kept");
    let stored: String =
        sqlx::query_scalar("select coalesce(string_agg(answer::text, ''), '') from idempotency")
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
    assert!(!stored.contains("rf_"), "{stored}");
}

#[tokio::test]
async fn revoking_is_repeated_without_harm() {
    let app = TestApp::start().await;
    let body = json!({ "label": "l", "scopes": ["trace:read"] });
    let made = app.post("/api-keys", &body).await.expect(201).json();
    let path = format!("/api-keys/{}/revoke", made["key"]["id"].as_str().unwrap());
    let first = app.post_once(&path, "k", &json!({})).await.expect(200).json();
    assert_eq!(app.post_once(&path, "k", &json!({})).await.expect(200).json(), first);
}

#[tokio::test]
async fn a_key_has_a_sensible_length() {
    let app = TestApp::start().await;
    app.post_once("/traces", "", &trace()).await.expect(422);
    app.post_once("/traces", &"k".repeat(256), &trace()).await.expect(422);
    app.post_once("/traces", &"k".repeat(255), &trace()).await.expect(201);
}

/// A run, and calls about its review.
struct Reviewing {
    app: TestApp,
    trace: String,
}

impl Reviewing {
    async fn given() -> Self {
        let app = TestApp::start().await;
        let trace = app.given_trace().await;
        Self { app, trace }
    }

    fn path(&self) -> String {
        format!("/traces/{}/review", self.trace)
    }

    async fn say(&self, key: &str, result: &str, replace: bool) -> TestResponse {
        let review =
            json!({ "result": result, "replace": replace, "reflection": { "summary": "Look twice." } });
        self.app.post_once(&self.path(), key, &review).await
    }

    async fn withdraw(&self, key: &str) -> TestResponse {
        let path = self.app.path(&self.path());
        self.app.send("DELETE", &path, Some(&self.app.key), &[("idempotency-key", key)], None).await
    }

    async fn result(&self) -> Value {
        self.app.get(&format!("/traces/{}", self.trace)).await.expect(200).json()["review"]["result"].clone()
    }

    async fn reviews(&self) -> i64 {
        let count = sqlx::query_scalar("select count(*) from review");
        count.fetch_one(&mut self.app.db.superuser().await).await.unwrap()
    }
}

#[tokio::test]
async fn a_review_that_was_taken_back_is_not_put_back_by_a_repeat() {
    let it = Reviewing::given().await;
    let first = it.say("k1", "pass", false).await.expect(200).json();
    // Found there already, under another key: that call was made too.
    it.say("k2", "pass", false).await.expect(200);
    it.withdraw("k3").await.expect(200);

    for key in ["k1", "k2"] {
        let again = it.say(key, "pass", false).await.expect(200).json();
        assert_eq!((&again["id"], &again["review"]), (&first["id"], &Value::Null), "{key}");
    }

    assert_eq!((it.result().await, it.reviews().await), (Value::Null, 1));
    // Somebody who says the same anew means it.
    it.say("k4", "pass", false).await.expect(200);
    assert_eq!(it.result().await, "pass");
}

#[tokio::test]
async fn a_review_that_was_replaced_is_not_put_back_by_a_repeat() {
    let it = Reviewing::given().await;
    it.say("k1", "pass", false).await.expect(200);
    it.say("k2", "fail", true).await.expect(200);
    it.say("k3", "pass", true).await.expect(200);

    for (key, result, replace) in [("k1", "pass", false), ("k2", "fail", true)] {
        let again = it.say(key, result, replace).await.expect(200).json();
        assert_eq!(again["review"]["result"], "pass", "the run as it is by now");
    }

    assert_eq!((it.result().await, it.reviews().await), (json!("pass"), 3));
}

#[tokio::test]
async fn a_withdrawal_that_is_repeated_spares_the_review_that_came_since() {
    let it = Reviewing::given().await;
    it.withdraw("nothing was there").await.expect(200);
    it.say("k1", "fail", false).await.expect(200);
    it.withdraw("k2").await.expect(200);
    it.say("k3", "pass", false).await.expect(200);

    it.withdraw("nothing was there").await.expect(200);
    it.withdraw("k2").await.expect(200);

    assert_eq!(it.result().await, "pass");
}

#[tokio::test]
async fn each_review_of_a_batch_that_is_repeated_is_known_by_itself() {
    let it = Reviewing::given().await;
    let other = it.app.given_trace().await;
    it.say("k1", "fail", false).await.expect(200);
    let batch = json!({ "reviews": [{ "trace_id": other, "result": "pass" },
                                    { "trace_id": it.trace, "result": "pass" }] });
    let first = it.app.post_once("/reviews/batch", "k2", &batch).await.expect(200).json();
    assert_eq!(first["results"][1]["error"]["code"], "conflict");
    let path = it.app.path(&format!("/traces/{other}/review"));
    it.app.send("DELETE", &path, Some(&it.app.key), &[], None).await.expect(200);
    it.withdraw("k3").await.expect(200);

    let again = it.app.post_once("/reviews/batch", "k2", &batch).await.expect(200).json();

    // One was taken and withdrawn since; the other was refused and is taken now.
    assert_eq!(again["results"][0]["review"], Value::Null, "{again}");
    assert_eq!(again["results"][1]["review"]["result"], "pass", "{again}");
}

#[tokio::test]
async fn the_key_of_a_review_is_good_for_that_review_alone_and_free_after_a_refusal() {
    let it = Reviewing::given().await;
    it.say("k1", "pass", false).await.expect(200);

    assert_eq!(it.say("k1", "fail", true).await.expect(422).code(), "idempotency_key_reused");
    assert_eq!(it.withdraw("k1").await.expect(422).code(), "idempotency_key_reused");
    assert_eq!(
        it.app.post_once("/traces", "k1", &trace()).await.expect(422).code(),
        "idempotency_key_reused"
    );
    assert_eq!(it.say("k2", "fail", false).await.expect(409).code(), "conflict");
    it.withdraw("k3").await.expect(200);
    it.say("k2", "fail", false).await.expect(200);

    assert_eq!(it.result().await, "fail");
}
