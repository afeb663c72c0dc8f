//! The server as the long-term memory of a loop.

use std::convert::Infallible;

use reflect_evaluation::EvaluatedBy;
use reflect_sdk::ReflectClient;
use reflect_sdk::api::{AuthoredReflection, Trace};
use reflect_sdk::types::{Link, MemoryId, ReviewResult};
use reflexion_loop::*;

use crate::given::{Given, given};
use crate::proxy::Fault;

const TASK: &str = "count the orders of last month";

/// Answers `answer 1` in trial 1 and so on; trial `passing` passes. Reflections say which note they are.
fn learner(client: &ReflectClient, passing: u32) -> ReflexionBuilder {
    Reflexion::builder()
        .actor(actor_fn(|cx: TrialContext| async move { format!("answer {}", cx.trial()) }))
        .evaluator(check_fn(move |answer: &str| {
            if answer == format!("answer {passing}") { Ok(()) } else { Err(format!("{answer} is wrong")) }
        }))
        .reflector(LlmReflector::new(model_fn("writer", |_| async {
            Ok::<_, Infallible>(
                r#"{"summary": "a period has two ends", "suggestions": ["write both"]}"#.to_owned(),
            )
        })))
        .long_term_memory(client.clone())
}

async fn known(given: &Given, guidance: &str) -> MemoryId {
    let lesson = AuthoredReflection { guidance: guidance.to_owned(), ..AuthoredReflection::default() };
    let stored = given.client.memories.create(TASK, ReviewResult::Pass, lesson).await.unwrap();
    stored.created_memory_id.unwrap()
}

async fn utility(given: &Given, memory: MemoryId) -> f32 {
    let found = given.client.memories.query(TASK).await.unwrap();
    found.memories.iter().find(|found| found.id == memory).unwrap().q_value
}

/// The traces of a run, the first trial first.
async fn traces(given: &Given, outcome: &Outcome) -> Vec<Trace> {
    let mut traces = given.client.traces.list(None).await.unwrap();
    traces.retain(|trace| trace.metadata["run_id"] == outcome.state.run_id.as_str());
    traces.reverse();
    traces
}

fn memory_of(trial: &Trial) -> MemoryId {
    trial.recorded.as_ref().unwrap().memory_id.as_ref().unwrap().parse().unwrap()
}

#[tokio::test]
async fn recalled_memories_answer_for_trial_one_and_the_note_for_trial_two() {
    let given = given().await;
    let old = known(&given, "ask the warehouse").await;

    let outcome = learner(&given.client, 2).build().unwrap().run(TASK).await.unwrap();

    let trials = &outcome.state.trials;
    let note = memory_of(&trials[0]);
    assert_eq!((outcome.stop, trials.len()), (Stop::Passed, 2));
    assert_eq!((&trials[0].credited, &trials[1].credited), (&vec![old.to_string()], &vec![note.to_string()]));
    assert_eq!((utility(&given, old).await, utility(&given, note).await), (0.35, 0.65));
    let stored = traces(&given, &outcome).await;
    let linked: Vec<_> = stored.iter().map(|trace| trace.linked_memory_ids.clone()).collect();
    assert_eq!(linked, [vec![old], vec![note]]);
    let review = stored[0].review.clone().unwrap();
    assert_eq!((stored[0].task.as_str(), review.feedback_text.as_deref()), (TASK, Some("answer 1 is wrong")));
    assert_eq!(stored[0].metadata["trial"], 1);
    assert!(outcome.state.recalled[0].text.contains("ask the warehouse"));
}

#[tokio::test]
async fn a_trial_that_answers_for_nothing_blames_nothing_that_was_recalled() {
    let given = given().await;
    let old = known(&given, "ask the warehouse").await;

    let learner = learner(&given.client, 3).carry_over(CarryOver::None).build().unwrap();
    let outcome = learner.run(TASK).await.unwrap();

    assert_eq!(outcome.state.trials.len(), 3);
    assert_eq!(utility(&given, old).await, 0.35);
}

#[tokio::test]
async fn a_run_does_not_recall_its_own_notes() {
    let given = given().await;
    let learner = learner(&given.client, 3)
        .options(Options { recall: RecallWhen::EveryTrial, ..Options::default() })
        .build()
        .unwrap();

    let outcome = learner.run(TASK).await.unwrap();
    let next = learner.run(TASK).await.unwrap();

    assert!(outcome.state.recalled.is_empty());
    assert_eq!(next.state.recalled.len(), 1, "another run does; both notes have the same text");
    let links: Vec<Link> = traces(&given, &outcome).await.iter().map(|trace| trace.link).collect();
    // The second note repeats the first, which stands for both: trial 3 is shown nothing new.
    assert_eq!(links, [Link::None, Link::Ids, Link::None]);
}

#[tokio::test]
async fn a_server_that_is_away_is_an_event_and_the_run_goes_on() {
    let mut given = given().await;
    given.proxy.kill().await;
    let client = given.builder().max_retries(0).build().unwrap();
    let mut run = learner(&client, 1).build().unwrap().start(TASK);

    let mut missed = Vec::new();
    while let Some(envelope) = run.next_event().await {
        if let Event::MemoryUnavailable { operation, error, .. } = envelope.event {
            assert!(error.contains("cannot reach"), "{error}");
            missed.push(operation);
        }
    }

    assert_eq!(missed, ["recall", "record"]);
    assert_eq!(run.outcome().await.unwrap().stop, Stop::Passed);
}

#[tokio::test]
async fn a_trial_whose_answer_was_lost_is_stored_once_and_so_is_one_that_is_recorded_again() {
    let given = given().await;
    let states = States::default();
    for run_id in [uuid(), "an id of the caller's own".to_owned()] {
        let learner = learner(&given.client, 2).checkpoint(states.clone()).build().unwrap();
        let run = learner.start_as(&run_id, TASK);
        let first = run.outcome().await.unwrap();

        let before =
            states.find(|state| state.run_id == run_id && state.phase == (Phase::Record { trial: 1 }));
        given.proxy.faults([Fault::Lost]);
        let again = learner.resume(before).outcome().await.unwrap();

        assert_eq!(memory_of(&again.state.trials[0]), memory_of(&first.state.trials[0]));
        assert_eq!(traces(&given, &first).await.len(), 2);
    }
    let found = given.client.memories.query(TASK).await.unwrap();
    let runs: Vec<i32> = found.memories.iter().map(|memory| memory.runs).collect();
    assert_eq!(runs, [2], "the same lesson of each run");
}

#[tokio::test]
async fn what_was_recorded_first_stays_when_a_run_resumes_with_other_options() {
    let given = given().await;
    let states = States::default();
    let builder = || learner(&given.client, 2).checkpoint(states.clone());
    let first = builder().build().unwrap().run(TASK).await.unwrap();

    let before = states.find(|state| state.phase == Phase::Record { trial: 1 });
    let other =
        builder().options(Options { record: RecordWhen::Deferred, ..Options::default() }).build().unwrap();
    let again = other.resume(before).outcome().await.unwrap();

    assert_eq!(memory_of(&again.state.trials[0]), memory_of(&first.state.trials[0]));
    assert!(traces(&given, &first).await.iter().all(|trace| trace.review.is_some()));
}

#[tokio::test]
async fn an_unclear_verdict_is_recorded_without_a_review() {
    let given = given().await;
    let old = known(&given, "ask the warehouse").await;
    let learner = learner(&given.client, 0).evaluator(check_fn(|_: &str| Verdict::Unclear)).max_trials(1);

    let outcome = learner.build().unwrap().run(TASK).await.unwrap();

    let stored = traces(&given, &outcome).await;
    assert_eq!((stored.len(), stored[0].review.is_none()), (1, true));
    assert_eq!(utility(&given, old).await, 0.5);
}

#[tokio::test]
async fn a_judge_moves_utilities_less() {
    let given = given().await;
    let old = known(&given, "ask the warehouse").await;
    let judge = evaluator_fn(|_, _| async {
        Ok::<_, Infallible>(Evaluation::pass().evaluated_by(EvaluatedBy::Judge))
    });

    learner(&given.client, 1).evaluator(judge).build().unwrap().run(TASK).await.unwrap();

    assert_eq!(utility(&given, old).await, 0.55);
}

fn uuid() -> String {
    MemoryId::generate().to_string()
}

/// Keeps every state that was saved.
#[derive(Clone, Default)]
struct States(std::sync::Arc<std::sync::Mutex<Vec<RunState>>>);

impl States {
    fn find(&self, wanted: impl Fn(&RunState) -> bool) -> RunState {
        self.0.lock().unwrap().iter().find(|state| wanted(state)).unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Checkpoint for States {
    async fn save(&self, state: &RunState) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().unwrap().push(state.clone());
        Ok(())
    }
}
