//! Tests of the arms in a small world of two states, independent of the figures.

use std::sync::Arc;

use super::bank::NewMemory;
use super::*;
use crate::environment::Action;
use crate::stream::Step;

const ACTIONS: [&str; 3] = ["reboot", "toggle_data", "wait"];

fn product() -> Product {
    let action = |name: &str| Action { name: name.to_owned(), text: String::new() };
    Product::new(&ACTIONS.map(action), Parts::default())
}

/// States with neighbouring numbers are similar by 0.48.
fn state(id: usize) -> Arc<Situation> {
    let mut vector = vec![0.0; 4];
    (vector[id % 4], vector[(id + 1) % 4]) = (0.8, 0.6);
    Arc::new(Situation { id, text: format!("state {id}"), vector, prior: vec![0.0; 3], solved: false })
}

/// A run that begins in state 0.
fn run(product: &mut Product, actions: &[usize]) -> Run {
    let mut taken = Vec::new();
    let mut steps = Vec::new();
    for (place, action) in actions.iter().enumerate() {
        let state = state(place);
        let shown = product.choose(&state, &taken).unwrap();
        steps.push(Step { state, shown, action: *action });
        taken.push(*action);
    }
    Run { steps, end: state(actions.len()), right: true }
}

fn learn(product: &mut Product, actions: &[usize], missing: Option<(usize, Author)>) {
    let run = run(product, actions);
    product.learn(&Review { run: &run, passed: missing.is_none(), missing }).unwrap();
}

#[test]
fn a_pass_becomes_one_memory_per_step_and_a_failure_one_about_its_end() {
    let run = run(&mut product(), &[2, 0]);
    let memories = |missing: Option<(usize, Author)>, per_run| {
        let all = NewMemory::all(&Review { run: &run, passed: missing.is_none(), missing }, per_run);
        let read = |memory: &NewMemory| (memory.state.id, memory.steps.len(), memory.author);
        all.iter().map(read).collect::<Vec<_>>()
    };

    assert_eq!(memories(None, false), [(0, 1, Author::Run), (1, 1, Author::Run)]);
    assert_eq!(memories(None, true), [(0, 2, Author::Run)]);
    let missing = Some((1, Author::Guess));
    assert_eq!(memories(missing, false), [(2, 1, Author::Guess)]);
    assert_eq!(memories(missing, true), [(0, 1, Author::Guess)]);
}

#[test]
fn the_same_step_again_is_the_same_lesson_with_a_vote_of_its_own() {
    let mut product = product();
    learn(&mut product, &[0], None);
    learn(&mut product, &[0], None);

    let votes = product.choose(&state(0), &[]).unwrap();

    assert_eq!(product.size(), (2, 1));
    let read: Vec<_> = votes.iter().map(|vote| (vote.memory, vote.votes, vote.action)).collect();
    assert_eq!(read, [(0, 1, Some(0)), (1, 1, Some(0))]);
    assert_eq!(product.choose(&state(0), &[0]).unwrap()[0].action, None);
}

#[test]
fn the_same_action_in_another_state_is_the_same_lesson() {
    let mut product = product();
    learn(&mut product, &[0, 1], None);
    learn(&mut product, &[1, 0], None);

    assert_eq!(product.size(), (4, 2));
}

#[test]
fn advice_that_failed_is_superseded_by_other_advice_in_the_same_state() {
    let mut product = product();
    learn(&mut product, &[0], None);
    // It is followed and the run fails, so its credit falls below a half.
    learn(&mut product, &[0], Some((2, Author::Guess)));
    assert!(product.find("state 0", 0).is_some());

    learn(&mut product, &[1], None);

    assert_eq!(product.find("state 0", 0), None);
    assert!(product.find("state 0", 1).is_some());
}

#[test]
fn only_followed_lessons_count_as_used() {
    let mut product = product();
    learn(&mut product, &[0], None);
    learn(&mut product, &[1], None);
    let run = run(&mut product, &[1]);

    let used = product.used(&Review { run: &run, passed: true, missing: None });

    assert_eq!((run.shown().len(), used), (2, vec![1]));
}
