//! Receipts and the runs that name them: in one process, across processes, and while the database cannot be written to.

use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use reflect_engine::{Engine, EngineSettings};
use reflect_server::{App, ServerSettings};
use reflect_store::{Store, StoreFault, StoreSettings};
use reflect_test_support::{TestApp, TestResponse, scripted_models, send};
use reflect_types::{RetrievalId, Scope};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor, PgConnection};
use uuid::{NoContext, Timestamp, Uuid};

const TASK: &str = "parse the invoice";

/// A server with the test's database that shares no memory with the test's own, like another process.
struct Process(Router);

impl Process {
    async fn start(test: &TestApp, fault: Option<StoreFault>) -> Self {
        let store = Store::connect(&StoreSettings { fault, ..test.db.settings() }).await.unwrap();
        let engine = Engine::new(store, scripted_models(), EngineSettings::default());
        Self(reflect_server::service(App::new(engine, ServerSettings::default())))
    }

    async fn post(&self, test: &TestApp, rest: &str, body: &Value) -> TestResponse {
        let request = Request::post(test.path(rest))
            .header("authorization", format!("Bearer {}", test.key))
            .header("content-type", "application/json");
        send(&self.0, request.body(Body::from(body.to_string())).unwrap()).await
    }
}

/// Creates a memory and returns its id.
async fn memory(app: &TestApp) -> String {
    let lesson = json!({ "guidance": "Read the total from the last line." });
    let body =
        json!({ "task": TASK, "trajectory": [], "review": { "result": "pass", "reflection": lesson } });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

fn run(task: &str, receipt: &str) -> Value {
    json!({ "task": task, "trajectory": [], "retrieval_id": receipt })
}

/// How a stored run is linked, and to what.
async fn link_of(app: &TestApp, stored: TestResponse) -> (Value, Value) {
    let id = stored.json()["trace_id"].as_str().unwrap().to_owned();
    let trace = app.get(&format!("/traces/{id}")).await.expect(200).json();
    (trace["link"].clone(), trace["linked_memory_ids"].clone())
}

/// Returns when a statement waits for a lock.
async fn until_blocked(connection: &mut PgConnection) {
    const BLOCKED: &str = "select count(*) from pg_locks l join pg_database d on d.oid = l.database \
                           where not l.granted and d.datname = current_database()";
    let deadline = Instant::now() + Duration::from_secs(60);
    while sqlx::query_scalar::<_, i64>(BLOCKED).fetch_one(&mut *connection).await.unwrap() == 0 {
        assert!(Instant::now() < deadline, "no receipt is being written");
    }
}

/// Stores a run while the receipt that it names cannot be written. The receipt is stored afterwards. Returns how the run is
/// linked, and the memory that its retrieval served.
async fn early_run(in_one_process: bool, fault: Option<StoreFault>) -> ((Value, Value), String) {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    let other = Process::start(&app, fault).await;
    let mut blocking = app.db.superuser().await;
    blocking.execute("begin; lock table retrieval in share mode").await.unwrap();
    let question = json!({ "task": TASK });
    let asked = match in_one_process {
        true => other.post(&app, "/memory/query", &question).await,
        false => app.post("/memory/query", &question).await,
    };
    let receipt = asked.expect(200).header("x-retrieval-id").unwrap().to_owned();
    let body = run("another wording of it", &receipt);

    let storing = other.post(&app, "/traces", &body);
    let stored = match fault {
        None => {
            let releasing = async {
                until_blocked(&mut blocking).await;
                blocking.execute("rollback").await.unwrap();
            };
            tokio::join!(storing, releasing).0
        }
        Some(_) => {
            let stored = storing.await;
            blocking.execute("rollback").await.unwrap();
            stored
        }
    };

    let link = link_of(&app, stored.expect(201)).await;
    let path = app.path(&format!("/retrievals/{receipt}"));
    until(&app, ("GET", &path, &app.key), None, |answer| answer.status == StatusCode::OK).await;
    (link, memory)
}

#[tokio::test]
async fn a_run_that_arrives_before_its_receipt_is_linked_by_it() {
    for in_one_process in [true, false] {
        let (link, memory) = early_run(in_one_process, None).await;
        assert_eq!(link, (json!("receipt"), json!([memory])), "in one process: {in_one_process}");
    }
}

/// The test above finds a server that does not wait.
#[cfg(debug_assertions)]
#[tokio::test]
async fn a_server_that_does_not_wait_for_receipts_is_caught() {
    for in_one_process in [true, false] {
        let (link, _) = early_run(in_one_process, Some(StoreFault::NoReceiptWait)).await;
        assert_eq!(link, (json!("none"), json!([])), "in one process: {in_one_process}");
    }
}

#[tokio::test]
async fn a_run_whose_receipt_is_lost_counts_for_the_memories_that_it_names_and_for_no_others() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    // An earlier retrieval for the same task, which is not the one that the run names.
    app.post("/memory/query", &json!({ "task": TASK })).await.expect(200);
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let lost = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds - 7, 0)).to_string();

    let stored = app.post("/traces", &run(TASK, &lost)).await.expect(201);
    assert_eq!(link_of(&app, stored).await, (json!("none"), json!([])));
    let mut naming = run(TASK, &lost);
    naming["retrieved_memory_ids"] = json!([memory]);
    let stored = app.post("/traces", &naming).await.expect(201);
    assert_eq!(link_of(&app, stored).await, (json!("ids"), json!([memory])));
}

/// Makes all new transactions of other sessions read-only, or not.
async fn set_read_only(owner: &mut PgConnection, read_only: bool) {
    let change = format!(
        "do $$ begin execute format('alter database %I set default_transaction_read_only = {read_only}', \
         current_database()); end $$"
    );
    owner.execute(AssertSqlSafe(change)).await.unwrap();
    let end_sessions = "select pg_terminate_backend(pid, 10000) from pg_stat_activity \
                        where datname = current_database() and pid <> pg_backend_pid()";
    owner.execute(end_sessions).await.unwrap();
}

/// Sends a request until its response is as wanted. Connections that were ended are noticed one by one.
async fn until(
    app: &TestApp,
    (method, path, key): (&str, &str, &str),
    body: Option<&Value>,
    wanted: impl Fn(&TestResponse) -> bool,
) -> TestResponse {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = app.send(method, path, Some(key), &[], body).await;
        if wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "{}: {}", answer.status, String::from_utf8_lossy(&answer.bytes));
    }
}

#[tokio::test]
async fn a_read_only_database_answers_retrievals_and_says_that_there_is_no_receipt() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    // A key that was never used, so its first use would be noted.
    let key = app.new_key(Some(&app.project), Scope::ALL).await;
    let mut owner = app.db.superuser().await;
    let (query, traces) = (app.path("/memory/query"), app.path("/traces"));
    let question = json!({ "task": TASK });
    set_read_only(&mut owner, true).await;

    let is_marked = |answer: &TestResponse| {
        answer.status == StatusCode::OK && answer.header("x-reflect-unrecorded").is_some()
    };
    let marked = until(&app, ("POST", &query, &key), Some(&question), is_marked).await;
    assert_eq!(marked.json()[0]["id"], memory.as_str());
    let receipt = marked.header("x-retrieval-id").unwrap().to_owned();
    assert!(receipt.parse::<RetrievalId>().unwrap().is_unrecorded());
    assert_eq!(marked.json()[0]["retrieval_id"], receipt.as_str());
    let is_ok = |answer: &TestResponse| answer.status == StatusCode::OK;
    let augment = app.path("/memory/augment");
    let augmented = until(&app, ("POST", &augment, &key), Some(&question), is_ok).await;
    assert_eq!(augmented.json()["unrecorded"], true);
    until(&app, ("GET", "/ready", &key), None, is_ok).await;
    let is_read_only = |answer: &TestResponse| answer.status == 503 && answer.json()["status"] == "read_only";
    until(&app, ("GET", "/ready/write", &key), None, is_read_only).await;
    let mut body = run(TASK, &receipt);
    body["retrieved_memory_ids"] = json!([memory]);
    body["review"] = json!({ "result": "fail" });
    let refused = app.send("POST", &traces, Some(&key), &[], Some(&body)).await.expect(503);
    assert!(refused.header("retry-after").is_some());

    // When the database can be written to again, so can receipts. The marked retrieval still moves no memory.
    set_read_only(&mut owner, false).await;
    until(&app, ("GET", "/ready/write", &key), None, is_ok).await;
    let is_recorded = |answer: &TestResponse| {
        answer.status == StatusCode::OK && answer.header("x-reflect-unrecorded").is_none()
    };
    let recorded = until(&app, ("POST", &query, &key), Some(&question), is_recorded).await;
    let stored = until(&app, ("POST", &traces, &key), Some(&body), |answer| answer.status == 202).await;
    assert_eq!(link_of(&app, stored).await, (json!("none"), json!([])));
    let after = until(&app, ("POST", &query, &key), Some(&question), is_ok).await.json();
    let memories = after.as_array().unwrap();
    let moved = memories.iter().find(|found| found["id"] == memory.as_str()).unwrap();
    assert_eq!((&moved["q_value"], &moved["reviews"]), (&json!(0.5), &json!(0)));
    let named = run("another wording of it", recorded.header("x-retrieval-id").unwrap());
    let stored = until(&app, ("POST", &traces, &key), Some(&named), |answer| answer.status == 201).await;
    assert_eq!(link_of(&app, stored).await, (json!("receipt"), json!([memory])));
}
