//! Tests that environments depend only on their seeds, and that regimes differ as described.

use super::*;
use crate::small;

const SIZES: Sizes = Sizes { tasks: 200, held_out: 100 };

#[test]
fn an_environment_depends_only_on_its_seed() {
    let world = small::world();
    let ground = |seed| Ground::new(&world, seed, 5, SIZES);
    let (one, again, other) = (ground(3), ground(3), ground(4));

    assert_eq!(
        (&one.imported, &one.stream, &one.held_out),
        (&again.imported, &again.stream, &again.held_out)
    );
    assert_ne!(one.stream, other.stream);
    let environment = |ground| Environment::new(&world, ground, &REGIMES[2]);
    let (one, again) = (environment(&one), environment(&again));
    assert_eq!((&one.advice, &one.truth), (&again.advice, &again.truth));
    assert_eq!((&one.wrong_review, &one.feedback), (&again.wrong_review, &again.feedback));
}

#[test]
fn no_query_is_used_twice_and_the_test_set_is_separate() {
    let world = small::world();

    let ground = Ground::new(&world, 1, 5, SIZES);

    let mut used: Vec<usize> = ground.imported.iter().chain(&ground.stream).copied().collect();
    assert_eq!(ground.imported.len(), 5 * world.set.tools.len());
    assert!(used.iter().all(|query| *query < world.set.train));
    assert!(ground.held_out.iter().all(|query| *query >= world.set.train));
    used.sort_unstable();
    used.dedup();
    assert_eq!(used.len(), 5 * world.set.tools.len() + SIZES.tasks);
}

#[test]
fn regimes_differ_only_as_described() {
    let world = small::world();
    let ground = Ground::new(&world, 1, 5, SIZES);

    let [still, moving] = [1, 2].map(|regime| Environment::new(&world, &ground, &REGIMES[regime]));

    assert_eq!((&still.advice, &still.wrong_review), (&moving.advice, &moving.wrong_review));
    let half = SIZES.tasks / 2;
    assert_eq!(still.truth[..half], moving.truth[..half]);
    let moved = still.truth[half..].iter().zip(&moving.truth[half..]).filter(|(one, other)| one != other);
    assert!((1..half).contains(&moved.count()));
}

#[test]
fn error_rates_are_close_to_their_settings() {
    let world = small::world();
    let ground = Ground::new(&world, 1, 20, SIZES);

    let environment = Environment::new(&world, &ground, &REGIMES[1]);

    let pairs = environment.advice.iter().zip(&ground.labels);
    let misleading = pairs.filter(|(advice, label)| advice != label).count() as f64;
    let share = misleading / environment.advice.len() as f64;
    assert!((share - REGIMES[1].misleading).abs() < 0.12, "{share}");
    let clean = Environment::new(&world, &ground, &REGIMES[3]);
    assert_eq!(clean.advice, ground.labels[..clean.advice.len()]);
}

#[test]
fn some_tasks_repeat_earlier_ones() {
    let world = small::world();

    let ground = Ground::repeating(&world, 1, 5, 60, SIZES);

    let mut fresh = ground.stream.clone();
    fresh.sort_unstable();
    fresh.dedup();
    let repeated = (SIZES.tasks - fresh.len()) as f64 / SIZES.tasks as f64;
    assert!((repeated - 0.6).abs() < 0.12, "{repeated}");
    let plain = Ground::new(&world, 1, 5, SIZES);
    assert_eq!((plain.stream[0], &plain.imported), (ground.stream[0], &ground.imported));
}
