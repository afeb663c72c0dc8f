//! What one key may use, and that it takes nothing from the others.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures::future::join_all;
use reflect_server::{CallerQuota, Limits, ServerSettings};
use reflect_test_support::{TestApp, trace};
use reflect_types::Scope;
use tower::ServiceExt;

async fn with(per_caller: CallerQuota) -> TestApp {
    let limits = Limits { per_caller, ..Limits::default() };
    TestApp::with(ServerSettings { limits, ..ServerSettings::default() }).await
}

#[tokio::test]
async fn one_key_cannot_take_the_waits_of_others() {
    let app = with(CallerQuota { waiting: 2, ..CallerQuota::default() }).await;
    let other = app.new_key(Some(&app.project), Scope::ALL).await;
    let path = app.path(&format!("/traces/{}?wait=1", uuid::Uuid::now_v7()));
    let wait = |key: String| {
        let (app, path) = (&app, &path);
        async move { app.send("GET", path, Some(&key), &[], None).await }
    };
    let keys = [vec![app.key.clone(); 5], vec![other; 2]].concat();
    let answers = join_all(keys.into_iter().map(wait)).await;

    let refused: Vec<_> = answers[..5].iter().filter(|answer| answer.status == 429).collect();
    assert_eq!(refused.len(), 3);
    assert_eq!(refused[0].code(), "too_many_requests");
    assert_eq!(refused[0].header("retry-after"), Some("1"));
    assert!(answers[5..].iter().all(|answer| answer.status == 404), "the other key waits");
    app.post("/traces", &trace()).await.expect(201);
}

#[tokio::test]
async fn one_key_has_a_rate() {
    let app = with(CallerQuota { per_second: 2, ..CallerQuota::default() }).await;
    let other = app.new_key(Some(&app.project), Scope::ALL).await;
    let mut last = None;
    for _ in 0..8 {
        last = Some(app.get("/traces?limit=1").await);
    }
    let refused = last.unwrap().expect(429);
    assert_eq!(refused.code(), "too_many_requests");
    assert!(refused.header("retry-after").is_some());
    app.send("GET", &app.path("/traces?limit=1"), Some(&other), &[], None).await.expect(200);
}

#[tokio::test]
async fn one_key_has_a_number_of_event_streams() {
    let app = with(CallerQuota { streams: 1, ..CallerQuota::default() }).await;
    let open = || {
        let request =
            Request::get(app.path("/events")).header("authorization", format!("Bearer {}", app.key));
        app.service.clone().oneshot(request.body(Body::empty()).unwrap())
    };
    let first = open().await.unwrap();
    assert_eq!(first.status(), StatusCode::OK);
    assert_eq!(open().await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
    drop(first);
    assert_eq!(open().await.unwrap().status(), StatusCode::OK, "a closed stream does not count");
}

#[tokio::test]
async fn a_response_that_is_not_read_counts() {
    let app = with(CallerQuota { requests: 1, ..CallerQuota::default() }).await;
    let get = || {
        let request =
            Request::get(app.path("/traces?limit=1")).header("authorization", format!("Bearer {}", app.key));
        app.service.clone().oneshot(request.body(Body::empty()).unwrap())
    };
    let unread = get().await.unwrap();
    assert_eq!(unread.status(), StatusCode::OK);
    assert_eq!(get().await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
    drop(unread);
    assert_eq!(get().await.unwrap().status(), StatusCode::OK);
}
