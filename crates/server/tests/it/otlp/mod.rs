//! OpenTelemetry spans become runs: in both encodings, once, and only for a key that may store runs.

mod evaluations;
mod linked_runs;

use std::io::Write as _;
use std::time::SystemTime;

use axum::body::Body;
use axum::http::Request;
use flate2::Compression;
use flate2::write::GzEncoder;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use prost::Message as _;
use reflect_server::{ROUTES, RouteAccess};
use reflect_test_support::{TestApp, TestResponse};
use reflect_types::{MemberRole, ProjectSlug, Scope};
use serde_json::{Value, json};

const TRACES: &str = "/otlp/v1/traces";
const LOGS: &str = "/otlp/v1/logs";
const PROTOBUF: &str = "application/x-protobuf";

fn attributes(values: &Value) -> Value {
    let any = |value: &Value| match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        other => json!({ "stringValue": other.to_string() }),
    };
    let fields = values.as_object().unwrap();
    fields.iter().map(|(key, value)| json!({ "key": key, "value": any(value) })).collect()
}

/// Now, in nanoseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(now.as_nanos()).unwrap()
}

/// A span of a run. The number of the run and of the span make its ids; span 1 is the root.
fn span(run: u8, number: u8, name: &str, attributes_of: &Value) -> Value {
    let start = now() - 60_000_000_000 + u64::from(number) * 1_000_000;
    let mut span = json!({
        "traceId": format!("{run:032x}"), "spanId": format!("{number:016x}"), "name": name,
        "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 500_000).to_string(),
        "attributes": attributes(attributes_of),
    });
    if number != 1 {
        span["parentSpanId"] = format!("{:016x}", 1).into();
    }
    span
}

fn root(run: u8) -> Value {
    span(
        run,
        1,
        "invoke_agent clerk",
        &json!({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk" }),
    )
}

fn chat(run: u8, number: u8, asked: &str, answered: &str) -> Value {
    let message =
        |role: &str, text: &str| json!([{ "role": role, "parts": [{ "type": "text", "content": text }] }]);
    span(
        run,
        number,
        "chat m",
        &json!({
            "gen_ai.operation.name": "chat", "gen_ai.response.model": "m-1", "gen_ai.usage.input_tokens": 7,
            "gen_ai.input.messages": message("user", asked), "gen_ai.output.messages": message("assistant", answered),
        }),
    )
}

fn request(spans: &[Value]) -> Value {
    let resource = json!({ "attributes": attributes(&json!({ "service.name": "shop" })) });
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "spans": spans }] }] })
}

async fn send(app: &TestApp, spans: &[Value]) -> TestResponse {
    app.send("POST", TRACES, Some(&app.key), &[], Some(&request(spans))).await
}

async fn post(app: &TestApp, key: &str, headers: &[(&str, &str)], body: Vec<u8>) -> TestResponse {
    let mut request =
        Request::builder().method("POST").uri(TRACES).header("authorization", format!("Bearer {key}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.call(request.body(Body::from(body)).unwrap()).await
}

fn protobuf(spans: &[Value]) -> Vec<u8> {
    let request: ExportTraceServiceRequest = serde_json::from_value(request(spans)).unwrap();
    request.encode_to_vec()
}

/// Runs end as soon as their root has ended.
async fn without_grace(app: &TestApp, more: Value) {
    let mut otlp = json!({ "grace_seconds": 0 });
    otlp.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&json!({ "otlp": otlp }))).await.expect(200);
}

async fn number(app: &TestApp, question: &'static str) -> i64 {
    sqlx::query_scalar(question).fetch_one(&mut app.db.superuser().await).await.unwrap()
}

async fn traces(app: &TestApp) -> Vec<Value> {
    app.get("/traces").await.expect(200).json().as_array().unwrap().clone()
}

#[tokio::test]
async fn spans_in_both_encodings_become_the_same_run() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;

    let sent = [chat(1, 2, "Refund 1182", "Done"), root(1)];
    let answer = send(&app, &sent).await.expect(200);
    assert_eq!((answer.header("content-type"), answer.json()), (Some("application/json"), json!({})));
    let mut same = sent.clone();
    for span in &mut same {
        span["traceId"] = format!("{:032x}", 2).into();
    }
    let answer = post(&app, &app.key, &[("content-type", PROTOBUF)], protobuf(&same)).await.expect(200);
    assert_eq!((answer.header("content-type"), answer.bytes.len()), (Some(PROTOBUF), 0));
    app.learn().await;

    let stored = traces(&app).await;
    assert_eq!(stored.len(), 2);
    for run in [1, 2] {
        let id = format!("{run:032x}");
        let trace = stored.iter().find(|trace| trace["metadata"]["otel_trace_id"] == id).unwrap();
        assert_eq!(trace["task"], "Refund 1182");
        assert_eq!(trace["final_response"], "Done");
        assert_eq!(trace["model"], "m-1");
        let expected = json!({
            "source": "opentelemetry", "otel_trace_id": id, "agent": "clerk", "service": "shop",
            "usage": { "input_tokens": 7, "output_tokens": 0 },
        });
        assert_eq!(trace["metadata"], expected);
    }
    assert_eq!(stored[0]["trajectory"], stored[1]["trajectory"]);
}

#[tokio::test]
async fn a_compressed_request_is_read() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&protobuf(&[chat(1, 2, "Refund 1182", "Done"), root(1)])).unwrap();
    let headers = [("content-type", PROTOBUF), ("content-encoding", "gzip")];
    post(&app, &app.key, &headers, gzip.finish().unwrap()).await.expect(200);
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 1);
}

#[tokio::test]
async fn spans_that_arrive_again_or_late_change_nothing() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let (one, two, root) = (chat(1, 2, "Refund 1182", "Looking"), chat(1, 3, "Now", "Done"), root(1));
    send(&app, std::slice::from_ref(&one)).await.expect(200);
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 0, "its root has not ended");
    send(&app, &[one.clone(), one.clone(), two.clone()]).await.expect(200);
    send(&app, &[two.clone(), root.clone()]).await.expect(200);
    app.learn().await;
    let stored = traces(&app).await;
    assert_eq!((stored.len(), stored[0]["trajectory"].as_array().unwrap().len()), (1, 4));

    let repeated = send(&app, &[one, two, root]).await.expect(200);
    assert_eq!(repeated.json(), json!({}));
    let late = send(&app, &[chat(1, 4, "And then", "Too late")]).await.expect(200).json();
    assert_eq!(late["partialSuccess"]["rejectedSpans"], "1");
    assert!(late["partialSuccess"]["errorMessage"].as_str().unwrap().starts_with("1 arrived after"));
    app.learn().await;
    assert_eq!(traces(&app).await, stored);
}

#[tokio::test]
async fn a_rejected_span_is_reported_in_the_encoding_of_the_request() {
    let app = TestApp::start().await;
    let mut spans = [root(1)];
    spans[0]["spanId"] = "00".into();
    let answer = post(&app, &app.key, &[("content-type", PROTOBUF)], protobuf(&spans)).await.expect(200);
    let response = ExportTraceServiceResponse::decode(answer.bytes.as_slice()).unwrap();
    assert_eq!(response.partial_success.unwrap().rejected_spans, 1);
}

#[tokio::test]
async fn a_run_without_a_root_ends_after_its_quiet_period() {
    let app = TestApp::start().await;
    without_grace(&app, json!({ "quiet_seconds": 1 })).await;
    send(&app, &[chat(1, 2, "Refund 1182", "Done")]).await.expect(200);
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 0);

    let past = "update otlp_run set due_at = now() - interval '1 second'";
    sqlx::query(past).execute(&mut app.db.superuser().await).await.unwrap();
    let due = "update job set run_at = now(), ready_at = now() where kind = 5";
    sqlx::query(due).execute(&mut app.db.superuser().await).await.unwrap();
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 1);
}

#[tokio::test]
async fn a_job_that_was_lost_is_queued_again() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    send(&app, &[chat(1, 2, "Refund 1182", "Done"), root(1)]).await.expect(200);
    for change in ["delete from job", "update otlp_run set due_at = now() - interval '1 hour'"] {
        sqlx::query(change).execute(&mut app.db.superuser().await).await.unwrap();
    }
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 0);
    app.app.engine().store.maintenance().run().await.unwrap();
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 1);
}

#[tokio::test]
async fn a_project_keeps_a_sample_and_limits_the_size_of_a_run() {
    let app = TestApp::start().await;
    without_grace(&app, json!({ "sample_rate": 0.0 })).await;
    let sampled_out = send(&app, &[chat(1, 2, "Refund 1182", "Done"), root(1)]).await.expect(200);
    assert_eq!(sampled_out.json(), json!({}));
    without_grace(&app, json!({ "sample_rate": 1.0, "max_run_bytes": 65536 })).await;
    let long = "x".repeat(70_000);
    let answer = send(&app, &[chat(2, 2, "Refund 1182", "Done"), chat(2, 3, &long, "No"), root(2)]).await;
    assert_eq!(answer.expect(200).json()["partialSuccess"]["rejectedSpans"], "1");
    app.learn().await;
    let stored = traces(&app).await;
    assert_eq!((stored.len(), &stored[0]["metadata"]["dropped_spans"]), (1, &json!(1)));

    for wrong in [
        json!({ "sample_rate": 1.5 }),
        json!({ "grace_seconds": 3601 }),
        json!({ "quiet_seconds": 0 }),
        json!({ "max_run_bytes": 1 }),
    ] {
        let change = json!({ "otlp": wrong });
        let answer = app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(422);
        assert!(answer.json()["error"]["message"].as_str().unwrap().starts_with("otlp."), "{wrong}");
    }
}

#[tokio::test]
async fn secrets_are_redacted_while_a_run_waits_and_afterwards() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let secret = "AKIAIOSFODNN7EXAMPLQ";
    // A log record is so short that it is stored as it is.
    let said = json!({ "kvlistValue": { "values": [
        { "key": "content", "value": { "stringValue": format!("Use the key {secret}") } } ] } });
    let record = json!({ "eventName": "gen_ai.user.message", "traceId": format!("{:032x}", 1),
                         "spanId": format!("{:016x}", 2), "body": said });
    let records = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [record] }] }] });
    app.send("POST", LOGS, Some(&app.key), &[], Some(&records)).await.expect(200);
    let waiting: Vec<Vec<u8>> = sqlx::query_scalar("select content from otlp_part where codec = 0")
        .fetch_all(&mut app.db.superuser().await)
        .await
        .unwrap();
    let waiting: Vec<String> = waiting.into_iter().map(|part| String::from_utf8(part).unwrap()).collect();
    assert!(waiting[0].contains("Use the key") && !waiting[0].contains(secret), "{waiting:?}");
    send(&app, &[root(1)]).await.expect(200);
    app.learn().await;
    let stored = serde_json::to_string(&traces(&app).await).unwrap();
    assert!(stored.contains("Use the key") && !stored.contains(secret), "{stored}");
}

#[tokio::test]
async fn messages_of_log_records_belong_to_the_run_of_their_span() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let body = |content: &str| {
        json!({ "kvlistValue": { "values": [
        { "key": "content", "value": { "stringValue": content } } ] } })
    };
    let record = |name: &str, body: Value| {
        json!({
        "timeUnixNano": "1", "eventName": name, "traceId": format!("{:032x}", 1), "spanId": format!("{:016x}", 2),
        "body": body })
    };
    let choice = json!({ "kvlistValue": { "values": [{ "key": "message", "value": body("Done") }] } });
    let records = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [
        record("gen_ai.user.message", body("Refund 1182")), record("gen_ai.choice", choice), record("other", body("x")) ] }] }] });
    for _ in 0..2 {
        let answer = app.send("POST", LOGS, Some(&app.key), &[], Some(&records)).await.expect(200);
        assert_eq!(answer.json(), json!({}));
    }
    let silent =
        span(1, 2, "chat m", &json!({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" }));
    send(&app, &[silent, root(1)]).await.expect(200);
    app.learn().await;
    let stored = traces(&app).await;
    assert_eq!((&stored[0]["task"], &stored[0]["final_response"]), (&json!("Refund 1182"), &json!("Done")));
}

#[tokio::test]
async fn signals_find_a_run_by_what_its_spans_say_also_if_that_is_masked() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let mask = json!({ "redaction": { "pii": "mask" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&mask)).await.expect(200);
    let agent = json!({
        "gen_ai.operation.name": "invoke_agent", "session.id": "bob@example.org", "gen_ai.conversation.id": "c-7",
        "user.id": "bob@example.org" });
    send(&app, &[chat(1, 2, "Refund 1182", "Done"), span(1, 1, "invoke_agent", &agent)]).await.expect(200);
    app.learn().await;
    let id = traces(&app).await[0]["id"].as_str().unwrap().to_owned();
    let trace = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(trace["keys"]["otel_trace_id"], format!("{:032x}", 1));
    assert_eq!(trace["keys"]["conversation"], "c-7");
    assert_eq!(trace["keys"]["session"], trace["metadata"]["subject"], "both have the long tag");
    let by_session = json!({
        "source": "ci", "outcome": "pass", "key": { "name": "session", "value": "bob@example.org" } });
    let found = app.post("/signals", &by_session).await.expect(202).json();
    assert_eq!(found["trace_ids"], json!([id]));
}

#[tokio::test]
async fn a_project_with_too_many_waiting_runs_asks_for_a_retry_and_still_ends_them() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    send(&app, &[chat(1, 2, "Refund 1182", "Done")]).await.expect(200);
    let fill = "insert into otlp_run (project_id, otlp_id, trace_id, key_id, key_name, trust, due_at)
                select r.project_id, gen_random_uuid(), gen_random_uuid(), r.key_id, r.key_name, 1, now() + interval '1 hour'
                from otlp_run r, generate_series(1, 19999)";
    sqlx::query(fill).execute(&mut app.db.superuser().await).await.unwrap();
    for body in [request(&[chat(2, 2, "Refund 1183", "Done"), root(1)]), request(&[chat(3, 2, "x", "y")])] {
        let refused = app.send("POST", TRACES, Some(&app.key), &[], Some(&body)).await.expect(429);
        assert_eq!(refused.header("retry-after"), Some("10"));
        assert_eq!(refused.json()["code"], 8);
    }
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 1, "the root of the known run was taken");
    // It has ended, so there is room for one more.
    send(&app, &[chat(2, 2, "Refund 1183", "Done"), root(1)]).await.expect(200);
}

#[tokio::test]
async fn a_run_without_content_and_spans_of_other_programs_leave_nothing() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    let request = span(1, 1, "GET /", &json!({ "http.request.method": "GET" }));
    send(&app, &[request]).await.expect(200);
    let rows: i64 = sqlx::query_scalar("select count(*) from otlp_run")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(rows, 0);
    send(&app, &[root(2)]).await.expect(200);
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 0);
    let refused: (i16, String) = sqlx::query_as("select state, last_error from otlp_run")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!((refused.0, refused.1.contains("no messages")), (3, true));
}

#[tokio::test]
async fn a_run_with_a_damaged_span_ends_with_the_reason() {
    let app = TestApp::start().await;
    without_grace(&app, json!({})).await;
    send(&app, &[chat(1, 2, "Refund 1182", "Done"), root(1)]).await.expect(200);
    let damage =
        "update otlp_part set digest = sha256(content) where length = (select max(length) from otlp_part)";
    sqlx::query(damage).execute(&mut app.db.superuser().await).await.unwrap();
    app.learn().await;
    assert_eq!(traces(&app).await.len(), 0);
    let refused =
        "select count(*) from otlp_run where state = 3 and last_error like '1 of its spans are damaged%'";
    assert_eq!(number(&app, refused).await, 1);
    assert_eq!(number(&app, "select count(*) from job where kind = 5").await, 0);
}

#[tokio::test]
async fn errors_are_status_messages_in_the_encoding_of_the_request() {
    let app = TestApp::start().await;
    let json = app.send("POST", TRACES, Some(&app.key), &[], Some(&json!([]))).await.expect(400);
    assert!(json.json()["message"].as_str().unwrap().contains("OTLP JSON"), "{:?}", json.json());
    assert_eq!(json.json()["code"], 3);
    let broken = post(&app, &app.key, &[("content-type", PROTOBUF)], b"{}".to_vec()).await.expect(400);
    assert_eq!(broken.header("content-type"), Some(PROTOBUF));
    assert_eq!(&broken.bytes[..3], [8, 3, 18], "code 3, then the message");
    let text = post(&app, &app.key, &[("content-type", "text/plain")], b"x".to_vec()).await.expect(415);
    assert!(text.json()["message"].as_str().unwrap().contains("application/x-protobuf"));
    let get = app.send("GET", TRACES, Some(&app.key), &[], None).await;
    assert_eq!(get.expect(405).code(), "method_not_allowed");
}

/// The routes without a project in their path, which take a key with one scope.
fn exporter_routes() -> impl Iterator<Item = (&'static str, Scope)> {
    ROUTES.iter().filter_map(|route| match route.access {
        RouteAccess::Exporter(scope) => Some((route.path.as_str(), scope)),
        _ => None,
    })
}

#[tokio::test]
async fn every_exporter_route_turns_away_callers_that_may_not_use_it() {
    let app = TestApp::start().await;
    let elsewhere: ProjectSlug = "elsewhere".parse().unwrap();
    let foreign = app.new_key(Some(&elsewhere), Scope::ALL).await;
    let revoked = app.new_key(Some(&app.project), Scope::ALL).await;
    let list = app.get("/api-keys").await.expect(200).json();
    let revoked_id = list[0]["id"].as_str().unwrap();
    app.post(&format!("/api-keys/{revoked_id}/revoke"), &json!({})).await.expect(200);
    let never_made = app.key.replace("rf_live_", "rf_live_x");
    let cookie = format!("reflect={}", app.browser().sign_in(MemberRole::Admin, None).await);
    let headers = [("x-project-id", app.project.as_str()), ("cookie", &cookie)];

    let mut checked = 0;
    for (path, scope) in exporter_routes() {
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let narrow = app.new_key(Some(&app.project), &others).await;
        let exact = app.new_key(Some(&app.project), &[scope]).await;
        for (who, key, status) in [
            ("a session and no key", None, 401),
            ("a key that was never made", Some(&never_made), 401),
            ("a revoked key", Some(&revoked), 401),
            ("another project's key", Some(&foreign), 404),
            ("a key without the scope", Some(&narrow), 403),
            ("a key with it alone", Some(&exact), 200),
            ("a master key", Some(&app.master), 200),
        ] {
            let key = key.map(String::as_str);
            let answer = app.send("POST", path, key, &headers, Some(&json!({}))).await;
            assert_eq!(answer.status.as_u16(), status, "{who} on {path}");
            let told = answer.json()["message"].as_str().is_some_and(|message| !message.is_empty());
            assert_eq!(told, status != 200, "{who} on {path}");
            checked += 1;
        }
        // Without the header, a key names its own project, and a master key none.
        let own = app.send("POST", path, Some(&foreign), &[], Some(&json!({}))).await;
        assert_eq!(own.status.as_u16(), 200, "{path}");
        let master = app.send("POST", path, Some(&app.master), &[], Some(&json!({}))).await;
        assert_eq!(master.status.as_u16(), 422, "{path}");
    }
    println!("tenant matrix of exporters: {checked} answers, all as expected");
    assert_eq!(checked, 2 * 7);
}

#[tokio::test]
async fn the_same_run_in_two_projects_is_two_runs() {
    let app = TestApp::start().await;
    let other: ProjectSlug = "other".parse().unwrap();
    let key = app.new_key(Some(&other), Scope::ALL).await;
    without_grace(&app, json!({})).await;
    let none = json!({ "otlp": { "grace_seconds": 0 } });
    app.send("PATCH", "/v1/projects/other", Some(&key), &[], Some(&none)).await.expect(200);
    let sent = request(&[chat(1, 2, "Refund 1182", "Done"), root(1)]);
    for key in [&app.key, &key] {
        app.send("POST", TRACES, Some(key), &[], Some(&sent)).await.expect(200);
    }
    app.learn().await;
    let theirs = app.send("GET", "/v1/projects/other/traces", Some(&key), &[], None).await.expect(200).json();
    let (mine, theirs) = (traces(&app).await, theirs.as_array().unwrap().clone());
    assert_eq!((mine.len(), theirs.len()), (1, 1));
    assert_ne!(mine[0]["id"], theirs[0]["id"]);
}
