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
    /// The options use notes, but the reflector that writes them is missing.
    #[error(
        "there is no reflector; call reflector(…) or model(…), or choose a carry_over without reflections"
    )]
    NoReflector,
    /// `max_trials` is 0.
    #[error("max_trials must be at least 1")]
    NoTrials,
    /// `score_threshold` is not a score.
    #[error("score_threshold must be between 0 and 1")]
    InvalidThreshold,
    /// `parallel` is out of range.
    #[error("parallel must be between 1 and 64")]
    InvalidParallel,
    /// A budget is 0, negative or not a number.
    #[error("the budget for {0} must be greater than 0; leave it out for no limit")]
    InvalidBudget(&'static str),
    /// A timeout is 0.
    #[error("the timeout of {0} must be greater than 0; leave it out for no limit")]
    InvalidTimeout(&'static str),
    /// `prompt_budget` is too small.
    #[error("prompt_budget must be at least 100 tokens; set carry_over to None to show nothing")]
    InvalidPromptBudget,
}
