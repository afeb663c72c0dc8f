//! How a process works on jobs.

use std::time::Duration;

/// How a process works on jobs.
#[derive(Debug, Clone)]
pub struct WorkSettings {
    /// How many jobs at one time.
    pub concurrency: usize,
    /// How long running jobs may take to finish at shutdown.
    pub grace: Duration,
    /// From how many reviews of one project all processes learn at one time.
    pub project_learners: u16,
    /// How many runs of one project all processes judge at one time.
    pub project_judges: u16,
}

impl Default for WorkSettings {
    fn default() -> Self {
        Self { concurrency: 8, grace: Duration::from_secs(30), project_learners: 4, project_judges: 1 }
    }
}
