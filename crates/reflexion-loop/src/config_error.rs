//! Errors of an invalid configuration.

/// An invalid configuration.
///
/// See [`ReflexionBuilder`](crate::ReflexionBuilder) for an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The actor is missing.
    #[error("there is no actor; call actor(…), for instance with actor_fn")]
    NoActor,
    /// The evaluator is missing.
    #[error("there is no evaluator; call evaluator(…), for instance with check_fn, or model(…)")]
    NoEvaluator,
    /// Later trials read notes, but the reflector that writes the notes is missing.
    #[error(
        "there is no reflector to write notes; call reflector(…) or model(…), or set carry_over to \
         CarryOver::LastAttempt or CarryOver::None, which show no notes"
    )]
    NoReflector,
    /// `max_trials` is 0.
    #[error("max_trials is 0; set it to at least 1")]
    NoTrials,
    /// `score_threshold` is not a number from 0 to 1.
    #[error("score_threshold must be a number from 0 to 1; leave it out for no threshold")]
    InvalidThreshold,
    /// `parallel` is not from 1 to 64.
    #[error("parallel must be from 1 to 64; 1 means one candidate per trial")]
    InvalidParallel,
    /// A limit of the budget is 0, negative, infinite or not a number.
    #[error("the budget for {0} must be finite and greater than 0; leave it out for no limit")]
    InvalidBudget(&'static str),
    /// A timeout is 0.
    #[error("the timeout of {0} is 0; set a longer duration, or None for no timeout")]
    InvalidTimeout(&'static str),
    /// `prompt_budget` is less than 100 tokens.
    #[error(
        "prompt_budget must be at least 100 tokens, or None for no limit; to show no notes and no earlier attempts, \
         set carry_over to CarryOver::None"
    )]
    InvalidPromptBudget,
}
