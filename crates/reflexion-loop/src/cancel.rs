//! A way to say stop from elsewhere.

use std::fmt;

use tokio::sync::watch;

/// Says stop to a run, from any thread and as often as you like.
///
/// ```
/// use reflexion_loop::CancelToken;
///
/// let token = CancelToken::new();
/// let same = token.clone();
/// same.cancel();
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
    /// A token that nobody has used yet.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Says stop. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether somebody said stop.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until somebody says stop.
    pub async fn cancelled(&self) {
        // The sender is in this very token, so it cannot be gone.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken").field(&self.is_cancelled()).finish()
    }
}
