//! Asking for memories, writing one, and the skill they add up to.

use reflect_sdk::api::{AuthoredReflection, CreateSkill};
use reflect_sdk::types::{Fate, IngestStatus, Link, MemoryOrigin, Ranking, ReviewResult};
use reflect_sdk::{MemoryQuery, ReviewVerdict};
use reflect_test_support::TestApp;

use crate::given::{Given, given, run_of, with};

const TASK: &str = "find out why the nightly import stopped";

async fn given_a_lesson(given: &Given) {
    let lesson = AuthoredReflection {
        summary: "The timer was off.".to_owned(),
        guidance: "Look at the timer first.".to_owned(),
        ..AuthoredReflection::default()
    };
    let stored = given.client.memories.create(TASK, ReviewResult::Fail, lesson).await.unwrap();
    assert_eq!(stored.ingest_status, IngestStatus::Completed);
    assert!(stored.created_memory_id.is_some());
}

#[tokio::test]
async fn a_lesson_is_found_with_its_receipt() {
    let given = given().await;
    given_a_lesson(&given).await;

    let query = MemoryQuery::new(TASK).limit(3).utility_weight(0.2).ranking(Ranking::Classic);
    let found = given.client.memories.query(query).await.unwrap();
    let receipt = given.client.memories.retrieval(found.retrieval_id.unwrap()).await.unwrap();
    let none =
        given.client.memories.query(MemoryQuery::new(TASK).metadata_filter("env", "prod")).await.unwrap();

    assert_eq!(found.memories.len(), 1);
    let memory = &found.memories[0];
    assert_eq!((memory.summary.as_str(), memory.origin), ("The timer was off.", MemoryOrigin::Authored));
    assert_eq!((found.degraded.as_deref(), found.memory_ids().count()), (None, 1));
    assert_eq!(
        (receipt.considered[0].memory_id, receipt.considered[0].fate),
        (memory.id, Some(Fate::Served))
    );
    assert!(none.memories.is_empty() && none.retrieval_id.is_some());
}

#[tokio::test]
async fn a_task_is_augmented_and_its_run_linked_by_the_receipt() {
    let given = given().await;
    given_a_lesson(&given).await;

    let augmented = given.client.memories.augment(TASK).await.unwrap();
    let trace = run_of(TASK)
        .retrieval_id(augmented.retrieval_id.unwrap())
        .used_memory_ids(augmented.memory_ids())
        .review(ReviewVerdict::pass());
    let id = given.client.traces.create(trace).await.unwrap().trace_id;

    assert!(augmented.augmented_task.starts_with(TASK));
    assert!(augmented.augmented_task.contains("Look at the timer first."));
    assert_eq!(augmented.degraded, None);
    let stored = given.client.traces.get(id).await.unwrap();
    assert_eq!((stored.link, stored.linked_memory_ids), (Link::Receipt, augmented.memory_ids().collect()));
}

#[tokio::test]
async fn without_an_embedder_the_answer_says_that_it_is_degraded() {
    let mut models = reflect_test_support::scripted_models();
    models.embedder = None;
    let given = with(TestApp::with_models(models, Default::default()).await).await;

    let found = given.client.memories.query(TASK).await.unwrap();
    let augmented = given.client.memories.augment(TASK).await.unwrap();

    assert!(found.degraded.is_some() && found.retrieval_id.is_some());
    assert_eq!(augmented.degraded, found.degraded);
}

#[tokio::test]
async fn a_skill_is_there_once_it_was_written() {
    let given = given().await;
    assert_eq!(given.client.skills.get().await.unwrap(), None);
    let early = given.client.skills.create(CreateSkill::default()).await.unwrap_err();
    assert_eq!((early.status(), early.code()), (Some(409), Some("not_ready")));
    given_a_lesson(&given).await;

    let written = given
        .client
        .skills
        .create(CreateSkill { n_failed: Some(1), ..CreateSkill::default() })
        .await
        .unwrap();

    assert_eq!((written.version, written.n_failed), (1, 1));
    assert_eq!(given.client.skills.get().await.unwrap(), Some(written));
}
