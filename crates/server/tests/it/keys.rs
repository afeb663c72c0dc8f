//! API keys over HTTP.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use reflect_engine::KeyText;
use reflect_test_support::TestApp;
use reflect_types::{Environment, Scope};
use serde_json::{Value, json};

#[tokio::test]
async fn a_new_key_works_is_listed_without_its_text_and_ends_when_revoked() {
    let app = TestApp::start().await;
    let body = json!({ "label": "reader", "scopes": ["trace:read"], "environment": "test" });
    let made = app.post("/api-keys", &body).await.expect(201).json();
    let text = made["api_key"].as_str().unwrap();
    assert!(text.starts_with("rf_test_"));
    assert_eq!(made["key"]["status"], "active");
    assert_eq!(made["key"]["is_master"], false);

    app.send("GET", &app.path("/traces"), Some(text), &[], None).await.expect(200);
    let listed = app.get("/api-keys").await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(text));
    assert_eq!(listed.json()[0]["public_id"], made["key"]["public_id"]);

    let path = format!("/api-keys/{}/revoke", made["key"]["id"].as_str().unwrap());
    assert_eq!(app.post(&path, &json!({})).await.expect(200).json()["status"], "revoked");
    let refused = app.send("GET", &app.path("/traces"), Some(text), &[], None).await.expect(401);
    assert_eq!(refused.code(), "key_revoked");
}

#[tokio::test]
async fn nobody_hands_out_what_they_do_not_have() {
    let app = TestApp::start().await;
    let manager = app.new_key(Some(&app.project), &[Scope::KeyManage, Scope::TraceRead]).await;
    let ask = |scopes: Value| json!({ "label": "l", "scopes": scopes });
    let path = app.path("/api-keys");
    app.send("POST", &path, Some(&manager), &[], Some(&ask(json!(["trace:read"])))).await.expect(201);
    let refused = app.send("POST", &path, Some(&manager), &[], Some(&ask(json!(["trace:write"])))).await;
    assert_eq!(refused.expect(403).code(), "forbidden");
    app.post("/api-keys", &ask(json!([]))).await.expect(422);
    let unknown = app.post("/api-keys", &ask(json!(["everything"]))).await.expect(422).json();
    assert!(unknown["error"]["message"].as_str().unwrap().contains("memory:read"), "{unknown}");
}

#[tokio::test]
async fn an_expired_key_says_so() {
    let app = TestApp::start().await;
    let body = |year| json!({ "label": "l", "scopes": ["trace:read"], "expires_at": format!("{year}-01-01T00:00:00Z") });
    app.post("/api-keys", &body(2020)).await.expect(422);
    let late = app.post("/api-keys", &body(2999)).await.expect(422).json();
    assert!(late["error"]["message"].as_str().unwrap().contains("365 days"), "{late}");
    let soon = json!({ "label": "l", "scopes": ["trace:read"], "expires_in_days": 30 });
    let made = app.post("/api-keys", &soon).await.expect(201).json();
    let key = made["api_key"].as_str().unwrap();
    sqlx::query("update api_key set expires_at = now()")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let refused = app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(401);
    assert_eq!(refused.code(), "key_expired");
}

#[tokio::test]
async fn a_key_revoked_by_another_process_ends_within_five_seconds() {
    let app = TestApp::start().await;
    let made =
        app.post("/api-keys", &json!({ "label": "l", "scopes": ["trace:read"] })).await.expect(201).json();
    let key = made["api_key"].as_str().unwrap();
    app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(200);

    sqlx::query("update api_key set revoked_at = now()")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();

    let start = std::time::Instant::now();
    while app.send("GET", &app.path("/traces"), Some(key), &[], None).await.status != 401 {
        assert!(start.elapsed().as_secs() < 5, "still accepted");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_master_key_sees_the_master_keys_and_others_do_not() {
    let app = TestApp::start().await;
    let seen =
        |answer: Value| answer.as_array().unwrap().iter().filter(|key| key["is_master"] == true).count();
    assert_eq!(seen(app.get("/api-keys").await.expect(200).json()), 0);
    let listed = app.send("GET", &app.path("/api-keys"), Some(&app.master), &[], None).await;
    assert_eq!(seen(listed.expect(200).json()), 1);
}

async fn seconds_left(app: &TestApp, key: &str) -> f64 {
    sqlx::query_scalar(
        "select extract(epoch from expires_at - now())::float8 from api_key where public_id = $1",
    )
    .bind(&key["rf_live_".len()..][..8])
    .fetch_one(&mut app.db.superuser().await)
    .await
    .unwrap()
}

const DAY: f64 = 24.0 * 60.0 * 60.0;

#[tokio::test]
async fn a_key_expires_by_default_and_does_not_outlive_its_creator() {
    let app = TestApp::start().await;
    let post = async |key: &str, body: &Value| {
        app.send("POST", &app.path("/api-keys"), Some(key), &[], Some(body)).await
    };
    let wish = json!({ "label": "l", "scopes": ["trace:read", "key:manage"] });
    let parent = post(&app.key, &wish).await.expect(201).json();
    let parent_text = parent["api_key"].as_str().unwrap().to_owned();
    assert!((seconds_left(&app, &parent_text).await - 90.0 * DAY).abs() < 60.0);
    sqlx::query("update api_key set expires_at = now() + interval '1 day' where public_id = $1")
        .bind(parent["key"]["public_id"].as_str().unwrap())
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();

    let child = post(&parent_text, &wish).await.expect(201).json();
    let child_text = child["api_key"].as_str().unwrap().to_owned();
    assert!(seconds_left(&app, &child_text).await <= DAY);
    let with = |field: &str, value: Value| {
        let mut body = wish.clone();
        body[field] = value;
        body
    };
    post(&parent_text, &with("expires_in_days", json!(2))).await.expect(403);
    post(&parent_text, &with("expires_in_days", json!(0))).await.expect(422);
    post(&parent_text, &with("trust", json!("trusted"))).await.expect(403);
    let rotate = format!("/api-keys/{}/rotate", parent["key"]["id"].as_str().unwrap());
    let rotate = app.path(&rotate);
    let forever = json!({ "expires_in_days": 30 });
    app.send("POST", &rotate, Some(&parent_text), &[], Some(&forever)).await.expect(403);
    let successor =
        app.send("POST", &rotate, Some(&parent_text), &[], Some(&json!({}))).await.expect(201).json();
    assert!(seconds_left(&app, successor["api_key"].as_str().unwrap()).await <= DAY);

    let grandchild =
        post(&child_text, &wish).await.expect(201).json()["api_key"].as_str().unwrap().to_owned();
    let revoke = format!("/api-keys/{}/revoke", successor["key"]["id"].as_str().unwrap());
    app.post(&revoke, &json!({})).await.expect(200);
    for key in [&child_text, &grandchild] {
        let refused = app.send("GET", &app.path("/traces"), Some(key), &[], None).await;
        assert_eq!(refused.expect(401).code(), "key_revoked");
    }
}

#[tokio::test]
async fn a_rotated_key_and_its_successor_both_work_during_the_overlap() {
    let app = TestApp::start().await;
    let wish = json!({ "label": "agent", "scopes": ["trace:read"], "trust": "untrusted",
                       "address_ranges": ["0.0.0.0/0"] });
    let old = app.post("/api-keys", &wish).await.expect(201).json();
    let path = format!("/api-keys/{}/rotate", old["key"]["id"].as_str().unwrap());
    app.post(&path, &json!({ "overlap_hours": 1000 })).await.expect(422);

    let new = app.post(&path, &json!({ "overlap_hours": 1 })).await.expect(201).json();

    for field in ["label", "scopes", "trust", "environment", "address_ranges"] {
        assert_eq!(new["key"][field], old["key"][field], "{field}");
    }
    let (old_text, new_text) = (old["api_key"].as_str().unwrap(), new["api_key"].as_str().unwrap());
    assert!(seconds_left(&app, old_text).await <= 3600.0);
    assert!(seconds_left(&app, new_text).await > 89.0 * DAY);
    for key in [old_text, new_text] {
        app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(200);
    }
    let narrow = app.new_key(Some(&app.project), &[Scope::KeyManage]).await;
    let rotate = app.path(&format!("/api-keys/{}/rotate", new["key"]["id"].as_str().unwrap()));
    app.send("POST", &rotate, Some(&narrow), &[], Some(&json!({}))).await.expect(403);
}

#[tokio::test]
async fn a_key_with_address_ranges_works_only_from_there() {
    let app = TestApp::start().await;
    let wish = |ranges: &[&str]| json!({ "label": "l", "scopes": ["trace:read", "key:manage"], "address_ranges": ranges });
    app.post("/api-keys", &wish(&["nowhere"])).await.expect(422);
    let made = app.post("/api-keys", &wish(&["192.0.2.0/24", "2001:db8::1"])).await.expect(201).json();
    assert_eq!(made["key"]["address_ranges"], json!(["192.0.2.0/24", "2001:db8::1/128"]));
    let key = made["api_key"].as_str().unwrap();
    let from = async |address: &str, method: &str, rest: &str, body: Option<Value>| {
        let request = Request::builder().method(method).uri(app.path(rest));
        let request = request
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json");
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let mut request = request.body(body).unwrap();
        let peer = SocketAddr::new(address.parse().unwrap(), 4711);
        request.extensions_mut().insert(ConnectInfo(peer));
        app.call(request).await
    };

    from("192.0.2.7", "GET", "/traces", None).await.expect(200);
    from("2001:db8::1", "GET", "/traces", None).await.expect(200);
    let refused = from("198.51.100.7", "GET", "/traces", None).await.expect(403);
    assert_eq!(refused.code(), "address_not_allowed");
    assert_eq!(
        app.send("GET", &app.path("/traces"), Some(key), &[], None).await.expect(403).code(),
        "address_not_allowed"
    );
    let child = from("192.0.2.7", "POST", "/api-keys", Some(wish(&[]))).await.expect(201).json();
    assert_eq!(child["key"]["address_ranges"], made["key"]["address_ranges"]);
    from("192.0.2.7", "POST", "/api-keys", Some(wish(&["0.0.0.0/0"]))).await.expect(403);
}

#[tokio::test]
async fn a_wrong_secret_is_not_a_use_of_the_key() {
    let app = TestApp::start().await;
    let key = app.new_key(Some(&app.project), &[Scope::TraceRead]).await;
    // A well-formed key whose public id exists, with another secret.
    let forged = KeyText::generate(Environment::Live);
    let mut database = app.db.superuser().await;
    sqlx::query("update api_key set public_id = $1 where public_id = $2")
        .bind(forged.public_id())
        .bind(&key["rf_live_".len()..][..8])
        .execute(&mut database)
        .await
        .unwrap();

    let refused = app.send("GET", &app.path("/traces"), Some(forged.expose()), &[], None).await;

    assert_eq!(refused.expect(401).code(), "unauthorized");
    let used: bool = sqlx::query_scalar("select last_used_at is not null from api_key where public_id = $1")
        .bind(forged.public_id())
        .fetch_one(&mut database)
        .await
        .unwrap();
    assert!(!used);
    app.get("/traces").await.expect(200);
    let used: bool = sqlx::query_scalar("select last_used_at is not null from api_key where public_id = $1")
        .bind(&app.key["rf_live_".len()..][..8])
        .fetch_one(&mut database)
        .await
        .unwrap();
    assert!(used);
}
