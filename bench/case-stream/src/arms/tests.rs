//! Tests of the arms in a small world, independent of the figures.

use reflect_engine::rank::MOST_VOTES;

use super::*;
use crate::environment::{Environment, Ground, REGIMES, Sizes};
use crate::small;
use crate::stream::{self, Outcome};

const SIZES: Sizes = Sizes { tasks: 300, held_out: 100 };

fn outcome(name: &str, regime: usize) -> Outcome {
    let world = small::world();
    let regime = &REGIMES[regime];
    let ground = Ground::repeating(&world, 5, regime.imported_per_tool, regime.repeats, SIZES);
    let environment = Environment::new(&world, &ground, regime);
    stream::run(&environment, named(&[name])[0].make(&ground).as_mut()).unwrap()
}

fn success(outcome: &Outcome) -> f64 {
    outcome.held_out.iter().filter(|run| run.right).count() as f64 / outcome.held_out.len() as f64
}

#[test]
fn the_label_oracle_is_nearly_always_right() {
    for regime in 0..3 {
        assert!(success(&outcome("label oracle", regime)) >= 0.99);
    }
}

#[test]
fn good_memories_help_and_learning_helps_more() {
    let [nothing, similar, learned, quality] =
        [NONE, SIMILARITY, RECOMMENDED, "quality oracle"].map(|name| success(&outcome(name, 0)));

    assert!(quality > similar, "{quality} {similar}");
    assert!(learned > similar, "{learned} {similar}");
    assert!(learned > nothing, "{learned} {nothing}");
}

#[test]
fn every_arm_shows_the_maximum_number_of_memories_and_a_memory_has_two_votes_at_most() {
    for entry in all().iter().filter(|entry| entry.name != NONE) {
        let outcome = outcome(entry.name, 1);
        for run in outcome.stream.iter().chain(&outcome.held_out) {
            let mut shown = run.shown.clone();
            shown.sort_unstable();
            shown.dedup();
            let most = if LESSON_ARMS.contains(&entry.name) { MOST_VOTES } else { 1 };
            let votes = |memory: &usize| run.shown.iter().filter(|shown| *shown == memory).count();
            assert!(shown.iter().all(|memory| votes(memory) <= most), "{}", entry.name);
            assert!(run.shown.len() == LIMIT || entry.name.contains("oracle"), "{}", entry.name);
        }
    }
}

#[test]
fn an_arm_is_deterministic() {
    let random = ["same + epsilon .1", "Beta posterior + Thompson, top-20", RECOMMENDED];
    for name in random.into_iter().chain(LESSON_ARMS) {
        assert_eq!(outcome(name, 2), outcome(name, 2));
    }
}

#[test]
fn every_optional_part_of_the_product_changes_its_choices() {
    let product = outcome(RECOMMENDED, 2);
    let others = all().into_iter().map(|entry| entry.name);
    let parts = others.filter(|name| name.starts_with(['−', '+']) || name.starts_with("recommended,"));
    for part in parts {
        assert_ne!(outcome(part, 2), product, "{part}");
    }
}

#[test]
fn grouping_alone_changes_no_decision() {
    for regime in 0..3 {
        let (before, grouped) = (outcome(RECOMMENDED, regime), outcome("lessons only", regime));
        assert_eq!((&before.stream, &before.held_out), (&grouped.stream, &grouped.held_out));
        assert_eq!(before.situations, grouped.situations);
        assert!(grouped.lessons < before.lessons, "{} of {}", grouped.lessons, before.lessons);
        assert!(grouped.lessons_shown < before.lessons_shown);
    }
    let (before, after) = (outcome(RECOMMENDED, 0), outcome(FINAL, 0));
    assert_eq!((&before.stream, &before.held_out), (&after.stream, &after.held_out), "nothing is added in A");
}

#[test]
fn repeated_tasks_are_absorbed_and_contradicted_memories_are_superseded() {
    let (before, after) = (outcome(RECOMMENDED, 4), outcome(FINAL, 4));
    assert!(after.situations < before.situations * 9 / 10, "{} of {}", after.situations, before.situations);
    let (still, moving) = (outcome("lessons only", 2), outcome(FINAL, 2));
    assert!(moving.situations < still.situations);
}

#[test]
fn what_is_not_known_to_be_the_same_stays_apart() {
    let [exact, structure, model] =
        [FINAL, "final, structure only", "final, configured model"].map(|name| outcome(name, 1).lessons);
    assert!(exact < model && model < structure, "{exact} {model} {structure}");
}

#[test]
fn of_equal_values_the_earlier_one_comes_first() {
    let values = [0.1, 0.5, 0.3, 0.5, 0.5, 0.2];

    let best = highest(values.into_iter().enumerate(), 4);

    assert_eq!(best, [(1, 0.5), (3, 0.5), (4, 0.5), (2, 0.3)]);
}
