//! The order of hooks and events, and which reflections are generated.

use reflexion_loop::*;

use crate::stage::{Bank, Talkative, Writer, kinds, learner, watched};

async fn order(passing: u32) -> (Vec<String>, Vec<String>) {
    let hooks = Talkative::default();
    let learner = learner(passing).hooks(hooks.clone()).build().unwrap();
    let (events, outcome) = watched(learner.start("task")).await;
    outcome.unwrap();
    let original = |kind: &String| kind.starts_with("trial") || kind.starts_with("reflection");
    (hooks.0.read(), kinds(&events).into_iter().filter(original).collect())
}

#[tokio::test]
async fn a_pass_at_once_has_one_start_and_one_end() {
    let (hooks, events) = order(1).await;

    assert_eq!(hooks, ["start1", "end1"]);
    assert_eq!(events, ["trial_start1", "trial_end1"]);
}

#[tokio::test]
async fn a_failure_is_reflected_on_before_its_trial_ends() {
    let (hooks, events) = order(2).await;

    assert_eq!(hooks, ["start1", "reflection1", "end1", "start2", "end2"]);
    // Intended difference: in Go, trial_end comes for the last trial only.
    assert_eq!(events, ["trial_start1", "reflection_generated1", "trial_end1", "trial_start2", "trial_end2"]);
}

#[tokio::test]
async fn three_failures_have_three_ends_and_two_reflections() {
    let (hooks, events) = order(0).await;

    assert_eq!(hooks, ["start1", "reflection1", "end1", "start2", "reflection2", "end2", "start3", "end3"]);
    let ends: Vec<&String> = events.iter().filter(|kind| kind.starts_with("trial_end")).collect();
    assert_eq!(ends, ["trial_end1", "trial_end2", "trial_end3"]);
    assert_eq!(events.iter().filter(|kind| kind.starts_with("reflection")).count(), 2);
}

#[tokio::test]
async fn the_whole_order_of_a_trial_with_a_memory() {
    let learner = learner(2).long_term_memory(Bank::default()).build().unwrap();

    let (events, _) = watched(learner.start("task")).await;

    assert_eq!(
        kinds(&events),
        [
            "run_start",
            "memories_recalled1",
            "trial_start1",
            "evaluated1",
            "reflection_generated1",
            "trace_recorded1",
            "trial_end1",
            "trial_start2",
            "evaluated2",
            "trace_recorded2",
            "trial_end2",
            "run_end",
        ]
    );
}

#[tokio::test]
async fn one_trial_makes_no_reflection_call() {
    let writer = Writer::default();

    let outcome =
        learner(0).reflector(writer.clone()).max_trials(1).build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, writer.calls()), (Stop::MaxTrials, 0));
}

#[tokio::test]
async fn memory_size_nought_makes_no_reflection_call_unless_somebody_wants_it() {
    struct Curious;
    impl Hooks for Curious {
        fn wants_reflections(&self) -> bool {
            true
        }
    }
    let calls = async |builder: ReflexionBuilder| {
        let writer = Writer::default();
        let learner = builder
            .reflector(writer.clone())
            .options(Options { memory_size: 0, ..Options::default() })
            .build()
            .unwrap();
        learner.run("task").await.unwrap();
        writer.calls()
    };

    assert_eq!(calls(learner(0)).await, 0);
    assert_eq!(calls(learner(0).hooks(Talkative::default())).await, 0);
    assert_eq!(calls(learner(0).hooks(Curious)).await, 3);
    assert_eq!(calls(learner(0).long_term_memory(Bank::default())).await, 3);
}

#[tokio::test]
async fn the_last_failure_is_reflected_on_if_a_memory_wants_it() {
    let (bank, writer) = (Bank::default(), Writer::default());

    let learner = learner(0).reflector(writer.clone()).long_term_memory(bank.clone()).build().unwrap();
    learner.run("task").await.unwrap();

    assert_eq!(writer.calls(), 3);
    let lessons: Vec<_> = bank.records().into_iter().map(|kept| kept.lesson.unwrap()).collect();
    assert_eq!(lessons, ["note on trial 1", "note on trial 2", "note on trial 3"]);
}

#[tokio::test]
async fn a_pass_is_reflected_on_only_if_asked_for() {
    let calls = async |reflect: bool| {
        let writer = Writer::default();
        let learner = learner(1).reflector(writer.clone()).long_term_memory(Bank::default());
        learner
            .options(Options { reflect_on_pass: reflect, ..Options::default() })
            .build()
            .unwrap()
            .run("task")
            .await
            .unwrap();
        writer.calls()
    };

    assert_eq!((calls(false).await, calls(true).await), (0, 1));
}

#[tokio::test]
async fn a_reflector_sees_earlier_notes_and_the_best_attempt() {
    let writer = Writer::default();

    learner(0).reflector(writer.clone()).build().unwrap().run("the task").await.unwrap();

    let second = writer.inputs.lock().unwrap()[1].clone();
    assert_eq!(second.input.as_deref(), Some("the task"), "the original, without notes");
    assert_eq!((second.output.as_deref(), second.passed), (Some("answer 2"), Some(false)));
    assert_eq!(second.feedback.as_deref(), Some("answer 2 is wrong"));
    assert_eq!(second.earlier_notes, ["note on trial 1\n- try again"]);
    assert!(second.sections[0].text.contains("answer 1"), "{:?}", second.sections);
}
