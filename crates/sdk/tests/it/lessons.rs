//! Lessons that hold several memories, and runs with marked steps.

use reflect_sdk::api::{
    AuthoredReflection, GroupLessons, ListLessons, ListMemories, ListQuestions, SplitLesson,
};
use reflect_sdk::types::{LessonId, MemoryId, ReviewResult};
use reflect_sdk::{Output, ReviewVerdict};
use serde_json::{Value, json};

use crate::given::{Given, PATIENCE, given};

async fn given_a_lesson(given: &Given, task: &str, guidance: &str) -> MemoryId {
    let lesson = AuthoredReflection { guidance: guidance.to_owned(), ..AuthoredReflection::default() };
    let stored = given.client.memories.create(task, ReviewResult::Pass, lesson).await.unwrap();
    stored.created_memory_id.unwrap()
}

#[tokio::test]
async fn lessons_are_grouped_split_and_moved_and_each_change_is_undone() {
    let given = given().await;
    let one = given_a_lesson(&given, "refund the broken vase", "Look the price up.").await;
    let other = given_a_lesson(&given, "pay for the lost parcel", "Read the price of the order.").await;
    let (first, second) = (LessonId::from(one), LessonId::from(other));

    let request = GroupLessons { into: first, lesson_ids: vec![second] };
    let grouped = given.client.lessons.group(&request).await.unwrap();
    let detail = given.client.lessons.get(first).await.unwrap();
    let listed = given.client.lessons.page(&ListLessons::default()).await.unwrap();
    let of_lesson = ListMemories { lesson_id: Some(first), ..ListMemories::default() };
    let memories = given.client.memories.page(&of_lesson).await.unwrap();

    let counts = (grouped.lesson.situations, grouped.lesson.runs, grouped.lesson.passed_runs);
    assert_eq!((counts, grouped.lesson.guidance.as_str()), ((2, 2, 2), "Look the price up."));
    assert_eq!((detail.lesson.id, detail.memories.len()), (first, 2));
    assert_eq!(detail.memories, memories.items);
    assert_eq!(listed.items, [grouped.lesson]);

    let split = given.client.lessons.split(first, &SplitLesson { memory_ids: vec![other] }).await.unwrap();
    assert_eq!((split.lesson.id, split.lesson.guidance.as_str()), (second, "Read the price of the order."));
    let moved = given.client.lessons.move_situation(other, first).await.unwrap();
    assert_eq!(moved.memory.lesson_id, Some(first));
    for action in [moved.action_id, split.action_id, grouped.action_id] {
        given.client.actions.undo(action.unwrap()).await.unwrap();
    }
    assert_eq!(given.client.lessons.page(&ListLessons::default()).await.unwrap().items.len(), 2);
    assert_eq!(given.client.lessons.grouping().await.unwrap().situations, 2);
    assert!(given.client.lessons.questions(&ListQuestions::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn what_the_server_did_by_itself_is_listed_on_request() {
    let given = given().await;
    let first = given_a_lesson(&given, "refund the broken vase", "Look the price up.").await;
    let again = given_a_lesson(&given, "refund the broken vase", "Look the price up.").await;

    let usual = given.client.actions.page(None, None).await.unwrap();
    let all = given.client.actions.page_with_automatic(None, None).await.unwrap();

    assert_eq!(first, again, "the first memory absorbed the second run");
    assert!(usual.items.is_empty(), "{:?}", usual.items);
    assert_eq!((all.items[0].kind.as_str(), all.items[0].actor.as_str()), ("lesson.join", "server"));
}

#[tokio::test]
async fn marked_steps_are_sent_and_become_memories_of_their_own() {
    let given = given().await;
    let run = given.client.run("the phone has no signal").start().await;
    let found = given.client.memories.query("no signal, plan active").await.unwrap();
    run.mark_step("no signal, plan active", "restart the phone", found.retrieval_id);
    run.mark_step("the picture message is not sent", "reset the message settings", None);

    let output = Output::reviewed(ReviewVerdict::pass());
    let trace = given.while_learning(run.finish_and_wait(output, PATIENCE)).await.unwrap();

    let messages: Value = serde_json::from_str(trace.trajectory.get()).unwrap();
    let receipt = found.retrieval_id.unwrap().to_string();
    let mark =
        json!({ "task": "no signal, plan active", "action": "restart the phone", "retrieval_id": receipt });
    assert_eq!((&messages[0]["reflect_step"], &messages[1]["role"]), (&mark, &json!("assistant")));
    let of_run = ListMemories { source_trace_id: Some(trace.id), ..ListMemories::default() };
    let memories = given.client.memories.page(&of_run).await.unwrap().items;
    let mut actions: Vec<&str> = memories.iter().map(|memory| memory.correct_action.as_str()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["reset the message settings", "restart the phone"]);
}
