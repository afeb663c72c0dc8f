//! The effects of verdicts: unclear verdicts, misleading texts, scores, stalls, the best answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use reflect_evaluation::ExactMatch;
use reflect_model::scripted::ScriptedModel;
use reflexion_loop::*;

use crate::stage::{Bank, Writer, learner};

#[tokio::test]
async fn an_unclear_verdict_is_asked_for_once_more_and_then_recorded_without_a_review() {
    let (bank, writer) = (Bank::recalling(&[("old", "text")]), Writer::default());
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let judge = check_fn(move |_: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
        Verdict::Unclear
    });
    let learner = learner(0).evaluator(judge).reflector(writer.clone()).max_trials(2);
    let learner = learner.long_term_memory(bank.clone()).build().unwrap();

    let outcome = learner.run("task").await.unwrap();

    assert_eq!(outcome.stop, Stop::MaxTrials);
    assert_eq!(calls.load(Ordering::SeqCst), 4, "each trial twice");
    assert!(bank.records().iter().all(|kept| kept.result.is_none() && kept.lesson.is_none()));
    assert_eq!(writer.calls(), 1, "for the note; no lesson travels without a review");
    assert_eq!(writer.inputs.lock().unwrap()[0].passed, None);
}

#[tokio::test]
async fn an_unclear_verdict_can_clear_up_when_asked_for_again() {
    let calls = AtomicU32::new(0);
    let judge =
        check_fn(
            move |_: &str| {
                if calls.fetch_add(1, Ordering::SeqCst) == 0 { Verdict::Unclear } else { Verdict::Pass }
            },
        );

    let outcome = learner(0).evaluator(judge).build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.state.trials.len()), (Stop::Passed, 1));
}

#[tokio::test]
async fn misleading_phrases_of_a_judge_are_no_pass() {
    for phrase in ["FAILURE: the agent did not successfully finish", "unsuccessful", "not a pass"] {
        let judge = LlmEvaluator::new(
            ScriptedModel::new().otherwise(|_| Ok(String::new())).answer(phrase).answer(phrase),
        );

        let outcome = learner(0).evaluator(judge).max_trials(1).build().unwrap().run("task").await.unwrap();

        assert_eq!(outcome.stop, Stop::MaxTrials, "{phrase}");
        assert_ne!(outcome.best.unwrap().verdict, Verdict::Pass, "{phrase}");
    }
}

#[tokio::test]
async fn the_review_of_a_judge_moves_less_than_that_of_a_check() {
    let bank = Bank::default();
    let judge =
        LlmEvaluator::new(ScriptedModel::new().answer(r#"{"verdict": "pass", "feedback": "well done"}"#));

    let learner = learner(0).evaluator(judge).long_term_memory(bank.clone()).build().unwrap();
    learner.run("task").await.unwrap();

    assert_eq!(bank.records()[0].alpha, Some(0.1));
}

#[tokio::test]
async fn a_score_that_reaches_the_threshold_ends_the_run_also_in_the_last_trial() {
    let rising = |cx: TrialContext| async move { format!("0.{}", cx.trial() * 3) };
    let judge = || {
        check_fn(|answer: &str| Evaluation::fail().with_score(Score::new(answer.parse().unwrap()).unwrap()))
    };
    let bank = Bank::default();
    let learner = learner(0).actor(actor_fn(rising)).evaluator(judge()).options(Options {
        score_threshold: Some(0.6),
        max_trials: 2,
        ..Options::default()
    });
    let learner = learner.long_term_memory(bank.clone()).build().unwrap();

    let outcome = learner.run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.answer()), (Stop::ScoreReached, Some("0.6")));
    assert!(outcome.is_success());
    let results: Vec<_> = bank.records().into_iter().map(|kept| kept.result.unwrap()).collect();
    assert_eq!(results, ["fail", "pass"]);
}

#[tokio::test]
async fn the_best_answer_is_not_always_the_last() {
    let falling = |cx: TrialContext| async move { format!("0.{}", 9 - cx.trial()) };
    let judge =
        check_fn(|answer: &str| Evaluation::fail().with_score(Score::new(answer.parse().unwrap()).unwrap()));

    let outcome =
        learner(0).actor(actor_fn(falling)).evaluator(judge).build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.answer()), (Stop::MaxTrials, Some("0.8")));
    assert_eq!(outcome.state.trials.len(), 3);
}

#[tokio::test]
async fn the_latest_of_equals_is_the_best() {
    let outcome = learner(0).build().unwrap().run("task").await.unwrap();

    assert_eq!(outcome.answer(), Some("answer 3"));
}

#[tokio::test]
async fn the_same_answer_with_the_same_feedback_is_a_stall() {
    let stubborn = || actor_fn(|_| async { "the same" });
    let run = async |stall: Stall| {
        let learner = learner(0)
            .actor(stubborn())
            .options(Options { max_trials: 9, stall, ..Options::default() })
            .build()
            .unwrap();
        learner.run("task").await.unwrap()
    };

    let (ignored, stopped) = (run(Stall::Ignore).await, run(Stall::StopOnRepeat).await);

    assert_eq!((ignored.stop, ignored.state.trials.len()), (Stop::MaxTrials, 9));
    assert_eq!((stopped.stop, stopped.state.trials.len()), (Stop::Stalled, 2));
}

#[tokio::test]
async fn a_known_answer_reaches_no_prompt_no_state_and_no_event() {
    let (writer, bank) = (Writer::default(), Bank::default());
    let lines = crate::stage::Diary::default();
    let diary = lines.clone();
    let learner = learner(0).evaluator(ExactMatch::new(["the gold answer"])).reflector(writer.clone());
    let learner =
        learner.long_term_memory(bank.clone()).on_event(move |envelope| diary.write(envelope.json_line()));

    let outcome = learner.build().unwrap().run("task").await.unwrap();

    let seen = format!(
        "{} {:?} {:?} {:?}",
        serde_json::to_string(&outcome.state).unwrap(),
        writer.inputs.lock().unwrap(),
        bank.records(),
        lines.read()
    );
    assert!(!seen.contains("gold"), "{seen}");
    assert!(outcome.state.trials[0].evaluation.private.reveal().is_some(), "its owner still has it");
}

#[tokio::test]
async fn a_model_alone_can_judge_and_reflect() {
    let model = ScriptedModel::new()
        .answer(r#"{"verdict": "fail", "feedback": "no"}"#)
        .answer(r#"{"summary": "do better"}"#)
        .answer(r#"{"verdict": "pass"}"#);

    let learner =
        Reflexion::builder().actor(crate::stage::Counter::default()).model(model.clone()).build().unwrap();
    let outcome = learner.run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.state.trials.len()), (Stop::Passed, 2));
    assert_eq!(
        (model.calls(), outcome.state.spent.calls),
        (3, 5),
        "two attempts, two verdicts, one reflection"
    );
}
