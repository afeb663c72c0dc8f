//! Where a request comes from, for the audit log.

use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;
use reflect_store::RequestOrigin;

use crate::error::ApiError;
use crate::http::client_address::ClientAddress;
use crate::http::request_id::RequestId;

/// The origin of the request.
#[derive(Debug, Clone)]
pub(crate) struct Origin(pub(crate) RequestOrigin);

impl Origin {
    /// The address and the id that the middleware stored in the request.
    pub(crate) fn of(extensions: &Extensions) -> RequestOrigin {
        let address = extensions.get::<ClientAddress>().map(|client| client.0);
        RequestOrigin {
            address: address.filter(|address| !address.is_unspecified()),
            request_id: extensions.get::<RequestId>().map(|id| id.0.clone()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Origin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self(Self::of(&parts.extensions)))
    }
}
