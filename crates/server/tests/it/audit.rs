//! The audit log: what it contains, who may read it, that a flood cannot fill it, and that tampering is found.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use chrono::TimeDelta;
use reflect_engine::{
    AuditKey, ChainProblem, ChainReport, Engine, EngineSettings, Models, VerificationSettings, find_heads,
    head_text,
};
use reflect_store::{AuditRow, SignedHead};
use reflect_test_support::{TestApp, TestResponse, browser_request, send};
use reflect_types::{MemberRole, ProjectId, Scope};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};

const CLIENT: &str = "203.0.113.9";

/// Sends a request from an address.
async fn from(test: &TestApp, address: &str, mut request: Request<Body>) -> TestResponse {
    let peer = SocketAddr::new(address.parse().unwrap(), 4711);
    request.extensions_mut().insert(ConnectInfo(peer));
    send(&test.service, request).await
}

fn get(path: &str, key: Option<&str>) -> Request<Body> {
    let mut request = Request::get(path);
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    request.body(Body::empty()).unwrap()
}

async fn entries(test: &TestApp, project: ProjectId) -> Vec<AuditRow> {
    let store = &test.app.engine().store;
    store.project(project).admin().audit_entries(None, 1000).await.unwrap()
}

async fn denials(test: &TestApp, project: ProjectId) -> Vec<AuditRow> {
    let mut entries = entries(test, project).await;
    entries.retain(|entry| entry.action == "access.denied");
    entries
}

fn detail(entry: &AuditRow) -> Value {
    serde_json::from_str(entry.detail.as_deref().unwrap()).unwrap()
}

#[tokio::test]
async fn an_admin_reads_the_log_page_by_page() {
    let test = TestApp::start().await;
    for label in ["one", "two", "three"] {
        let new = json!({ "label": label, "scopes": ["trace:write"] });
        let path = test.path("/api-keys");
        let mut request = get(&path, Some(&test.key));
        *request.method_mut() = "POST".parse().unwrap();
        request.headers_mut().insert("content-type", "application/json".parse().unwrap());
        request.headers_mut().insert("x-request-id", label.parse().unwrap());
        *request.body_mut() = Body::from(new.to_string());
        from(&test, CLIENT, request).await.expect(201);
    }

    let first = test.get("/audit?limit=2").await.expect(200);
    let cursor = first.header("x-next-cursor").unwrap().to_owned();
    let second = test.get(&format!("/audit?limit=2&cursor={cursor}")).await.expect(200);

    let first = first.json();
    assert_eq!(first.as_array().unwrap().len(), 2);
    assert_eq!(first[0]["action"], "key.create");
    assert_eq!((&first[0]["address"], &first[0]["request_id"]), (&json!(CLIENT), &json!("three")));
    assert_eq!(second.json()[0]["request_id"], "one");
    let reader = test.new_key(Some(&test.project), &[Scope::MemoryRead]).await;
    test.send("GET", &test.path("/audit"), Some(&reader), &[], None).await.expect(403);
}

#[tokio::test]
async fn only_admins_of_everything_read_the_log_of_the_installation() {
    let test = TestApp::start().await;
    let path = test.path("/audit?installation=true");
    let log = test.send("GET", &path, Some(&test.master), &[], None).await.expect(200).json();
    assert!(log.as_array().unwrap().iter().any(|entry| entry["action"] == "project.create"), "{log}");
    test.send("GET", &path, Some(&test.key), &[], None).await.expect(403);

    let path = test.browser().path("/audit?installation=true");
    let boss = test.browser().sign_in(MemberRole::Admin, None).await;
    let log = test.browser().send("GET", &path, Some(&boss), None).await.expect(200).json();
    assert!(log.as_array().unwrap().iter().any(|entry| entry["action"] == "session.begin"), "{log}");
    let some = test.browser().sign_in(MemberRole::Admin, Some(std::slice::from_ref(&test.project))).await;
    test.browser().send("GET", &path, Some(&some), None).await.expect(403);
    test.browser().send("GET", &test.browser().path("/audit"), Some(&some), None).await.expect(200);
}

#[tokio::test]
async fn a_changed_setting_is_named_without_its_value() {
    let test = TestApp::start().await;
    let change = json!({ "ranking": "classic" });
    test.send("PATCH", &test.path(""), Some(&test.key), &[], Some(&change)).await.expect(200);
    let log = test.get("/audit?limit=1").await.expect(200).json();
    assert_eq!(log[0]["action"], "project.change");
    assert_eq!(log[0]["detail"], json!({ "settings": ["ranking"] }));
}

#[tokio::test]
async fn a_flood_of_denied_requests_makes_one_entry() {
    let test = TestApp::start().await;
    let path = test.path("/traces");
    for number in 0..10_000_u32 {
        let address = format!("198.51.{}.{}", number % 256, number % 251);
        let key = (number % 2 == 0).then_some("rf_live_unknown");
        from(&test, &address, get(&path, key)).await.expect(401);
    }
    assert_eq!(denials(&test, ProjectId::INSTALLATION).await.len(), 0);

    test.app.engine().denials.flush().await.unwrap();
    test.app.engine().denials.flush().await.unwrap();

    let found = denials(&test, ProjectId::INSTALLATION).await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].actor.as_str(), found[0].target.as_str()), ("anonymous", "10000 requests"));
    let detail = detail(&found[0]);
    assert_eq!(detail["kinds"], json!({ "no_credential": 5000, "unknown_key": 5000 }));
    assert!(detail["addresses"].as_object().unwrap().len() <= 20);
    assert!(detail.to_string().len() < 2000);
}

#[tokio::test]
async fn a_denial_names_its_caller_once_per_minute() {
    let test = TestApp::start().await;
    let project = test.project_id().await;
    let reader = test.new_key(Some(&test.project), &[Scope::MemoryRead]).await;
    for _ in 0..50 {
        from(&test, CLIENT, get(&test.path("/traces"), Some(&reader))).await.expect(403);
    }
    let foreign = get("/v1/projects/other/traces", Some(&reader));
    from(&test, CLIENT, foreign).await.expect(404);

    let found = denials(&test, project).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found.iter().all(|entry| entry.actor.starts_with("key:") && entry.address.as_deref() == Some(CLIENT))
    );
    assert_eq!(detail(&found[1]), json!({ "kind": "missing_scope", "requests": 1 }));
    assert_eq!(found[1].target, "GET /v1/projects/{project_id}/traces");
    assert_eq!(detail(&found[0])["kind"], "no_project");
    test.app.engine().denials.flush().await.unwrap();
    let found = denials(&test, project).await;
    assert_eq!(found.len(), 3);
    assert_eq!(detail(&found[0]), json!({ "kind": "missing_scope", "requests": 49 }));
}

#[tokio::test]
async fn a_revoked_key_and_a_role_without_the_scope_are_named() {
    let test = TestApp::start().await;
    let project = test.project_id().await;
    let key = test.new_key(Some(&test.project), &[Scope::MemoryRead]).await;
    let public = key.split('_').nth(2).unwrap().to_owned();
    let id = test.get("/api-keys").await.expect(200).json();
    let id = id.as_array().unwrap().iter().find(|row| row["public_id"] == public).unwrap()["id"].clone();
    test.post(&format!("/api-keys/{}/revoke", id.as_str().unwrap()), &json!({})).await.expect(200);

    from(&test, CLIENT, get(&test.path("/memories"), Some(&key))).await.expect(401);
    let viewer = test.browser().sign_in_as("vi", MemberRole::Viewer, None).await;
    let path = test.browser().path("/audit");
    from(&test, CLIENT, browser_request("GET", &path, Some(&viewer), None)).await.expect(403);

    let found = denials(&test, project).await;
    let named: Vec<(&str, Value)> = found.iter().map(|entry| (entry.actor.as_str(), detail(entry))).collect();
    assert_eq!(named[0], ("member:vi", json!({ "kind": "missing_scope", "requests": 1 })));
    assert_eq!(named[1], (format!("key:{public}").as_str(), json!({ "kind": "revoked_key", "requests": 1 })));
}

#[tokio::test]
async fn sign_ins_are_recorded_whether_they_work_or_not() {
    let test = TestApp::start().await;
    test.browser().sign_in_as("ana", MemberRole::Viewer, None).await;
    let page = from(&test, CLIENT, get("/login", None)).await;
    let token = page.header("set-cookie").unwrap().split(['=', ';']).nth(1).unwrap().to_owned();
    let wrong = Request::post("/login")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", format!("reflect-form={token}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(format!("form={token}&t=wrong")))
        .unwrap();
    from(&test, CLIENT, wrong).await.expect(401);
    test.app.engine().denials.flush().await.unwrap();

    let log = entries(&test, ProjectId::INSTALLATION).await;

    let begun = log.iter().find(|entry| entry.action == "session.begin").unwrap();
    assert_eq!(begun.actor, "member:ana");
    let denied = log.iter().find(|entry| entry.action == "access.denied").unwrap();
    assert_eq!(detail(denied)["kinds"], json!({ "sign_in_link": 1 }));
    assert_eq!(detail(denied)["addresses"], json!({ CLIENT: 1 }));
}

/// A test with a signed log of ten entries in its project.
struct Signed {
    test: TestApp,
    engine: Engine,
    key: Arc<AuditKey>,
    project: ProjectId,
}

impl Signed {
    async fn start() -> Self {
        let test = TestApp::start().await;
        let key = Arc::new(AuditKey::parse(&AuditKey::generate().unwrap()).unwrap());
        let settings = EngineSettings { audit_key: Some(key.clone()), ..EngineSettings::default() };
        let engine = Engine::new(test.db.store().await, Models::default(), settings);
        let project = test.project_id().await;
        let signed = Self { test, engine, key, project };
        // The key of the test is the first entry.
        signed.add(9).await;
        signed.sign().await;
        signed
    }

    async fn add(&self, entries: usize) {
        let log = self.engine.store.project(self.project);
        for number in 0..entries {
            let actor = reflect_store::AuditActor::local("test");
            log.admin().record_audit(&actor, "test.note", &format!("t{number}"), None).await.unwrap();
        }
    }

    async fn sign(&self) {
        self.engine.audit.chain_entries().await.unwrap();
        self.engine.audit.sign_chains(SystemTime::now().into()).await.unwrap();
    }

    async fn tamper(&self, statement: &str) {
        let statement = statement.replace("$p", &self.project.number().to_string());
        self.test.db.superuser().await.execute(AssertSqlSafe(statement)).await.unwrap();
    }

    async fn verify_with(&self, heads: Vec<SignedHead>, later: Duration) -> ChainReport {
        let now = SystemTime::now() + later;
        let settings = VerificationSettings {
            keys: vec![*self.key.public()],
            heads,
            retention: TimeDelta::days(400),
            now: now.into(),
        };
        let chains = self.engine.audit.chains(&settings.heads).await.unwrap();
        let chain = chains.iter().find(|chain| chain.chain == self.project).unwrap();
        self.engine.audit.verify(chain, &settings).await.unwrap()
    }

    async fn problems(&self) -> Vec<ChainProblem> {
        self.verify_with(vec![], Duration::ZERO).await.problems
    }
}

#[tokio::test]
async fn an_honest_log_is_intact_also_while_entries_are_added() {
    let given = Signed::start().await;
    given.add(3).await;
    let report = given.verify_with(vec![], Duration::ZERO).await;
    assert_eq!((report.links, report.waiting, report.problems), (10, 3, vec![]));
    given.engine.audit.chain_entries().await.unwrap();
    let report = given.verify_with(vec![], Duration::ZERO).await;
    assert_eq!((report.links, report.unsigned, report.problems), (13, 3, vec![]));
    given.sign().await;
    given.sign().await;
    let report = given.verify_with(vec![], Duration::ZERO).await;
    assert_eq!((report.signed.unwrap().sequence, report.unsigned, report.problems), (13, 0, vec![]));
}

#[tokio::test]
async fn a_changed_entry_is_found() {
    let given = Signed::start().await;
    given
        .tamper("update audit_entry set actor = 'someone else' where project_id = $p and target = 't3'")
        .await;
    let problems = given.problems().await;
    assert!(matches!(problems.as_slice(), [ChainProblem::Changed { sequence: 5, .. }]), "{problems:?}");
}

#[tokio::test]
async fn a_removed_entry_is_found_with_and_without_its_link() {
    let given = Signed::start().await;
    given.tamper("delete from audit_entry where project_id = $p and target = 't3'").await;
    let problems = given.problems().await;
    assert!(matches!(problems.as_slice(), [ChainProblem::Removed { sequence: 5, .. }]), "{problems:?}");
    given.tamper("delete from audit_link where chain = $p and sequence = 5").await;
    assert_eq!(given.problems().await, [ChainProblem::Gap { from: 5, to: 5 }]);
}

#[tokio::test]
async fn removed_newest_entries_are_found() {
    let given = Signed::start().await;
    let chains = given.engine.store.maintenance().audit_chains();
    let newest = chains.heads(given.project).await.unwrap().pop().unwrap();
    given
        .tamper(
            "delete from audit_entry e using audit_link l
             where e.project_id = l.chain and e.audit_id = l.audit_id and l.chain = $p and l.sequence > 6;
             delete from audit_link where chain = $p and sequence > 6;
             update audit_chain c set sequence = 6, signed = 6, hash = l.hash
             from audit_link l where c.chain = $p and l.chain = $p and l.sequence = 6",
        )
        .await;
    assert_eq!(given.problems().await, [ChainProblem::Truncated { last: 6, signed: 10 }]);
    // With its signature: only a copy outside of the database shows it.
    given.tamper("delete from audit_head where chain = $p").await;
    assert_eq!(given.problems().await, []);
    let log = format!("{{\"head\":\"{}\"}}", head_text(&newest));
    let report = given.verify_with(find_heads(&log).unwrap(), Duration::ZERO).await;
    assert_eq!(report.problems, [ChainProblem::Truncated { last: 6, signed: 10 }]);
    let report = given.verify_with(vec![], Duration::from_secs(2 * 60 * 60)).await;
    assert_eq!(report.problems, [ChainProblem::Unsigned { from: 1 }]);
}

#[tokio::test]
async fn entries_in_another_order_are_found() {
    let given = Signed::start().await;
    given
        .tamper(
            "update audit_link set sequence = 1000 where chain = $p and sequence = 4;
             update audit_link set sequence = 4 where chain = $p and sequence = 5;
             update audit_link set sequence = 5 where chain = $p and sequence = 1000",
        )
        .await;
    let problems = given.problems().await;
    assert!(problems.contains(&ChainProblem::Broken { sequence: 4 }), "{problems:?}");
}

#[tokio::test]
async fn a_chain_that_was_computed_again_is_found() {
    let given = Signed::start().await;
    // The owner removes an entry and lets the server chain all others again.
    given
        .tamper(
            "delete from audit_entry where project_id = $p and target = 't3';
             delete from audit_link where chain = $p;
             delete from audit_chain where chain = $p;
             insert into audit_unchained select project_id, audit_id from audit_entry where project_id = $p",
        )
        .await;
    given.engine.audit.chain_entries().await.unwrap();
    assert_eq!(given.problems().await, [ChainProblem::Truncated { last: 9, signed: 10 }]);
    given.add(1).await;
    given.engine.audit.chain_entries().await.unwrap();
    assert_eq!(given.problems().await, [ChainProblem::Rewritten { sequence: 10 }]);
}

#[tokio::test]
async fn an_entry_outside_of_the_chain_is_found() {
    let given = Signed::start().await;
    given
        .tamper(
            "insert into audit_entry (project_id, audit_id, actor, action, target)
             values ($p, uuid_at(now()), 'x', 'y', 'z');
             delete from audit_unchained where chain = $p",
        )
        .await;
    let problems = given.problems().await;
    assert!(matches!(problems.as_slice(), [ChainProblem::Unlinked { entries: 1, .. }]), "{problems:?}");
}
