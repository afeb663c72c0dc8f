//! Why a command did not do as asked: the exit code, a word for programs, a sentence for people, and what to do.
//! How it is printed is the business of `output`.

use std::fmt;
use std::io;

use reflect_sdk::Error as ClientError;
use reflect_store::StoreError;
use serde::Serialize;

/// What kind of thing went wrong. The numbers are the exit codes, which scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything that has no code of its own.
    Other = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A setting is missing or wrong, or the key is not let in.
    Configuration = 3,
    /// The server or the database cannot be reached.
    Network = 4,
    /// The server answered with an error.
    Api = 5,
    /// A file or folder of this machine.
    Local = 6,
    /// A check found what it looks for.
    Check = 7,
    /// What was waited for did not happen in time.
    Waited = 8,
    /// Somebody pressed Ctrl-C.
    Interrupted = 130,
}

/// What went wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    #[serde(skip)]
    pub(crate) kind: Kind,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
    /// Finds the request in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_id: Option<String>,
}

impl Failure {
    /// A failure without a way out yet.
    pub(crate) fn new(kind: Kind, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, code: code.into(), message: message.into(), fix: None, request_id: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// A command line that makes no sense, found after it was parsed.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, "usage", message)
    }

    /// What the process ends with.
    pub(crate) const fn exit_code(&self) -> u8 {
        self.kind as u8
    }

    /// What an error of any layer means to whoever typed the command.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(failure) = error.downcast_ref::<Self>() {
            return failure.clone();
        }
        if let Some(error) = error.chain().find_map(|cause| cause.downcast_ref::<ClientError>()) {
            return of_client(error);
        }
        let whole = told(error);
        let by_store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
        if let Some(StoreError::Unavailable(_)) = by_store {
            return Self::new(Kind::Network, "database_unavailable", whole)
                .fix("check REFLECT_DATABASE_URL, and that Postgres runs");
        }
        if let Some(StoreError::Requirement(_)) = by_store {
            return Self::new(Kind::Configuration, "database_requirement", whole);
        }
        match error.chain().any(|cause| cause.is::<io::Error>()) {
            true => Self::new(Kind::Local, "io", whole),
            false => Self::new(Kind::Other, "failed", whole),
        }
    }
}

/// The error with its causes, each once: some libraries repeat their cause in their own words.
pub(crate) fn told(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        said if said.ends_with(&cause) => told,
        _ => format!("{told}: {cause}"),
    })
}

fn of_client(error: &ClientError) -> Failure {
    const ADDRESS: &str =
        "is the server running? `reflect dev` starts one; --base-url says where another one is";
    match error {
        ClientError::Configuration { message, hint } => {
            Failure::new(Kind::Configuration, "configuration", message).fix(*hint)
        }
        ClientError::Connection { base_url, reason, .. } => {
            Failure::new(Kind::Network, "unreachable", format!("cannot reach {base_url} ({reason})"))
                .fix(ADDRESS)
        }
        ClientError::Timeout { base_url, reason, .. } => {
            let message = format!("no answer from {base_url} in time ({reason})");
            Failure::new(Kind::Network, "timeout", message).fix("--timeout waits longer")
        }
        ClientError::Status(refusal) => {
            let kind = if matches!(refusal.status, 401 | 403) { Kind::Configuration } else { Kind::Api };
            let code = refusal.code.clone().unwrap_or_else(|| format!("http_{}", refusal.status));
            let fix = match refusal.status {
                401 => Some("set REFLECT_API_KEY to a key of this server; `reflect keys create` makes one"),
                403 => Some("use a key with that scope; `reflect keys create --scope` makes one"),
                404 if refusal.message == "no such project" => Some(
                    "a key opens one project, or there is none of this name: `reflect whoami` shows what is used, \
                     --project names another",
                ),
                404 if refusal.message == "no such trace" => {
                    Some("`reflect traces list` shows those of the project")
                }
                404 if refusal.message == "no such memory" => {
                    Some("`reflect memories list` shows those of the project")
                }
                _ => refusal.hint,
            };
            let message = format!("the server says {}: {}", refusal.status, refusal.message);
            let mut failure = Failure::new(kind, code, message);
            failure.fix = fix.map(str::to_owned);
            failure.request_id.clone_from(&refusal.request_id);
            failure
        }
        ClientError::WaitTimeout { .. } => Failure::new(Kind::Waited, "wait_timeout", error.to_string()),
        ClientError::IngestFailed { trace_id, .. } => {
            Failure::new(Kind::Other, "learning_failed", error.to_string())
                .fix(format!("mend the cause, then `reflect traces retry {trace_id}`"))
        }
        ClientError::Unreadable { .. } => Failure::new(Kind::Api, "unreadable", error.to_string())
            .fix("is the base URL that of a Reflect server, and is this binary as new as it?"),
        _ => Failure::new(Kind::Other, "failed", error.to_string()),
    }
}

/// Whether whoever reads our output has had enough, as `head` has: nothing that went wrong.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_every_layer_have_their_exit_code() {
        let io = || anyhow::Error::from(io::Error::other("disk")).context("cannot write");
        let client = ClientError::Connection {
            call: "health",
            base_url: "http://a".into(),
            reason: "refused".into(),
            hint: "",
        };

        assert_eq!(Failure::of(&io()).exit_code(), 6);
        assert_eq!(Failure::of(&anyhow::anyhow!("anything")).exit_code(), 1);
        assert_eq!(Failure::of(&client.into()).exit_code(), 4);
        assert_eq!(Failure::of(&Failure::usage("both").into()).exit_code(), 2);
        assert_eq!(Kind::Interrupted as u8, 130);
    }

    #[test]
    fn a_cause_that_was_said_is_not_said_again() {
        let error = anyhow::anyhow!("refused").context("no connection: refused").context("no database");

        assert_eq!(told(&error), "no database: no connection: refused");
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let closed = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe)).context("cannot write");

        assert!(is_closed_pipe(&closed));
        assert!(!is_closed_pipe(&anyhow::anyhow!("anything")));
    }
}
