//! Functions of the caller that the run calls.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_evaluation::Evaluation;

/// Functions that the run calls. Every method is optional. An error stops the run, unless
/// [`on_hook_error`](crate::Options::on_hook_error) is `Log`.
///
/// For a trial that fails they are called in the order start, reflection, end. After a crash the last one may be called
/// again.
///
/// ```
/// use std::error::Error;
///
/// use async_trait::async_trait;
/// use reflexion_loop::{Evaluation, Hooks};
///
/// struct Log;
///
/// #[async_trait]
/// impl Hooks for Log {
///     async fn on_trial_end(&self, trial: u32, evaluation: &Evaluation) -> Result<(), Box<dyn Error + Send + Sync>> {
///         eprintln!("trial {trial}: {}", evaluation.verdict);
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait Hooks: Send + Sync {
    /// A trial begins.
    async fn on_trial_start(&self, trial_number: u32) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = trial_number;
        Ok(())
    }

    /// A reflection was generated. It is called before the end of the trial.
    async fn on_reflection_generated(
        &self,
        trial_number: u32,
        reflection: &str,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = (trial_number, reflection);
        Ok(())
    }

    /// A trial ended, with any verdict. It is not called for an interrupted trial.
    async fn on_trial_end(
        &self,
        trial_number: u32,
        evaluation: &Evaluation,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = (trial_number, evaluation);
        Ok(())
    }

    /// Whether reflections are generated for this hook even if no later trial reads them.
    fn wants_reflections(&self) -> bool {
        false
    }
}

#[async_trait]
impl<H: Hooks + ?Sized> Hooks for Arc<H> {
    async fn on_trial_start(&self, trial_number: u32) -> Result<(), Box<dyn Error + Send + Sync>> {
        (**self).on_trial_start(trial_number).await
    }

    async fn on_reflection_generated(
        &self,
        trial_number: u32,
        reflection: &str,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        (**self).on_reflection_generated(trial_number, reflection).await
    }

    async fn on_trial_end(
        &self,
        trial_number: u32,
        evaluation: &Evaluation,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        (**self).on_trial_end(trial_number, evaluation).await
    }

    fn wants_reflections(&self) -> bool {
        (**self).wants_reflections()
    }
}
