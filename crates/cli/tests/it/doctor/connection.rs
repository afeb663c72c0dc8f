//! Problems of the connection, which prevent the checks of the loop.

use reflect_test_support::TestDb;

use super::place::{Seen, reflect, reflect_in};
use crate::process::{Server, key};

struct Given {
    db: TestDb,
    server: Server,
}

impl Given {
    /// A server without any provider.
    async fn start() -> Self {
        let db = TestDb::create().await;
        let server = Server::start(&db, &[]);
        Self { db, server }
    }

    fn doctor(&self, key: &str, project: &str, arguments: &[&str]) -> Seen {
        let base_url = format!("http://{}", self.server.address);
        reflect(&[&["doctor", "--json"], arguments].concat(), &base_url, key, project)
    }
}

fn fix(seen: &Seen, check: &str) -> String {
    seen.check(check)["fix"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_provider_the_doctor_warns_and_says_which_settings_are_missing() {
    let given = Given::start().await;
    let key = key(&given.db, &["--project", "p"]);

    let seen = given.doctor(&key, "p", &[]);

    assert_eq!(seen.code, 0, "{seen:?}");
    for (check, setting) in [("embeddings", "--embedder"), ("reflection", "--text-provider")] {
        assert_eq!(seen.check(check)["level"], "warn", "{seen:?}");
        assert!(fix(&seen, check).contains(setting), "{seen:?}");
    }
    assert_eq!(seen.check("nobody_reviews")["level"], "skip", "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_server_fails_with_the_variable_to_set() {
    let seen = reflect(&["doctor", "--json"], "http://127.0.0.1:1", "rf_test_x", "p");

    assert_eq!(seen.code, 7, "{seen:?}");
    assert_eq!(seen.checks().len(), 2, "{seen:?}");
    assert_eq!(seen.check("server")["level"], "fail");
    assert!(fix(&seen, "server").contains("REFLECT_BASE_URL"), "{seen:?}");
    assert!(seen.stderr.contains("\"check_failed\""), "{seen:?}");
}

#[test]
fn the_client_of_another_product_in_the_python_environment_is_named() {
    let environment = std::env::temp_dir().join(format!("reflect-doctor-{}", uuid::Uuid::now_v7()));
    let info = environment.join("lib/python3.13/site-packages/reflect_sdk-0.3.3.dist-info");
    std::fs::create_dir_all(&info).unwrap();
    std::fs::write(info.join("RECORD"), "reflect_sdk/__init__.py,sha256=x,1\n").unwrap();
    let python = environment.to_str().unwrap();

    let seen = reflect_in(python, &["doctor", "--json"], "http://127.0.0.1:1", "rf_test_x", "p");
    std::fs::remove_dir_all(&environment).unwrap();

    assert_eq!(seen.check("python_package")["level"], "warn", "{seen:?}");
    assert!(fix(&seen, "python_package").starts_with("run `pip uninstall reflect-sdk`"), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_and_foreign_keys_have_different_messages() {
    let given = Given::start().await;
    let theirs = key(&given.db, &["--project", "theirs"]);
    let deaf = key(&given.db, &["--project", "p", "--scope", "trace:write"]);
    let reader = key(&given.db, &["--project", "p", "--scope", "memory:read", "--scope", "trace:read"]);

    let unknown = given.doctor("rf_live_0123456789abcdef", "p", &[]);
    let elsewhere = given.doctor(&theirs, "p", &[]);
    let deaf = given.doctor(&deaf, "p", &[]);
    let reader = given.doctor(&reader, "p", &[]);
    let none = given.doctor("", "p", &[]);

    assert_eq!((unknown.code, unknown.check("key")["level"].as_str()), (7, Some("fail")), "{unknown:?}");
    assert!(fix(&unknown, "key").contains("reflect keys create --project p"), "{unknown:?}");
    assert_eq!(
        (elsewhere.code, elsewhere.check("project")["level"].as_str()),
        (7, Some("fail")),
        "{elsewhere:?}"
    );
    assert!(fix(&elsewhere, "project").contains("REFLECT_PROJECT_ID"), "{elsewhere:?}");
    assert_eq!(deaf.code, 7, "{deaf:?}");
    assert!(deaf.check("key")["message"].as_str().unwrap().contains("memory:read"), "{deaf:?}");
    assert_eq!((reader.code, reader.check("key")["level"].as_str()), (0, Some("warn")), "{reader:?}");
    assert!(fix(&reader, "key").contains("--scope trace:write"), "{reader:?}");
    assert_eq!((none.code, none.check("key")["level"].as_str()), (7, Some("fail")), "{none:?}");
    assert!(fix(&none, "key").contains("REFLECT_API_KEY"), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_section_or_one_check_can_be_selected() {
    let given = Given::start().await;
    let key = key(&given.db, &["--project", "p"]);

    let section = given.doctor(&key, "p", &["--only", "pipeline"]);
    let check = given.doctor(&key, "p", &["--only", "duplicates"]);
    let nothing = given.doctor(&key, "p", &["--only", "colour"]);

    assert!(section.checks().iter().all(|check| check["section"] == "pipeline"), "{section:?}");
    assert_eq!(check.checks().len(), 1, "{check:?}");
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("duplicates"), "{nothing:?}");
}
