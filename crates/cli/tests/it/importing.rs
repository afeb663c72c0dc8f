//! `reflect memories import`, with the committed sample of each format.

use serde_json::Value;

use crate::shell::{Ran, Shell};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands/memories/import/samples");

fn import(shell: &Shell, more: &[&str]) -> Ran {
    shell.run(&[&["memories", "import", "--json"], more].concat())
}

fn count(ran: &Ran, name: &str) -> u64 {
    let answer: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    assert_eq!(answer["schema"], "memory.import/1");
    answer["item"][name].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

/// Imports a sample twice. Returns how many memories it gives.
fn twice(shell: &Shell, more: &[&str]) -> u64 {
    let first = import(shell, more);
    let second = import(shell, more);
    let created = count(&first, "created");
    assert_eq!((count(&first, "already_imported"), count(&second, "created")), (0, 0), "{more:?}");
    assert_eq!(count(&second, "already_imported"), created, "{more:?}");
    created
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_imported_twice_gives_each_memory_once_quarantined_with_its_provenance() {
    let shell = Shell::open().await;
    let sample = |name: &str| format!("{SAMPLES}/{name}");
    let mapping = ["--map", "task=input.question", "--map", "guidance=lesson.text", "--map", "id=ref"];

    let counts = [
        twice(&shell, &[&[sample("lessons.jsonl").as_str()][..], &mapping].concat()),
        twice(&shell, &[&sample("mem0.json")]),
        twice(&shell, &[&sample("letta-agent.af")]),
        twice(&shell, &[&sample("letta-agent-v1.af")]),
        twice(&shell, &[&sample("letta-passages.json")]),
        twice(&shell, &[&sample("CLAUDE.md")]),
        // A rule that CLAUDE.md has too is one memory.
        twice_of_known(&shell, &sample("AGENTS.md")),
        twice(&shell, &[&sample("api.mdc")]),
    ];

    assert_eq!(counts, [2, 2, 3, 1, 1, 6, 1, 2]);
    let listed = shell.run(&["memories", "list", "--all", "--json"]).json("memory.list/1");
    let listed = listed["items"].as_array().unwrap();
    assert_eq!(listed.len() as u64, counts.iter().sum::<u64>());
    for memory in listed {
        assert_eq!(
            (&memory["status"], &memory["origin"]),
            (&"quarantined".into(), &"import".into()),
            "{memory}"
        );
        let id = memory["id"].as_str().unwrap();
        let detail = shell.run(&["memories", "get", id, "--json"]).json("memory.get/1");
        let from = &detail["item"]["provenance"]["imported"];
        let file = from["file"].as_str().unwrap();
        assert!(file.starts_with(SAMPLES), "{from}");
        let importer = from["importer"].as_str().unwrap();
        let has_line = from["line"].as_u64().is_some();
        assert_eq!(has_line, matches!(importer, "jsonl" | "rules"), "{from}");
    }
    let rule =
        listed.iter().find(|memory| memory["summary"] == "Run `just test` before you commit.").unwrap();
    let shown = shell.run(&["memories", "get", rule["id"].as_str().unwrap()]).ok();
    assert!(shown.contains("CLAUDE.md:7 (rules)"), "{shown}");
}

fn twice_of_known(shell: &Shell, file: &str) -> u64 {
    let first = import(shell, &[file]);
    assert_eq!(count(&first, "already_imported"), 1);
    assert_eq!(count(&import(shell, &[file]), "created"), 0);
    count(&first, "created")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_sends_nothing_and_wrong_items_are_listed() {
    let shell = Shell::open().await;

    let preview = shell.run(&["memories", "import", &format!("{SAMPLES}/CLAUDE.md"), "--dry-run"]).ok();
    assert!(preview.contains("CLAUDE.md:7") && preview.contains("before you commit"), "{preview}");
    let refused = import(&shell, &[&format!("{SAMPLES}/lessons.jsonl")]);
    assert_eq!(refused.code, Some(5), "{}", refused.err);
    assert!(refused.err.contains("lessons.jsonl:4"), "{}", refused.err);
    assert_eq!(count(&refused, "created"), 0);
    let unknown = shell.file("x.json", "{}");
    assert_eq!(shell.run(&["memories", "import", &unknown]).code, Some(2));
    assert_eq!(shell.run(&["memories", "import", "a.jsonl", "--map", "advice=x"]).code, Some(2));
    let listed = shell.run(&["memories", "list", "--json"]).json("memory.list/1");
    assert_eq!(listed["items"], serde_json::json!([]));
}
