//! Why a sign-in with an identity provider failed, in words for the person who signs in.

use reflect_oidc::OidcError;
use reflect_rules::sign_in::SignInRefusal;
use reflect_store::StoreError;

/// Why a sign-in with a provider failed. The messages are for the person who signs in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No provider has this name.
    #[error("There is no identity provider with this name. Choose one of the buttons.")]
    UnknownProvider,
    /// The browser has no sign-in in progress, or another one.
    #[error("This sign-in took too long or was started in another browser. Try again.")]
    NotStarted,
    /// The provider does not respond.
    #[error("{0} cannot be reached. Try again later, or use a sign-in link.")]
    Unreachable(String),
    /// The provider's response cannot be used.
    #[error("The response of {0} cannot be used. The server's log has the reason.")]
    Unusable(String),
    /// The provider refused, or the person cancelled.
    #[error("{0} did not sign you in. Try again, or ask the admins of {0}.")]
    Refused(String),
    /// The policy refuses the person.
    #[error("{}", refusal_text(label, refusal))]
    NotAllowed {
        /// The name of the provider.
        label: String,
        /// The reason.
        refusal: SignInRefusal,
    },
    /// An admin disabled the member.
    #[error("Your account {0} is disabled. Ask an admin of this installation.")]
    Disabled(String),
    /// All names of a new member are taken.
    #[error(
        "Other members have your name. Ask the operator to connect your account: `reflect members connect`."
    )]
    NameTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn refusal_text(label: &str, refusal: &SignInRefusal) -> String {
    match refusal {
        SignInRefusal::UnverifiedEmail => {
            format!("{label} did not confirm your e-mail address, which this installation requires.")
        }
        SignInRefusal::ForeignDomain(domain) => {
            format!("E-mail addresses of {domain} may not sign in to this installation.")
        }
        SignInRefusal::MissingClaim(claim) => {
            format!("Your account at {label} may not sign in to this installation (claim {claim}).")
        }
        SignInRefusal::NoGroup => format!(
            "None of your groups at {label} has access to this installation. Ask an admin to add you to a group."
        ),
    }
}

impl SignInError {
    /// Logs the reason for the operator, and returns a message without details.
    pub(crate) fn of_provider(name: &str, label: &str, error: &OidcError) -> Self {
        tracing::warn!(provider = name, %error, "a sign-in with {name} failed: {error}");
        let label = label.to_owned();
        match error {
            OidcError::Unreachable(_) => Self::Unreachable(label),
            OidcError::Unusable(_) | OidcError::InvalidToken(_) => Self::Unusable(label),
            OidcError::Refused(_) => Self::Refused(label),
            OidcError::WrongState => Self::NotStarted,
        }
    }
}

/// The reason in the audit log, without data of the person.
pub(crate) const fn reason(refusal: &SignInRefusal) -> &'static str {
    match refusal {
        SignInRefusal::UnverifiedEmail => "unverified e-mail address",
        SignInRefusal::ForeignDomain(_) => "domain not allowed",
        SignInRefusal::MissingClaim(_) => "required claim",
        SignInRefusal::NoGroup => "no group",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_reason_and_what_to_do() {
        let text = |refusal| SignInError::NotAllowed { label: "Example SSO".to_owned(), refusal }.to_string();
        let foreign = text(SignInRefusal::ForeignDomain("evil.example".to_owned()));
        assert_eq!(foreign, "E-mail addresses of evil.example may not sign in to this installation.");
        assert!(text(SignInRefusal::NoGroup).contains("Ask an admin"));
    }
}
