//! Keys that expire. A client whose key has expired keeps its runs and does not fail, so the loss may go unnoticed.

use reflect_store::KeyFacts;
use reflect_types::HealthLevel;
use serde_json::json;

use super::finding::Finding;

/// The name of the check.
pub(super) const CHECK: &str = "keys_expiring";

pub(super) fn keys_expiring(facts: &KeyFacts) -> Finding {
    let KeyFacts { used, expiring, expired, .. } = *facts;
    let numbers = json!({ "used": used, "expiring": expiring, "expired": expired });
    let days = KeyFacts::DAYS;
    if used == 0 {
        return Finding::unknown(CHECK, format!("No key of the project was used in {days} days."), numbers);
    }
    let said = format!(
        "Of {used} keys that were used in the last {days} days, {expiring} expire within {} days, and {expired} have \
         expired and are still used.",
        KeyFacts::SOON_DAYS
    );
    if expiring + expired == 0 {
        return Finding::ok(CHECK, said, numbers);
    }
    let key = facts.first.as_deref().unwrap_or("a key");
    let label = facts.first_label.as_deref().unwrap_or_default();
    let at = facts.first_at.map(|at| at.format(" (%Y-%m-%d %H:%M UTC)").to_string()).unwrap_or_default();
    let said = format!("{said} The first is {key}, \"{label}\"{at}.");
    let fix = format!(
        "Replace it with `reflect keys rotate {key}`, or with POST \
         /v1/projects/{{project_id}}/api-keys/{{key_id}}/rotate, and give the new key to the program."
    );
    match expired {
        0 => Finding::trouble(CHECK, HealthLevel::Warning, said, fix, numbers),
        _ => Finding::trouble(CHECK, HealthLevel::Failing, format!("Runs are refused: {said}"), fix, numbers),
    }
}
