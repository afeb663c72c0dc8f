//! What is sent for a trial.

use reflect_types::{Alpha, ReviewResult};
use serde_json::{Map, Value, json};

use super::*;

fn record<'a>(task: &'a Task, attempt: &'a Attempt) -> TraceRecord<'a> {
    TraceRecord {
        idempotency_key: "run/1/1".into(),
        task,
        attempt,
        review: None,
        retrieved_memory_ids: Vec::new(),
        retrieval_id: None,
        metadata: Map::new(),
    }
}

fn sent(record: TraceRecord<'_>) -> Value {
    serde_json::to_value(trace_of(record).body()).unwrap()
}

#[test]
fn a_trial_is_sent_with_its_verdict_and_the_loops_own_lesson() {
    let (task, attempt) = (Task::from("the task"), Attempt::from("1204"));
    let lesson = Lesson {
        summary: "too high".into(),
        guidance: vec!["write both ends".into(), "count again".into()],
        key_mistake: Some("one end".into()),
        ..Lesson::default()
    };
    let review = TraceReview {
        result: ReviewResult::Fail,
        feedback: Some("wrong"),
        alpha: Alpha::try_from(0.1).ok(),
        lesson: Some(lesson),
    };

    let body = sent(TraceRecord { review: Some(review), ..record(&task, &attempt) });

    assert_eq!(body["trajectory"], json!([{ "role": "assistant", "content": "1204" }]));
    assert_eq!(body["final_response"], "1204");
    assert_eq!(
        body["review"],
        json!({
            "result": "fail", "feedback_text": "wrong", "alpha": 0.1_f32,
            "reflection": {
                "summary": "too high", "guidance": "write both ends\ncount again", "key_mistake": "one end",
                "correct_action": "", "applicable_tools": []
            }
        })
    );
}

#[test]
fn messages_are_sent_as_they_are_and_nothing_is_made_up() {
    let task = Task::from("the task");
    let calls = Attempt::from("done").with_trajectory(vec![json!({ "type": "call", "n": 1 })]);

    assert_eq!(sent(record(&task, &calls))["trajectory"], json!([{ "type": "call", "n": 1 }]));
    assert_eq!(sent(record(&task, &Attempt::default().failed("out of steps")))["trajectory"], json!([]));
}

#[test]
fn a_trial_that_answers_for_nothing_says_so() {
    let (task, attempt) = (Task::from("the task"), Attempt::from("1204"));
    let (memory, receipt) = (MemoryId::generate().to_string(), MemoryId::generate().to_string());
    let told = |ids: &[&str], retrieval_id| {
        let retrieved_memory_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let body = sent(TraceRecord { retrieved_memory_ids, retrieval_id, ..record(&task, &attempt) });
        let fields = ["retrieved_memory_ids", "retrieval_id", "used_memory_ids"];
        fields.map(|field| body[field].clone())
    };

    // More may stand in the receipt than was shown, so that ids are enough.
    assert_eq!(told(&[&memory], Some(&receipt)), [json!([memory]), Value::Null, Value::Null]);
    assert_eq!(told(&[], Some(&receipt)), [Value::Null, json!(receipt), Value::Null]);
    assert_eq!(told(&[], None), [Value::Null, Value::Null, json!([])]);
}

#[test]
fn what_the_server_would_refuse_is_cut_or_left_out() {
    let (task, attempt) = (Task::from("the task"), Attempt::from("1204"));
    let report = "é".repeat(MAX_TEXT_BYTES);
    let empty = Lesson { summary: "  ".into(), applicable_tools: vec!["sql".into()], ..Lesson::default() };
    let review =
        TraceReview { result: ReviewResult::Fail, feedback: Some(&report), alpha: None, lesson: Some(empty) };

    let body = sent(TraceRecord { review: Some(review), ..record(&task, &attempt) });

    assert_eq!(body["review"]["feedback_text"].as_str().unwrap().len(), MAX_TEXT_BYTES);
    assert_eq!(body["review"]["reflection"], Value::Null);
}
