//! A run as steps, for people to read. The crate `reflect_trajectory` parses the messages.

mod cut;

pub use reflect_trajectory::{StepPart, TrajectoryStep};

pub use cut::{INLINE, Shown, shown, slice};
