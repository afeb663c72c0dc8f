//! A run as steps, for people to read. The crate `reflect_trajectory` parses the messages.

mod cut;

use reflect_trajectory::steps;
pub use reflect_trajectory::{StepPart, TrajectoryStep};

pub use cut::{INLINE, Shown, shown, slice};

/// From this size on a trajectory is read on a thread for blocking work.
const READ_BLOCKING: usize = 256 * 1024;

/// The steps of a trajectory.
pub(crate) async fn read_steps(trajectory: String) -> Vec<TrajectoryStep> {
    if trajectory.len() < READ_BLOCKING {
        return steps(&trajectory);
    }
    let read = tokio::task::spawn_blocking(move || steps(&trajectory)).await;
    read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}
