//! Cancellation from another task or thread.

use std::fmt;

use tokio::sync::watch;

/// Cancels a run from any thread or task. Clones cancel the same run. Cancelling again has no further effect.
///
/// ```
/// use reflexion_loop::CancelToken;
///
/// let token = CancelToken::new();
/// let clone = token.clone();
/// clone.cancel();
/// assert!(token.is_cancelled());
/// ```
#[derive(Clone)]
pub struct CancelToken(watch::Sender<bool>);

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Cancels the run. This cannot be undone.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the token is cancelled.
    pub async fn cancelled(&self) {
        // The token owns the sender, so the channel cannot be closed.
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken").field(&self.is_cancelled()).finish()
    }
}
