//! Checks of the connection: server, version, key, project and clock.

use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};
use reflect_api::{Diagnosis, Overview};
use reflect_sdk::{Error, ReflectClient};
use reflect_types::Scope;

use super::report::{Check, Level, Section};

/// The scopes that a reviewer and an agent need, and what does not work without them.
const NEEDED: &[(Scope, &str)] = &[
    (Scope::TraceWrite, "this key cannot send runs"),
    (Scope::TraceRead, "this key cannot read runs"),
    (Scope::ReviewWrite, "this key cannot review runs"),
];

/// With a larger difference, times in tables and in `--since` are misleading.
const MAX_SKEW_SECONDS: i64 = 30;

/// The checks, and data for the other checks.
pub(super) struct ConnectionChecks {
    pub(super) checks: Vec<Check>,
    pub(super) diagnosis: Option<Diagnosis>,
    pub(super) overview: Option<Overview>,
}

fn check(name: &str, level: Level, message: impl Into<String>) -> Check {
    Check::new(Section::Connection, name, level, message)
}

pub(super) async fn look(client: &ReflectClient) -> ConnectionChecks {
    let mut found = ConnectionChecks { checks: Vec::new(), diagnosis: None, overview: None };
    let began = Instant::now();
    match client.server.health().await {
        Ok(health) => {
            found.checks.push(version(&health.version, client.base_url(), began.elapsed().as_millis()))
        }
        Err(error) => {
            found.checks.push(no_server(client.base_url(), &error));
            return found;
        }
    }
    match client.project.diagnosis().await {
        Ok(diagnosis) => {
            found.checks.push(check("project", Level::Ok, client.project_id()));
            found.checks.extend(key(&diagnosis));
            found.diagnosis = Some(diagnosis);
        }
        Err(error) => {
            found.checks.push(access_denied(client.project_id(), &error));
            return found;
        }
    }
    let asked = SystemTime::now();
    if let Ok(overview) = client.project.overview().await {
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
    check("server", Level::Warn, format!("{said}, but this binary is {OURS}"))
        .fix("install the same version on both sides")
}

fn no_server(base_url: &str, error: &Error) -> Check {
    let message = match error {
        Error::Connection { reason, .. } | Error::Timeout { reason, .. } => {
            format!("cannot reach {base_url} ({reason})")
        }
        Error::Status(refusal) => {
            format!("{base_url} responds with status {} and is not a Reflect server", refusal.status)
        }
        Error::Unreadable { .. } => format!("{base_url} responds, but is not a Reflect server"),
        other => other.to_string(),
    };
    check("server", Level::Fail, message)
        .fix("start a server with `reflect dev` or `reflect serve`, or set REFLECT_BASE_URL to its address")
}

fn access_denied(project: &str, error: &Error) -> Check {
    match error.status() {
        Some(401) => {
            check("key", Level::Fail, format!("the key is not valid: {}", said(error))).fix(format!(
                "run `reflect keys create --project {project} --label me` and set REFLECT_API_KEY to the key"
            ))
        }
        Some(403) => check("key", Level::Fail, said(error)).fix(format!(
            "run `reflect keys create --project {project} --label me --scope memory:read …` and use that key"
        )),
        Some(404) if error.code() == Some("not_found") => check(
            "project",
            Level::Fail,
            format!("the key has no access to project {project:?}: {}", said(error)),
        )
        .fix("set REFLECT_PROJECT_ID or --project to a project of the key"),
        Some(404) => check("server", Level::Fail, "the server is too old for this check")
            .fix("update it to the version of this binary"),
        Some(503) => check("key", Level::Skip, format!("cannot be checked: {}", said(error))),
        _ => check("key", Level::Fail, said(error)).fix("read the server's log"),
    }
}

/// The server's message, without the name of the SDK method.
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
            check("key", Level::Warn, format!("{who} lacks the scope {scope}: {means}"))
                .fix(format!("create a key with it: reflect keys create --scope {scope} …"))
        })
        .collect()
}

fn clocks(server: DateTime<Utc>, before: DateTime<Utc>, after: DateTime<Utc>) -> Check {
    // The server read its clock at some time between the two.
    let ahead = (server - after).num_seconds().max(0);
    let behind = (before - server).num_seconds().max(0);
    let skew = ahead.max(behind);
    if skew <= MAX_SKEW_SECONDS {
        return check("clock", Level::Ok, "agrees with the server");
    }
    let which = if ahead > 0 { "ahead of" } else { "behind" };
    check("clock", Level::Warn, format!("the server's clock is {skew} s {which} this machine's clock"))
        .fix("synchronize both with NTP, because the ids of runs contain the time")
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
