//! The bank of lessons: what a run adds to it by itself, and grouping, splitting and moving by people.

use reflect_engine::KeyRequest;
use reflect_store::AuditActor;
use reflect_test_support::{TestApp, TestResponse};
use reflect_types::{Scope, Trust};
use serde_json::{Value, json};

const ANN: &str = "reset the password of ann";
const BOB: &str = "reset the password of bob";

/// A run with its lesson. Returns its trace and its memory.
async fn run(app: &TestApp, body: Value) -> (String, String) {
    let stored = app.post("/traces", &body).await.expect(201).json();
    let text = |name: &str| stored[name].as_str().unwrap().to_owned();
    (text("trace_id"), text("created_memory_id"))
}

async fn learned(app: &TestApp, task: &str, lesson: Value) -> String {
    let review = json!({ "result": "pass", "reflection": lesson });
    run(app, json!({ "task": task, "trajectory": [], "review": review })).await.1
}

/// A lesson that only says what to do.
fn advice(action: &str) -> Value {
    json!({ "correct_action": action })
}

async fn lessons(app: &TestApp, parameters: &str) -> Vec<Value> {
    let listed = app.get(&format!("/lessons?{parameters}")).await.expect(200).json();
    listed.as_array().unwrap().clone()
}

async fn memory(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/memories/{id}")).await.expect(200).json()
}

/// The numbers of a memory that grouping must not change.
fn numbers(memory: &Value) -> [Value; 5] {
    ["q_value", "credit", "evidence", "reviews", "utility"].map(|name| memory[name].clone())
}

async fn group(app: &TestApp, into: &str, lessons: &[&str]) -> TestResponse {
    app.post("/lessons/group", &json!({ "into": into, "lesson_ids": lessons })).await
}

async fn split(app: &TestApp, lesson: &str, memories: &[&str]) -> TestResponse {
    app.post(&format!("/lessons/{lesson}/split"), &json!({ "memory_ids": memories })).await
}

async fn undo(app: &TestApp, action: &Value) {
    app.post(&format!("/actions/{}/undo", action.as_str().unwrap()), &json!({})).await.expect(200);
}

/// What the server did by itself, newest first.
async fn automatic(app: &TestApp) -> Vec<Value> {
    let all = app.get("/actions?include_automatic=true").await.expect(200).json();
    all.as_array().unwrap().iter().filter(|action| action["actor"] == "server").cloned().collect()
}

#[tokio::test]
async fn runs_with_the_same_action_about_similar_tasks_are_one_lesson() {
    let app = TestApp::start().await;
    let first =
        learned(&app, ANN, json!({ "summary": "Ann.", "correct_action": "Send the reset link." })).await;
    let second =
        learned(&app, BOB, json!({ "summary": "Bob.", "correct_action": "send the  reset link" })).await;
    let other = learned(&app, "bake seven breads", advice("SEND the reset link")).await;

    let listed = lessons(&app, "").await;
    assert_eq!(listed.len(), 2, "another task is another lesson: {listed:?}");
    let lesson = listed.iter().find(|lesson| lesson["id"] == json!(first)).unwrap();
    assert_eq!(
        (&lesson["situations"], &lesson["runs"], &lesson["passed_runs"]),
        (&json!(2), &json!(2), &json!(2))
    );
    assert_eq!((&lesson["summary"], &lesson["speaker_id"]), (&json!("Ann."), &json!(first)));
    let detail = app.get(&format!("/lessons/{first}")).await.expect(200).json();
    let memories: Vec<&Value> = detail["memories"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(memories, [&json!(second), &json!(first)], "newest first");
    let shown = memory(&app, &second).await;
    assert_eq!((&shown["task"], &shown["summary"]), (&json!(BOB), &json!("Ann.")));
    assert_ne!(memory(&app, &other).await["lesson_id"], lesson["id"]);

    // It is an action of the server, which people see on request and can undo. The run's own words are there again.
    assert_eq!(app.get("/actions").await.expect(200).json(), json!([]));
    let done = automatic(&app).await;
    assert_eq!(
        (done.len(), &done[0]["kind"], &done[0]["summary"]["by"]),
        (1, &json!("lesson.join"), &json!("structure"))
    );
    undo(&app, &done[0]["id"]).await;
    let own = memory(&app, &second).await;
    assert_eq!((&own["lesson_id"], &own["summary"]), (&json!(second), &json!("Bob.")));
    assert_eq!(lessons(&app, "q=bob&sort=utility").await[0]["id"], json!(second));
}

#[tokio::test]
async fn a_lesson_has_the_numbers_of_its_most_tried_memory() {
    let app = TestApp::start().await;
    let first = learned(&app, ANN, advice("send the reset link")).await;
    let second = learned(&app, BOB, advice("send the reset link")).await;
    let used = json!({ "task": "reset the token of eve please", "trajectory": [],
                       "retrieved_memory_ids": [second], "used_memory_ids": [second],
                       "review": { "result": "pass", "reflection": { "summary": "Eve." } } });
    run(&app, used).await;

    let lesson = app.get(&format!("/lessons/{first}")).await.expect(200).json();
    let (tried, untried) = (memory(&app, &second).await, memory(&app, &first).await);
    for name in ["reviews", "passes", "credit", "evidence", "credit_interval"] {
        assert_eq!(lesson[name], tried[name], "{name}");
        assert_ne!(lesson[name], untried[name], "{name}");
    }
    assert_eq!(lesson["credit_range"], json!([untried["credit"], tried["credit"]]));
}

#[tokio::test]
async fn an_absorbed_run_is_a_memory_again_after_undo() {
    let app = TestApp::start().await;
    let first = learned(&app, ANN, advice("send the reset link")).await;
    let body = json!({ "task": ANN, "trajectory": [],
                       "review": { "result": "pass", "reflection": advice("send the reset link") } });
    let (trace, absorbing) = run(&app, body).await;
    assert_eq!(absorbing, first);
    assert_eq!(memory(&app, &first).await["absorbed"], 1);
    let lesson = lessons(&app, "").await;
    assert_eq!(
        (&lesson[0]["situations"], &lesson[0]["absorbed"], &lesson[0]["runs"]),
        (&json!(1), &json!(1), &json!(2))
    );

    undo(&app, &automatic(&app).await[0]["id"]).await;

    let trace = app.get(&format!("/traces/{trace}")).await.expect(200).json();
    let own = trace["created_memory_id"].as_str().unwrap();
    assert_ne!(own, first);
    assert_eq!(
        (&memory(&app, own).await["status"], &memory(&app, &first).await["absorbed"]),
        (&json!("active"), &json!(0))
    );
}

#[tokio::test]
async fn a_project_can_switch_grouping_off() {
    let app = TestApp::start().await;
    let change = json!({ "lessons": { "grouping": "off", "absorb": false } });
    let set = app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200).json();
    let expected = json!({ "grouping": "off", "absorb": false, "supersede": true, "infer_use": true,
                           "utility_weight": "default" });
    assert_eq!(set["lessons"], expected);
    let first = learned(&app, ANN, advice("send the reset link")).await;
    assert_ne!(learned(&app, ANN, advice("send the reset link")).await, first);
    assert!(automatic(&app).await.is_empty());
    let wrong = json!({ "lessons": { "grouping": "sometimes" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&wrong)).await.expect(422);
}

#[tokio::test]
async fn people_group_split_and_move_and_no_number_changes() {
    let app = TestApp::start().await;
    let one = learned(&app, ANN, json!({ "guidance": "Send a link." })).await;
    let two = learned(&app, BOB, json!({ "guidance": "Mail the link." })).await;
    let three = learned(&app, "bake seven breads", json!({ "guidance": "Heat the oven." })).await;
    let voted = json!({ "task": BOB, "trajectory": [], "retrieved_memory_ids": [two],
                        "review": { "result": "pass", "reflection": { "guidance": "Look twice." } } });
    run(&app, voted).await;
    let before = [numbers(&memory(&app, &one).await), numbers(&memory(&app, &two).await)];

    let grouped = group(&app, &one, &[&two, &three]).await.expect(200).json();
    assert_eq!((&grouped["lesson"]["id"], &grouped["lesson"]["situations"]), (&json!(one), &json!(3)));
    assert_eq!(memory(&app, &two).await["guidance"], "Send a link.");
    let again = group(&app, &one, &[&two]).await.expect(404);
    assert_eq!(again.code(), "not_found", "it is no lesson any more");

    let parted = split(&app, &one, &[&three]).await.expect(200).json();
    assert_eq!(
        (&parted["lesson"]["id"], &parted["lesson"]["guidance"]),
        (&json!(three), &json!("Heat the oven."))
    );
    let moved =
        app.post(&format!("/memories/{two}/move"), &json!({ "lesson_id": three })).await.expect(200).json();
    assert_eq!(
        (&moved["memory"]["lesson_id"], &moved["memory"]["guidance"]),
        (&json!(three), &json!("Heat the oven."))
    );
    assert_eq!([numbers(&memory(&app, &one).await), numbers(&memory(&app, &two).await)], before);

    let kinds = app.get("/actions").await.expect(200).json();
    let kinds: Vec<&Value> = kinds.as_array().unwrap().iter().map(|action| &action["kind"]).collect();
    assert_eq!(kinds, ["lesson.move", "lesson.split", "lesson.group"]);
    // In any order.
    for done in [&grouped, &moved, &parted] {
        undo(&app, &done["action_id"]).await;
    }
    for (id, guidance) in [(&one, "Send a link."), (&two, "Mail the link."), (&three, "Heat the oven.")] {
        let memory = memory(&app, id).await;
        assert_eq!((&memory["lesson_id"], &memory["guidance"]), (&json!(id), &json!(guidance)));
    }
}

/// The ids of the memories of a lesson, newest first.
async fn members(app: &TestApp, lesson: &Value) -> Vec<Value> {
    let path = format!("/lessons/{}", lesson.as_str().unwrap());
    let detail = app.get(&path).await.expect(200).json();
    detail["memories"].as_array().unwrap().iter().map(|memory| memory["id"].clone()).collect()
}

#[tokio::test]
async fn a_founder_that_is_split_off_gets_a_lesson_of_its_own() {
    let app = TestApp::start().await;
    let link = |summary: &str| json!({ "summary": summary, "correct_action": "send the reset link" });
    let first = learned(&app, ANN, link("Ann.")).await;
    let second = learned(&app, BOB, link("Bob.")).await;
    let third = learned(&app, "reset the password of eve", link("Eve.")).await;
    assert_eq!(members(&app, &json!(first)).await, [json!(third), json!(second), json!(first)]);

    let parted = split(&app, &first, &[&first]).await.expect(200).json();

    let new = &parted["lesson"]["id"];
    assert_ne!(new, &json!(first), "the others still have that lesson");
    assert_eq!((&parted["lesson"]["summary"], &parted["lesson"]["situations"]), (&json!("Ann."), &json!(1)));
    assert_eq!(members(&app, new).await, [json!(first)]);
    let rest = app.get(&format!("/lessons/{first}")).await.expect(200).json();
    assert_eq!((&rest["summary"], &rest["speaker_id"]), (&json!("Bob."), &json!(second)));
    assert_eq!(members(&app, &json!(first)).await, [json!(third), json!(second)]);
    // It can be extended like any other lesson.
    app.post(&format!("/memories/{third}/move"), &json!({ "lesson_id": new })).await.expect(200);
    assert_eq!(members(&app, new).await, [json!(third), json!(first)]);

    undo(&app, &parted["action_id"]).await;
    assert_eq!(memory(&app, &first).await["lesson_id"], json!(first));
}

#[tokio::test]
async fn a_lesson_that_is_not_grouped_is_shown_grouped_and_split_with_all_its_memories() {
    let app = TestApp::start().await;
    let change = json!({ "lessons": { "grouping": "off" } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
    let one = learned(&app, ANN, advice("send the reset link")).await;
    let same = learned(&app, BOB, advice("send the reset link")).await;
    let other = learned(&app, "bake seven breads", advice("heat the oven")).await;

    for lesson in [&one, &same] {
        assert_eq!(members(&app, &json!(lesson)).await, [json!(same), json!(one)]);
    }
    assert_eq!(lessons(&app, "q=reset").await[0]["situations"], 2);
    let grouped = group(&app, &other, &[&one]).await.expect(200).json();
    assert_eq!(members(&app, &json!(other)).await, [json!(other), json!(same), json!(one)]);
    undo(&app, &grouped["action_id"]).await;

    let parted = split(&app, &one, &[&one]).await.expect(200).json();
    assert_eq!(parted["lesson"]["id"], json!(one));
    assert_eq!(members(&app, &json!(same)).await, [json!(same)]);
    undo(&app, &parted["action_id"]).await;
    assert_eq!(members(&app, &json!(one)).await, [json!(same), json!(one)]);
}

#[tokio::test]
async fn a_filter_finds_the_words_that_are_shown() {
    let app = TestApp::start().await;
    let link = |summary: &str| json!({ "summary": summary, "correct_action": "send the reset link" });
    let first = learned(&app, ANN, link("Use the portal.")).await;
    let second = learned(&app, BOB, link("Write a mail.")).await;

    let found = app.get("/memories?q=portal&include_same_lesson=true").await.expect(200).json();

    let found: Vec<&Value> = found.as_array().unwrap().iter().map(|memory| &memory["id"]).collect();
    assert_eq!(found, [&json!(second), &json!(first)], "both show these words");
}

#[tokio::test]
async fn what_cannot_be_grouped_or_split_is_refused_with_its_reason() {
    let app = TestApp::start().await;
    let one = learned(&app, ANN, json!({ "guidance": "Send a link." })).await;
    let two = learned(&app, "bake seven breads", json!({ "guidance": "Heat the oven." })).await;
    let unknown = uuid::Uuid::now_v7().to_string();

    group(&app, &one, &[]).await.expect(422);
    group(&app, &one, &[&one]).await.expect(422);
    let ids: Vec<String> = (0..101).map(|_| uuid::Uuid::now_v7().to_string()).collect();
    group(&app, &one, &ids.iter().map(String::as_str).collect::<Vec<_>>()).await.expect(422);
    group(&app, &one, &["no id"]).await.expect(422);
    group(&app, &one, &[&unknown]).await.expect(404);
    group(&app, &unknown, &[&one]).await.expect(404);
    split(&app, &one, &[]).await.expect(422);
    assert_eq!(split(&app, &one, &[&two]).await.expect(409).code(), "conflict");
    let whole = split(&app, &one, &[&one]).await.expect(409).json();
    assert!(whole["error"]["message"].as_str().unwrap().contains("must stay in the lesson"), "{whole}");
    app.post(&format!("/memories/{unknown}/move"), &json!({ "lesson_id": one })).await.expect(404);
    app.post(&format!("/memories/{one}/move"), &json!({ "lesson_id": unknown })).await.expect(404);
    app.get("/lessons/no-id").await.expect(404);
    assert_eq!(app.get("/lessons?q=colour:red").await.expect(422).code(), "invalid_filter");
    app.get("/lessons?sort=best").await.expect(422);
}

#[tokio::test]
async fn lists_of_lessons_are_filtered_sorted_and_paged() {
    let app = TestApp::start().await;
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(
            learned(&app, &format!("task{number} alone"), json!({ "guidance": format!("Do {number}.") }))
                .await,
        );
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.get(&format!("/lessons?limit=2&cursor={cursor}")).await.expect(200);
        seen.extend(
            page.json().as_array().unwrap().iter().map(|lesson| lesson["id"].as_str().unwrap().to_owned()),
        );
        match page.header("x-next-cursor") {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    made.reverse();
    assert_eq!(seen, made);
    assert_eq!(lessons(&app, "q=task3").await[0]["guidance"], "Do 3.");
    app.post(&format!("/memories/{}/disable", made[0]), &json!({})).await.expect(200);
    assert_eq!(lessons(&app, "q=status:active").await.len(), 4);
    assert_eq!(lessons(&app, "q=status:disabled").await[0]["status"], "disabled");
}

#[tokio::test]
async fn an_untrusted_key_joins_no_lesson_of_others() {
    let app = TestApp::start().await;
    let actor = AuditActor::local("test");
    let request = KeyRequest {
        scopes: Scope::ALL.to_vec(),
        trust: Trust::Untrusted,
        ..KeyRequest::master("test".to_owned())
    };
    let key = app.app.engine().keys.create_as_operator(Some(&app.project), request, &actor).await.unwrap();
    let key = key.text.expose().to_owned();
    let post =
        async |rest: &str, body: &Value| app.send("POST", &app.path(rest), Some(&key), &[], Some(body)).await;
    let good = learned(&app, ANN, advice("send the reset link")).await;
    let body = json!({ "task": ANN, "trajectory": [],
                       "review": { "result": "pass", "reflection": advice("send the reset link") } });

    let stored = post("/traces", &body).await.expect(201).json();

    let own = stored["created_memory_id"].as_str().unwrap();
    assert_ne!(own, good, "the same advice of an untrusted source is a lesson of its own");
    assert_eq!(memory(&app, own).await["lesson_id"], json!(own));
    for (rest, body) in [
        ("/lessons/group".to_owned(), json!({ "into": good, "lesson_ids": [own] })),
        ("/lessons/group".to_owned(), json!({ "into": own, "lesson_ids": [good] })),
        (format!("/memories/{own}/move"), json!({ "lesson_id": good })),
        (format!("/memories/{good}/move"), json!({ "lesson_id": own })),
    ] {
        assert_eq!(post(&rest, &body).await.expect(403).code(), "forbidden", "{rest} {body}");
    }
    // A person may.
    group(&app, &good, &[own]).await.expect(200);
    assert_eq!(lessons(&app, "").await[0]["speaker_id"], json!(good));
}

#[tokio::test]
async fn newer_evidence_supersedes_and_both_ways_back_restore() {
    let app = TestApp::start().await;
    let old = learned(&app, ANN, advice("call the desk")).await;
    let failed = |advice: Value| {
        json!({ "task": ANN, "trajectory": [], "retrieved_memory_ids": [old], "used_memory_ids": [old],
                "review": { "result": "fail", "reflection": advice } })
    };
    let (trace, new) = run(&app, failed(advice("send the reset link"))).await;

    let gone = memory(&app, &old).await;
    assert_eq!((&gone["status"], gone["superseded_by"].is_string()), (&json!("disabled"), true), "{gone}");
    let found = app.post("/memory/query", &json!({ "task": ANN })).await.expect(200).json();
    let ids: Vec<&Value> = found.as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(new)]);
    let listed = app.get("/memories?superseded=true").await.expect(200).json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &json!(old)));
    let superseding =
        automatic(&app).await.into_iter().find(|action| action["kind"] == "lesson.supersede").unwrap();
    assert_eq!(superseding["summary"]["trace_id"], json!(trace));

    undo(&app, &superseding["id"]).await;
    assert_eq!(
        (&memory(&app, &old).await["status"], &memory(&app, &old).await["superseded_by"]),
        (&json!("active"), &Value::Null)
    );

    // The same by another run, whose review is withdrawn.
    let (trace, _) = run(&app, failed(advice("ask for the card"))).await;
    assert_eq!(memory(&app, &old).await["status"], "disabled");
    let path = app.path(&format!("/traces/{trace}/review"));
    app.send("DELETE", &path, Some(&app.key), &[], None).await.expect(200);
    assert_eq!(memory(&app, &old).await["status"], "active");
}

#[tokio::test]
async fn an_edited_lesson_says_the_same_about_all_its_tasks() {
    let app = TestApp::start().await;
    let first = learned(&app, ANN, advice("call the desk")).await;
    let second = learned(&app, BOB, advice("call the desk")).await;
    let path = app.path(&format!("/memories/{first}"));
    let edit = advice("send the reset link");
    app.send("PATCH", &path, Some(&app.key), &[], Some(&edit)).await.expect(200);
    let failed = json!({ "task": "bake seven breads", "trajectory": [],
                         "retrieved_memory_ids": [second], "used_memory_ids": [second],
                         "review": { "result": "fail", "reflection": { "guidance": "Heat the oven." } } });
    run(&app, failed).await;

    let other = learned(&app, BOB, advice("call the desk")).await;

    assert_eq!(memory(&app, &other).await["lesson_id"], json!(other), "its lesson says something else now");
    assert_eq!(memory(&app, &second).await["status"], "active", "a person edited what it says");
    let questions = app.get("/lesson-questions?open=true").await.expect(200).json();
    assert_eq!(questions.as_array().unwrap().len(), 1, "{questions}");
    assert_eq!(questions[0]["first"]["memory_id"], json!(second));
    assert_eq!(learned(&app, BOB, advice("send the reset link")).await, second, "it stands for the run");
}
