//! The events of a run.

use std::time::{Duration, UNIX_EPOCH};

use reflexion_loop::*;
use serde_json::{Value, json};

use crate::stage::{Bank, Diary, kinds, learner, watched};

#[tokio::test]
async fn events_keep_the_names_and_fields_of_the_first_library() {
    let clock = || UNIX_EPOCH + Duration::from_secs(1_763_202_808);
    let judge = check_fn(|answer: &str| {
        let evaluation = Evaluation::from(answer == "answer 2").with_score(Score::HALF);
        if answer == "answer 2" { evaluation } else { evaluation.with_feedback("no") }
    });
    let learner = learner(0).evaluator(judge).clock(clock).build().unwrap();

    let (events, _) = watched(learner.start_as("run", "task")).await;

    let lines: Vec<Value> =
        events.iter().map(|event| serde_json::from_str(&event.json_line()).unwrap()).collect();
    let at = "2025-11-15T10:33:28.000Z";
    let find = |kind: &str| lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>();
    assert_eq!(
        find("trial_start")[0],
        json!({"run_id": "run", "seq": 2, "at": at, "type": "trial_start", "trial_number": 1})
    );
    assert_eq!(
        find("reflection_generated")[0],
        json!({"run_id": "run", "seq": 4, "at": at, "type": "reflection_generated", "trial_number": 1,
            "reflection": "note on trial 1\n- try again"})
    );
    assert_eq!(
        find("trial_end"),
        [
            json!({"run_id": "run", "seq": 5, "at": at, "type": "trial_end", "trial_number": 1, "success": false,
                "feedback": "no", "score": 0.5, "verdict": "fail"}),
            json!({"run_id": "run", "seq": 8, "at": at, "type": "trial_end", "trial_number": 2, "success": true,
                "score": 0.5, "verdict": "pass"}),
        ]
    );
    assert_eq!(
        find("run_end"),
        [json!({"run_id": "run", "seq": 9, "at": at, "type": "run_end", "success": true, "trials": 2,
            "stop": "passed"})]
    );
    let read: Vec<Envelope> = lines.into_iter().map(|line| serde_json::from_value(line).unwrap()).collect();
    assert_eq!(read, events);
}

#[tokio::test]
async fn numbers_strictly_increase_and_trials_have_both_times() {
    let learner = learner(0).long_term_memory(Bank::default()).build().unwrap();

    let (events, outcome) = watched(learner.start("task")).await;

    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    assert!(events.iter().all(|envelope| envelope.run_id == events[0].run_id));
    let outcome = outcome.unwrap();
    assert!(
        outcome
            .state
            .trials
            .iter()
            .all(|trial| trial.started_at <= trial.ended_at && !trial.started_at.is_empty())
    );
    assert_eq!(outcome.state.next_seq, events.last().unwrap().seq + 1);
}

#[tokio::test]
async fn what_an_actor_tells_is_passed_on() {
    let actor = actor_fn(|cx: TrialContext| async move {
        cx.delta("thinking");
        cx.tool_call("search", json!({"q": 1}));
        cx.tool_result("search", "found");
        "answer 1"
    });
    let learner = learner(1).actor(actor).build().unwrap();

    let (events, _) = watched(learner.start("task")).await;

    assert_eq!(
        kinds(&events),
        [
            "run_start",
            "trial_start1",
            "delta1",
            "tool_call1",
            "tool_result1",
            "evaluated1",
            "trial_end1",
            "run_end"
        ]
    );
}

#[tokio::test]
async fn a_slow_reader_misses_deltas_and_nothing_else() {
    let actor = actor_fn(|cx: TrialContext| async move {
        for _ in 0..5_000 {
            cx.delta("x");
        }
        "answer 1"
    });
    let learner = learner(1).actor(actor).build().unwrap();

    // No task reads the events while the actor emits them. The actor must not wait.
    let (events, _) = watched(learner.start("task")).await;

    let deltas = events.iter().filter(|envelope| envelope.event.is_lossy()).count();
    assert_eq!(deltas, 1_024);
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    assert!(kinds(&events).contains(&"trial_end1".to_owned()));
}

#[tokio::test]
async fn observers_see_every_event_in_order_even_if_nobody_reads() {
    let (seen, diary) = (Diary::default(), Diary::default());
    let writer = seen.clone();
    let learner =
        learner(2).on_event(move |envelope| writer.write(envelope.seq.to_string())).build().unwrap();

    learner.run("task").await.unwrap();
    let (events, _) = watched(learner.start("task")).await;
    for envelope in &events {
        diary.write(envelope.seq.to_string());
    }

    let expected = diary.read();
    assert_eq!(seen.read(), [expected.clone(), expected].concat());
}

#[tokio::test]
async fn a_run_can_go_on_by_itself_in_a_task() {
    let learner = learner(2).build().unwrap();
    let mut tasks = tokio::task::JoinSet::new();

    for _ in 0..3 {
        tasks.spawn(learner.start("task").outcome());
    }

    let outcomes = tasks.join_all().await;
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap().stop == Stop::Passed));
}
