//! Stores the state of a run for a later resume.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use crate::state::RunState;

/// A store for the state of a run. The driver saves the state after every step.
///
/// ```
/// use std::error::Error;
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use reflexion_loop::{Checkpoint, RunState};
///
/// #[derive(Default)]
/// struct Latest(Mutex<Option<RunState>>);
///
/// #[async_trait]
/// impl Checkpoint for Latest {
///     async fn save(&self, state: &RunState) -> Result<(), Box<dyn Error + Send + Sync>> {
///         *self.0.lock().unwrap() = Some(state.clone());
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait Checkpoint: Send + Sync {
    /// Saves this state and replaces the previous one.
    async fn save(&self, state: &RunState) -> Result<(), Box<dyn Error + Send + Sync>>;
}

#[async_trait]
impl<C: Checkpoint + ?Sized> Checkpoint for Arc<C> {
    async fn save(&self, state: &RunState) -> Result<(), Box<dyn Error + Send + Sync>> {
        (**self).save(state).await
    }
}

/// A file with the state of one run, as JSON.
///
/// The file is replaced atomically: a reader sees the old or the new state, never a partial one. Writing blocks the
/// thread. Parallel runs need separate files.
///
/// ```
/// use reflexion_loop::{FileCheckpoint, Reflexion, actor_fn, check_fn};
///
/// # extern crate tokio_lean as tokio;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("reflexion-loop-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let file = FileCheckpoint::new(folder.join("run.json"));
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|_| async { "42" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(1)
///     .checkpoint(file.clone())
///     .build()?;
///
/// // Resumes an earlier run, or starts a new one.
/// let run = match file.load()? {
///     Some(state) => learner.resume(state),
///     None => learner.start("What is six times seven?"),
/// };
/// assert_eq!(run.outcome().await?.answer(), Some("42"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileCheckpoint {
    path: PathBuf,
}

impl FileCheckpoint {
    /// Saves the state in this file. Its folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last saved state, if there is one.
    pub fn load(&self) -> io::Result<Option<RunState>> {
        match std::fs::read(&self.path) {
            Ok(json) => Ok(Some(serde_json::from_slice(&json)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a temporary file, synchronises it and renames it, because a rename is atomic.
    fn replace(&self, json: &[u8]) -> io::Result<()> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(json)?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.path)?;
        // Without this, a power failure can undo the rename.
        #[cfg(unix)]
        std::fs::File::open(
            self.path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")),
        )?
        .sync_all()?;
        Ok(())
    }
}

#[async_trait]
impl Checkpoint for FileCheckpoint {
    async fn save(&self, state: &RunState) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.replace(&serde_json::to_vec(state)?)?)
    }
}
