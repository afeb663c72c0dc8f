//! Tests of the arms in a small world, independent of the figures.

use super::*;
use crate::environment::{Environment, Ground, REGIMES, Sizes};
use crate::small;
use crate::stream::{self, Outcome};

const SIZES: Sizes = Sizes { tasks: 300, held_out: 100 };

fn outcome(name: &str, regime: usize) -> Outcome {
    let world = small::world();
    let regime = &REGIMES[regime];
    let ground = Ground::new(&world, 5, regime.imported_per_tool, SIZES);
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
fn every_arm_shows_the_maximum_number_of_memories_without_duplicates() {
    for entry in all().iter().filter(|entry| entry.name != NONE) {
        let outcome = outcome(entry.name, 1);
        for run in outcome.stream.iter().chain(&outcome.held_out) {
            let mut shown = run.shown.clone();
            shown.sort_unstable();
            shown.dedup();
            assert_eq!(shown.len(), run.shown.len(), "{}", entry.name);
            assert!(shown.len() == LIMIT || entry.name.contains("oracle"), "{}", entry.name);
        }
    }
}

#[test]
fn an_arm_is_deterministic() {
    for name in ["same + epsilon .1", "Beta posterior + Thompson, top-20", RECOMMENDED] {
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
fn of_equal_values_the_earlier_one_comes_first() {
    let values = [0.1, 0.5, 0.3, 0.5, 0.5, 0.2];

    let best = highest(values.into_iter().enumerate(), 4);

    assert_eq!(best, [(1, 0.5), (3, 0.5), (4, 0.5), (2, 0.3)]);
}
