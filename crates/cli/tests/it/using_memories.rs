//! `reflect memories`, `actions`, `retrieve`, `skill` and `stats`: the curation of memories.

use crate::shell::Shell;

fn add(shell: &Shell, task: &str, guidance: &str) -> String {
    shell
        .run(&["memories", "add", "--task", task, "--guidance", guidance, "--summary", guidance])
        .ok()
        .trim()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_are_created_shown_and_edited() {
    let shell = Shell::open().await;
    let id = add(&shell, "Book a meeting", "Convert dates first.");

    let table = shell.run(&["memories", "list"]).ok();
    assert!(table.contains(&id) && table.contains("Convert dates first."), "{table}");
    let list = shell.run(&["memory", "list", "--filter", "status:active dates", "--json=id,status"]);
    let list = list.json("memory.list/1");
    assert_eq!(list["items"], serde_json::json!([{ "id": id, "status": "active" }]));
    let shown = shell.run(&["memories", "get", &id]).ok();
    assert!(shown.contains("Book a meeting") && shown.contains("Next time"), "{shown}");
    assert_eq!(shell.run(&["memories", "get", &id, "--json"]).json("memory.get/1")["item"]["version"], 1);

    let edited = shell.run(&["memories", "edit", &id, "--guidance", "Ask for the time zone.", "--json"]);
    assert_eq!(edited.json("memory.edit/1")["items"][0]["memory"]["version"], 2);
    let nothing = shell.run(&["memories", "edit", &id]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.err);
    let history = shell.run(&["memories", "history", &id]).ok();
    assert!(history.contains("version"), "{history}");
    let history = shell.run(&["memories", "history", &id, "--json"]).json("memory.history/1");
    assert!(!history["items"].as_array().unwrap().is_empty(), "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn curation_changes_retrieval_and_can_be_undone() {
    let shell = Shell::open().await;
    let id = add(&shell, "Book a meeting", "Convert dates first.");
    let other = add(&shell, "Book a room", "Look at the calendar.");

    for (verb, status) in [
        ("disable", "disabled"),
        ("enable", "active"),
        ("quarantine", "quarantined"),
        ("release", "active"),
        ("pin", "active"),
        ("unpin", "active"),
    ] {
        let schema = format!("memory.{verb}/1");
        let done = shell.run(&["memories", verb, &id, "--json"]).json(&schema);
        assert_eq!(done["items"][0]["memory"]["status"], status, "{verb}");
    }
    assert_eq!(shell.run(&["memories", "delete", &id]).code, Some(2));
    let gone = shell.run(&["memories", "delete", &id, "--yes", "--json"]).json("memory.delete/1");
    let action = gone["items"][0]["action_id"].as_str().unwrap();
    let actions = shell.run(&["actions", "list"]).ok();
    assert!(actions.contains(action), "{actions}");
    let actions = shell.run(&["actions", "list", "--json=id", "--limit", "1"]).json("action.list/1");
    assert_eq!(actions["items"][0]["id"], action);
    let undone = shell.run(&["actions", "undo", action, "--json"]).json("action.undo/1");
    assert!(undone["item"]["undone_at"].is_string(), "{undone}");
    let merged = shell.run(&["memories", "merge", &id, &other]).ok();
    assert!(merged.contains(&id), "{merged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn retrieve_shows_memories_with_reasons() {
    let shell = Shell::open().await;
    let id = add(&shell, "Refund a broken order", "Look the price up first.");

    let table = shell.run(&["retrieve", "Refund a broken order", "--explain", "--lambda", "0.2"]).ok();
    assert!(table.contains("SCORE") && table.contains("Look the price up first."), "{table}");
    assert!(table.contains("SUPPORT") && table.contains("1 of 1"), "{table}");
    let arguments = ["retrieve", "Refund a broken order", "--json", "--explain", "--limit", "3"];
    let found = shell.run(&arguments).json("memory.retrieve/1");
    assert_eq!(found["item"]["memories"][0]["id"], id.as_str());
    assert!(found["item"]["considered"].is_array(), "{found}");

    assert_eq!(shell.run(&["skill", "get"]).code, Some(5));
    shell.submit("Refund order 1182", &["--pass", "--wait", "30"]);
    let skill = shell.run(&["skill", "create", "--passed", "3", "--json"]).json("skill.create/1");
    assert_eq!(skill["item"]["version"], 1);
    let text = shell.run(&["skill", "get"]).ok();
    assert_eq!(Some(text.trim()), skill["item"]["content"].as_str().map(str::trim));

    let stats = shell.run(&["stats", "--since", "30d"]).ok();
    assert!(stats.contains("Uplift") && stats.contains("nobody_reviews"), "{stats}");
    assert!(stats.contains("Lessons   "), "{stats}");
    assert!(shell.run(&["stats", "--json"]).json("stats/1")["item"]["uplift"].is_object());
}
