//! Changing the embedding model: filled in the background, compared, switched, rolled back, finished; and no
//! question ever meets vectors of a space that it was not embedded for.

use std::sync::Arc;
use std::time::Duration;

use reflect_engine::{Engine, EngineSettings, Models};
use reflect_model::scripted::{Fault, ScriptedEmbedder};
use reflect_model::{EmbedPurpose, ModelError};
use reflect_server::{App, ServerSettings};
use reflect_store::{MaintenanceStep, RequestOrigin};
use reflect_test_support::{TestApp, TestResponse};
use reflect_types::EmbeddedText;
use serde_json::{Value, json};

/// Vectors of two sizes cannot be compared at all, so whatever mixes them fails.
const OLD: usize = 256;
const NEW: usize = 384;

struct Given {
    app: TestApp,
    old: ScriptedEmbedder,
    new: ScriptedEmbedder,
}

impl Given {
    async fn start() -> Self {
        let (old, new) = (ScriptedEmbedder::new(OLD), ScriptedEmbedder::new(NEW));
        let app = TestApp::with_models(models(&old, &new), ServerSettings::default()).await;
        Self { app, old, new }
    }

    async fn step(&self, step: &str) -> TestResponse {
        self.app.post(&format!("/embedding-change{step}"), &json!({})).await
    }

    async fn state(&self) -> Value {
        self.app.get("/embedding-change").await.expect(200).json()
    }

    /// A change that has come to where every memory is in both spaces.
    async fn ready(&self) {
        self.step("").await.expect(202);
        self.app.learn().await;
        assert_eq!(self.state().await["state"], "ready");
    }

    /// How many vectors there are of each size, among the searched and the parked ones.
    async fn vectors(&self, table: &str) -> (i64, i64) {
        let counted = format!(
            "select count(*) filter (where vector_dims(embedding) = {OLD}),
                    count(*) filter (where vector_dims(embedding) = {NEW}) from {table}"
        );
        let counted = sqlx::query_as(sqlx::AssertSqlSafe(counted));
        counted.fetch_one(&mut self.app.db.superuser().await).await.unwrap()
    }
}

fn models(one: &ScriptedEmbedder, next: &ScriptedEmbedder) -> Models {
    Models {
        embedder: Some(Arc::new(one.clone())),
        next_embedder: Some(Arc::new(next.clone())),
        ..Models::default()
    }
}

async fn lesson(app: &TestApp, task: &str, guidance: &str) -> String {
    let body = json!({ "task": task, "trajectory": [],
                       "review": { "result": "pass", "reflection": { "guidance": guidance } } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    stored["created_memory_id"].as_str().unwrap().to_owned()
}

/// What a question finds; fails when it was answered by words.
async fn ask(app: &TestApp, task: &str) -> Vec<String> {
    let answer = app.post("/memory/query", &json!({ "task": task })).await.expect(200);
    assert_eq!(answer.header("x-reflect-degraded"), None, "{task}");
    let found = answer.json();
    found.as_array().unwrap().iter().map(|memory| memory["id"].as_str().unwrap().to_owned()).collect()
}

fn questions_of(embedder: &ScriptedEmbedder) -> usize {
    embedder.calls().iter().filter(|(_, purpose)| *purpose == EmbedPurpose::Query).count()
}

#[tokio::test]
async fn a_project_changes_over_and_back_without_a_question_failing() {
    let given = Given::start().await;
    let app = &given.app;
    let first = lesson(app, "sort the list of names", "Use the library.").await;
    assert_eq!(ask(app, "sort the list").await, std::slice::from_ref(&first));
    assert_eq!(given.state().await["state"], Value::Null);

    let started = given.step("").await.expect(202).json();
    assert_eq!((&started["state"], &started["total"]), (&json!("filling"), &json!(1)));
    assert_eq!(started["reads"]["dimensions"], OLD);
    assert_eq!(started["to"]["dimensions"], NEW);
    given.step("/switch").await.expect(409);
    // Written to both from now on, also before the walk has come by.
    let second = lesson(app, "sort the numbers", "Mind the sign.").await;
    assert_eq!(given.vectors("memory_vector").await, (2, 1));
    app.learn().await;
    assert_eq!(given.state().await["state"], "ready");
    assert_eq!(given.vectors("memory_vector").await, (2, 2));
    assert_eq!(ask(app, "sort the list of names").await[0], first);

    let before = questions_of(&given.new);
    assert_eq!(given.step("/switch").await.expect(200).json()["reads"]["dimensions"], NEW);
    assert_eq!(ask(app, "sort the numbers").await[0], second);
    assert_eq!(questions_of(&given.new), before + 1, "embedded by the embedder of the space that is read");

    given.step("/rollback").await.expect(200);
    assert_eq!(given.state().await["state"], "rolled_back");
    assert_eq!(ask(app, "sort the numbers with a sign").await[0], second);
    assert_eq!(questions_of(&given.new), before + 1);
    let third = lesson(app, "sort the words", "Mind the case.").await;
    given.step("/switch").await.expect(200);
    assert_eq!(ask(app, "sort the words").await[0], third);

    let finished = given.step("/finish").await.expect(200).json();
    assert_eq!(finished["state"], "finished");
    assert_eq!(finished["writes"].as_array().unwrap().len(), 1);
    given.step("/rollback").await.expect(409);
    given.step("").await.expect(409);
    let (dropped, kept) = given.vectors("memory_vector").await;
    assert_eq!((dropped, kept), (3, 3), "other processes may still read the old ones for some seconds");
    due_now(app).await;
    app.learn().await;
    assert_eq!(given.vectors("memory_vector").await, (0, 3));
    assert_eq!(ask(app, "sort the words in a list").await[0], third);
    // And the other way round, from what is the next embedder to what is the first.
    assert_eq!(given.step("").await.expect(202).json()["to"]["dimensions"], OLD);
}

/// Lets jobs that wait for a time be done now.
async fn due_now(app: &TestApp) {
    let due = "update job set run_at = now() where worker is null";
    sqlx::query(due).execute(&mut app.db.superuser().await).await.unwrap();
}

#[tokio::test]
async fn a_failing_next_embedder_holds_nothing_up_and_its_gaps_are_filled() {
    let given = Given::start().await;
    let app = &given.app;
    lesson(app, "open the door", "Turn the key.").await;
    given.ready().await;

    let busy = || Some(Fault::Error(ModelError::retry_later("the embedder is busy", None)));
    given.new.fault_always(busy());
    lesson(app, "close the door", "Pull it.").await;
    assert_eq!(given.vectors("memory_vector").await, (2, 1));
    given.step("/switch").await.expect(409);
    app.learn().await;
    let waiting = given.state().await;
    assert!(waiting["last_error"].as_str().unwrap().contains("busy"), "{waiting}");

    given.new.fault_always(None);
    due_now(app).await;
    app.learn().await;
    assert_eq!(given.vectors("memory_vector").await, (2, 2));
    assert_eq!(given.state().await["last_error"], Value::Null);
    given.step("/switch").await.expect(200);

    // Now the old one fails: only a way back is missing.
    given.old.fault_always(busy());
    lesson(app, "lock the door", "Twice.").await;
    assert_eq!(given.vectors("memory_vector").await, (2, 3));
    given.old.fault_always(None);
    given.step("/rollback").await.expect(200);
    app.learn().await;
    assert_eq!(given.vectors("memory_vector").await, (3, 3));
}

#[tokio::test]
async fn memories_that_may_not_be_served_are_parked_in_the_new_space_and_retired_ones_left_out() {
    let given = Given::start().await;
    let mut ids = Vec::new();
    for task in ["paint the wall", "paint the fence", "paint the boat"] {
        ids.push(lesson(&given.app, task, "Twice.").await);
    }
    let mut connection = given.app.db.superuser().await;
    let disabled = "with stat as (update memory_stat set presence = 1 where memory_id = $1::uuid),
                    taken as (delete from memory_vector where memory_id = $1::uuid returning *)
                    insert into parked_vector (project_id, space_id, memory_id, embedding)
                    select project_id, space_id, memory_id, embedding from taken";
    sqlx::query(disabled).bind(&ids[1]).execute(&mut connection).await.unwrap();
    let retired = "with stat as (update memory_stat set retired = true where memory_id = $1::uuid)
                   delete from memory_vector where memory_id = $1::uuid";
    sqlx::query(retired).bind(&ids[2]).execute(&mut connection).await.unwrap();

    given.ready().await;

    assert_eq!(given.vectors("memory_vector").await, (1, 1));
    assert_eq!(given.vectors("parked_vector").await, (1, 1));
    given.step("/switch").await.expect(200);
    assert_eq!(ask(&given.app, "paint the fence").await, [ids[0].clone()]);
}

#[tokio::test]
async fn both_spaces_are_compared_on_the_questions_that_were_asked() {
    let (old, new) = (ScriptedEmbedder::new(OLD), ScriptedEmbedder::new(NEW));
    let models = Models { next_embeds: EmbeddedText::Reflection, ..models(&old, &new) };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    let given = Given { app, old, new };
    let app = &given.app;
    let by_task = lesson(app, "boil an egg", "Look at the clock.").await;
    let by_lesson = lesson(app, "look at the clock", "Boil an egg.").await;
    for _ in 0..3 {
        ask(app, "boil an egg").await;
    }
    app.post("/embedding-change/compare", &json!({})).await.expect(409);
    given.ready().await;
    assert_eq!(given.state().await["to"]["key_text"], "reflection");
    let receipts = "select count(*) from retrieval";
    let count = async || -> i64 {
        sqlx::query_scalar(receipts).fetch_one(&mut app.db.superuser().await).await.unwrap()
    };
    app.app.engine().store.project(app.project_id().await).receipts().flush().await;
    let written = count().await;

    let compared = app.post("/embedding-change/compare", &json!({ "limit": 1 })).await.expect(200).json();
    assert_eq!(compared["questions"], 1, "the same question counts once");
    assert_eq!((&compared["overlap"], &compared["same_first"]), (&json!(0.0), &json!(0.0)));
    assert_eq!(compared["most_changed"][0]["from"], json!([by_task]));
    assert_eq!(compared["most_changed"][0]["to"], json!([by_lesson]));
    assert_eq!((&compared["from"]["memories"], &compared["to"]["memories"]), (&json!(1), &json!(1)));
    assert!(compared["suggested_similarity_threshold"].is_number());
    assert_eq!(count().await, written);
    app.post("/embedding-change/compare", &json!({ "questions": 49 })).await.expect(422);

    app.post("/embedding-change/switch", &json!({ "similarity_threshold": 2 })).await.expect(422);
    let switched = app.post("/embedding-change/switch", &json!({ "similarity_threshold": 0.9 })).await;
    assert_eq!(switched.expect(200).json()["reads"]["similarity_threshold"], 0.9);
    assert_eq!(ask(app, "boil an egg").await, [by_lesson], "the question is a task, the memory a lesson");
    assert!(ask(app, "boil two eggs in a pan").await.is_empty(), "the project's own threshold");
    given.step("/rollback").await.expect(200);
    assert_eq!(given.state().await["reads"]["similarity_threshold"], 0.3);
}

#[tokio::test]
async fn a_project_is_served_by_the_embedder_of_its_space_whatever_the_order_of_the_configuration() {
    let given = Given::start().await;
    let memory = lesson(&given.app, "water the plants", "In the morning.").await;
    let mut asked = 0;
    for (one, next) in [(&given.new, &given.old), (&given.old, &given.new)] {
        // Another process over the same database, with the two embedders in another order.
        let store = given.app.db.store().await;
        let engine = Engine::new(store, models(one, next), EngineSettings::default());
        let service = App::new(engine, ServerSettings::default());
        let holder = service.engine().access.authenticate(&given.app.key, None).await.unwrap();
        let visitor = service
            .engine()
            .access
            .enter(&holder, &given.app.project, false, &RequestOrigin::default())
            .await
            .unwrap();
        let question =
            reflect_engine::RetrievalQuery { task: "water the plants".into(), ..Default::default() };
        let found = service.engine().retriever.retrieve(&visitor, &question).await.unwrap();
        assert_eq!(found.degraded, None);
        assert_eq!(found.memories[0].row.memory_id.to_string(), memory);
        asked += 1;
        assert_eq!(questions_of(&given.new), 0);
        assert!(questions_of(&given.old) >= asked);
    }
}

#[tokio::test]
async fn without_another_embedder_there_is_nothing_to_change_to() {
    let app = TestApp::start().await;
    let refused = app.post("/embedding-change", &json!({})).await.expect(409);
    assert_eq!(refused.code(), "not_ready");
    lesson(&app, "feed the cat", "Twice a day.").await;
    let refused = app.post("/embedding-change", &json!({})).await.expect(409);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("--next-embedder"));
}

#[tokio::test]
async fn a_change_that_was_never_switched_is_given_up_and_leaves_nothing_behind() {
    let given = Given::start().await;
    let memory = lesson(&given.app, "fold the paper", "Along the line.").await;
    given.ready().await;
    given.step("").await.expect(409);
    given.step("/finish").await.expect(409);

    assert_eq!(given.step("/rollback").await.expect(200).json()["state"], "abandoned");
    due_now(&given.app).await;
    given.app.learn().await;
    assert_eq!(given.vectors("memory_vector").await, (1, 0));
    assert_eq!(ask(&given.app, "fold the paper").await, [memory]);
    given.ready().await;
}

#[tokio::test]
async fn a_switch_of_a_week_ago_is_finished_by_maintenance() {
    let given = Given::start().await;
    lesson(&given.app, "wind the clock", "Once a week.").await;
    given.ready().await;
    given.step("/switch").await.expect(200);
    let engine = given.app.app.engine();
    engine.maintenance.run_step(MaintenanceStep::Migrations, Duration::from_secs(60)).await.unwrap();
    assert_eq!(given.state().await["state"], "switched");

    let aged = "update space_change set switched_at = now() - interval '7 days'";
    sqlx::query(aged).execute(&mut given.app.db.superuser().await).await.unwrap();
    engine.maintenance.run_step(MaintenanceStep::Migrations, Duration::from_secs(60)).await.unwrap();
    assert_eq!(given.state().await["state"], "finished");
}
