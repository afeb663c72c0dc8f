//! Resuming from a saved state.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflexion_loop::*;

use crate::stage::{Bank, BoxError, Counter, kinds, learner, watched};

/// Stores every saved state as JSON.
#[derive(Clone, Default)]
pub(crate) struct States(Arc<Mutex<Vec<String>>>);

impl States {
    pub(crate) fn all(&self) -> Vec<RunState> {
        self.0.lock().unwrap().iter().map(|json| serde_json::from_str(json).unwrap()).collect()
    }
}

#[async_trait]
impl Checkpoint for States {
    async fn save(&self, state: &RunState) -> Result<(), BoxError> {
        self.0.lock().unwrap().push(serde_json::to_string(state)?);
        Ok(())
    }
}

/// The results that must not depend on the number of resumes.
fn essence(outcome: &Outcome) -> serde_json::Value {
    let mut state = serde_json::to_value(&outcome.state).unwrap();
    let object = state.as_object_mut().unwrap();
    for changing in ["resumes", "next_seq"] {
        object.remove(changing);
    }
    object["spent"]["elapsed_ms"] = 0.into();
    for trial in object["trials"].as_array_mut().unwrap() {
        trial["started_at"] = "".into();
        trial["ended_at"] = "".into();
    }
    state
}

fn with_memory(bank: &Bank) -> ReflexionBuilder {
    learner(3).long_term_memory(bank.clone()).options(Options { parallel: 2, ..Options::default() })
}

#[tokio::test]
async fn a_run_resumed_from_the_json_of_any_state_goes_on_as_it_would_have() {
    let (states, bank) = (States::default(), Bank::recalling(&[("old", "text")]));
    let learner = with_memory(&bank).checkpoint(states.clone()).build().unwrap();
    let (events, outcome) = watched(learner.start_as("run", "task")).await;
    let (outcome, records) = (outcome.unwrap(), bank.records());
    let (all, bare) = (states.all(), with_memory(&bank).build().unwrap());
    assert!(all.len() > 20, "{}", all.len());

    for state in all {
        let phase = state.phase;
        let (again, resumed) = watched(bare.resume(state)).await;

        let resumed = resumed.unwrap();
        assert_eq!(essence(&resumed), essence(&outcome), "{phase:?}");
        assert_eq!(bank.records(), records, "{phase:?}");
        // The events after the resume are the last events of the complete run.
        let first = kinds(&events).into_iter().filter(|kind| kind != "checkpoint" && kind != "run_start");
        let first: Vec<String> = first.collect();
        let rest: Vec<String> = kinds(&again).into_iter().filter(|kind| kind != "run_start").collect();
        assert!(first.ends_with(&rest), "{phase:?}: {rest:?}");
    }
}

#[tokio::test]
async fn numbers_go_up_across_a_crash() {
    let states = States::default();
    let learner = learner(3).checkpoint(states.clone()).build().unwrap();
    let (events, _) = watched(learner.start("task")).await;
    let highest = events.last().unwrap().seq;
    for envelope in &events {
        assert_eq!(&serde_json::from_str::<Envelope>(&envelope.json_line()).unwrap(), envelope);
    }

    // A process that crashed after its first checkpoint. It is unknown how many events it sent after that.
    let first = states.all().remove(0);
    let (again, _) = watched(learner.resume(first)).await;
    assert!(again[0].seq > highest);

    // A process that crashed right after it resumed.
    let resumed = states.all().into_iter().find(|state| state.resumes == 1).unwrap();
    let (third, _) = watched(learner.resume(resumed)).await;
    assert!(third[0].seq > again.last().unwrap().seq);
}

#[tokio::test]
async fn a_file_resumes_a_run_from_each_state() {
    let folder = std::env::temp_dir().join(format!("reflexion-loop-{}-{}", std::process::id(), line!()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = FileCheckpoint::new(folder.join("run.json"));
    let states = States::default();
    let plain = learner(3).checkpoint(states.clone()).build().unwrap();
    let outcome = plain.start_as("run", "task").outcome().await.unwrap();
    let on_disk = learner(3).checkpoint(file.clone()).build().unwrap();

    assert!(file.load().unwrap().is_none());
    for state in states.all() {
        let phase = state.phase;
        file.save(&state).await.unwrap();
        let loaded = file.load().unwrap().unwrap();
        assert_eq!(loaded, state);

        let resumed = on_disk.resume(loaded).outcome().await.unwrap();

        assert_eq!(essence(&resumed), essence(&outcome), "{phase:?}");
        assert_eq!(file.load().unwrap().unwrap().phase, Phase::Done { stop: Stop::Passed });
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run.json"], "nothing half-written is left beside it");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_half_written_file_beside_the_checkpoint_changes_nothing() {
    let folder = std::env::temp_dir().join(format!("reflexion-loop-{}-{}", std::process::id(), line!()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = FileCheckpoint::new(folder.join("run.json"));
    let state = RunState::new("run", "task", &Options::default());
    file.save(&state).await.unwrap();

    // The file that a process leaves if it crashes during a write.
    std::fs::write(folder.join("run.json.new"), b"{\"version\":1,\"run").unwrap();

    assert_eq!(file.load().unwrap(), Some(state.clone()));
    file.save(&state).await.unwrap();
    assert_eq!(file.load().unwrap(), Some(state));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_state_that_cannot_be_written_leaves_the_one_before() {
    let folder = std::env::temp_dir().join(format!("reflexion-loop-{}-{}", std::process::id(), line!()));
    // A folder at the path of the temporary file, so the write fails before the file is replaced.
    std::fs::create_dir_all(folder.join("run.json.new")).unwrap();
    let file = FileCheckpoint::new(folder.join("run.json"));
    let state = RunState::new("run", "task", &Options::default());
    std::fs::write(file.path(), serde_json::to_vec(&state).unwrap()).unwrap();

    let refused = file.save(&RunState::new("another", "task", &Options::default())).await;

    assert!(refused.is_err());
    assert_eq!(file.load().unwrap(), Some(state));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn what_was_done_is_not_done_again() {
    let (states, actor) = (States::default(), Counter::default());
    let learner = learner(2).actor(actor.clone()).checkpoint(states.clone()).build().unwrap();
    learner.run("task").await.unwrap();
    let evaluating =
        states.all().into_iter().find(|state| matches!(state.phase, Phase::Evaluate { trial: 2 })).unwrap();

    let outcome = learner.resume(evaluating).outcome().await.unwrap();

    assert_eq!((outcome.stop, outcome.state.trials.len()), (Stop::Passed, 2));
    assert_eq!(actor.prompts.read().len(), 2, "both attempts had been made");
}

#[tokio::test]
async fn a_run_that_has_ended_gives_its_outcome_again() {
    let actor = Counter::default();
    let learner = learner(1).actor(actor.clone()).build().unwrap();
    let outcome = learner.run("task").await.unwrap();

    let again = learner.resume(outcome.state.clone()).outcome().await.unwrap();

    assert_eq!((again.stop, again.answer()), (outcome.stop, outcome.answer()));
    assert_eq!(actor.prompts.read().len(), 1);
}

#[tokio::test]
async fn a_run_resumes_with_fewer_trials_notes_and_candidates_than_it_began_with() {
    let states = States::default();
    let large = learner(0)
        .options(Options { parallel: 3, max_trials: 5, ..Options::default() })
        .checkpoint(states.clone())
        .build()
        .unwrap();
    large.run("task").await.unwrap();
    let small =
        learner(0).options(Options { max_trials: 2, memory_size: 1, ..Options::default() }).build().unwrap();

    for state in states.all() {
        let (phase, before) = (state.phase, state.trials.len() + usize::from(state.open.is_some()));
        let outcome = small.resume(state).outcome().await.unwrap();

        assert_eq!(outcome.stop, Stop::MaxTrials, "{phase:?}");
        assert!(outcome.state.trials.len() <= before.max(2), "{phase:?}");
        assert!(outcome.state.notes.len() <= 1, "{phase:?}");
    }
}

#[test]
fn a_state_of_another_version_is_refused() {
    let state = RunState::new("run", "task", &Options::default());
    let newer = serde_json::to_string(&state).unwrap().replacen("\"version\":1", "\"version\":2", 1);

    let refused = serde_json::from_str::<RunState>(&newer).unwrap_err();

    assert!(refused.to_string().contains("this library reads version 1"), "{refused}");
}
