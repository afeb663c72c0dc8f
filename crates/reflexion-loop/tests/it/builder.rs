//! The builder rejects invalid configurations.

use std::time::Duration;

use reflexion_loop::*;

use crate::stage::{Counter, learner, passes_in};

fn refused(builder: ReflexionBuilder) -> ConfigError {
    builder.build().unwrap_err()
}

#[test]
fn a_missing_component_is_named() {
    let actor = || Reflexion::builder().actor(Counter::default());

    assert_eq!(refused(Reflexion::builder()), ConfigError::NoActor);
    assert_eq!(refused(actor()), ConfigError::NoEvaluator);
    assert_eq!(refused(actor().evaluator(passes_in(1))), ConfigError::NoReflector);
}

#[test]
fn a_reflector_is_needed_only_where_notes_are_read() {
    let without = || Reflexion::builder().actor(Counter::default()).evaluator(passes_in(1));

    assert!(without().max_trials(1).build().is_ok());
    assert!(without().options(Options { memory_size: 0, ..Options::default() }).build().is_ok());
    assert!(without().carry_over(CarryOver::LastAttempt).build().is_ok());
    assert_eq!(refused(without().carry_over(CarryOver::Both)), ConfigError::NoReflector);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let zero = Some(Duration::ZERO);
    let options = |options| refused(learner(1).options(options));
    let budget = |budget| options(Options { budget, ..Options::default() });
    let threshold = |score| options(Options { score_threshold: Some(score), ..Options::default() });
    let parallel = |parallel| options(Options { parallel, ..Options::default() });

    assert_eq!(refused(learner(1).max_trials(0)), ConfigError::NoTrials);
    assert_eq!(threshold(1.1), ConfigError::InvalidThreshold);
    assert_eq!(threshold(f64::NAN), ConfigError::InvalidThreshold);
    assert_eq!(parallel(0), ConfigError::InvalidParallel);
    assert_eq!(parallel(65), ConfigError::InvalidParallel);
    assert_eq!(
        options(Options { prompt_budget: Some(99), ..Options::default() }),
        ConfigError::InvalidPromptBudget
    );
    assert_eq!(budget(Budget { tokens: Some(0), ..Budget::default() }), ConfigError::InvalidBudget("tokens"));
    assert_eq!(budget(Budget { cost: Some(-1.0), ..Budget::default() }), ConfigError::InvalidBudget("cost"));
    assert_eq!(budget(Budget { time: zero, ..Budget::default() }), ConfigError::InvalidBudget("time"));
    assert_eq!(budget(Budget { calls: Some(0), ..Budget::default() }), ConfigError::InvalidBudget("calls"));
    let timeouts = Timeouts { act: zero, ..Timeouts::default() };
    assert_eq!(options(Options { timeouts, ..Options::default() }), ConfigError::InvalidTimeout("act"));
}

#[test]
fn messages_say_what_to_do() {
    assert!(ConfigError::NoActor.to_string().contains("actor_fn"));
    assert!(ConfigError::NoReflector.to_string().contains("CarryOver::LastAttempt"));
    assert!(ConfigError::InvalidBudget("cost").to_string().contains("leave it out"));
    assert!(ConfigError::InvalidTimeout("act").to_string().contains("None for no timeout"));
}
