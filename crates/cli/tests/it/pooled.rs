//! `reflect serve` behind PgBouncer in transaction mode.

use reflect_test_support::{PgBouncer, TestDb};
use secrecy::ExposeSecret;

use crate::process::{Server, key, output, reflect};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_works_through_a_pooler() {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "").await;
    let key = key(&db, &["--project", "p"]);
    let direct = db.url();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--direct-database-url", direct.expose_secret()];
    let mut command = reflect(&db, &serve);
    command.arg("--require-restricted-role").env("REFLECT_DATABASE_URL", pooler.url().expose_secret());

    let server = Server::of(command);

    assert!(!server.before.contains("cannot take the role"), "{}", server.before);
    assert!(server.get("/ready").starts_with("HTTP/1.1 200"));
    let head = |method: &str, path: &str| {
        format!(
            "{method} /v1/projects/p/{path} HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        )
    };
    let trace =
        r#"{"task": "Export the orders", "trajectory": [{"role": "user", "content": "Export the orders"}]}"#;
    for _ in 0..10 {
        let answer = server.request(&head("POST", "traces"), trace);
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    let answer = server.request(&head("POST", "memory/query"), r#"{"task": "Export the orders"}"#);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_alone_is_refused_with_the_setting_that_is_missing() {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "").await;
    let pooled = pooler.url();

    for command in ["serve", "migrate"] {
        let refused = output(&db, &[command, "--database-url", pooled.expose_secret()]);
        let text = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{command}: {text}");
        assert!(text.contains("--direct-database-url"), "{command}: {text}");
    }
}
