//! `export`, `import` and `verify`: moves a project to another database, and reports differences.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use age::secrecy::ExposeSecret;
use reflect_test_support::TestDb;
use serde_json::{Value, json};
use sqlx::Executor;

use crate::process::{Server, key, output};

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("reflect-pack-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn pack(&self) -> String {
        self.0.join("pack").to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(db: &TestDb, arguments: &[&str]) -> (bool, String) {
    let output = output(db, arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn succeed(db: &TestDb, arguments: &[&str]) -> String {
    let (well, said) = run(db, arguments);
    assert!(well, "{arguments:?}: {said}");
    said
}

fn fail(db: &TestDb, arguments: &[&str]) -> String {
    let (well, said) = run(db, arguments);
    assert!(!well, "{arguments:?}: {said}");
    said
}

/// A project with some runs that were reviewed with their lessons.
async fn given_a_project() -> TestDb {
    let db = TestDb::create().await;
    let key = key(&db, &["--project", "p"]);
    let server = Server::start(&db, &[]);
    let runs: Vec<Value> = (0..20)
        .map(|number| {
            json!({ "task": format!("task {number}"), "trajectory": [{ "role": "user", "content": "état" }],
                    "review": { "result": "fail", "reflection": { "summary": format!("lesson {number}") } } })
        })
        .collect();
    let head = format!(
        "POST /v1/projects/p/traces/batch HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
    );
    let answer = server.request(&head, &json!({ "traces": runs }).to_string());
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    server.signal("TERM");
    server.end();
    db
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_moves_to_another_database_and_lost_rows_are_named() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let pack = folder.pack();

    let exported = succeed(&here, &["export", "--project", "p", "--to", &pack]);
    let imported = succeed(&there, &["import", "--from", &pack, "--as", "q"]);

    assert!(exported.contains("reflect keys create --project p"), "{exported}");
    assert!(imported.contains("ledger fold") && !imported.contains("DIFFERS"), "{imported}");
    assert!(succeed(&there, &["verify", "--from", &pack, "--project", "q"]).contains("Equal in row counts"));
    assert!(fail(&there, &["import", "--from", &pack, "--as", "q"]).contains("--as"));
    assert!(fail(&here, &["export", "--project", "p", "--to", &pack]).contains("already contains a pack"));
    let nowhere = folder.0.join("x");
    let said = fail(&here, &["export", "--project", "x", "--to", nowhere.to_str().unwrap()]);
    assert!(said.contains("no project x") && !nowhere.exists(), "{said}");

    let lost = "delete from trace_body where trace_id = (select min(trace_id::text)::uuid from trace_body)";
    there.superuser().await.execute(lost).await.unwrap();
    let said = fail(&there, &["verify", "--from", &pack, "--project", "q"]);
    assert!(said.contains("trace_body") && said.contains("DIFFERS: 19 rows instead of 20"), "{said}");
    // The same primary key with other content.
    there.superuser().await.execute("update review set feedback = 'x' where project_id = 1").await.unwrap();
    let said = fail(&there, &["verify", "--from", &pack, "--project", "q"]);
    assert!(said.contains("review, ") || said.contains("review "), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_output_reports_equal_and_different_sides() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let pack = folder.pack();
    let said = |db: &TestDb, arguments: &[&str]| -> Value {
        let output = output(db, arguments);
        serde_json::from_slice(&output.stdout).unwrap()
    };

    let exported = said(&here, &["export", "--project", "p", "--to", &pack, "--json"]);
    let imported = said(&there, &["import", "--from", &pack, "--json"]);
    there.superuser().await.execute("delete from trace_body").await.unwrap();
    let verified = said(&there, &["verify", "--from", &pack, "--json"]);

    assert_eq!(
        (&exported["schema"], &exported["item"]["project"]),
        (&json!("project.export/1"), &json!("p"))
    );
    assert_eq!(exported["item"]["keys"].as_array().unwrap().len(), 1);
    assert_eq!((&imported["schema"], &imported["item"]["equal"]), (&json!("project.import/1"), &json!(true)));
    assert_eq!(imported["item"]["rows"], exported["item"]["rows"]);
    assert_eq!(
        (&verified["schema"], &verified["item"]["equal"]),
        (&json!("project.verify/1"), &json!(false))
    );
    let compared = verified["item"]["compared"].as_array().unwrap();
    let differ: Vec<&Value> = compared.iter().filter(|one| !one["problem"].is_null()).collect();
    assert_eq!(differ, [&json!({ "what": "trace_body", "rows": 20, "problem": "0 rows instead of 20" })]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_pack_creates_no_project() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let pack = folder.pack();
    succeed(&here, &["export", "--project", "p", "--to", &pack]);
    let part = Path::new(&pack).join("review/00001.jsonl.zst");
    let mut bytes = std::fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&part, bytes).unwrap();

    let said = fail(&there, &["import", "--from", &pack]);

    assert!(said.contains("review/00001.jsonl.zst"), "{said}");
    let made: i64 = sqlx::query_scalar("select count(*) from project")
        .fetch_one(&mut there.superuser().await)
        .await
        .unwrap();
    assert_eq!(made, 0);
    std::fs::remove_file(Path::new(&pack).join("manifest.json")).unwrap();
    assert!(fail(&there, &["import", "--from", &pack]).contains("manifest.json"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_export_keeps_unchanged_parts_and_an_import_can_be_discarded() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let pack = folder.pack();
    succeed(&here, &["export", "--project", "p", "--to", &pack]);
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(Path::new(&pack).join("manifest.json")).unwrap()).unwrap();
    // Like a kill before the first part: the files are not in the journal.
    let start = json!({ "version": 1, "product": manifest["product"], "slug": "p",
                        "created_at": manifest["project"]["created_at"] });
    std::fs::write(Path::new(&pack).join("journal.jsonl"), format!("{start}\n{{\"table\":\"tra")).unwrap();
    std::fs::remove_file(Path::new(&pack).join("manifest.json")).unwrap();
    std::fs::write(Path::new(&pack).join("trace/00002.jsonl.zst.unfinished"), "torn").unwrap();

    let again = succeed(&here, &["export", "--project", "p", "--to", &pack]);

    assert!(again.contains("Exported p"), "{again}");
    assert!(!Path::new(&pack).join("trace/00002.jsonl.zst.unfinished").exists());
    succeed(&there, &["import", "--from", &pack]);
    assert!(fail(&there, &["import", "--from", &pack, "--discard"]).contains("no unfinished import"));
    // Like a kill after the last part.
    there.superuser().await.execute("update project set import_pack = 'x'").await.unwrap();
    assert!(fail(&there, &["import", "--from", &pack]).contains("another pack"));
    succeed(&there, &["import", "--from", &pack, "--discard"]);
    succeed(&there, &["import", "--from", &pack]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_is_readable_by_its_owner_only_and_has_no_tag_key_and_no_links() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let pack = folder.pack();
    let said = succeed(&here, &["export", "--project", "p", "--to", &pack]);

    assert!(said.contains("lacks the key of redaction tags"), "{said}");
    let mode = |path: &Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    let (root, part) = (Path::new(&pack), Path::new(&pack).join("review/00001.jsonl.zst"));
    assert_eq!([mode(root), mode(&root.join("review"))], [0o700; 2]);
    assert_eq!([mode(&root.join("manifest.json")), mode(&part)], [0o600; 2]);
    let manifest = std::fs::read_to_string(root.join("manifest.json")).unwrap();
    assert!(!manifest.contains("tag_key"));

    let elsewhere = folder.0.join("elsewhere");
    std::fs::rename(&part, &elsewhere).unwrap();
    symlink(&elsewhere, &part).unwrap();
    let said = fail(&there, &["import", "--from", &pack]);
    assert!(said.contains("symbolic link"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_pack_needs_its_identity_and_moves_the_tag_key() {
    let (here, there, folder) = (given_a_project().await, TestDb::create().await, Folder::new());
    let (pack, file) = (folder.pack(), folder.0.join("key.txt"));
    let identity = age::x25519::Identity::generate();
    std::fs::write(&file, format!("# made for this test\n{}\n", identity.to_string().expose_secret()))
        .unwrap();
    let (recipient, file) = (identity.to_public().to_string(), file.to_str().unwrap());

    succeed(&here, &["export", "--project", "p", "--to", &pack, "--recipient", &recipient]);

    for name in ["manifest.json.age", "trace/00001.jsonl.zst.age"] {
        let bytes = std::fs::read(Path::new(&pack).join(name)).unwrap();
        assert!(bytes.starts_with(b"age-encryption.org/v1"), "{name}");
    }
    assert!(!Path::new(&pack).join("manifest.json").exists());
    let said = fail(&there, &["import", "--from", &pack]);
    assert!(said.contains("encrypted") && said.contains("--identity"), "{said}");
    succeed(&there, &["import", "--from", &pack, "--identity", file]);
    succeed(&there, &["verify", "--from", &pack, "--identity", file]);
    let mut keys = Vec::new();
    for db in [&here, &there] {
        let key = sqlx::query_scalar::<_, Vec<u8>>("select tag_key from project where slug = 'p'");
        keys.push(key.fetch_one(&mut db.superuser().await).await.unwrap());
    }
    assert_eq!(keys[0], keys[1]);
}
