//! `reflect traces`: recording and reading runs.

use serde_json::Value;

use crate::shell::Shell;

fn ids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_recorded_listed_shown_and_deleted() {
    let shell = Shell::open().await;
    let pending = shell.submit("Refund order 1182", &["--model", "small", "--metadata", "env=prod"]);
    let failed = shell.submit("Book a meeting", &["--fail", "-m", "It was the wrong day.", "--wait", "30"]);

    let table = shell.run(&["traces", "list"]).ok();
    assert!(table.contains(&pending) && table.contains("Refund order 1182"), "{table}");
    let list = shell.run(&["trace", "list", "--json=id,task", "--limit", "1"]).json("trace.list/1");
    assert_eq!(list["items"], serde_json::json!([{ "id": failed, "task": "Book a meeting" }]));
    assert!(list["next"].is_string(), "{list}");
    let some = shell.run(&["traces", "list", "--filter", "status:pending model:sm* refund", "--json"]);
    assert_eq!(ids(&some.json("trace.list/1")), [pending.as_str()]);
    let columns = shell.run(&["traces", "list", "--all", "--fields", "task,model"]).ok();
    assert!(columns.starts_with("TASK") && columns.contains("small"), "{columns}");

    let shown = shell.run(&["traces", "get", &failed]).ok();
    assert!(shown.contains("fail by") && shown.contains("It was the wrong day."), "{shown}");
    let item = shell.run(&["traces", "get", &failed, "--json"]).json("trace.get/1");
    assert_eq!(item["item"]["review"]["result"], "fail");
    let steps = shell.run(&["traces", "get", &pending, "--steps", "--json"]).json("trace.steps/1");
    assert_eq!(steps["item"]["total"], 1);
    let tail = shell.run(&["traces", "tail", "--count", "2", "--json=id"]).ok();
    assert_eq!(tail.lines().count(), 2, "{tail}");
    let tail = shell.run(&["traces", "tail", "--count", "1", "-n", "1"]).ok();
    assert!(tail.contains(&failed), "{tail}");

    let unasked = shell.run(&["traces", "delete", &pending]);
    assert_eq!(unasked.code, Some(2), "{}", unasked.err);
    assert!(unasked.err.contains("--yes"), "{}", unasked.err);
    let gone = shell.run(&["traces", "delete", &pending, "--yes", "--json"]).json("trace.delete/1");
    assert_eq!(gone["item"]["deleted"], 1);
    assert_eq!(shell.run(&["traces", "get", &pending]).code, Some(5));
    let settled = shell.run(&["traces", "retry", &failed, "--json"]);
    assert_eq!(settled.code, Some(5), "{}", settled.err);
    assert_eq!(
        shell.run(&["traces", "retry", "--failed", "--json"]).json("trace.retry/1")["items"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn undoing_removes_the_review_or_else_the_deferral() {
    let shell = Shell::open().await;
    let run = shell.submit("Refund order 1182", &[]);

    let deferred = shell.run(&["review", &run, "--defer", "1d", "--json"]).json("review.defer/1");
    assert!(deferred["item"]["deferred_until"].is_string(), "{deferred}");
    let resumed = shell.run(&["review", &run, "--undo", "--json"]).json("review.defer/1");
    assert!(resumed["item"]["deferred_until"].is_null(), "{resumed}");

    shell.run(&["review", &run, "--pass"]).ok();
    let withdrawn = shell.run(&["review", &run, "--undo", "--json"]).json("review/1");
    assert!(withdrawn["item"]["result"].is_null(), "{withdrawn}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_can_be_repeated_and_stores_nothing_twice() {
    let shell = Shell::open().await;
    let line = |number: usize| format!(r#"{{"task":"task {number}","trajectory":"text"}}"#);
    let lines: Vec<String> = (0..250).map(|number| line(number % 249)).collect();
    let file = shell.file("runs.jsonl", &lines.join("\n"));

    let first = shell.run(&["traces", "import", &file, "--json"]).json("trace.import/1");
    let again = shell.run(&["traces", "import", &file]).ok();

    assert_eq!(first["item"]["stored"], 250);
    assert!(again.contains("Stored: 250 runs."), "{again}");
    let all = shell.run(&["traces", "list", "--all", "--json=id"]).json("trace.list/1");
    assert_eq!(ids(&all).len(), 250);

    let out = shell.home.join("out.jsonl");
    let exported = shell.run(&["traces", "export", "-o", out.to_str().unwrap()]);
    assert!(exported.err.contains("250 runs"), "{}", exported.err);
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 250);
    for _ in 0..2 {
        shell.run(&["traces", "import", out.to_str().unwrap(), "--project", "q"]).ok();
    }
    let copy = shell.run(&["traces", "list", "--all", "--json=id", "--project", "q"]).json("trace.list/1");
    assert_eq!(ids(&copy), ids(&all));
    let some = shell.run(&["traces", "export", "--filter", "task", "--limit", "3"]).ok();
    assert_eq!(some.lines().count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_lines_are_named_and_the_others_are_stored() {
    let shell = Shell::open().await;
    let file =
        shell.file("runs.jsonl", "{\"task\":\"good\",\"trajectory\":\"t\"}\n\nno json\n{\"task\":1}\n");

    let dry = shell.run(&["traces", "import", &file, "--dry-run", "--json"]);
    let ran = shell.run(&["traces", "import", &file]);

    assert_eq!((dry.code, ran.code), (Some(5), Some(5)));
    assert!(ran.err.contains("line 3:") && ran.err.contains("line 4:"), "{}", ran.err);
    assert_eq!(ran.out.trim(), "Stored: 1 run. Rejected: 2.");
    let list = shell.run(&["traces", "list", "--json=task"]).json("trace.list/1");
    assert_eq!(list["items"], serde_json::json!([{ "task": "good" }]));
    let missing = shell.run(&["traces", "import", "nowhere.jsonl"]);
    assert_eq!(missing.code, Some(6), "{}", missing.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_is_harmless_in_a_terminal_and_stored_unchanged() {
    let shell = Shell::open().await;
    let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}Refund\u{202e} 1182\u{9b}31m\r\u{200b}";
    let body = serde_json::json!({ "task": hostile, "trajectory": hostile, "model": hostile }).to_string();
    let file = shell.file("run.json", &body);
    let id = shell.run(&["traces", "submit", &file]).ok().trim().to_owned();

    for arguments in
        [&["traces", "list"][..], &["traces", "get", &id, "--steps"], &["traces", "tail", "--count", "1"]]
    {
        let shown = shell.run(&[arguments, &["--color", "never"]].concat()).ok();
        let harmful = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(shown.contains("Refund") && !shown.contains(harmful), "{arguments:?} {shown:?}");
    }
    let json = shell.run(&["traces", "get", &id, "--json"]);
    assert!(!json.out.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{:?}", json.out);
    assert_eq!(json.json("trace.get/1")["item"]["task"], hostile);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_characters_of_an_id_are_enough_if_they_are_unique() {
    let shell = Shell::open().await;
    let stem = uuid::Uuid::now_v7().to_string()[..24].to_owned();
    let ids = ["a", "b"].map(|end| format!("{stem}{end}00000000000"));
    for id in &ids {
        let body = format!(r#"{{"trace_id":"{id}","task":"run {id}","trajectory":"text"}}"#);
        shell.run(&["traces", "submit", &shell.file("run.json", &body)]).ok();
    }

    let one = shell.run(&["traces", "get", &ids[0][..25], "--json"]).json("trace.get/1");
    assert_eq!(one["item"]["id"], ids[0].as_str());
    let several = shell.run(&["traces", "get", &stem[..13]]);
    assert_eq!(several.code, Some(2), "{}", several.err);
    assert!(ids.iter().all(|id| several.err.contains(id)), "{}", several.err);
    let none = shell.run(&["traces", "get", "01234567"]);
    assert_eq!(none.code, Some(5), "{}", none.err);
    assert!(none.err.contains("no run has an id that starts with 01234567"), "{}", none.err);
    assert_eq!(shell.run(&["traces", "get", "0123456"]).code, Some(2));

    shell.run(&["review", &ids[1][..25], "--pass"]).ok();
    shell.run(&["traces", "delete", &ids[0][..25], "--yes"]).ok();
    let left = shell.run(&["traces", "list", "--json=id"]).json("trace.list/1");
    assert_eq!(self::ids(&left), [ids[1].as_str()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelled_review_is_refused_here_and_one_that_was_sent_is_shown_once() {
    let shell = Shell::open().await;
    let run = r#"{"task":"t","trajectory":"x","review":{"result":"fail","feedback":"The price was wrong."}}"#;
    let file = shell.file("run.jsonl", run);

    let submitted = shell.run(&["traces", "submit", &file]);
    assert_eq!(submitted.code, Some(2), "{}", submitted.err);
    assert!(submitted.err.contains("review.feedback (did you mean feedback_text?)"), "{}", submitted.err);
    let imported = shell.run(&["traces", "import", &file]);
    assert_eq!(imported.code, Some(5), "{}", imported.err);
    assert!(imported.err.contains("review.feedback (did you mean feedback_text?)"), "{}", imported.err);

    let sent =
        shell.run(&["api", "POST", "traces", "-f", "task=t", "-f", "trajectory=x", "-f", "reviw=pass"]);
    assert_eq!(sent.code, Some(0), "{}", sent.err);
    assert_eq!(sent.err.trim(), "warning: unknown fields: reviw (did you mean review?)");
}
