//! Why a sign-in failed before any decision about roles.

/// Why a provider's answer cannot be used. The texts are for the operator's log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OidcError {
    /// The provider does not respond, is too slow, or sends too much.
    #[error("the identity provider cannot be reached: {0}")]
    Unreachable(String),
    /// The provider's response does not follow the protocol or the configuration.
    #[error("the identity provider's response cannot be used: {0}")]
    Unusable(String),
    /// The provider refused, or the person cancelled.
    #[error("the identity provider refused the sign-in: {0}")]
    Refused(String),
    /// The answer does not belong to a sign-in that this browser started.
    #[error("the answer does not belong to a sign-in of this browser")]
    WrongState,
    /// The ID token failed a check.
    #[error("the ID token is not valid: {0}")]
    InvalidToken(String),
}
