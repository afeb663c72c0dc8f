//! Settings of the server for learning.

/// How lessons are written.
#[derive(Debug, Clone)]
pub struct LearningSettings {
    /// The longest reflection, in tokens.
    pub reflection_tokens: u32,
    /// How much of a trajectory a model reads, in tokens.
    pub trajectory_tokens: usize,
    /// The token budget of a project for a day; `None` for no limit.
    pub daily_tokens: Option<u64>,
}

impl Default for LearningSettings {
    fn default() -> Self {
        Self { reflection_tokens: 800, trajectory_tokens: 6000, daily_tokens: None }
    }
}
