//! Lists over HTTP: a bare array, and a header that leads on.

use reflect_test_support::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_client_that_knows_no_paging_gets_the_newest_hundred() {
    let app = TestApp::start().await;
    let batch = json!({ "traces": vec![reflect_test_support::trace(); 60] });
    for _ in 0..2 {
        app.post("/traces/batch", &batch).await.expect(200);
    }
    let newest = app.given_trace().await;

    let first = app.get("/traces").await.expect(200);

    assert_eq!(first.json().as_array().unwrap().len(), 100);
    assert_eq!(first.json()[0]["id"], json!(newest));
    let cursor = first.header("x-next-cursor").unwrap();
    let second = app.get(&format!("/traces?cursor={cursor}")).await.expect(200);
    assert_eq!(second.json().as_array().unwrap().len(), 21);
    assert_eq!(second.header("x-next-cursor"), None);
}

#[tokio::test]
async fn keys_are_paged_too() {
    let app = TestApp::start().await;
    for _ in 0..4 {
        app.post("/api-keys", &json!({ "label": "l", "scopes": ["trace:read"] })).await.expect(201);
    }
    let first = app.get("/api-keys?limit=3").await.expect(200);
    let cursor = first.header("x-next-cursor").unwrap();
    let second = app.get(&format!("/api-keys?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!((first.json().as_array().unwrap().len(), second.json().as_array().unwrap().len()), (3, 2));
    assert_eq!(second.header("x-next-cursor"), None);
}

#[tokio::test]
async fn nonsense_is_refused() {
    let app = TestApp::start().await;
    for query in ["limit=0", "limit=101", "limit=x", "cursor=x", "review_status=maybe"] {
        assert_eq!(
            app.get(&format!("/traces?{query}")).await.expect(422).code(),
            "invalid_request",
            "{query}"
        );
    }
    app.get("/traces?cursor=&unknown=1").await.expect(200);
}
