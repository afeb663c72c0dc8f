//! Curation of memories over HTTP: change, edit, merge, pin, delete, erase, and undo.

use reflect_test_support::{TestApp, TestResponse};
use reflect_types::{ProjectSlug, Scope};
use serde_json::{Value, json};

async fn written(app: &TestApp, task: &str, guidance: &str) -> String {
    let body = json!({ "task": task, "guidance": guidance });
    let answer = app.post("/memories", &body).await.expect(201).json();
    assert_eq!(answer["memory"]["origin"], "manual");
    answer["memory"]["id"].as_str().unwrap().to_owned()
}

async fn change(app: &TestApp, memory: &str, verb: &str) -> TestResponse {
    app.post(&format!("/memories/{memory}/{verb}"), &json!({})).await
}

async fn send(app: &TestApp, method: &str, rest: &str, body: &Value) -> TestResponse {
    app.send(method, &app.path(rest), Some(&app.key), &[], Some(body)).await
}

async fn served(app: &TestApp, body: Value) -> Vec<String> {
    let found = app.post("/memory/query", &body).await.expect(200).json();
    found.as_array().unwrap().iter().map(|memory| memory["id"].as_str().unwrap().to_owned()).collect()
}

async fn stored(app: &TestApp, memory: &str) -> Value {
    app.get(&format!("/memories/{memory}")).await.expect(200).json()
}

/// A run that was shown these memories, reviewed with a lesson of its own so that nobody has to wait.
async fn reviewed(app: &TestApp, memories: &[&str], result: &str) -> String {
    let body = json!({ "task": "a run", "trajectory": [], "retrieved_memory_ids": memories,
                       "review": { "result": result, "reflection": { "summary": "s" } } });
    app.post("/traces", &body).await.expect(201).json()["trace_id"].as_str().unwrap().to_owned()
}

async fn undo(app: &TestApp, answer: &Value) -> Value {
    let action = answer["action_id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(200).json()
}

#[tokio::test]
async fn a_disabled_memory_is_not_served_until_that_is_undone() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    let question = || json!({ "task": "sort the list" });
    assert_eq!(served(&app, question()).await, std::slice::from_ref(&memory));

    for (verb, status) in [("disable", "disabled"), ("quarantine", "quarantined")] {
        let done = change(&app, &memory, verb).await.expect(200).json();
        assert_eq!(done["memory"]["status"], status);
        assert!(served(&app, question()).await.is_empty());
        let again = change(&app, &memory, verb).await.expect(200).json();
        assert_eq!(again["action_id"], Value::Null);

        let undone = undo(&app, &done).await;
        assert_eq!(undone["undone_by"], undone["actor"]);
        assert_eq!(undo(&app, &done).await, undone);
        assert_eq!(served(&app, question()).await, std::slice::from_ref(&memory));
    }
    let kinds = app.get("/actions?limit=2").await.expect(200);
    assert!(kinds.header("x-next-cursor").is_some());
    assert_eq!(kinds.json()[0]["kind"], "memory.quarantine");
    assert_eq!(kinds.json()[1]["memories"], 1);
}

#[tokio::test]
async fn an_edited_memory_is_found_by_its_new_task_and_has_half_its_evidence() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    for _ in 0..3 {
        reviewed(&app, &[&memory], "pass").await;
    }
    let before = stored(&app, &memory).await;
    assert_eq!(before["evidence"], 3);
    let path = format!("/memories/{memory}");
    let labelled =
        send(&app, "PATCH", &path, &json!({ "metadata": { "team": "red" } })).await.expect(200).json();
    assert_eq!((&labelled["memory"]["version"], &labelled["memory"]["evidence"]), (&json!(2), &json!(3)));
    undo(&app, &labelled).await;

    let edit = json!({ "task": "bake seven breads", "guidance": "Heat the oven.", "version": 1 });
    let done = send(&app, "PATCH", &format!("/memories/{memory}"), &edit).await.expect(200).json();

    let now = &done["memory"];
    assert_eq!((&now["version"], &now["evidence"]), (&json!(3), &json!(1)));
    assert_eq!((&now["credit"], &now["q_value"]), (&before["credit"], &before["q_value"]));
    assert_eq!(now["reflection"], "Heat the oven.");
    assert!(
        !served(&app, json!({ "task": "sort the list", "similarity_threshold": 0.9 }))
            .await
            .contains(&memory)
    );
    assert!(served(&app, json!({ "task": "bake seven breads" })).await.contains(&memory));
    let stale = send(&app, "PATCH", &format!("/memories/{memory}"), &edit).await.expect(409);
    assert_eq!(stale.code(), "conflict");
    let versions = stored(&app, &memory).await["versions"].clone();
    assert_eq!((&versions[0]["version"], &versions[0]["current"]), (&json!(3), &json!(true)));
    assert_eq!((&versions[2]["guidance"], &versions[2]["actor"]), (&json!("Sort by name."), &Value::Null));

    undo(&app, &done).await;

    let mut after = stored(&app, &memory).await;
    after["versions"] = json!([]);
    assert_eq!(after, before);
    assert!(served(&app, json!({ "task": "sort the list" })).await.contains(&memory));
}

#[tokio::test]
async fn a_memory_without_a_vector_is_placed_soon_after_it_was_enabled() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    // As if it had been made before there was an embedder.
    let mut connection = app.db.superuser().await;
    sqlx::query("delete from memory_vector").execute(&mut connection).await.unwrap();
    change(&app, &memory, "disable").await.expect(200);
    change(&app, &memory, "enable").await.expect(200);
    assert!(served(&app, json!({ "task": "sort the list" })).await.is_empty());

    app.learn().await;

    assert_eq!(served(&app, json!({ "task": "sort the list" })).await, [memory]);
}

#[tokio::test]
async fn merged_memories_are_one_and_can_be_several_again() {
    let app = TestApp::start().await;
    let survivor = written(&app, "sort the list", "Sort by name.").await;
    let other = written(&app, "sort the long list", "Sort in place.").await;
    reviewed(&app, &[&survivor], "fail").await;
    for _ in 0..3 {
        reviewed(&app, &[&other], "pass").await;
    }
    let (before, other_before) = (stored(&app, &survivor).await, stored(&app, &other).await);

    let body = json!({ "survivor_id": survivor, "memory_ids": [other], "text": { "guidance": "Sort by name, in place." } });
    let done = app.post("/memories/merge", &body).await.expect(200).json();

    let now = &done["memory"];
    assert_eq!((&now["reviews"], &now["passes"], &now["evidence"]), (&json!(4), &json!(3), &json!(4)));
    let number = |memory: &Value, name: &str| memory[name].as_f64().unwrap();
    for (name, own, others) in [("q_value", 1.0, 3.0), ("credit", 1.0, 3.0)] {
        let pooled = (own * number(&before, name) + others * number(&other_before, name)) / 4.0;
        assert!((number(now, name) - pooled).abs() < 1e-6, "{name}: {now}");
    }
    let gone = stored(&app, &other).await;
    assert_eq!((&gone["status"], &gone["merged_into"]), (&json!("merged"), &json!(survivor)));
    assert_eq!(
        served(&app, json!({ "task": "sort the list", "limit": 1 })).await,
        std::slice::from_ref(&survivor)
    );
    let again = app.post("/memories/merge", &body).await.expect(200).json();
    assert_eq!(again["action_id"], Value::Null);
    change(&app, &other, "enable").await.expect(409);

    // A review that comes after the merge stays when the merge is undone.
    reviewed(&app, &[&survivor], "pass").await;
    undo(&app, &done).await;
    let after = stored(&app, &survivor).await;
    assert_eq!(
        (&after["reviews"], &after["evidence"], &after["guidance"]),
        (&json!(2), &json!(2), &json!("Sort by name."))
    );
    assert_eq!(stored(&app, &other).await, other_before);
}

#[tokio::test]
async fn a_pinned_memory_is_served_first_whatever_is_asked_and_its_receipt_says_why() {
    let app = TestApp::start().await;
    let pinned = written(&app, "bake seven breads", "Heat the oven.").await;
    let similar = written(&app, "sort the list", "Sort by name.").await;
    let body = json!({ "task": "never mind", "guidance": "Later.", "metadata": { "team": "red" } });
    app.post("/memories", &body).await.expect(201);
    let done = change(&app, &pinned, "pin").await.expect(200).json();
    assert_eq!(done["memory"]["pinned"], true);

    let question = json!({ "task": "sort the list", "limit": 2 });
    let answer = app.post("/memory/query", &question).await.expect(200);

    let found = answer.json();
    assert_eq!((&found[0]["id"], &found[1]["id"]), (&json!(pinned), &json!(similar)));
    let receipt = format!("/retrievals/{}", answer.header("x-retrieval-id").unwrap());
    let receipt = app.get(&receipt).await.expect(200).json();
    assert_eq!(receipt["parameters"]["pinned"], json!([pinned]));
    let considered = receipt["considered"].as_array().unwrap();
    assert_eq!((&considered[0]["memory_id"], &considered[0]["fate"]), (&json!(pinned), &json!("served")));
    assert_eq!(considered.iter().filter(|line| line["memory_id"] == json!(pinned)).count(), 1);
    // Variety, a full page and filters leave it its place or take it.
    let varied = json!({ "task": "sort the list", "limit": 1, "mmr_lambda": 0.5 });
    assert_eq!(served(&app, varied).await, std::slice::from_ref(&pinned));
    let filtered = json!({ "task": "sort the list", "metadata_filter": { "team": "red" } });
    assert!(!served(&app, filtered).await.contains(&pinned));

    change(&app, &pinned, "disable").await.expect(200);
    assert_eq!(served(&app, question.clone()).await, std::slice::from_ref(&similar));
    change(&app, &pinned, "enable").await.expect(200);
    undo(&app, &done).await;
    assert_eq!(served(&app, question).await, [similar]);
}

#[tokio::test]
async fn a_sixth_pin_is_refused_and_the_five_are_named_also_when_it_comes_by_an_undo() {
    let app = TestApp::start().await;
    let mut memories = Vec::new();
    for number in 0..6 {
        memories.push(written(&app, &format!("task {number}"), "Do it.").await);
    }
    for memory in &memories[..5] {
        change(&app, memory, "pin").await.expect(200);
    }

    let refused = change(&app, &memories[5], "pin").await.expect(409);

    let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(memories[..5].iter().all(|memory| message.contains(memory)), "{message}");
    assert_eq!(stored(&app, &memories[5]).await["pinned"], false);
    let unpinned = change(&app, &memories[0], "unpin").await.expect(200).json();
    change(&app, &memories[5], "pin").await.expect(200);
    let action = unpinned["action_id"].as_str().unwrap();
    app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(409);
    change(&app, &memories[5], "unpin").await.expect(200);
    undo(&app, &unpinned).await;
    assert_eq!(stored(&app, &memories[0]).await["pinned"], true);
    let listed = app.get("/memories?pinned=true").await.expect(200).json();
    assert_eq!(listed.as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_deleted_memory_comes_back_and_an_erased_one_does_not() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    let path = format!("/memories/{memory}");
    send(&app, "PATCH", &path, &json!({ "task": "sort it" })).await.expect(200);
    let deleted = app.send("DELETE", &app.path(&path), Some(&app.key), &[], None).await.expect(200).json();
    assert_eq!(deleted["memory"]["status"], "deleted");
    change(&app, &memory, "disable").await.expect(409);
    undo(&app, &deleted).await;
    assert_eq!(served(&app, json!({ "task": "sort it" })).await, std::slice::from_ref(&memory));

    let erase = format!("{path}/erase");
    app.post(&erase, &json!({ "memory_id": uuid::Uuid::now_v7().to_string() })).await.expect(422);
    let erased = app.post(&erase, &json!({ "memory_id": memory })).await.expect(200).json();

    assert_eq!(erased["memory"]["status"], "erased");
    let gone = stored(&app, &memory).await;
    assert_eq!((&gone["task"], &gone["reflection"], &gone["versions"]), (&json!(""), &json!(""), &json!([])));
    let mut connection = app.db.superuser().await;
    let vectors = "select (select count(*) from memory_vector) + (select count(*) from parked_vector)
                        + (select count(*) from version_vector)";
    assert_eq!(sqlx::query_scalar::<_, i64>(vectors).fetch_one(&mut connection).await.unwrap(), 0);
    let action = erased["action_id"].as_str().unwrap();
    app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(409);
    // What was done before it can be undone, and brings nothing back.
    let actions = app.get("/actions").await.expect(200).json();
    let edit = actions.as_array().unwrap().iter().find(|action| action["kind"] == "memory.edit").unwrap();
    undo(&app, &json!({ "action_id": edit["id"] })).await;
    let still = stored(&app, &memory).await;
    assert_eq!((&still["status"], &still["task"]), (&json!("erased"), &json!("")));
}

#[tokio::test]
async fn a_bulk_change_does_what_its_dry_run_said_and_is_undone_at_once() {
    let app = TestApp::start().await;
    let elsewhere: ProjectSlug = app.project.clone();
    let poisoned = app.new_key(Some(&elsewhere), &[Scope::TraceWrite]).await;
    for (key, task) in [(&app.key, "mine"), (&poisoned, "theirs"), (&poisoned, "also theirs")] {
        let body = json!({ "task": task, "trajectory": [],
                           "review": { "result": "fail", "reflection": { "guidance": format!("g {task}") } } });
        app.send("POST", &app.path("/traces"), Some(key), &[], Some(&body)).await.expect(201);
    }
    let listed = app.get("/memories?text=theirs").await.expect(200).json();
    let author = listed[0]["author_key_id"].clone();
    let retire = |dry_run: bool| {
        json!({ "filter": { "author_key_id": author, "status": ["active", "disabled"] },
                "action": "quarantine", "dry_run": dry_run })
    };

    let dry = app.post("/memories/bulk", &retire(true)).await.expect(200).json();
    assert_eq!((&dry["action_id"], &dry["matched"], &dry["changed"]), (&Value::Null, &json!(2), &json!(2)));
    assert!(app.get("/memories?status=quarantined").await.json().as_array().unwrap().is_empty());
    let done = app.post("/memories/bulk", &retire(false)).await.expect(200).json();

    assert_eq!((&done["changed"], &done["memory_ids"]), (&dry["changed"], &dry["memory_ids"]));
    let quarantined = app.get("/memories?status=quarantined,erased&sort=attention").await.expect(200).json();
    assert_eq!(quarantined.as_array().unwrap().len(), 2);
    let nothing = app.post("/memories/bulk", &retire(false)).await.expect(200).json();
    assert_eq!((&nothing["matched"], &nothing["action_id"]), (&json!(0), &Value::Null));
    undo(&app, &done).await;
    assert!(app.get("/memories?status=quarantined").await.json().as_array().unwrap().is_empty());

    let empty = |all: bool| json!({ "filter": {}, "action": "disable", "dry_run": true, "all": all });
    app.post("/memories/bulk", &empty(false)).await.expect(422);
    assert_eq!(app.post("/memories/bulk", &empty(true)).await.expect(200).json()["changed"], 3);
    let stranger = json!({ "filter": { "ids": [uuid::Uuid::now_v7().to_string()] }, "action": "disable" });
    app.post("/memories/bulk", &stranger).await.expect(404);
}

#[tokio::test]
async fn a_bulk_change_of_many_memories_is_one_action() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    let mut connection = app.db.superuser().await;
    let many = "with made as (
                  insert into memory (project_id, memory_id, origin, task, reflection)
                  select m.project_id, gen_random_uuid(), 3, 'many', 'many' from memory m, generate_series(1, 2500)
                  returning project_id, memory_id)
                insert into memory_stat (project_id, memory_id) select project_id, memory_id from made";
    sqlx::query(many).execute(&mut connection).await.unwrap();

    let body = json!({ "filter": { "text": "MANY", "origin": ["import"] }, "action": "disable" });
    let done = app.post("/memories/bulk", &body).await.expect(200).json();

    assert_eq!((&done["matched"], &done["changed"]), (&json!(2500), &json!(2500)));
    assert_eq!(done["memory_ids"].as_array().unwrap().len(), 20);
    let action = format!("/actions/{}", done["action_id"].as_str().unwrap());
    assert_eq!(app.get(&action).await.expect(200).json()["memories"], 2500);
    assert_eq!(stored(&app, &memory).await["status"], "active");
    undo(&app, &done).await;
    let disabled = "select count(*) from memory_stat where status <> 1";
    assert_eq!(sqlx::query_scalar::<_, i64>(disabled).fetch_one(&mut connection).await.unwrap(), 0);
}

#[tokio::test]
async fn undoing_a_batch_of_reviews_withdraws_them() {
    let app = TestApp::start().await;
    let memory = written(&app, "sort the list", "Sort by name.").await;
    let (kept, batch) = (reviewed(&app, &[&memory], "pass").await, reviewed(&app, &[&memory], "fail").await);
    let hidden = change(&app, &memory, "disable").await.expect(200).json();
    let action: uuid::Uuid = hidden["action_id"].as_str().unwrap().parse().unwrap();
    let mut connection = app.db.superuser().await;
    sqlx::query("update review set action_id = $1 where trace_id = $2")
        .bind(action)
        .bind(batch.parse::<uuid::Uuid>().unwrap())
        .execute(&mut connection)
        .await
        .unwrap();
    let narrow = app.new_key(Some(&app.project), &[Scope::MemoryWrite]).await;
    let path = app.path(&format!("/actions/{action}/undo"));
    app.send("POST", &path, Some(&narrow), &[], Some(&json!({}))).await.expect(403);

    undo(&app, &hidden).await;

    let now = stored(&app, &memory).await;
    assert_eq!((&now["reviews"], &now["passes"], &now["status"]), (&json!(1), &json!(1), &json!("active")));
    assert_eq!(app.get(&format!("/traces/{batch}")).await.json()["review"], Value::Null);
    assert_ne!(app.get(&format!("/traces/{kept}")).await.json()["review"], Value::Null);
}

#[tokio::test]
async fn a_memory_shows_where_it_came_from_what_moved_it_and_who_is_near() {
    let app = TestApp::start().await;
    let body = json!({ "task": "sort the list", "trajectory": [], "review": {
        "result": "fail", "feedback_text": "by name", "reflection": { "guidance": "Sort <b>by name</b>." } } });
    let run = app.post("/traces", &body).await.expect(201).json();
    let memory = run["created_memory_id"].as_str().unwrap().to_owned();
    let near = written(&app, "sort the long list", "Sort in place.").await;
    let asked = app.post("/memory/query", &json!({ "task": "sort the list" })).await.expect(200);
    let receipt = asked.header("x-retrieval-id").unwrap().to_owned();
    let body = json!({ "task": "sort the list", "trajectory": [], "retrieval_id": receipt,
                       "review": { "result": "pass", "reflection": { "summary": "s" } } });
    let second = app.post("/traces", &body).await.expect(201).json()["trace_id"].clone();
    let third = reviewed(&app, &[&memory], "fail").await;
    let edit = json!({ "summary": "In order." });
    send(&app, "PATCH", &format!("/memories/{memory}"), &edit).await.expect(200);
    let withdrawn = format!("/traces/{third}/review");
    app.send("DELETE", &app.path(&withdrawn), Some(&app.key), &[], None).await.expect(200);

    let shown = stored(&app, &memory).await;
    assert_eq!(shown["guidance"], "Sort <b>by name</b>.");
    let from = &shown["provenance"];
    assert_eq!((&from["trace_id"], &from["result"]), (&run["trace_id"], &json!("fail")));
    assert_eq!((&from["feedback_text"], &from["review_live"]), (&json!("by name"), &json!(true)));
    assert!(app.key.contains(from["key_public_id"].as_str().unwrap()));
    assert_eq!(from["reviewer"], format!("key:{}", from["key_public_id"].as_str().unwrap()));

    let history = app.get(&format!("/memories/{memory}/history")).await.expect(200).json();
    let steps = history["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4, "{history}");
    assert_eq!(steps[0]["review"]["trace_id"], second);
    assert_eq!((&steps[0]["q_before"], &steps[0]["q_after"]), (&json!(0.5), &json!(0.65)));
    assert_eq!((&steps[0]["evidence_before"], &steps[0]["evidence_after"]), (&json!(0), &json!(1)));
    assert_eq!(steps[1]["review"]["withdrawn"], true);
    assert_eq!((&steps[1]["q_before"], &steps[1]["q_after"]), (&json!(0.65), &json!(0.65)));
    assert_eq!((&steps[2]["care"]["facet"], &steps[2]["care"]["after"]), (&json!("version"), &json!(2)));
    assert_eq!((&steps[3]["evidence_before"], &steps[3]["evidence_after"]), (&json!(1), &json!(0)));
    assert_eq!(shown["evidence"], steps[3]["evidence_after"]);

    let uses = app.get(&format!("/memories/{memory}/uses")).await.expect(200).json();
    assert_eq!(uses.as_array().unwrap().len(), 1);
    assert_eq!(
        (&uses[0]["trace_id"], &uses[0]["rank"], &uses[0]["result"]),
        (&second, &json!(1), &json!("pass"))
    );
    assert!(uses[0]["similarity"].as_f64().unwrap() > 0.9);

    // Each finds the other, also while one of them is out of use and its vector is parked.
    change(&app, &near, "disable").await.expect(200);
    for (one, other, status) in [(&memory, &near, "disabled"), (&near, &memory, "active")] {
        let found = app.get(&format!("/memories/{one}/neighbours?limit=5")).await.expect(200).json();
        let found = found.as_array().unwrap();
        let other = found.iter().find(|near| near["id"] == json!(other)).unwrap();
        assert_eq!(other["status"], status);
        assert!(other["similarity"].as_f64().unwrap() > 0.5, "{other}");
        assert!(found.iter().all(|near| near["id"] != json!(one)));
    }
}

#[tokio::test]
async fn lists_are_filtered_sorted_and_paged() {
    let app = TestApp::start().await;
    send(&app, "PATCH", "", &json!({ "ranking": "classic" })).await.expect(200);
    let mut memories = Vec::new();
    for number in 0..5 {
        memories.push(written(&app, &format!("task {number}"), &format!("Do it {number} times.")).await);
    }
    for (at, times) in [(1, 3), (3, 1)] {
        for _ in 0..times {
            reviewed(&app, &[&memories[at]], "pass").await;
        }
    }
    change(&app, &memories[2], "quarantine").await.expect(200);
    let list = async |query: &str| -> Vec<String> {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = app.get(&format!("/memories?origin=manual&limit=2&{query}{cursor}")).await.expect(200);
            ids.extend(
                page.json().as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()),
            );
            let Some(next) = page.header("x-next-cursor") else { return ids };
            cursor = format!("&cursor={next}");
        }
    };
    let named = |order: &[usize]| order.iter().map(|at| memories[*at].clone()).collect::<Vec<_>>();

    assert_eq!(list("").await, named(&[4, 3, 2, 1, 0]));
    assert_eq!(list("sort=utility").await, named(&[1, 3, 4, 2, 0]));
    assert_eq!(list("sort=evidence").await, named(&[1, 3, 4, 2, 0]));
    assert_eq!(list("sort=attention").await[0], memories[2]);
    reviewed(&app, &[&memories[4]], "fail").await;
    assert_eq!(list("sort=harm").await[0], memories[4]);
    assert_eq!(list("status=active&utility_above=0.5&evidence_at_least=2").await, named(&[1]));
    assert_eq!(list("utility_below=0.6").await, named(&[4, 2, 0]));
    assert_eq!(list("text=TASK%203").await, named(&[3]));
    // Guidance is the lesson where there is any; lists show the summary, so it is searched as well.
    let body = json!({ "task": "another", "summary": "In one line.", "guidance": "Do it." });
    app.post("/memories", &body).await.expect(201);
    assert_eq!(list("text=IN%20ONE%20line").await.len(), 1);
    app.get("/memories?status=lost").await.expect(422);
    app.get("/memories?sort=best").await.expect(422);
}

#[tokio::test]
async fn a_memory_is_written_once_under_one_idempotency_key() {
    let app = TestApp::start().await;
    let body = json!({ "task": "sort the list", "summary": "Sort." });
    let first = app.post_once("/memories", "k", &body).await.expect(201).json();
    let second = app.post_once("/memories", "k", &body).await.expect(201).json();
    assert_eq!(first, second);
    app.post("/memories", &json!({ "task": "t" })).await.expect(422);
    app.post("/memories", &json!({ "task": " ", "summary": "s" })).await.expect(422);
    undo(&app, &first).await;
    let memory = first["memory"]["id"].as_str().unwrap();
    assert_eq!(stored(&app, memory).await["status"], "deleted");
}
