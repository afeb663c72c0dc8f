//! What clients say about themselves, so that runs that never arrive are noticed.

use reflect_store::{ClientFacts, NewClientReport};
use serde_json::json;

use super::finding::{Finding, Level};
use crate::authenticate::Visitor;
use crate::submit::storable;
use crate::{Engine, EngineError};

/// As long as a name may be.
const LONGEST_NAME: usize = 200;
/// More than any client can have; keeps sums within their type.
const MOST_RUNS: u64 = 1_000_000_000_000;

/// What a client says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientReport {
    /// Its name, such as a host. Its next report takes the place of this one.
    pub client: String,
    /// What it runs, with version.
    pub sdk: Option<String>,
    /// How many runs it has lost since it started.
    pub dropped: u64,
    /// How many runs wait there to be sent.
    pub spooled: u64,
}

impl Engine {
    /// Notes what a client says about itself.
    pub async fn report_client(&self, visitor: &Visitor, report: ClientReport) -> Result<(), EngineError> {
        let report = check(report)?;
        let mut redactor = self.redactor(visitor.project).await?;
        let client = redactor.text("client", report.client)?;
        let sdk = redactor.optional("sdk", report.sdk)?;
        redactor.finish();
        let report = NewClientReport { client: shortened(client), sdk, ..report };
        Ok(self.store.project(visitor.project).report_client(&report).await?)
    }
}

/// What took the place of a secret may be longer than it was.
fn shortened(name: String) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn check(report: ClientReport) -> Result<NewClientReport, EngineError> {
    if report.client.trim().is_empty() {
        return Err(EngineError::invalid("client", "must not be empty"));
    }
    for (field, name) in [("client", Some(&report.client)), ("sdk", report.sdk.as_ref())] {
        if name.is_some_and(|name| name.chars().count() > LONGEST_NAME) {
            return Err(EngineError::invalid(
                field,
                format!("must not be longer than {LONGEST_NAME} characters"),
            ));
        }
    }
    let number = |field, runs: u64| match i64::try_from(runs) {
        Ok(number) if runs <= MOST_RUNS => Ok(number),
        _ => Err(EngineError::invalid(field, format!("must not be more than {MOST_RUNS}"))),
    };
    Ok(NewClientReport {
        dropped: number("dropped", report.dropped)?,
        spooled: number("spooled", report.spooled)?,
        client: storable(report.client),
        sdk: report.sdk.map(storable),
    })
}

pub(super) fn sdk_losing_data(facts: &ClientFacts) -> Finding {
    const CHECK: &str = "sdk_losing_data";
    let ClientFacts { reporting, losing, dropped, spooled, .. } = *facts;
    let numbers = json!({ "clients": reporting, "losing": losing, "dropped": dropped, "spooled": spooled });
    if reporting == 0 {
        return Finding::unknown(
            CHECK,
            "No client reported about itself in the last day.".to_owned(),
            numbers,
        );
    }
    let said = format!(
        "{losing} of {reporting} clients that reported in the last day lost runs or hold some back: {dropped} dropped, \
         {spooled} spooled."
    );
    if losing == 0 {
        return Finding::ok(CHECK, said, numbers);
    }
    let worst = facts.worst.as_deref().unwrap_or("a client");
    let sdk = facts.worst_sdk.as_deref().map(|sdk| format!(" ({sdk})")).unwrap_or_default();
    let when = facts.worst_at.map(|at| at.format(", last heard of at %Y-%m-%d %H:%M UTC").to_string());
    let said = format!("{said} Most of all {worst}{sdk}{}.", when.unwrap_or_default());
    let level = if dropped > 0 { Level::Failing } else { Level::Warning };
    let fix = "Look from that host whether GET /ready of this server answers, and at the client's log. What is spooled is \
               sent when the server can be reached again; what is dropped is lost, so give the spool more room.";
    Finding::trouble(CHECK, level, format!("Runs do not arrive: {said}"), fix, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(client: &str) -> ClientReport {
        ClientReport { client: client.to_owned(), sdk: None, dropped: 0, spooled: 0 }
    }

    #[test]
    fn a_report_has_a_name_of_some_length_and_counts_that_can_be_added_up() {
        assert_eq!(check(report("a\0b")).unwrap().client, "a\u{fffd}b");
        assert!(check(report(&"ä".repeat(200))).is_ok());
        for (bad, field) in [
            (report("  "), "client"),
            (report(&"x".repeat(201)), "client"),
            (ClientReport { sdk: Some("x".repeat(201)), ..report("a") }, "sdk"),
            (ClientReport { dropped: MOST_RUNS + 1, ..report("a") }, "dropped"),
            (ClientReport { spooled: u64::MAX, ..report("a") }, "spooled"),
        ] {
            let problem = check(bad).unwrap_err().to_string();
            assert!(problem.starts_with(field), "{problem}");
        }
    }
}
