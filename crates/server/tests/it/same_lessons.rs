//! Memories with the same lesson: served and listed once, with the number of runs behind them; and runs with nearly the
//! same task, which are one memory.

use reflect_test_support::TestApp;
use serde_json::{Value, json};

const TASK: &str = "parse the invoice";
const LESSON: &str = "Read the total from the last line.";

async fn learned(app: &TestApp, task: &str, guidance: &str) -> String {
    let body = json!({ "task": task, "trajectory": [],
                       "review": { "result": "pass", "reflection": { "guidance": guidance } } });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

/// A task that is similar to the others, but not nearly the same.
fn task(number: usize) -> String {
    format!("{TASK} of customer{number}")
}

/// One lesson with eight situations, each with a memory of its own.
async fn eight_situations(app: &TestApp) -> Vec<String> {
    let mut memories = Vec::new();
    for number in 0..8 {
        memories.push(learned(app, &task(number), LESSON).await);
    }
    memories
}

async fn query(app: &TestApp, question: Value) -> (Vec<Value>, Vec<Value>) {
    let answer = app.post("/memory/query", &question).await.expect(200);
    let receipt = answer.header("x-retrieval-id").unwrap().to_owned();
    let receipt = app.get(&format!("/retrievals/{receipt}")).await.expect(200).json();
    (answer.json().as_array().unwrap().clone(), receipt["considered"].as_array().unwrap().clone())
}

async fn list(app: &TestApp, parameters: &str) -> Vec<Value> {
    let listed = app.get(&format!("/memories?{parameters}")).await.expect(200).json();
    listed.as_array().unwrap().clone()
}

/// Text and number of runs of each.
fn counted(memories: &[Value]) -> Vec<(&str, i64)> {
    memories.iter().map(|one| (one["guidance"].as_str().unwrap(), one["runs"].as_i64().unwrap())).collect()
}

#[tokio::test]
async fn equal_passes_of_one_task_are_one_memory_with_their_count() {
    let app = TestApp::start().await;
    let first = learned(&app, TASK, LESSON).await;
    for _ in 0..7 {
        assert_eq!(learned(&app, TASK, LESSON).await, first, "the first memory stands for the run");
    }
    // White space does not make another lesson, case does.
    assert_eq!(learned(&app, TASK, "Read the total  from\nthe last line.").await, first);
    let other = learned(&app, TASK, "read the total from the last line.").await;

    let (found, considered) = query(&app, json!({ "task": TASK, "limit": 3 })).await;

    let shown = |id: &str| found.iter().find(|one| one["id"] == json!(id)).unwrap();
    assert_eq!((found.len(), considered.len()), (2, 2), "{found:?}");
    assert_eq!((&shown(&first)["runs"], &shown(&first)["passed_runs"]), (&json!(9), &json!(9)));
    assert_eq!(shown(&first)["support"], json!({ "situations": 2, "of": 3 }));
    assert_eq!((&shown(&other)["runs"], &shown(&other)["support"]["situations"]), (&json!(1), &json!(1)));
    let stored = app.get(&format!("/memories/{first}")).await.expect(200).json();
    assert_eq!((&stored["absorbed"], &stored["lesson_id"]), (&json!(8), &json!(first)));

    let augmented = app.post("/memory/augment", &json!({ "task": TASK })).await.expect(200).json();
    let block = augmented["memory_block"].as_str().unwrap();
    assert_eq!(block.matches("the last line.").count(), 2, "{block}");
    let support = "From a passed run and 8 more; 2 of the 3 closest situations; 9 of 9 runs passed.";
    assert!(block.contains(support), "{block}");
}

/// A pass without words, with these messages. Returns its memory.
async fn passed_without_words(app: &TestApp, task: &str, messages: Value) -> Value {
    let body = json!({ "task": task, "trajectory": messages, "review": { "result": "pass" } });
    let stored = app.post("/traces", &body).await.expect(202).json();
    app.learn().await;
    let path = format!("/traces/{}", stored["trace_id"].as_str().unwrap());
    let trace = app.get(&path).await.expect(200).json();
    let path = format!("/memories/{}", trace["created_memory_id"].as_str().unwrap());
    app.get(&path).await.expect(200).json()
}

#[tokio::test]
async fn a_pass_without_words_never_serves_the_answer_of_another_run() {
    let app = TestApp::start().await;
    let searched = |answer: &str| {
        json!([{ "role": "assistant", "content": null, "tool_calls": [
                   { "id": "1", "type": "function", "function": { "name": "search", "arguments": "{}" } }] },
               { "role": "tool", "tool_call_id": "1", "content": answer },
               { "role": "assistant", "content": answer }])
    };
    let (france, italy) = ("what is the capital of france", "what is the capital of italy");
    let first = passed_without_words(&app, france, searched("Paris")).await;
    let second = passed_without_words(&app, italy, searched("Rome")).await;
    let again = passed_without_words(&app, italy, searched("Roma")).await;

    assert_eq!((&second["lesson_id"], &again["lesson_id"]), (&first["id"], &first["id"]), "one approach");
    assert_ne!(again["id"], second["id"], "equal tools are not absorbed");
    let (found, _) = query(&app, json!({ "task": italy })).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["reflection"], "Approach: called search. It was judged right.");
    assert!(!json!(found).to_string().contains("Paris"), "{found:?}");

    // Without tools the answer is the lesson, so another answer is another lesson.
    let direct = |answer: &str| json!([{ "role": "assistant", "content": answer }]);
    let first = passed_without_words(&app, "who wrote the odyssey", direct("Homer")).await;
    let second = passed_without_words(&app, "who wrote the aeneid", direct("Virgil")).await;
    assert_eq!(second["lesson_id"], second["id"]);
    for (memory, answer) in [(&first, "Homer"), (&second, "Virgil")] {
        assert!(memory["reflection"].as_str().unwrap().ends_with(&format!("right: {answer}")), "{memory}");
    }
}

#[tokio::test]
async fn situations_of_one_lesson_share_their_places() {
    let app = TestApp::start().await;
    eight_situations(&app).await;
    learned(&app, "parse a letter", "Check the currency.").await;

    let question = json!({ "task": TASK, "limit": 5, "similarity_threshold": -1 });
    let (found, considered) = query(&app, question).await;

    assert_eq!((found.len(), &found[0]["guidance"]), (1, &json!(LESSON)), "{found:?}");
    assert_eq!((&found[0]["support"], &found[0]["runs"]), (&json!({ "situations": 5, "of": 5 }), &json!(8)));
    let fates = |fate: &str| considered.iter().filter(|line| line["fate"] == fate).count();
    let count = (fates("served"), fates("samelesson"), fates("repeated"), fates("outranked"));
    assert_eq!(count, (1, 4, 3, 1), "{considered:?}");
}

#[tokio::test]
async fn words_that_are_not_shown_do_not_make_one_lesson_of_two() {
    let app = TestApp::start().await;
    let shown = learned(&app, &task(1), LESSON).await;
    let silent = learned(&app, &task(2), "Check the currency.").await;
    let other = learned(&app, &task(3), "Check the currency.").await;
    app.post(&format!("/lessons/{silent}/split"), &json!({ "memory_ids": [other] })).await.expect(200);
    app.post("/lessons/group", &json!({ "into": shown, "lesson_ids": [silent] })).await.expect(200);

    let (found, _) = query(&app, json!({ "task": TASK, "limit": 5, "similarity_threshold": -1 })).await;

    let mut texts: Vec<(&str, i64)> = found
        .iter()
        .map(|one| (one["guidance"].as_str().unwrap(), one["support"]["situations"].as_i64().unwrap()))
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, [("Check the currency.", 1), (LESSON, 2)], "{found:?}");
}

#[tokio::test]
async fn repeated_lessons_do_not_displace_others() {
    let app = TestApp::start().await;
    for _ in 0..50 {
        learned(&app, TASK, LESSON).await;
    }
    let other = learned(&app, "parse the invoice of a customer", "Check the currency.").await;
    let (found, _) = query(&app, json!({ "task": TASK, "limit": 5, "similarity_threshold": -1 })).await;
    let ids: Vec<&Value> = found.iter().map(|one| &one["id"]).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(ids.contains(&&json!(other)), "{ids:?}");
}

/// A run that was shown what a retrieval served, and passed.
async fn passed(app: &TestApp, retrieval: &Value) -> Value {
    let body = json!({ "task": TASK, "trajectory": [], "retrieval_id": retrieval,
                       "review": { "result": "pass", "reflection": { "guidance": LESSON } } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    app.learn().await;
    app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.expect(200).json()
}

#[tokio::test]
async fn a_review_counts_for_all_memories_that_the_served_one_stands_for() {
    let app = TestApp::start().await;
    let memories = eight_situations(&app).await;
    let (found, _) = query(&app, json!({ "task": TASK })).await;
    assert_eq!(found.len(), 1);

    let trace = passed(&app, &found[0]["retrieval_id"]).await;

    assert_eq!(trace["link"], "receipt");
    assert_eq!(trace["linked_memory_ids"].as_array().unwrap().len(), 8);
    let all = list(&app, "include_same_lesson=true").await;
    let moved: Vec<&Value> = all.iter().filter(|one| one["q_value"] == 0.65).map(|one| &one["id"]).collect();
    assert_eq!(moved.len(), 8, "{all:?}");
    assert!(memories.iter().all(|id| moved.contains(&&json!(id))));
    let augmented = app.post("/memory/augment", &json!({ "task": TASK })).await.expect(200).json();
    let block = augmented["memory_block"].as_str().unwrap();
    assert!(
        block.contains("From a passed run and 8 more;") && block.contains("helped in 1 of 1."),
        "{block}"
    );
}

/// A run that names memories, as published clients do, and passed. Returns how many memories it is linked to.
async fn passed_with(app: &TestApp, task: &str, named: &Value) -> usize {
    let body = json!({ "task": task, "trajectory": [], "retrieved_memory_ids": [named],
                       "review": { "result": "pass", "reflection": { "guidance": "Another lesson." } } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    let path = format!("/traces/{}", stored["trace_id"].as_str().unwrap());
    let trace = app.get(&path).await.expect(200).json();
    assert_eq!((&trace["link"], &trace["retrieved_memory_ids"]), (&json!("ids"), &json!([named])));
    trace["linked_memory_ids"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_client_that_names_the_served_memory_credits_its_copies_too() {
    let app = TestApp::start().await;
    eight_situations(&app).await;
    let other = learned(&app, TASK, "Check the currency.").await;
    let (found, _) = query(&app, json!({ "task": TASK })).await;
    let served = &found.iter().find(|one| one["guidance"] == LESSON).unwrap()["id"];

    let linked = passed_with(&app, TASK, served).await;

    assert_eq!(linked, 8);
    let all = list(&app, "include_same_lesson=true").await;
    let moved: Vec<&Value> =
        all.iter().filter(|one| one["q_value"] == 0.65).map(|one| &one["guidance"]).collect();
    assert_eq!(moved, [LESSON; 8], "{all:?}");
    let other = app.get(&format!("/memories/{other}")).await.expect(200).json();
    assert_eq!(other["q_value"], 0.5, "served, but not named");
}

#[tokio::test]
async fn a_lesson_that_was_used_was_used_for_all_its_copies() {
    let app = TestApp::start().await;
    eight_situations(&app).await;
    let other = learned(&app, TASK, "Check the currency.").await;
    let (found, _) = query(&app, json!({ "task": TASK })).await;
    let served = &found.iter().find(|one| one["guidance"] == LESSON).unwrap()["id"];
    let body = json!({ "task": TASK, "trajectory": [], "retrieved_memory_ids": [served, other],
                       "used_memory_ids": [served],
                       "review": { "result": "pass", "reflection": { "guidance": "Another lesson." } } });

    app.post("/traces", &body).await.expect(201);
    app.learn().await;

    let all = list(&app, "include_same_lesson=true").await;
    let mut evidence = Vec::new();
    for one in all.iter().filter(|one| one["guidance"] != "Another lesson.") {
        let memory = app.get(&format!("/memories/{}", one["id"].as_str().unwrap())).await.expect(200).json();
        evidence.push((one["guidance"] == LESSON, memory["evidence"].as_i64().unwrap()));
    }
    evidence.sort_unstable();
    assert_eq!(evidence, [vec![(false, 0)], vec![(true, 1); 8]].concat());
}

#[tokio::test]
async fn copies_of_a_memory_that_was_not_served_for_the_task_get_no_credit() {
    let app = TestApp::start().await;
    let memories = eight_situations(&app).await;

    let without_a_query = passed_with(&app, TASK, &json!(memories[0])).await;
    let (found, _) = query(&app, json!({ "task": TASK })).await;
    let served = &found.iter().find(|one| one["guidance"] == LESSON).unwrap()["id"];
    let of_another_task = passed_with(&app, "write a letter", served).await;
    let unserved = memories.iter().find(|id| *served != **id).unwrap();
    let of_a_copy = passed_with(&app, TASK, &json!(unserved)).await;

    assert_eq!((without_a_query, of_another_task, of_a_copy), (1, 1, 1));
}

#[tokio::test]
async fn what_found_no_place_in_the_block_is_not_credited_through_its_copies() {
    let app = TestApp::start().await;
    for number in 0..12 {
        learned(&app, TASK, &format!("Lesson {}", number % 6)).await;
    }
    let question = json!({ "task": TASK, "limit": 20 });
    let augmented = app.post("/memory/augment", &question).await.expect(200).json();
    // Each of the six memories stands for two runs, and counts as two of the five places.
    let shown = augmented["memories"].as_array().unwrap().iter();
    let support: Vec<&Value> = shown.map(|memory| &memory["support"]["situations"]).collect();
    assert_eq!(support, [2, 2, 1]);
    let trace = passed(&app, &augmented["retrieval_id"]).await;
    let linked = trace["linked_memory_ids"].as_array().unwrap();
    assert_eq!(linked.len(), 3, "{trace}");
    let receipt = augmented["retrieval_id"].as_str().unwrap();
    let receipt = app.get(&format!("/retrievals/{receipt}")).await.expect(200).json();
    let lines = receipt["considered"].as_array().unwrap().iter();
    assert_eq!(lines.filter(|line| line["fate"] == "noroom").count(), 3, "{receipt}");
}

#[tokio::test]
async fn a_list_shows_each_lesson_once_on_every_page() {
    let app = TestApp::start().await;
    for number in 0..4 {
        for place in 0..3 {
            learned(&app, &task(3 * number + place), &format!("Lesson {number}")).await;
        }
    }
    for sort in ["newest", "utility", "evidence", "attention", "harm"] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/memories?sort={sort}&limit=1&cursor={cursor}");
            let page = app.get(&path).await.expect(200);
            seen.extend(page.json().as_array().unwrap().clone());
            match page.header("x-next-cursor") {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        let mut counted = counted(&seen);
        counted.sort_unstable();
        assert_eq!(counted, [("Lesson 0", 3), ("Lesson 1", 3), ("Lesson 2", 3), ("Lesson 3", 3)], "{sort}");
    }
    assert_eq!(list(&app, "include_same_lesson=true").await.len(), 12);
    let one = list(&app, "text=Lesson%202").await;
    let id = one[0]["id"].as_str().unwrap();
    let same = list(&app, &format!("same_lesson_as={id}")).await;
    assert_eq!(counted(&same), [("Lesson 2", 3); 3]);
    assert_eq!(list(&app, &format!("q=same:{id}")).await, same);
    let lesson = one[0]["lesson_id"].as_str().unwrap();
    assert_eq!(list(&app, &format!("lesson_id={lesson}")).await, same);
    assert_eq!(list(&app, &format!("q=lesson:{lesson}%20superseded:false")).await, same);
}

#[tokio::test]
async fn a_filter_chooses_the_memory_that_is_listed() {
    let app = TestApp::start().await;
    let memories = eight_situations(&app).await;
    app.post(&format!("/memories/{}/pin", memories[2]), &json!({})).await.expect(200);
    assert_eq!(list(&app, "pinned=true").await[0]["id"], json!(memories[2]));
    assert_eq!(list(&app, "pinned=false").await[0]["id"], json!(memories[7]));
    // A pinned memory stands for its lesson.
    let (found, _) = query(&app, json!({ "task": TASK })).await;
    assert_eq!((found.len(), &found[0]["id"]), (1, &json!(memories[2])));
}

#[tokio::test]
async fn disabling_editing_and_undoing_move_the_counts() {
    let app = TestApp::start().await;
    let memories = eight_situations(&app).await;
    let of_status = async |status: &str| list(&app, &format!("status={status}")).await;
    let undo = async |done: &Value| {
        let action = done["action_id"].as_str().unwrap();
        app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(200);
    };

    let disabled =
        app.post(&format!("/memories/{}/disable", memories[7]), &json!({})).await.expect(200).json();
    assert_eq!(counted(&of_status("active").await), [(LESSON, 7)]);
    assert_eq!(counted(&of_status("disabled").await), [(LESSON, 1)]);
    assert_eq!(list(&app, "").await.len(), 2);
    undo(&disabled).await;
    assert_eq!(counted(&list(&app, "").await), [(LESSON, 8)]);

    // The text of one of them is the text of the lesson.
    let path = app.path(&format!("/memories/{}", memories[3]));
    let edit = json!({ "guidance": "Read the first line." });
    let edited = app.send("PATCH", &path, Some(&app.key), &[], Some(&edit)).await.expect(200).json();
    assert_eq!((&edited["memory"]["guidance"], &edited["memory"]["runs"]), (&edit["guidance"], &json!(8)));
    assert_eq!(counted(&list(&app, "").await), [("Read the first line.", 8)]);
    undo(&edited).await;
    assert_eq!(counted(&query(&app, json!({ "task": TASK })).await.0), [(LESSON, 8)]);

    // All of them at once, so that no copy takes the place of the disabled one.
    let all = json!({ "filter": { "same_lesson_as": memories[3] }, "action": "disable" });
    let done = app.post("/memories/bulk", &all).await.expect(200).json();
    assert_eq!(done["changed"], 8);
    assert!(query(&app, json!({ "task": TASK })).await.0.is_empty());
    undo(&done).await;

    let merge = json!({ "survivor_id": memories[0], "memory_ids": memories[1..4] });
    let merged = app.post("/memories/merge", &merge).await.expect(200).json();
    assert_eq!(of_status("active").await.len(), 1);
    assert_eq!(
        query(&app, json!({ "task": TASK })).await.0[0]["support"]["situations"],
        6,
        "one counts twice"
    );
    undo(&merged).await;
    // The words of an erased run are gone; the lesson continues with those of another.
    let erase = json!({ "memory_id": memories[0] });
    let erased = app.post(&format!("/memories/{}/erase", memories[0]), &erase).await.expect(200).json();
    assert_eq!(erased["memory"]["status"], "erased");
    assert_eq!(counted(&query(&app, json!({ "task": TASK })).await.0), [(LESSON, 7)]);
}

#[tokio::test]
async fn one_number_says_what_a_memory_is_worth() {
    let app = TestApp::start().await;
    let memory = learned(&app, TASK, LESSON).await;
    for result in ["pass", "pass", "fail"] {
        let body = json!({ "task": TASK, "trajectory": [], "retrieved_memory_ids": [memory],
                           "review": { "result": result, "reflection": { "guidance": "Something else." } } });
        app.post("/traces", &body).await.expect(201);
    }
    app.learn().await;
    for ranking in ["learned", "classic"] {
        let path = app.path("");
        let settings = json!({ "ranking": ranking });
        app.send("PATCH", &path, Some(&app.key), &[], Some(&settings)).await.expect(200);

        let (found, considered) = query(&app, json!({ "task": TASK })).await;
        let served = found.iter().find(|one| one["id"] == json!(memory)).unwrap();
        let line = considered.iter().find(|line| line["memory_id"] == json!(memory)).unwrap();
        let detail = app.get(&format!("/memories/{memory}")).await.expect(200).json();
        let listed = list(&app, "sort=utility").await;
        let listed = listed.iter().find(|one| one["id"] == json!(memory)).unwrap();

        let value = &served["utility"];
        for other in [&detail["utility"], &listed["utility"]] {
            assert_eq!(value, other, "{ranking}");
        }
        assert!(is_near(value, &line["utility"]), "{ranking}: {line}");
        assert_eq!(value == &served["q_value"], ranking == "classic", "{served}");
        let value = value.as_f64().unwrap();
        let above = list(&app, &format!("utility_above={}", value - 0.001)).await;
        let below = list(&app, &format!("utility_above={}", value + 0.001)).await;
        assert!(above.iter().any(|one| one["id"] == json!(memory)), "{ranking}");
        assert!(below.iter().all(|one| one["id"] != json!(memory)), "{ranking}");
        // What was not similar enough has the same number too.
        let (_, considered) = query(&app, json!({ "task": TASK, "similarity_threshold": 1 })).await;
        let line = considered.iter().find(|line| line["memory_id"] == json!(memory)).unwrap();
        assert!(is_near(&line["utility"], &served["utility"]), "{ranking}: {line}");
    }
}

/// A receipt keeps its numbers with 16 bits.
fn is_near(one: &Value, other: &Value) -> bool {
    (one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 0.000_1
}
