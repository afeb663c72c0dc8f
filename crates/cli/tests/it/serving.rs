//! `reflect serve`: start, errors in settings, and graceful shutdown.

use std::time::Duration;

use reflect_test_support::TestDb;
use secrecy::ExposeSecret;

use crate::process::{Server, key, output, reflect, request};

#[tokio::test(flavor = "multi_thread")]
async fn requests_in_flight_are_finished_before_the_end() {
    let db = TestDb::create().await;
    let key = key(&db, &["--project", "p"]);
    let server = Server::start(&db, &[]);
    let waiting = format!(
        "GET /v1/projects/p/traces/{}?wait=2 HTTP/1.1\r\nauthorization: Bearer {key}\r\n",
        uuid::Uuid::now_v7()
    );
    let address = server.address.clone();
    let answer = std::thread::spawn(move || request(&address, &waiting, ""));
    while !server.get("/metrics").contains("reflect_http_requests_waiting 1") {}
    server.signal("TERM");
    let answer = answer.join().unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let (code, log) = server.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("stopped"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_answers_probes_and_nothing_else() {
    let db = TestDb::create().await;
    let worker = Server::start(&db, &["--role", "worker"]);
    assert!(worker.get("/health").starts_with("HTTP/1.1 200"));
    assert!(worker.get("/ready").starts_with("HTTP/1.1 200"));
    assert!(worker.get("/v1/projects/p/traces").starts_with("HTTP/1.1 404"));
    worker.signal("INT");
    assert_eq!(worker.end().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_a_fix() {
    let db = TestDb::create_empty().await;
    let refused = output(&db, &["serve", "--listen", "127.0.0.1:0"]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && text.contains("reflect migrate"), "{text}");

    let weak = output(&db, &["serve", "--bootstrap-token", "short"]);
    let text = String::from_utf8_lossy(&weak.stderr);
    assert!(text.contains("16 characters") && text.contains("openssl"), "{text}");

    let nowhere = output(&db, &["serve", "--database-url", "postgres://127.0.0.1:1/none"]);
    let text = String::from_utf8_lossy(&nowhere.stderr);
    assert!(text.contains("database is not available"), "{text}");
    assert_eq!(text.matches("refused").count(), 1, "{text}");
}

/// The exit code and the error output.
fn refused(command: &mut std::process::Command) -> (Option<i32>, String) {
    let refused = command.output().unwrap();
    (refused.status.code(), String::from_utf8_lossy(&refused.stderr).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_setting_is_named_as_flag_and_as_variable() {
    let db = TestDb::create().await;
    let serve = |arguments: &[&str]| {
        let mut command = reflect(&db, &[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        // Not the settings of the test machine.
        command.env_remove("REFLECT_ONNXRUNTIME").env_remove("REFLECT_EMBEDDER_FOLDER");
        command
    };

    for (name, value, meant) in [
        ("REFLECT_MAX_REQUESTS", "many", "--max-requests"),
        ("REFLECT_MIGRATE", "yes", "--migrate"),
        ("REFLECT_LOG", "verbose", "is not a level"),
        ("REFLECT_TEXT_PROVIDER", "chatgpt", "anthropic"),
        ("REFLECT_DATABASE_URL", "", "--database-url"),
    ] {
        let (code, text) = refused(serve(&[]).env(name, value));
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(name) && text.contains(meant), "{text}");
    }
    let (code, text) = refused(&mut serve(&["--text-provider", "openai", "--text-model", "m"]));
    assert!(code == Some(3) && text.contains("REFLECT_TEXT_KEY"), "{text}");
    let (code, text) = refused(&mut serve(&["--embedder", "gemini", "--embedder-key", "k"]));
    assert!(code == Some(3) && text.contains("REFLECT_EMBEDDER_MODEL (--embedder-model)"), "{text}");
    let (code, text) = refused(&mut serve(&["--embedder-folder", "/nowhere"]));
    assert!(code == Some(3) && text.contains("REFLECT_ONNXRUNTIME"), "{text}");
    let (code, text) = refused(&mut serve(&["--embedder-folder", "/nowhere", "--onnxruntime", "/nowhere"]));
    assert!(code == Some(6) && text.contains("--embedder-folder") && text.contains("/nowhere"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn database_connection_errors_have_a_fix() {
    let db = TestDb::create().await;
    let url = db.url().expose_secret().to_owned();
    let at =
        |url: &str| refused(&mut reflect(&db, &["serve", "--listen", "127.0.0.1:0", "--database-url", url]));

    for (url, meant) in [
        ("reflect", "start with postgres://"),
        ("mysql://a:secret@127.0.0.1/db", "start with postgres://"),
        ("postgres://a:secret@127.0.0.1:x/db", "invalid port number"),
        (&*format!("{url}?sslmode=sometimes"), "ssl_mode"),
        (&*format!("{url}?sslmode=require"), "TLS"),
        (&*format!("{url}_not_there"), "createdb"),
        (&*format!("{url}?options=-cdefault_transaction_read_only=on"), "primary"),
        (db.url_as("nobody_of_that_name").expose_secret(), "pg_hba.conf"),
    ] {
        let (code, text) = at(url);
        assert_eq!(code, Some(3), "{url}: {text}");
        assert!(text.contains("REFLECT_DATABASE_URL") && text.contains(meant), "{url}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_variable_is_named_and_an_empty_one_is_ignored() {
    let db = TestDb::create().await;
    let mut command = reflect(&db, &["serve", "--listen", "127.0.0.1:0"]);
    command.env("REFLECT_EMBEDER_FOLDER", "/models").env("REFLECT_TEXT_PROVIDER", "");
    let server = Server::of(command);

    server.signal("TERM");

    assert!(server.before.contains("REFLECT_EMBEDER_FOLDER"), "{}", server.before);
    assert!(!server.before.contains("REFLECT_DATABASE_URL"), "{}", server.before);
    assert_eq!(server.end().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_not_logged() {
    let db = TestDb::create().await;
    let key = key(&db, &["--project", "p"]);
    let server = Server::start(
        &db,
        &["--log", "trace", "--bootstrap-token", "a-very-secret-token", "--mcp-hosts", "x,y.example"],
    );
    let head = format!(
        "POST /v1/projects/p/traces HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
    );
    let answer = server.request(&head, r#"{"task":"canary-task","trajectory":"canary-trajectory"}"#);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n"
    );
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_memory","arguments":{
        "task":"canary-tool-task","result":"pass","summary":"canary-lesson","unheard":"canary-argument"}}}"#;
    let answer = server.request(&head, call);
    assert!(answer.contains("created_memory_id") && answer.contains(r#""isError":false"#), "{answer}");
    let bootstrap = "POST /v1/bootstrap HTTP/1.1\r\nx-bootstrap-token: a-very-secret-token\r\n\
                     content-type: application/json\r\n";
    let answer = server.request(bootstrap, r#"{"user_id":"u","project_id":"p"}"#);
    let made = answer.split('"').find(|part| part.starts_with("rf_live_")).expect("a key").to_owned();
    server.signal("TERM");
    let (_, log) = server.end();
    let canaries =
        ["canary-task", "canary-trajectory", "canary-tool-task", "canary-lesson", "canary-argument"];
    for secret in [key.as_str(), made.as_str(), "a-very-secret-token"].into_iter().chain(canaries) {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_and_logs_name_the_request_in_closed_sets() {
    let db = TestDb::create().await;
    let key = key(&db, &["--project", "p"]);
    let server = Server::start(&db, &[]);
    let method = "X".repeat(1000);
    server.request(&format!("{method} /health HTTP/1.1\r\n"), "");
    server.request(&format!("{method} /{} HTTP/1.1\r\n", "y".repeat(1000)), "");
    server.request(&format!("GET /v1/projects/p HTTP/1.1\r\nauthorization: Bearer {key}\r\n"), "");

    let metrics = server.get("/metrics");

    assert!(!metrics.contains("XXX") && !metrics.contains("yyy"), "{metrics}");
    assert!(metrics.contains(r#"method="other",route="unmatched""#), "{metrics}");
    server.signal("TERM");
    let (_, log) = server.end();
    assert!(!log.contains("XXX"), "{log}");
    let line = log.lines().find(|line| line.contains("/v1/projects/{project_id}")).expect(&log);
    assert!(line.contains(r#""caller":"key:"#) && line.contains(r#""client":"127.0.0.1""#), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn listening_beyond_this_machine_without_tls_is_noted() {
    let db = TestDb::create().await;
    for (arguments, noted) in [
        (&["--listen", "0.0.0.0:0"][..], true),
        (&["--listen", "0.0.0.0:0", "--public-url", "https://reflect.example"], false),
        (&["--listen", "127.0.0.1:0"], false),
    ] {
        let server = Server::of(reflect(&db, &[&["serve"], arguments].concat()));
        assert_eq!(server.before.contains("without TLS"), noted, "{}", server.before);
        server.signal("TERM");
        server.end();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_finishes_its_headers_is_disconnected() {
    use std::io::{Read, Write};
    let db = TestDb::create().await;
    let server = Server::start(&db, &[]);
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nhost:").unwrap();
    let mut rest = Vec::new();
    // It ends with or without a response.
    assert!(stream.read_to_end(&mut rest).is_ok());
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_fails_before_the_listener_closes() {
    let db = TestDb::create().await;
    let server = Server::start(&db, &["--drain-delay-seconds", "5"]);
    server.signal("TERM");
    let mut ready = server.get("/ready");
    while ready.starts_with("HTTP/1.1 200") {
        ready = server.get("/ready");
    }
    assert!(ready.contains("draining"), "{ready}");
    assert_eq!(server.end().0, Some(0));
}

/// Every socket of the process belongs to the database or to a client of this test: the server connects to no address
/// that the operator did not configure.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_connects_only_to_the_database() {
    let db = TestDb::create().await;
    let key = key(&db, &["--project", "p"]);
    let server = Server::start(&db, &[]);
    let head = format!(
        "POST /v1/projects/p/traces HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
    );
    server.request(&head, r#"{"task":"t","trajectory":"t","review":{"result":"pass"}}"#);
    server.get("/docs");

    let remote = remote_addresses(server.child.id());
    assert!(!remote.is_empty(), "the connection to the database should show");
    let own_port = server.address.rsplit(':').next().unwrap().parse::<u16>().unwrap();
    for (local, remote) in remote {
        assert!(remote.0 == db.address() || local.1 == own_port, "{local:?} -> {remote:?}");
    }
    server.signal("TERM");
    server.end();
}

/// ONNX Runtime sends telemetry as soon as it is loaded, unless its variable is set by then. `just outbound` shows that
/// this is enough.
#[tokio::test(flavor = "multi_thread")]
async fn onnx_runtime_telemetry_is_disabled_before_the_library_is_loaded() {
    let db = TestDb::create().await;
    let server = Server::start(&db, &[]);

    let environment = std::fs::read(format!("/proc/{}/environ", server.child.id())).unwrap();

    let set: Vec<&[u8]> = environment.split(|byte| *byte == 0).collect();
    assert!(set.contains(&b"ORT_DISABLE_TELEMETRY=1".as_slice()));
    server.signal("TERM");
    assert_eq!(server.end().0, Some(0));
}

type Address = (String, u16);

/// The open TCP connections of a process, as the kernel lists them.
fn remote_addresses(pid: u32) -> Vec<(Address, Address)> {
    let sockets: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
        .filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .collect();
    let table =
        ["tcp", "tcp6"].map(|name| std::fs::read_to_string(format!("/proc/{pid}/net/{name}")).unwrap());
    let listening = "0A";
    let connections = table.iter().flat_map(|table| table.lines().skip(1)).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let mine = sockets.iter().any(|inode| inode == fields[9]) && fields[3] != listening;
        mine.then(|| (address(fields[1]), address(fields[2])))
    });
    connections.collect()
}

/// Parses the kernel's format of an IPv4 address. Of an IPv6 address, the last four bytes.
fn address(text: &str) -> Address {
    let (host, port) = text.split_once(':').unwrap();
    let host = u32::from_str_radix(&host[host.len() - 8..], 16).unwrap();
    (std::net::Ipv4Addr::from(host.swap_bytes()).to_string(), u16::from_str_radix(port, 16).unwrap())
}
