//! `reflect audit` and the restricted role, with the binary.

use std::fs;
use std::path::PathBuf;

use reflect_test_support::TestDb;
use secrecy::ExposeSecret;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Executor};

use crate::process::{Server, output, reflect};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("reflect-audit-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(db: &TestDb, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = output(db, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_continues_where_the_last_one_ended() {
    let (db, folder) = (TestDb::create().await, Folder::new());
    run(&db, &["keys", "create", "--project", "shop", "--label", "a"]);
    let position = folder.file("position.json");
    let export = || {
        let (code, out, err) = run(&db, &["audit", "export", "--position", &position]);
        assert_eq!(code, Some(0), "{err}");
        lines(&out)
    };

    let first = export();
    run(&db, &["keys", "create", "--project", "shop", "--label", "b"]);
    let second = export();

    let actions = |lines: &[Value]| -> Vec<String> {
        lines.iter().map(|line| line["action"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(actions(&first), ["project.create", "audit.export", "key.create"]);
    assert_eq!(actions(&second), ["audit.export", "key.create"]);
    assert_eq!((&second[1]["project"], &second[1]["sequence"]), (&"shop".into(), &2.into()));
    assert_eq!(second[1]["hash"].as_str().unwrap().len(), 64);
    let (_, out, _) = run(&db, &["audit", "export", "--project", "shop"]);
    assert_eq!(lines(&out).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_log_is_verified_and_a_change_is_found() {
    let (db, folder) = (TestDb::create().await, Folder::new());
    let key = folder.file("audit.key");
    let (code, public, err) = run(&db, &["audit", "key", "--file", &key]);
    assert_eq!(code, Some(0), "{err}");
    run(&db, &["keys", "create", "--project", "shop", "--label", "a"]);
    // A server signs as soon as it starts.
    let server = Server::start(&db, &["--audit-key-file", &key]);
    let heads = loop {
        let (_, heads, _) = run(&db, &["audit", "heads"]);
        if heads.lines().count() == 2 {
            break heads;
        }
    };
    server.signal("TERM");
    let before = server.before.clone();
    let log = before + server.end().1.as_str();
    assert!(heads.lines().all(|head| log.contains(head)), "{log}");
    fs::write(folder.file("heads.txt"), &heads).unwrap();

    let (code, out, err) = run(&db, &["audit", "verify", "--public-key", public.trim()]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("intact") && out.contains("This cannot detect:"), "{out}");
    let (_, _, unsigned) = run(&db, &["audit", "verify"]);
    assert!(unsigned.contains("signatures are not checked"), "{unsigned}");

    let mut superuser = db.superuser().await;
    superuser.execute("update audit_entry set actor = 'x' where action = 'key.create'").await.unwrap();
    let (code, out, _) = run(&db, &["audit", "verify", "--audit-key-file", &key]);
    assert!(code == Some(7) && out.contains("was changed"), "{out}");

    superuser.execute("truncate audit_entry, audit_link, audit_head, audit_chain").await.unwrap();
    let heads = folder.file("heads.txt");
    let (code, out, _) = run(&db, &["audit", "verify", "--audit-key-file", &key, "--heads", &heads]);
    assert!(code == Some(7) && out.contains("newest entries were removed"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_restricted_role_warns_or_refuses() {
    let db = TestDb::create_empty().await;
    let mut superuser = db.superuser().await;
    let database: String =
        sqlx::query_scalar("select current_database()").fetch_one(&mut superuser).await.unwrap();
    let user = format!("owner_of_{database}");
    // It exists unless this is the first test of a new cluster.
    let _ = superuser.execute("create role reflect_app nologin").await;
    let made = format!(
        "create role {user} login nosuperuser nocreaterole; alter database \"{database}\" owner to {user};
         create extension vector"
    );
    superuser.execute(AssertSqlSafe(made)).await.unwrap();
    let url = db.url_as(&user);
    let with = |arguments: &[&str]| {
        let mut command = reflect(&db, arguments);
        command.env("REFLECT_DATABASE_URL", url.expose_secret());
        command
    };
    assert!(with(&["migrate"]).output().unwrap().status.success());
    let serve = ["serve", "--listen", "127.0.0.1:0"];

    let server = Server::of(with(&serve));
    assert!(server.before.contains(&format!("grant reflect_app to {user}")), "{}", server.before);
    server.signal("TERM");
    server.end();
    let refused = with(&[&serve[..], &["--require-restricted-role"]].concat()).output().unwrap();
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(3) && text.contains("CREATE ROLE reflect_app"), "{text}");

    superuser.execute(AssertSqlSafe(format!("grant reflect_app to {user}"))).await.unwrap();
    let server = Server::of(with(&[&serve[..], &["--require-restricted-role"]].concat()));
    assert!(!server.before.contains("cannot take the role"), "{}", server.before);
    server.signal("TERM");
    server.end();
    let drop = format!("reassign owned by {user} to reflect; drop owned by {user}; drop role {user}");
    superuser.execute(AssertSqlSafe(drop)).await.unwrap();
}
