//! Webhooks from the request that creates one to the receiver.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reflect_engine::{EngineSettings, WebhookSettings};
use reflect_server::ServerSettings;
use reflect_store::MaintenanceStep;
use reflect_test_support::{TestApp, local_webhooks, scripted_models, trace};
use reflect_types::Scope;
use reflect_webhook_client::sign;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};
use tokio::net::TcpListener;

/// What a receiver got, and what it answers next. Without an answer it accepts.
#[derive(Clone, Default)]
struct Receiver {
    url: String,
    received: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
    answers: Arc<Mutex<Vec<u16>>>,
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    receiver.received.lock().unwrap().push((headers, body));
    let answer = receiver.answers.lock().unwrap().pop();
    answer.map_or(StatusCode::NO_CONTENT, |status| StatusCode::from_u16(status).unwrap())
}

impl Receiver {
    #[expect(clippy::disallowed_methods, reason = "it ends with the test")]
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let receiver = Self { url, ..Self::default() };
        let app = Router::new().route("/hook", post(receive)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        receiver
    }

    /// Sets the answers, in their order.
    fn answer(&self, statuses: &[u16]) {
        *self.answers.lock().unwrap() = statuses.iter().rev().copied().collect();
    }

    fn bodies(&self) -> Vec<Value> {
        let received = self.received.lock().unwrap();
        received.iter().map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
    }

    fn types(&self) -> Vec<String> {
        self.bodies().iter().map(|body| body["type"].as_str().unwrap().to_owned()).collect()
    }
}

/// Creates a webhook and returns its path and its secret.
async fn create(app: &TestApp, receiver: &Receiver, more: Value) -> (String, String) {
    let mut body = json!({ "url": receiver.url, "events": ["memory.created", "memory.quarantined"] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let made = app.post("/webhooks", &body).await.expect(201).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (format!("/webhooks/{}", text(&made["webhook"]["id"])), text(&made["secret"]))
}

async fn send_due(app: &TestApp) {
    app.app.engine().webhook_sender.run_once().await.unwrap();
}

async fn execute(app: &TestApp, statement: &str) {
    app.db.superuser().await.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

/// Makes everything due that waits for its time.
async fn advance(app: &TestApp) {
    execute(app, "update webhook_delivery set next_at = now() where next_at is not null").await;
    execute(app, "update webhook_queue set due_at = now(), paused_until = null where due_at is not null")
        .await;
}

async fn lesson(app: &TestApp) -> String {
    let lesson = json!({ "task": "refund an order", "summary": "Look the price up first." });
    let made = app.post("/memories", &lesson).await.expect(201).json();
    made["memory"]["id"].as_str().unwrap().to_owned()
}

async fn deliveries(app: &TestApp, webhook: &str) -> Vec<Value> {
    let listed = app.get(&format!("{webhook}/deliveries")).await.expect(200).json();
    listed.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_webhook_receives_signed_events_and_its_secret_is_shown_once() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, secret) = create(&app, &receiver, json!({})).await;
    let memory = lesson(&app).await;
    app.post(&format!("/memories/{memory}/quarantine"), &json!({})).await.expect(200);

    send_due(&app).await;

    assert_eq!(receiver.types(), ["memory.created", "memory.quarantined"]);
    let body = receiver.bodies()[0].clone();
    assert_eq!(body["data"]["memory_id"], json!(memory));
    assert_eq!(body["data"]["project_id"], json!(app.project));
    assert!(!body.to_string().contains("price"), "no texts unless the webhook asks for them: {body}");
    let (headers, bytes) = receiver.received.lock().unwrap()[0].clone();
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let timestamp = header("webhook-timestamp").parse().unwrap();
    let expected = sign(&[secret.clone().into()], &header("webhook-id"), timestamp, &bytes);
    assert_eq!(header("webhook-signature"), expected);
    for path in ["/webhooks", webhook.as_str()] {
        let shown = app.get(path).await.expect(200);
        assert!(!String::from_utf8_lossy(&shown.bytes).contains("whsec_"), "{path}");
    }
    let rows = deliveries(&app, &webhook).await;
    assert_eq!(rows.iter().map(|row| row["state"].clone()).collect::<Vec<_>>(), ["delivered", "delivered"]);
    assert_eq!(
        (&rows[1]["event_id"], &rows[1]["attempts"][0]["status"]),
        (&json!(header("webhook-id")), &json!(204))
    );
}

#[tokio::test]
async fn texts_and_links_are_sent_if_they_are_wanted() {
    let settings =
        WebhookSettings { console_url: Some("https://reflect.example.com".into()), ..local_webhooks() };
    let engine = EngineSettings { webhooks: Some(settings), ..EngineSettings::default() };
    let app = TestApp::with_engine(scripted_models(), engine, ServerSettings::default()).await;
    let receiver = Receiver::start().await;
    create(&app, &receiver, json!({ "include_texts": true, "events": ["memory.created", "review.needed"] }))
        .await;
    let memory = lesson(&app).await;
    app.post("/traces", &trace()).await.expect(201);
    advance(&app).await;

    // Once for the runs that wait, which makes their event, and once for the event.
    for _ in 0..2 {
        send_due(&app).await;
    }

    let mut bodies = receiver.bodies();
    bodies.sort_by_key(|body| body["type"].to_string());
    let link = format!("https://reflect.example.com/p/{}", app.project);
    assert_eq!(bodies[0]["data"]["summary"], "Look the price up first.");
    assert_eq!(bodies[0]["data"]["url"], format!("{link}/memories/{memory}"));
    assert_eq!((&bodies[1]["data"]["waiting"], &bodies[1]["data"]["new_runs"]), (&json!(1), &json!(1)));
    let run = bodies[1]["data"]["trace_ids"][0].as_str().unwrap();
    assert_eq!(bodies[1]["data"]["tasks"][run], "parse the file");
    assert_eq!(bodies[1]["data"]["url"], format!("{link}/review"));
}

#[tokio::test]
async fn a_burst_of_runs_is_one_event_and_reviewed_runs_are_none() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    create(&app, &receiver, json!({ "events": ["review.needed"] })).await;
    for _ in 0..5 {
        app.given_trace().await;
    }
    advance(&app).await;
    for _ in 0..2 {
        send_due(&app).await;
    }
    assert_eq!(receiver.types(), ["review.needed"]);
    assert_eq!(receiver.bodies()[0]["data"]["waiting"], 5);

    // What is reviewed before the next announcement is not announced.
    execute(&app, "update trace_state set review_id = gen_random_uuid()").await;
    let run = app.given_trace().await;
    app.post(&format!("/traces/{run}/review"), &json!({ "result": "pass" })).await;
    advance(&app).await;
    for _ in 0..2 {
        send_due(&app).await;
    }
    assert_eq!(receiver.types().len(), 1);
}

#[tokio::test]
async fn a_failed_delivery_is_logged_tried_again_and_blocks_its_subject_only() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, _) = create(&app, &receiver, json!({})).await;
    receiver.answer(&[503]);
    let memory = lesson(&app).await;
    app.post(&format!("/memories/{memory}/quarantine"), &json!({})).await.expect(200);

    send_due(&app).await;
    let rows = deliveries(&app, &webhook).await;
    assert_eq!((&rows[0]["state"], &rows[0]["next_attempt_at"]), (&json!("waiting"), &Value::Null));
    assert_eq!(rows[1]["attempts"][0]["error"], "the receiver answered 503");
    assert!(rows[1]["next_attempt_at"].is_string());
    assert_eq!(app.get(&webhook).await.json()["failures"], 1);
    advance(&app).await;
    send_due(&app).await;

    assert_eq!(receiver.types(), ["memory.created", "memory.created", "memory.quarantined"]);
    let ids: Vec<String> = receiver
        .received
        .lock()
        .unwrap()
        .iter()
        .map(|(headers, _)| headers["webhook-id"].to_str().unwrap().to_owned())
        .collect();
    assert!(ids[0] == ids[1] && ids[1] != ids[2], "{ids:?}");
    assert_eq!(app.get(&webhook).await.json()["failures"], 0);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_disabled_with_the_reason_and_can_be_enabled_again() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, _) = create(&app, &receiver, json!({})).await;
    receiver.answer(&[410]);
    lesson(&app).await;

    send_due(&app).await;
    let disabled = app.get(&webhook).await.json();
    lesson(&app).await;

    assert_eq!(
        (&disabled["enabled"], &disabled["disabled_reason"]),
        (&json!(false), &json!("the receiver answered 410 Gone"))
    );
    assert_eq!(deliveries(&app, &webhook).await.len(), 1, "a disabled webhook gets no new events");
    app.post(&format!("{webhook}/test"), &json!({})).await.expect(409);
    let log = app.get("/audit").await.expect(200).json();
    let actions: Vec<&Value> = log.as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
    assert!(actions.contains(&&json!("webhook.disable")), "{actions:?}");

    let change = json!({ "enabled": true });
    let path = app.path(&webhook);
    app.send("PATCH", &path, Some(&app.key), &[], Some(&change)).await.expect(200);
    advance(&app).await;
    send_due(&app).await;
    assert_eq!(receiver.types(), ["memory.created", "memory.created"]);
}

#[tokio::test]
async fn after_three_days_without_a_success_a_webhook_is_disabled() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, _) = create(&app, &receiver, json!({})).await;
    receiver.answer(&[500, 500]);
    lesson(&app).await;
    send_due(&app).await;
    assert_eq!(app.get(&webhook).await.json()["enabled"], true);

    execute(&app, "update webhook_endpoint set failures = 30, failing_since = now() - interval '80 hours'")
        .await;
    advance(&app).await;
    send_due(&app).await;

    let disabled = app.get(&webhook).await.json();
    assert_eq!(disabled["disabled_reason"], "every attempt has failed for 80 hours");
}

#[tokio::test]
async fn a_test_and_a_redelivery_reach_the_receiver() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, secret) = create(&app, &receiver, json!({})).await;
    let tested = app.post_once(&format!("{webhook}/test"), "k", &json!({})).await.expect(202).json();
    let repeated = app.post_once(&format!("{webhook}/test"), "k", &json!({})).await.expect(202).json();
    assert_eq!(tested, repeated);
    send_due(&app).await;

    let delivery = format!("{webhook}/deliveries/{}", tested["delivery_id"].as_str().unwrap());
    let again = app.post(&format!("{delivery}/redeliver"), &json!({})).await.expect(202).json();
    assert_ne!(again, tested);
    let rotated = app.post(&format!("{webhook}/rotate"), &json!({})).await.expect(201).json();
    send_due(&app).await;

    assert_eq!(receiver.types(), ["webhook.test", "webhook.test"]);
    let (headers, bytes) = receiver.received.lock().unwrap()[1].clone();
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let secrets = [rotated["secret"].as_str().unwrap().to_owned().into(), secret.into()];
    let timestamp = header("webhook-timestamp").parse().unwrap();
    assert_eq!(header("webhook-signature"), sign(&secrets, &header("webhook-id"), timestamp, &bytes));
    let detail = app.get(&delivery).await.expect(200).json();
    assert_eq!(
        (&detail["delivery"]["event"], &detail["delivery"]["state"]),
        (&json!("webhook.test"), &json!("delivered"))
    );
}

#[tokio::test]
async fn changes_of_loop_health_are_announced_once() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, _) = create(&app, &receiver, json!({ "events": ["health.changed"] })).await;
    let check = async || {
        let maintenance = &app.app.engine().maintenance;
        assert!(
            maintenance.run_step(MaintenanceStep::Health, std::time::Duration::from_secs(60)).await.unwrap()
        );
        deliveries(&app, &webhook).await.len()
    };
    assert_eq!(check().await, 0, "a project without problems is not announced");

    app.post("/client-reports", &json!({ "client": "agent-1", "dropped": 50, "spooled": 0 }))
        .await
        .expect(204);
    assert_eq!((check().await, check().await), (1, 1));
    app.post("/client-reports", &json!({ "client": "agent-1", "dropped": 0, "spooled": 0 }))
        .await
        .expect(204);
    assert_eq!(check().await, 2);
    for _ in 0..2 {
        advance(&app).await;
        send_due(&app).await;
    }

    let bodies = receiver.bodies();
    assert_eq!(bodies[0]["data"]["problems"][0]["check"], "sdk_losing_data");
    assert_eq!(bodies[1]["data"]["problems_before"], bodies[0]["data"]["problems"]);
    assert_eq!(bodies[1]["data"]["problems"], json!([]));
    assert!(!bodies[0].to_string().contains("agent-1"), "names of clients are not sent");
}

#[tokio::test]
async fn texts_need_the_scopes_that_show_them() {
    let (app, receiver) = (TestApp::start().await, Receiver::start().await);
    let (webhook, _) = create(&app, &receiver, json!({ "include_texts": true })).await;
    let narrow = app.new_key(Some(&app.project), &[Scope::WebhookManage, Scope::MemoryRead]).await;
    let send = async |method: &str, path: &str, body: Value| {
        app.send(method, &app.path(path), Some(&narrow), &[], Some(&body)).await
    };
    let wish = json!({ "url": receiver.url, "events": ["memory.created"], "include_texts": true });

    let created = send("POST", "/webhooks", wish).await.expect(403);
    let moved = send("PATCH", &webhook, json!({ "url": receiver.url })).await.expect(403);
    send("PATCH", &webhook, json!({ "include_texts": true })).await.expect(403);

    for refused in [created, moved] {
        let message = refused.json()["error"]["message"].to_string();
        assert!(message.contains("trace:read"), "{message}");
    }
    send("PATCH", &webhook, json!({ "include_texts": false, "url": receiver.url })).await.expect(200);
}

#[tokio::test]
async fn addresses_and_values_that_cannot_be_used_are_refused() {
    let app = TestApp::start().await;
    let ask =
        async |body: Value| app.post("/webhooks", &body).await.expect(422).json()["error"]["message"].clone();
    for (body, says) in [
        (json!({ "url": "https://10.0.0.1/", "events": ["memory.created"] }), "--webhook-networks"),
        (json!({ "url": "https://169.254.169.254/", "events": ["memory.created"] }), "public internet"),
        (json!({ "url": "http://1.1.1.1/", "events": ["memory.created"] }), "https://"),
        (json!({ "url": "https://u:p@hooks.example.com/", "events": ["memory.created"] }), "password"),
        (json!({ "url": "hooks.example.com", "events": ["memory.created"] }), "must be a URL"),
        (json!({ "url": "https://hooks.example.com/", "events": [] }), "at least one of"),
        (json!({ "url": "https://hooks.example.com/", "events": ["trace.created"] }), "review.needed"),
    ] {
        let message = ask(body.clone()).await;
        assert!(message.as_str().unwrap().contains(says), "{body}: {message}");
    }
    let long = json!({ "url": "https://hooks.example.com/", "events": ["judge.stopped"], "description": "x".repeat(300) });
    assert!(ask(long).await.as_str().unwrap().contains("200 characters"));
}
