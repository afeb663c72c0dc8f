//! Reports of clients about themselves, to detect runs that never arrive.

use reflect_store::{ClientFacts, NewClientReport};
use reflect_types::HealthLevel;
use serde_json::json;

use super::finding::Finding;
use crate::client_text::storable;
use crate::error::EngineError;

/// The longest name of a client.
pub(crate) const LONGEST_NAME: usize = 200;
/// More than any client can have; keeps sums within their type.
const MOST_RUNS: u64 = 1_000_000_000_000;

/// A report of a client about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientReport {
    /// The name of the client, such as its host. The next report replaces this one.
    pub client: String,
    /// The SDK and its version.
    pub sdk: Option<String>,
    /// How many runs the client has lost since it started.
    pub dropped: u64,
    /// How many runs wait at the client to be sent.
    pub spooled: u64,
}

/// Refuses a report whose name or counts are out of range.
pub(crate) fn check_report(report: ClientReport) -> Result<NewClientReport, EngineError> {
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
    let when = facts.worst_at.map(|at| at.format(", last report at %Y-%m-%d %H:%M UTC").to_string());
    let said = format!("{said} The most affected client is {worst}{sdk}{}.", when.unwrap_or_default());
    let level = if dropped > 0 { HealthLevel::Failing } else { HealthLevel::Warning };
    let fix = "Check from that host that GET /ready of this server answers, and read the client's log. Spooled runs are \
               sent when the server can be reached again; what is dropped is lost, so give the spool more space.";
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
        assert_eq!(check_report(report("a\0b")).unwrap().client, "a\u{fffd}b");
        assert!(check_report(report(&"ä".repeat(200))).is_ok());
        for (bad, field) in [
            (report("  "), "client"),
            (report(&"x".repeat(201)), "client"),
            (ClientReport { sdk: Some("x".repeat(201)), ..report("a") }, "sdk"),
            (ClientReport { dropped: MOST_RUNS + 1, ..report("a") }, "dropped"),
            (ClientReport { spooled: u64::MAX, ..report("a") }, "spooled"),
        ] {
            let problem = check_report(bad).unwrap_err().to_string();
            assert!(problem.starts_with(field), "{problem}");
        }
    }
}
