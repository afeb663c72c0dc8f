//! What the task of a situation is, and what follows for the comparison with others.

/// From this similarity on, a task with the same advice adds no vector.
pub const ABSORBS: f32 = 0.95;
/// How similar two tasks must be for different advice to contradict.
pub const CONTRADICTS: f32 = 0.8;
/// The similarity of equal texts, less the error of half precision.
const EQUAL: f32 = 0.999;

/// What a situation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SituationKind {
    /// A task: others with nearly the same words are about the same.
    #[default]
    Task,
    /// A state in which a step was taken. States that share most of their lines need different actions, so only equal ones
    /// are about the same, and none is absorbed. In Ticket-Stream, the thresholds of tasks reduce held-out success from 92 %
    /// to 34 %.
    State,
}

impl SituationKind {
    /// From which similarity on a situation with the same advice adds no vector, if there is one.
    pub const fn absorbs(self) -> Option<f32> {
        match self {
            Self::Task => Some(ABSORBS),
            Self::State => None,
        }
    }

    /// From which similarity on different advice contradicts.
    pub const fn contradicts(self) -> f32 {
        match self {
            Self::Task => CONTRADICTS,
            Self::State => EQUAL,
        }
    }
}
