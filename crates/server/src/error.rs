//! Converts errors to HTTP status and code. No other module does this.

use std::any::Any;

use axum::extract::rejection::QueryRejection;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use reflect_api::{ErrorDetail, ErrorPosition};
use reflect_engine::{AuthError, DenialKind, EngineError, FeedbackTokenError, ModelError, Remedy, chain};
use reflect_store::StoreError;

/// The longest message, in characters. Messages repeat what is wrong, and a client may send a megabyte of it.
const LONGEST_MESSAGE: usize = 4_000;

/// An error response.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) position: Option<ErrorPosition>,
    retry_after_seconds: Option<u16>,
    /// Why the caller was denied, for the audit log.
    pub(crate) denial: Option<DenialKind>,
}

/// Stored in a response. `responses` writes the body from it, with the request id.
#[derive(Debug, Clone)]
pub(crate) struct ErrorParts {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) position: Option<ErrorPosition>,
    /// Why the caller was denied, for the audit log.
    pub(crate) denial: Option<DenialKind>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let mut message: String = message.into();
        if message.chars().nth(LONGEST_MESSAGE).is_some() {
            message = message.chars().take(LONGEST_MESSAGE - 1).chain(['…']).collect();
        }
        Self { status, code, message, position: None, retry_after_seconds: None, denial: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message)
    }

    pub(crate) fn invalid_filter(message: impl Into<String>, position: Option<ErrorPosition>) -> Self {
        let error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_filter", message);
        Self { position, ..error }
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("no such {what}"))
    }

    pub(crate) fn internal() -> Self {
        let message = "internal error; the server's log has the details under this request id";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    pub(crate) fn overloaded(message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", message).retry_after(1)
    }

    pub(crate) fn too_many_requests(message: String, seconds: u16) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message).retry_after(seconds)
    }

    /// The error as a part of a response body.
    pub(crate) fn into_detail(self, request_id: String) -> ErrorDetail {
        ErrorDetail { code: self.code.to_owned(), message: self.message, request_id, position: self.position }
    }

    fn denied(mut self, denial: DenialKind) -> Self {
        self.denial = Some(denial);
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u16) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(ErrorParts {
            code: self.code,
            message: self.message,
            position: self.position,
            denial: self.denial,
        });
        response
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        match error {
            EngineError::Invalid { .. } => Self::invalid(message),
            EngineError::PersonalData { .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "personal_data", message)
            }
            EngineError::Forbidden(_) => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", message).denied(DenialKind::Forbidden)
            }
            EngineError::WrongBootstrapToken => Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
                .denied(DenialKind::BootstrapToken),
            EngineError::FeedbackToken(reason) => {
                let (status, code) = match reason {
                    FeedbackTokenError::Expired => (StatusCode::UNAUTHORIZED, "feedback_token_expired"),
                    FeedbackTokenError::UsedUp => (StatusCode::CONFLICT, "conflict"),
                    FeedbackTokenError::Unknown
                    | FeedbackTokenError::Revoked
                    | FeedbackTokenError::Store(_) => (StatusCode::UNAUTHORIZED, "feedback_token_invalid"),
                };
                Self::new(status, code, message)
            }
            EngineError::NotReady(_) => Self::new(StatusCode::CONFLICT, "not_ready", message),
            EngineError::Model(error) => model_error(&error),
            EngineError::Store(error) => error.into(),
        }
    }
}

/// Converts a provider's failure.
fn model_error(error: &ModelError) -> ApiError {
    tracing::warn!(%error, "a model call failed: {error}");
    let message = format!("the model provider failed: {error}");
    match error.remedy {
        Remedy::RetryLater { after } => {
            let seconds =
                after.map_or(5, |after| u16::try_from(after.as_secs().clamp(1, 3600)).unwrap_or(3600));
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "provider_unavailable", message)
                .retry_after(seconds)
        }
        Remedy::DoNotRetry | Remedy::Unreadable => {
            ApiError::new(StatusCode::BAD_GATEWAY, "provider_failed", message)
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NotFound { .. } => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            StoreError::Conflict { .. }
            | StoreError::TooManyPins { .. }
            | StoreError::PartOfMemory { .. } => Self::new(StatusCode::CONFLICT, "conflict", message),
            StoreError::Forbidden { .. } => Self::new(StatusCode::FORBIDDEN, "forbidden", message),
            StoreError::KeyReused => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", message)
            }
            StoreError::SecretGone => Self::new(StatusCode::CONFLICT, "answer_not_kept", message),
            StoreError::Busy => Self::overloaded(&message),
            StoreError::Unavailable(_) => {
                tracing::warn!(error = chain(&error), "the database is not available");
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message).retry_after(2)
            }
            StoreError::Requirement(_)
            | StoreError::Migration(_)
            | StoreError::Corrupt { .. }
            | StoreError::Database(_) => {
                tracing::error!(error = chain(&error), "a database operation failed");
                Self::internal()
            }
        }
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        use DenialKind::{
            EndedSession, ExpiredKey, MissingScope, NoCredential, NoProject, RevokedKey, UnknownKey,
            WrongAddress,
        };
        let message = error.to_string();
        let (status, code, denial) = match error {
            AuthError::Unknown => (StatusCode::UNAUTHORIZED, "unauthorized", UnknownKey),
            AuthError::Revoked => (StatusCode::UNAUTHORIZED, "key_revoked", RevokedKey),
            AuthError::Expired => (StatusCode::UNAUTHORIZED, "key_expired", ExpiredKey),
            AuthError::NotSignedIn => (StatusCode::UNAUTHORIZED, "not_signed_in", NoCredential),
            AuthError::SessionEnded => (StatusCode::UNAUTHORIZED, "session_ended", EndedSession),
            AuthError::NoSuchProject(_) => (StatusCode::NOT_FOUND, "not_found", NoProject),
            AuthError::Address { .. } => (StatusCode::FORBIDDEN, "address_not_allowed", WrongAddress),
            AuthError::MissingScope(_) | AuthError::RoleTooLow { .. } => {
                (StatusCode::FORBIDDEN, "missing_scope", MissingScope)
            }
            AuthError::NotInstallationAdmin => (StatusCode::FORBIDDEN, "forbidden", MissingScope),
            AuthError::Store(error) => return error.into(),
        };
        Self::new(status, code, message).denied(denial)
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(rejection.body_text())
    }
}

pub(crate) async fn no_such_route(method: Method, uri: Uri) -> ApiError {
    let message = format!("no route {method} {}; /docs lists the routes", uri.path());
    ApiError::new(StatusCode::NOT_FOUND, "route_not_found", message)
}

pub(crate) async fn no_such_method(method: Method, uri: Uri) -> ApiError {
    let message = format!("{} does not support {method}; /docs lists the routes", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

/// Handles a panic in a handler, which must not close the connection.
pub(crate) fn panicked(cause: Box<dyn Any + Send>) -> Response {
    after_panic(cause.as_ref()).into_response()
}

/// The response after a panic. The cause is only logged.
pub(crate) fn after_panic(cause: &(dyn Any + Send)) -> ApiError {
    let text = cause.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default();
    tracing::error!(panic = text, "a handler panicked: {text}");
    ApiError::internal()
}
