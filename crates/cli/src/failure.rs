//! Why a command failed: exit code, error code for programs, message for people, and fix. `output` prints it.

use std::fmt;
use std::io;

use reflect_sdk::Error as ClientError;
use reflect_store::StoreError;
use serde::Serialize;

/// The kind of failure. The numbers are the exit codes, which scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything else.
    Other = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A setting is missing or wrong, or the key has no access.
    Configuration = 3,
    /// The server or the database cannot be reached.
    Network = 4,
    /// The server responded with an error.
    Api = 5,
    /// A local file or folder.
    Local = 6,
    /// A check found a problem.
    Check = 7,
    /// A timeout.
    Timeout = 8,
    /// Ctrl-C.
    Interrupted = 130,
}

/// A failure, with a fix if one is known.
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
    /// A failure without a fix.
    pub(crate) fn new(kind: Kind, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, code: code.into(), message: message.into(), fix: None, request_id: None }
    }

    /// Adds a fix.
    #[must_use]
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// A usage error that is found after parsing.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, "usage", message)
    }

    /// The exit code of the process.
    pub(crate) const fn exit_code(&self) -> u8 {
        self.kind as u8
    }

    /// Converts an error of any layer.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        if let Some(failure) = error.downcast_ref::<Self>() {
            return failure.clone();
        }
        if let Some(error) = error.chain().find_map(|cause| cause.downcast_ref::<ClientError>()) {
            return of_client(error);
        }
        let whole = with_causes(error);
        let by_store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
        if let Some(StoreError::Unavailable(_)) = by_store {
            return Self::new(Kind::Network, "database_unavailable", whole)
                .fix("check REFLECT_DATABASE_URL and that Postgres is running");
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

/// The error with its causes, each once: some libraries repeat their cause in their own message.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        so_far if so_far.ends_with(&cause) => text,
        _ => format!("{text}: {cause}"),
    })
}

fn of_client(error: &ClientError) -> Failure {
    const ADDRESS: &str =
        "check that the server is running; start one with `reflect dev`, or set --base-url to another server";
    match error {
        ClientError::Configuration { message, hint } => {
            Failure::new(Kind::Configuration, "configuration", message).fix(*hint)
        }
        ClientError::Connection { base_url, reason, .. } => {
            Failure::new(Kind::Network, "unreachable", format!("cannot reach {base_url} ({reason})"))
                .fix(ADDRESS)
        }
        ClientError::Timeout { base_url, reason, .. } => {
            let message = format!("{base_url} did not respond in time ({reason})");
            Failure::new(Kind::Network, "timeout", message).fix("increase --timeout")
        }
        ClientError::Status(refusal) => {
            // The server parses `--filter`. A mistake in it is a mistake on the command line.
            if refusal.code.as_deref() == Some("invalid_filter") {
                let message = refusal.message.strip_prefix("q: ").unwrap_or(&refusal.message);
                return Failure::usage(format!("--filter: {message}"));
            }
            let kind = if matches!(refusal.status, 401 | 403) { Kind::Configuration } else { Kind::Api };
            let code = refusal.code.clone().unwrap_or_else(|| format!("http_{}", refusal.status));
            let fix = match refusal.status {
                401 => {
                    Some("set REFLECT_API_KEY to a key of this server; create one with `reflect keys create`")
                }
                403 => Some("use a key with that scope; create one with `reflect keys create --scope`"),
                404 if refusal.message.starts_with("no such project") => {
                    Some("choose a project of this key with --project or REFLECT_PROJECT_ID")
                }
                404 if refusal.message == "no such trace" => {
                    Some("run `reflect traces list` to see the runs of the project")
                }
                404 if refusal.message == "no such memory" => {
                    Some("run `reflect memories list` to see the memories of the project")
                }
                _ => refusal.hint,
            };
            let message = format!("the server responded with {}: {}", refusal.status, refusal.message);
            let mut failure = Failure::new(kind, code, message);
            failure.fix = fix.map(str::to_owned);
            failure.request_id.clone_from(&refusal.request_id);
            failure
        }
        ClientError::WaitTimeout { .. } => Failure::new(Kind::Timeout, "wait_timeout", error.to_string()),
        ClientError::IngestFailed { trace_id, .. } => {
            Failure::new(Kind::Other, "learning_failed", error.to_string())
                .fix(format!("fix the cause, then run `reflect traces retry {trace_id}`"))
        }
        ClientError::Unreadable { .. } => Failure::new(Kind::Api, "unreadable", error.to_string())
            .fix("check that the base URL is a Reflect server and that this binary has the same version"),
        _ => Failure::new(Kind::Other, "failed", error.to_string()),
    }
}

/// Whether the reader of stdout has closed it, as `head` does. That is not an error.
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
    fn a_cause_is_not_repeated() {
        let error = anyhow::anyhow!("refused").context("no connection: refused").context("no database");

        assert_eq!(with_causes(&error), "no database: no connection: refused");
    }

    #[test]
    fn a_closed_pipe_is_not_a_failure() {
        let closed = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe)).context("cannot write");

        assert!(is_closed_pipe(&closed));
        assert!(!is_closed_pipe(&anyhow::anyhow!("anything")));
    }
}
