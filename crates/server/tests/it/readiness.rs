//! The two probes of a server whose database is a standby that becomes a primary.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use reflect_engine::{Engine, EngineSettings};
use reflect_server::{App, ServerSettings};
use reflect_store::{Store, StoreSettings};
use reflect_test_support::{ReplicatedDb, TestResponse, scripted_models, send};
use secrecy::SecretString;

/// Far above what a probe needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

async fn server(url: SecretString) -> Router {
    let store = Store::connect(&StoreSettings::new(url, 8)).await.unwrap();
    let engine = Engine::new(store, scripted_models(), EngineSettings::default());
    reflect_server::service(App::new(engine, ServerSettings::default()))
}

async fn probe(server: &Router, path: &str) -> TestResponse {
    send(server, Request::builder().uri(path).body(Body::empty()).unwrap()).await
}

/// Probes until the result is this one. Results are used again for a moment.
async fn until(server: &Router, path: &str, status: u16) -> TestResponse {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = probe(server, path).await;
        if answer.status == status {
            return answer;
        }
        assert!(Instant::now() < deadline, "{path}: {}", answer.status);
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_a_standby_is_ready_to_read_and_not_to_write() {
    let db = ReplicatedDb::create().await;
    let (primary, standby) = (server(db.url()).await, server(db.standby_url()).await);

    probe(&primary, "/ready").await.expect(200);
    probe(&primary, "/ready/write").await.expect(200);
    probe(&standby, "/ready").await.expect(200);
    assert_eq!(probe(&standby, "/ready/write").await.expect(503).json()["status"], "read_only");

    db.promote().await;
    until(&standby, "/ready/write", 200).await;
    probe(&standby, "/ready").await.expect(200);
}
