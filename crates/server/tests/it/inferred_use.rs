//! Which memories a run used, if neither its client nor a model says so: what it did is compared with what they advise.

use reflect_store::ProjectCtx;
use reflect_test_support::TestApp;
use serde_json::{Value, json};

const TASK: &str = "ann cannot sign in";
const DONE: &str = "send the reset link";

struct Given {
    app: TestApp,
    /// Advises what the runs do.
    followed: String,
    /// Advises something else.
    ignored: String,
}

async fn given() -> Given {
    let app = TestApp::start().await;
    let learned = async |task: &str, action: &str| {
        let body = json!({ "task": task, "trajectory": [],
                           "review": { "result": "pass", "reflection": { "correct_action": action } } });
        let stored = app.post("/traces", &body).await.expect(201).json();
        stored["created_memory_id"].as_str().unwrap().to_owned()
    };
    let followed = learned("bob cannot sign in", DONE).await;
    let ignored = learned("eve wants to leave", "close her account forever").await;
    Given { app, followed, ignored }
}

impl Given {
    async fn project(&self) -> ProjectCtx {
        let store = &self.app.app.engine().store;
        store.project(store.catalogue().find_project(&self.app.project).await.unwrap().unwrap())
    }

    /// What clients said so far: lessons that are at least 0.6 similar to what the run did were used.
    async fn measured(&self) {
        let uses = [[(0.7, true); 50], [(0.57, false); 50]].concat();
        self.project().await.lessons().record_statistics(None, &uses).await.unwrap();
    }

    /// A run that had both memories and passed, with what its client says beyond that.
    async fn passed(&self, more: Value) {
        let mut body = json!({ "task": TASK, "trajectory": [{ "role": "assistant", "content": DONE }],
                               "retrieved_memory_ids": [self.followed, self.ignored],
                               "review": { "result": "pass" } });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.app.post("/traces", &body).await.expect(202);
        self.app.learn().await;
    }

    async fn lessons(&self) -> usize {
        self.app.get("/lessons").await.expect(200).json().as_array().unwrap().len()
    }

    /// Of the last review of a memory: whether its run used it, and how that is known. And the evidence.
    async fn uses(&self, memory: &str) -> (Value, Value, Value) {
        let history = self.app.get(&format!("/memories/{memory}/history")).await.expect(200).json();
        let review = history["steps"].as_array().unwrap().last().unwrap()["review"].clone();
        let memory = self.app.get(&format!("/memories/{memory}")).await.expect(200).json();
        (review["used"].clone(), review["used_by"].clone(), memory["evidence"].clone())
    }
}

#[tokio::test]
async fn nothing_is_inferred_before_it_is_measured_in_the_project() {
    let given = given().await;

    given.passed(json!({})).await;

    for memory in [&given.followed, &given.ignored] {
        assert_eq!(given.uses(memory).await, (Value::Null, Value::Null, json!(1)));
    }
}

#[tokio::test]
async fn what_clients_say_measures_the_rule() {
    let given = given().await;

    given.passed(json!({ "used_memory_ids": [given.followed] })).await;

    let uses = given.project().await.lessons().statistics().await.unwrap().uses;
    assert_eq!((uses.used.iter().sum::<u32>(), uses.unused.iter().sum::<u32>()), (1, 1));
    assert_eq!(given.lessons().await, 2, "the run joined the lesson that its client named");
}

#[tokio::test]
async fn a_lesson_that_says_what_the_run_did_was_used() {
    let given = given().await;
    given.measured().await;

    given.passed(json!({})).await;

    assert_eq!(given.uses(&given.followed).await, (json!(true), json!("text"), json!(1)));
    assert_eq!(given.uses(&given.ignored).await, (json!(false), json!("text"), json!(0)));
    assert_eq!(given.lessons().await, 3, "similar texts group nothing");
}

#[tokio::test]
async fn what_the_client_says_is_never_overridden() {
    let given = given().await;
    given.measured().await;

    given.passed(json!({ "used_memory_ids": [given.ignored] })).await;

    assert_eq!(given.uses(&given.followed).await, (json!(false), json!("client"), json!(0)));
    assert_eq!(given.uses(&given.ignored).await, (json!(true), json!("client"), json!(1)));
}

#[tokio::test]
async fn a_project_that_does_not_infer_credits_all_of_them() {
    let given = given().await;
    given.measured().await;
    let change = json!({ "lessons": { "infer_use": false } });
    given.app.send("PATCH", &given.app.path(""), Some(&given.app.key), &[], Some(&change)).await.expect(200);

    given.passed(json!({})).await;

    for memory in [&given.followed, &given.ignored] {
        let (_, by, evidence) = given.uses(memory).await;
        assert_eq!((by, evidence), (Value::Null, json!(1)));
    }
}
