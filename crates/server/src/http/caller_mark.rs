//! Who sent the request, for the log line and the limits of the caller.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use uuid::Uuid;

/// The caller of one request. `observe` puts an empty one into the request, `authorise` fills it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallerMark(Arc<OnceLock<MarkedCaller>>);

#[derive(Debug)]
struct MarkedCaller {
    id: Uuid,
    name: String,
}

impl CallerMark {
    /// Stores the id of the key or the member, and its name in the audit log, which contains no secret.
    pub(crate) fn set(request: &Request, id: Uuid, name: &str) {
        if let Some(mark) = request.extensions().get::<Self>() {
            // A request has one caller.
            let _ = mark.0.set(MarkedCaller { id, name: name.to_owned() });
        }
    }

    /// The id of the key or the member, if the request has a caller.
    pub(crate) fn id(&self) -> Option<Uuid> {
        self.0.get().map(|caller| caller.id)
    }

    /// The name of the caller; `-` if there is none.
    pub(crate) fn name(&self) -> &str {
        self.0.get().map_or("-", |caller| &caller.name)
    }
}
