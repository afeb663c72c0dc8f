//! Parallel candidates.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use reflexion_loop::*;

use crate::stage::{Bank, Diary, Writer, learner};

/// Records when the work of a candidate is dropped before it completes.
struct Dropped(Option<(Diary, u32)>);

impl Dropped {
    fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some((diary, candidate)) = self.0.take() {
            diary.write(format!("dropped {candidate}"));
        }
    }
}

#[tokio::test]
async fn the_first_candidate_that_passes_wins_and_the_others_are_dropped() {
    let (diary, bank) = (Diary::default(), Bank::default());
    let dropped = diary.clone();
    let actor = actor_fn(move |cx: TrialContext| {
        let work = Dropped(Some((dropped.clone(), cx.candidate())));
        async move {
            if cx.candidate() == 3 {
                std::future::pending::<()>().await;
            }
            work.finish();
            if cx.candidate() == 2 { "right" } else { "wrong" }
        }
    });
    let learner = learner(0).actor(actor).evaluator(check_fn(|answer: &str| answer == "right"));
    let learner = learner
        .options(Options { parallel: 3, ..Options::default() })
        .long_term_memory(bank.clone())
        .build()
        .unwrap();

    let outcome = learner.start_as("run", "task").outcome().await.unwrap();

    assert_eq!((outcome.stop, outcome.answer()), (Stop::Passed, Some("right")));
    let trial = &outcome.state.trials[0];
    assert_eq!((trial.candidate, trial.others.len()), (2, 1));
    assert_eq!(diary.read(), ["dropped 3"]);
    assert_eq!(bank.keys(), ["run/1/2"], "only the chosen one is recorded");
}

#[tokio::test]
async fn the_best_of_those_that_fail_stands_for_the_trial() {
    let actor = actor_fn(|cx: TrialContext| async move { format!("0.{}", 4 - cx.candidate()) });
    let judge =
        check_fn(|answer: &str| Evaluation::fail().with_score(Score::new(answer.parse().unwrap()).unwrap()));
    let (bank, writer) = (Bank::recalling(&[("old", "text")]), Writer::default());
    let builder = learner(0).actor(actor).evaluator(judge).reflector(writer.clone());
    let options = Options { parallel: 3, max_trials: 1, record_all_candidates: true, ..Options::default() };
    let learner = builder.long_term_memory(bank.clone()).options(options).build().unwrap();

    let outcome = learner.start_as("run", "task").outcome().await.unwrap();

    assert_eq!(outcome.best.unwrap().candidate, 1);
    assert_eq!(writer.inputs.lock().unwrap()[0].output.as_deref(), Some("0.3"));
    let records = bank.records();
    assert_eq!(bank.keys(), ["run/1/1", "run/1/2", "run/1/3"]);
    let answering: Vec<bool> = records.iter().map(|kept| !kept.memories.is_empty()).collect();
    assert_eq!(answering, [true, false, false], "only the chosen one carries credit");
    assert_eq!(records.iter().filter(|kept| kept.lesson.is_some()).count(), 1);
}

#[tokio::test]
async fn candidates_work_at_the_same_time() {
    let barrier = Arc::new(tokio::sync::Barrier::new(4));
    let arrived = Arc::new(AtomicU32::new(0));
    let (gate, count) = (Arc::clone(&barrier), Arc::clone(&arrived));
    let actor = actor_fn(move |_| {
        let (gate, count) = (Arc::clone(&gate), Arc::clone(&count));
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            gate.wait().await;
            "answer 1"
        }
    });

    let outcome = learner(1)
        .actor(actor)
        .options(Options { parallel: 4, ..Options::default() })
        .build()
        .unwrap()
        .run("task")
        .await
        .unwrap();

    assert_eq!((outcome.stop, arrived.load(Ordering::SeqCst)), (Stop::Passed, 4));
}
