//! What the Go package `reflexion` tests, under the same names.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reflexion_loop::*;

use crate::stage::{Talkative, Writer, learner};

fn note(trial: u32) -> Note {
    Note { trial, text: format!("reflection {trial}"), memory_id: None }
}

fn kept(notes: &Notes) -> Vec<u32> {
    notes.iter().map(|note| note.trial).collect()
}

// Episodic memory

#[test]
fn memory_add_and_get() {
    let mut notes = Notes::bounded(DEFAULT_MEMORY_SIZE);
    assert!(notes.is_empty());
    notes.add(note(1));
    notes.add(note(2));
    assert_eq!((kept(&notes), notes.len()), (vec![1, 2], 2));
}

#[test]
fn memory_drops_the_oldest_over_three() {
    let mut notes = Notes::bounded(3);
    for trial in 1..=5 {
        notes.add(note(trial));
    }
    assert_eq!(kept(&notes), [3, 4, 5]);
}

#[test]
fn memory_of_size_one_replaces() {
    let mut notes = Notes::bounded(1);
    notes.add(note(1));
    notes.add(note(2));
    assert_eq!(kept(&notes), [2]);
}

// Strategy

/// An evaluator that passes from this call on, and the number of its calls.
fn passing_from(call: usize) -> (impl Evaluator, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let evaluator = check_fn(move |_: &str| {
        let passed = counted.fetch_add(1, Ordering::SeqCst) + 1 >= call;
        if passed { Ok(()) } else { Err("not good enough") }
    });
    (evaluator, calls)
}

#[tokio::test]
async fn success_on_first_trial() {
    let (evaluator, calls) = passing_from(1);

    let outcome = learner(0).evaluator(evaluator).build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.answer()), (Stop::Passed, Some("answer 1")));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn retry_then_success() {
    let (evaluator, calls) = passing_from(2);

    let outcome = learner(0).evaluator(evaluator).build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, outcome.answer()), (Stop::Passed, Some("answer 2")));
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn max_trials_reached() {
    let (evaluator, calls) = passing_from(usize::MAX);

    let outcome = learner(0).evaluator(evaluator).max_trials(2).build().unwrap().run("task").await.unwrap();

    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert_eq!(outcome.answer(), Some("answer 2"), "the answer is returned nevertheless");
    // Intended difference: in Go, this looks like a success.
    assert_eq!(outcome.stop, Stop::MaxTrials);
    assert!(!outcome.is_success());
}

#[tokio::test]
async fn hooks_are_called() {
    let (evaluator, _) = passing_from(2);
    let hooks = Talkative::default();

    let learner = learner(0).evaluator(evaluator).hooks(hooks.clone()).build().unwrap();
    learner.run("task").await.unwrap();

    let calls = hooks.0.read();
    let count = |kind: &str| calls.iter().filter(|call| call.starts_with(kind)).count();
    assert_eq!((count("start"), count("end"), count("reflection")), (2, 2, 1));
}

#[tokio::test]
async fn defaults_are_those_of_the_package() {
    let options = learner(0).reflector(Writer::default()).build().unwrap().options().clone();

    assert_eq!((options.max_trials, options.memory_size), (3, 3));
}
