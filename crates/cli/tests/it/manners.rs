//! Behaviour of all commands: exit codes, colour, questions, pipes, and help.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::process::output;
use crate::shell::{Shell, bare, ran};

fn error(text: &str) -> Value {
    let error: Value = serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(error["schema"], "error/1", "{text}");
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_name_the_kind_of_failure() {
    let shell = Shell::open().await;
    let nowhere = std::path::Path::new("/nonexistent");

    let usage = shell.run(&["traces", "list", "--colour", "red", "--json"]);
    assert_eq!((usage.code, error(&usage.err)["code"].clone()), (Some(2), "usage".into()));
    let filter = shell.run(&["traces", "list", "--filter", "colour:red", "--json"]);
    assert_eq!((filter.code, error(&filter.err)["code"].clone()), (Some(2), "usage".into()));
    let keyless = ran(&mut bare(nowhere, &["traces", "list"]));
    assert_eq!(keyless.code, Some(3));
    assert!(keyless.err.contains("REFLECT_API_KEY") && keyless.err.contains("fix:"), "{}", keyless.err);
    let stranger = shell.run(&["traces", "list", "--api-key", "rf_live_nobody", "--json"]);
    assert_eq!(stranger.code, Some(3), "{}", stranger.err);
    assert!(error(&stranger.err)["fix"].as_str().unwrap().contains("keys create"));
    let away = shell.run(&["whoami", "--base-url", "http://127.0.0.1:1", "--timeout", "1", "--json"]);
    assert_eq!((away.code, error(&away.err)["code"].clone()), (Some(4), "unreachable".into()));
    let unknown = shell.run(&["traces", "get", &uuid::Uuid::now_v7().to_string(), "--json"]);
    assert_eq!((unknown.code, error(&unknown.err)["code"].clone()), (Some(5), "not_found".into()));
    assert!(unknown.out.is_empty(), "{}", unknown.out);
    let id = shell.submit("Refund order 1182", &[]);
    let waited = shell.run(&["traces", "get", &id, "--wait", "1"]);
    assert_eq!(waited.code, Some(8), "{}", waited.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn colour_is_for_terminals_or_on_request() {
    let shell = Shell::open().await;
    shell.submit("Refund order 1182", &[]);
    let list = |more: &[&str], variables: &[(&str, &str)]| {
        let mut command = shell.command(&[&["traces", "list"], more].concat());
        command.envs(variables.iter().copied());
        ran(&mut command).ok().contains('\u{1b}')
    };

    assert!(!list(&[], &[]));
    assert!(list(&["--color", "always"], &[]));
    assert!(list(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!list(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!list(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connection_file_is_enough_to_reach_the_local_server() {
    let shell = Shell::open().await;
    // Set explicitly, because the default folder of root is not in its home.
    let folder = shell.home.join("local-server");
    std::fs::create_dir_all(&folder).unwrap();
    let file = serde_json::json!({ "base_url": shell.address(), "api_key": shell.key, "project_id": "p" });
    std::fs::write(folder.join("connection.json"), file.to_string()).unwrap();

    let ask = |arguments: &[&str]| ran(bare(&shell.home, arguments).env("REFLECT_DEV_FOLDER", &folder));
    let me = ask(&["whoami", "--json"]).json("whoami/1");
    let said = ask(&["whoami"]).ok();
    let elsewhere = ask(&["whoami", "--base-url", "http://127.0.0.1:1"]);
    // A project with its own file, next to a file with the key of another project.
    std::fs::rename(folder.join("connection.json"), folder.join("p.json")).unwrap();
    let other =
        serde_json::json!({ "base_url": shell.address(), "api_key": "rf_test_x", "project_id": "default" });
    std::fs::write(folder.join("connection.json"), other.to_string()).unwrap();
    let own = ask(&["whoami", "--project", "p"]).ok();

    assert_eq!(
        (me["item"]["project"].as_str(), me["item"]["base_url"].as_str()),
        (Some("p"), Some(&*shell.address()))
    );
    assert!(said.contains("connection.json") && !said.contains(&shell.key), "{said}");
    assert_eq!(elsewhere.code, Some(3), "{}", elsewhere.err);
    assert!(own.contains("p.json"), "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_endpoint_can_be_called_and_all_pages_are_fetched() {
    let shell = Shell::open().await;
    for number in 0..3 {
        shell.submit(&format!("Task {number}"), &[]);
    }

    let health: Value = serde_json::from_str(&shell.run(&["api", "GET", "/health"]).ok()).unwrap();
    let pages = shell.run(&["api", "get", "traces/rows", "-f", "limit=1", "--paginate"]).ok();
    let asked = shell.run(&["api", "POST", "memory/query", "-f", "task=Task", "-f", "limit=1"]).ok();

    assert_eq!(health["status"], "ok");
    assert_eq!(serde_json::from_str::<Vec<Value>>(&pages).unwrap().len(), 3);
    assert!(asked.starts_with('['), "{asked}");
    let page = shell.run(&["open", "review", "--print"]).ok();
    assert_eq!(page.trim(), format!("{}/p/p/review", shell.address()));
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_manage_projects_and_read_the_audit_log() {
    let shell = Shell::open().await;
    let operator = |arguments: &[&str]| {
        let output = output(&shell.db, arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };

    let (_, made, _) = operator(&["projects", "create", "support", "--json"]);
    assert!(made.contains(r#""schema":"project.create/1""#) && made.contains(r#""created":true"#), "{made}");
    assert!(operator(&["project", "list"]).1.contains("support"));
    assert!(operator(&["projects", "list", "--json"]).1.contains(r#"{"project":"support"}"#));
    assert!(operator(&["audit"]).1.contains("project.create"));
    assert!(operator(&["audit", "--json"]).1.contains(r#""schema":"audit.list/1""#));
    assert_eq!(operator(&["audit", "--project", "nobody"]).0, Some(1));
    assert!(operator(&["keys", "list", "--json"]).1.contains(r#""schema":"key.list/1""#));
    assert!(operator(&["members", "list", "--json"]).1.contains(r#""schema":"member.list/2""#));
    let (code, _, why) = operator(&["projects", "delete", "support", "--no-input"]);
    assert!(code == Some(2) && why.contains("--yes"), "{why}");
    assert_eq!(operator(&["projects", "delete", "support", "--yes"]).0, Some(0));
    assert!(!operator(&["projects", "list"]).1.contains("support"));
}

#[test]
fn completions_and_manual_pages_are_produced_for_every_command() {
    let home = std::env::temp_dir().join(format!("reflect-man-{}", uuid::Uuid::now_v7()));
    let run = |arguments: &[&str]| ran(&mut bare(&home, arguments));

    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completion", shell]).ok();
        assert!(script.contains("reflect") && script.contains("memories"), "{shell}");
    }
    let folder = home.join("man");
    run(&["man", folder.to_str().unwrap()]).ok();
    for page in ["reflect.1", "reflect-traces-list.1", "reflect-serve.1", "reflect-memories-pin.1"] {
        let text =
            std::fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let tree = run(&["commands", "--json"]).json("commands/1");
    let names: Vec<&str> =
        tree["item"]["commands"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
    assert!(
        names.contains(&"traces") && names.contains(&"serve") && !names.contains(&"commands"),
        "{names:?}"
    );
    assert!(run(&["commands"]).ok().contains("reflect traces list"));
    std::fs::remove_dir_all(&home).unwrap();
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    for arguments in [&["completion", "zsh"][..], &["commands", "--json"], &["openapi"]] {
        let mut command = bare(std::path::Path::new("/nonexistent"), arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());

        let status = child.wait().unwrap();

        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(status.success() && said.is_empty(), "{arguments:?} {status} {said}");
    }
}
