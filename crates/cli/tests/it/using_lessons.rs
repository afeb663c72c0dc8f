//! `reflect lessons`: changes of the grouping, questions, and the grouping of older memories.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};

use crate::shell::Shell;

/// Records a reviewed run with its lesson, and returns the memory.
fn teach(shell: &Shell, task: &str, lesson: &str) -> String {
    let review = json!({ "result": "pass", "reflection": { "summary": lesson } });
    let (task, review) = (format!("task={task}"), format!("review={review}"));
    let stored = shell.run(&["api", "POST", "traces", "-f", &task, "-f", "trajectory=x", "-f", &review]).ok();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    stored["created_memory_id"].as_str().unwrap().to_owned()
}

fn ids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn lessons_are_grouped_split_and_moved_and_each_change_can_be_undone() {
    let shell = Shell::open().await;
    let first = teach(&shell, "Book a meeting", "Convert dates first.");
    let second = teach(&shell, "Book a room", "Look at the calendar.");
    let lessons = || shell.run(&["lessons", "list", "--json=id"]).json("lesson.list/1");
    let memory = || shell.run(&["memories", "get", &second, "--json"]).json("memory.get/1")["item"].clone();

    assert_eq!(ids(&lessons()), [second.as_str(), first.as_str()]);
    let table = shell.run(&["lesson", "list", "--filter", "dates"]).ok();
    assert!(table.contains(&first) && !table.contains(&second), "{table}");

    let grouped = shell.run(&["lessons", "group", &first, &second, "--json"]).json("lesson.group/1");
    assert_eq!(grouped["item"]["lesson"]["situations"], 2, "{grouped}");
    assert_eq!(ids(&lessons()), [first.as_str()]);
    assert_eq!(
        (&memory()["lesson_id"], &memory()["summary"]),
        (&json!(first), &json!("Convert dates first."))
    );
    let shown = shell.run(&["lessons", "get", &first]).ok();
    assert!(shown.contains("Book a room") && shown.contains("2 of 2 passed"), "{shown}");

    let split = shell.run(&["lessons", "split", &first, &second, "--json"]).json("lesson.split/1");
    assert_eq!(split["item"]["lesson"]["id"], second.as_str());
    assert_eq!(memory()["summary"], "Look at the calendar.");
    assert_eq!(shell.run(&["lessons", "split", &first, &first]).code, Some(5));

    let moved = shell.run(&["lessons", "move", &second, &first, "--json"]).json("lesson.move/1");
    assert_eq!(ids(&lessons()).len(), 1);
    shell.run(&["actions", "undo", moved["items"][0]["action_id"].as_str().unwrap()]).ok();
    assert_eq!(memory()["lesson_id"], second.as_str());
    shell.run(&["actions", "list", "--automatic"]).ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_shown_with_both_sides_and_answered() {
    let shell = Shell::open().await;
    let first = teach(&shell, "Refund a broken order", "Refund the full price.");
    let second = teach(&shell, "Refund a cracked order", "Offer an exchange.");
    let question = uuid::Uuid::now_v7().to_string();
    // This server has no embedder, so it cannot notice that tasks are similar.
    let statement = format!(
        "insert into lesson_question (project_id, question_id, first_lesson, second_lesson, first_memory, second_memory, \
         similarity) select project_id, '{question}', '{first}', '{second}', '{first}', '{second}', 0.9 from project \
         where slug = 'p'"
    );
    shell.db.superuser().await.execute(AssertSqlSafe(statement)).await.unwrap();

    let shown = shell.run(&["lessons", "questions"]).ok();
    assert!(shown.contains("Refund the full price.") && shown.contains("Offer an exchange."), "{shown}");
    let open = || shell.run(&["lessons", "questions", "--json"]).json("lesson.questions/1");
    assert_eq!(ids(&open()), [question.as_str()]);
    assert_eq!(shell.run(&["lessons", "answer", &question, "perhaps"]).code, Some(2));

    let answer = shell.run(&["lessons", "answer", &question, "first", "--json"]).json("lesson.answer/1");
    let memory = shell.run(&["memories", "get", &second, "--json"]).json("memory.get/1");
    assert_eq!(memory["item"]["status"], "disabled");
    assert!(memory["item"]["superseded_by"].is_string(), "{memory}");
    assert!(ids(&open()).is_empty());
    let answered = shell.run(&["lessons", "questions", "--answered"]).ok();
    assert!(answered.contains("answer: first"), "{answered}");

    shell.run(&["actions", "undo", answer["item"]["action_id"].as_str().unwrap()]).ok();
    assert_eq!(ids(&open()), [question.as_str()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grouping_of_older_memories_is_reverted_after_a_confirmation() {
    let shell = Shell::open().await;
    teach(&shell, "Book a meeting", "Convert dates first.");

    let status = shell.run(&["lessons", "status"]).ok();
    assert!(status.contains("Lessons   1 from 1 situations"), "{status}");
    assert_eq!(shell.run(&["lessons", "revert"]).code, Some(2));
    let reverted = shell.run(&["lessons", "revert", "--yes", "--json"]).json("lesson.grouping/1");
    assert_eq!(reverted["item"]["state"], "reverted");
    let project: Value = serde_json::from_str(&shell.run(&["api", "GET", "/v1/projects/p"]).ok()).unwrap();
    assert_eq!(project["lessons"]["grouping"], "off");
    let started = shell.run(&["lessons", "start", "--json"]).json("lesson.grouping/1");
    assert_ne!(started["item"]["state"], "reverted");
}
