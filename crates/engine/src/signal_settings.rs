//! Checks changes of how a project turns signals into reviews.

use reflect_types::{ChangeSignals, SourceSettings};

use crate::error::EngineError;

/// A later contradiction replaces the review anyway.
const LONGEST_WAIT: u64 = 30 * 24 * 60 * 60;
const LARGEST_PRECEDENCE: u8 = 100;
/// More sources than this are a mistake, such as one for each build.
const MOST_SOURCES: usize = 50;

/// Refuses values that are out of range.
pub(crate) fn check(change: &ChangeSignals) -> Result<(), EngineError> {
    if change.blind_share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(EngineError::invalid("signals.blind_share", "must lie between 0 and 1"));
    }
    let Some(sources) = &change.sources else { return Ok(()) };
    if sources.len() > MOST_SOURCES {
        let problem = format!("must not have more than {MOST_SOURCES} entries");
        return Err(EngineError::invalid("signals.sources", problem));
    }
    sources.values().flatten().try_for_each(check_source)
}

fn check_source(set: &SourceSettings) -> Result<(), EngineError> {
    for (field, score) in
        [("signals.sources.pass_from", set.pass_from), ("signals.sources.fail_below", set.fail_below)]
    {
        if score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            return Err(EngineError::invalid(field, "must lie between 0 and 1"));
        }
    }
    for (field, wait) in [
        ("signals.sources.wait_pass_seconds", set.wait_pass_seconds),
        ("signals.sources.wait_fail_seconds", set.wait_fail_seconds),
    ] {
        if wait.is_some_and(|wait| wait > LONGEST_WAIT) {
            return Err(EngineError::invalid(field, "must not be more than 30 days"));
        }
    }
    if set.precedence.is_some_and(|precedence| precedence > LARGEST_PRECEDENCE) {
        return Err(EngineError::invalid("signals.sources.precedence", "must lie between 0 and 100"));
    }
    Ok(())
}

/// Refuses thresholds that leave no order, and too many sources, after a change.
pub(crate) fn check_changed(settings: &reflect_types::SignalSettings) -> Result<(), EngineError> {
    if settings.sources.len() > MOST_SOURCES {
        let problem = format!("must not have more than {MOST_SOURCES} entries");
        return Err(EngineError::invalid("signals.sources", problem));
    }
    for source in settings.sources.keys() {
        let rule = settings.rule(source);
        if rule.fail_below > rule.pass_from {
            let problem = format!("must not be more than pass_from, in the source {source}");
            return Err(EngineError::invalid("signals.sources.fail_below", problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::SignalSettings;
    use serde_json::json;

    fn change(body: serde_json::Value) -> ChangeSignals {
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn a_change_that_makes_no_sense_is_refused_by_name() {
        for (bad, said) in [
            (json!({ "blind_share": 1.5 }), "signals.blind_share must lie"),
            (json!({ "sources": { "ci": { "pass_from": 2 } } }), "signals.sources.pass_from must lie"),
            (
                json!({ "sources": { "ci": { "wait_pass_seconds": 9_999_999 } } }),
                "signals.sources.wait_pass_seconds",
            ),
            (json!({ "sources": { "ci": { "precedence": 101 } } }), "signals.sources.precedence must lie"),
        ] {
            let refused = check(&change(bad)).unwrap_err().to_string();
            assert!(refused.starts_with(said), "{refused}");
        }
        let fine = json!({ "blind_share": 0, "sources": { "ci": { "precedence": 100, "fail_below": 0.7 }, "x": null } });
        assert!(check(&change(fine)).is_ok());
    }

    #[test]
    fn thresholds_are_compared_with_the_usual_ones_of_the_source() {
        let after = |body| check_changed(&change(body).apply(SignalSettings::default()));
        assert!(after(json!({ "sources": { "ci": { "fail_below": 0.7 } } })).is_ok());
        let refused = after(json!({ "sources": { "ci": { "fail_below": 0.8 } } })).unwrap_err().to_string();
        assert!(
            refused.contains("fail_below must not be more than pass_from, in the source ci"),
            "{refused}"
        );
    }
}
