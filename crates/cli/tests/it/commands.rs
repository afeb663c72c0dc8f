//! The operator commands other than `serve`.

use reflect_test_support::TestDb;

use crate::process::{Server, key, output};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_reports_what_it_applied() {
    let db = TestDb::create_empty().await;
    let first = output(&db, &["migrate", "--hash-partitions", "2"]);
    assert!(text(&first.stdout).starts_with("Applied"), "{}", text(&first.stderr));
    assert_eq!(text(&output(&db, &["migrate"]).stdout).trim(), "The database is up to date.");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_created_listed_and_revoked() {
    let db = TestDb::create().await;
    let made = key(&db, &["--project", "p", "--scope", "trace:read", "--expires-days", "90"]);
    let master = key(&db, &["--master"]);
    let public_id = &made["rf_live_".len()..][..8];

    let listed = text(&output(&db, &["keys", "list"]).stdout);
    assert!(listed.contains(public_id) && listed.contains("(every project)"), "{listed}");
    assert!(!listed.contains(&made) && !listed.contains(&master), "{listed}");
    let day = (std::time::SystemTime::now() + std::time::Duration::from_secs(90 * 24 * 60 * 60)).into();
    let day: chrono::DateTime<chrono::Utc> = day;
    assert!(listed.contains("EXPIRES") && listed.contains(&day.format("%Y-%m").to_string()), "{listed}");

    let server = Server::start(&db, &[]);
    let head = |key: &str| format!("GET /v1/projects/p/traces HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    assert!(output(&db, &["keys", "revoke", public_id]).status.success());
    assert!(server.request(&head(&made), "").starts_with("HTTP/1.1 401"));
    assert!(server.request(&head(&master), "").starts_with("HTTP/1.1 200"));
    server.signal("TERM");
    server.end();

    let old = &master["rf_live_".len()..][..8];
    let new = text(&output(&db, &["keys", "rotate", old, "--overlap-hours", "1"]).stdout);
    assert!(new.starts_with("rf_live_") && !new.contains(old), "{new}");
    let revoked = text(&output(&db, &["keys", "revoke", "--created-by", "operator"]).stdout);
    assert!(revoked.contains(old), "{revoked}");
    let late = output(&db, &["keys", "create", "--master", "--label", "l", "--expires-days", "400"]);
    assert!(text(&late.stderr).contains("365 days"), "{}", text(&late.stderr));

    let unknown = output(&db, &["keys", "revoke", "nobodyyy"]);
    assert!(text(&unknown.stderr).contains("keys list"), "{}", text(&unknown.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_needs_a_project_or_master() {
    let db = TestDb::create().await;
    let neither = output(&db, &["keys", "create", "--label", "l"]);
    assert!(text(&neither.stderr).contains("--project") && text(&neither.stderr).contains("--master"));
    let unknown = output(&db, &["keys", "create", "--label", "l", "--project", "p", "--scope", "all"]);
    assert!(text(&unknown.stderr).contains("trace:write"), "{}", text(&unknown.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_with_keys_logs_no_sign_in_link() {
    let db = TestDb::create().await;
    key(&db, &["--project", "p"]);
    let server = Server::start(&db, &[]);
    assert!(!server.before.contains("/setup?t="), "{}", server.before);
    assert!(server.before.contains("reflect members link"), "{}", server.before);
    server.signal("TERM");
    server.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_links_come_from_the_log_and_the_command_line() {
    let db = TestDb::create().await;
    let server = Server::start(&db, &["--public-url", "http://reflect.example"]);
    let path = server.before.split("http://reflect.example").nth(1).expect(&server.before);
    let path = path.split([' ', '"']).next().unwrap().to_owned();
    assert!(path.starts_with("/setup?t="), "{}", server.before);
    assert!(server.get(&path).contains("Your name"));
    server.signal("TERM");
    server.end();

    let without_role = output(&db, &["members", "link", "--name", "ana"]);
    assert!(text(&without_role.stderr).contains("--role"), "{}", text(&without_role.stderr));
    let made = output(&db, &["members", "link", "--name", "ana", "--role", "admin", "--base-path", "/pre"]);
    let link = text(&made.stdout);
    let path = link.trim().strip_prefix("http://127.0.0.1:8000/pre").expect(&link).to_owned();
    assert!(text(&output(&db, &["members", "list"]).stdout).contains("ana"));
    key(&db, &["--project", "p"]);
    let role = |arguments: &[&str]| {
        let made = output(&db, &[&["members", "role", "ana"], arguments].concat());
        format!("{}{}", text(&made.stdout), text(&made.stderr))
    };
    assert!(role(&["reviewer", "--project", "p"]).contains("admin everywhere, reviewer in p"));
    assert!(role(&["--remove"]).contains("ana: reviewer in p"));
    assert!(role(&["owner"]).contains("admin, maintainer, reviewer or viewer"));
    assert!(role(&["viewer"]).contains("viewer everywhere, reviewer in p"));

    let server = Server::start(&db, &[]);
    assert!(server.get(&path).contains("Sign in as ana"));
    assert!(!server.before.contains("/setup?t="), "{}", server.before);
    server.signal("TERM");
    let (_, log) = server.end();
    assert!(!log.contains(path.split("t=").nth(1).unwrap()), "{log}");
}
