//! Whether the server is there, as old as we are, and lets us in; and whether clocks agree.

use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};
use reflect_api::{Diagnosis, Overview};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::Scope;

use super::report::{Check, Level, Section};

/// What a reviewer and an agent need, each with what is missing without it.
const NEEDED: &[(Scope, &str)] = &[
    (Scope::TraceWrite, "no runs can be sent with this key"),
    (Scope::TraceRead, "runs cannot be read with this key"),
    (Scope::ReviewWrite, "nothing can be reviewed with this key"),
];

/// Beyond this, times in tables and in `--since` mislead.
const MOST_SKEW_SECONDS: i64 = 30;

/// What was found, and what the rest of the checks need of it.
pub(super) struct Found {
    pub(super) checks: Vec<Check>,
    pub(super) diagnosis: Option<Diagnosis>,
    pub(super) overview: Option<Overview>,
}

fn check(name: &str, level: Level, message: impl Into<String>) -> Check {
    Check::new(Section::Connection, name, level, message)
}

pub(super) async fn look(client: &ReflectClient) -> Found {
    let mut found = Found { checks: Vec::new(), diagnosis: None, overview: None };
    let began = Instant::now();
    match client.health().await {
        Ok(health) => {
            found.checks.push(version(&health.version, client.base_url(), began.elapsed().as_millis()))
        }
        Err(error) => {
            found.checks.push(no_server(client.base_url(), &error));
            return found;
        }
    }
    match client.diagnosis().await {
        Ok(diagnosis) => {
            found.checks.push(check("project", Level::Ok, client.project_id()));
            found.checks.extend(key(&diagnosis));
            found.diagnosis = Some(diagnosis);
        }
        Err(error) => {
            found.checks.push(not_let_in(client.project_id(), &error));
            return found;
        }
    }
    let asked = SystemTime::now();
    if let Ok(overview) = client.overview().await {
        found.checks.push(clocks(overview.as_of, asked.into(), SystemTime::now().into()));
        found.overview = Some(overview);
    }
    found
}

fn version(server: &str, base_url: &str, millis: u128) -> Check {
    const OURS: &str = env!("CARGO_PKG_VERSION");
    let said = format!("{server} at {base_url} ({millis} ms)");
    if server == OURS {
        return check("server", Level::Ok, said);
    }
    check("server", Level::Warn, format!("{said}, and this binary is {OURS}"))
        .fix("install the same version on both sides")
}

fn no_server(base_url: &str, error: &Error) -> Check {
    let message = match error {
        Error::Connection { reason, .. } | Error::Timeout { reason, .. } => {
            format!("cannot reach {base_url} ({reason})")
        }
        Error::Status(refusal) => {
            format!("{base_url} answers with {}, and is no Reflect server", refusal.status)
        }
        Error::Unreadable { .. } => format!("{base_url} answers, and is no Reflect server"),
        other => other.to_string(),
    };
    check("server", Level::Fail, message)
        .fix("start one with `reflect dev` or `reflect serve`, or set REFLECT_BASE_URL to where it is")
}

fn not_let_in(project: &str, error: &Error) -> Check {
    match error.status() {
        Some(401) => check("key", Level::Fail, format!("the key does not work: {}", said(error)))
            .fix(format!("reflect keys create --project {project} --label me, and set REFLECT_API_KEY to what it prints")),
        Some(403) => check("key", Level::Fail, said(error))
            .fix(format!("reflect keys create --project {project} --label me --scope memory:read …, and use that key")),
        Some(404) if error.code() == Some("not_found") => {
            check("project", Level::Fail, format!("the key opens no project {project:?}"))
                .fix("set REFLECT_PROJECT_ID to the project of the key; `reflect keys list` shows it")
        }
        Some(404) => check("server", Level::Fail, "the server is too old to be asked")
            .fix("bring it to the version of this binary"),
        Some(503) => check("key", Level::Skip, format!("cannot be looked up: {}", said(error))),
        _ => check("key", Level::Fail, said(error)).fix("look at the server's log"),
    }
}

/// What the server said, without the name of the method.
fn said(error: &Error) -> String {
    match error {
        Error::Status(refusal) => refusal.message.clone(),
        other => other.to_string(),
    }
}

fn key(diagnosis: &Diagnosis) -> Vec<Check> {
    let scopes: Vec<&str> = diagnosis.scopes.iter().map(|scope| scope.as_str()).collect();
    let missing: Vec<&(Scope, &str)> =
        NEEDED.iter().filter(|(scope, _)| !diagnosis.scopes.contains(scope)).collect();
    let who = format!("{} ({})", diagnosis.caller, scopes.join(", "));
    if missing.is_empty() {
        return vec![check("key", Level::Ok, who)];
    }
    missing
        .into_iter()
        .map(|(scope, means)| {
            check("key", Level::Warn, format!("{who} lacks {scope}: {means}"))
                .fix(format!("use a key with it: reflect keys create --scope {scope} …"))
        })
        .collect()
}

fn clocks(server: DateTime<Utc>, before: DateTime<Utc>, after: DateTime<Utc>) -> Check {
    // The answer was made some time between asking and having it.
    let ahead = (server - after).num_seconds().max(0);
    let behind = (before - server).num_seconds().max(0);
    let skew = ahead.max(behind);
    if skew <= MOST_SKEW_SECONDS {
        return check("clock", Level::Ok, "agrees with the server's");
    }
    let which = if ahead > 0 { "ahead of" } else { "behind" };
    check("clock", Level::Warn, format!("the server's is {skew} s {which} this machine's"))
        .fix("let both be set by NTP: ids of runs carry their time")
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn clocks_may_differ_by_half_a_minute_and_by_the_time_of_the_call() {
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);

        assert_eq!(clocks(at(130), at(100), at(100)).level, Level::Ok);
        assert_eq!(clocks(at(110), at(100), at(160)).level, Level::Ok);
        let ahead = clocks(at(131), at(100), at(100));
        assert!(ahead.message.contains("31 s ahead"), "{ahead:?}");
        let behind = clocks(at(0), at(100), at(101));
        assert!(behind.message.contains("100 s behind"), "{behind:?}");
    }
}
