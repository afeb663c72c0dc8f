//! Checks of memories: whether reviews change their utility, and whether memories are duplicates.

use reflect_store::{DuplicateFacts, LinkFacts, MemoryFacts, ReviewFacts};
use reflect_types::HealthLevel;
use serde_json::json;

use super::finding::{FEW, Finding, percent, share};

const ENOUGH_REVIEWS: i64 = 50;
const MOST_FLAT: f64 = 0.9;
const MOST_DOUBLED: f64 = 0.1;

pub(super) fn flat_utilities(facts: &MemoryFacts, reviews: &ReviewFacts, links: &LinkFacts) -> Finding {
    const CHECK: &str = "flat_utilities";
    let MemoryFacts { active, flat } = *facts;
    let reviews = reviews.reviews;
    let numbers = json!({ "memories": active, "flat": flat, "reviews": reviews });
    if reviews < ENOUGH_REVIEWS {
        let message = format!("Too few to tell: {reviews} reviews, and it takes {ENOUGH_REVIEWS}.");
        return Finding::unknown(CHECK, message, numbers);
    }
    if active < FEW {
        return Finding::too_few(CHECK, active, "memories are in use", numbers);
    }
    let said = format!(
        "{flat} of the {active} newest memories ({}) have a utility within {} of 0.5, where it starts, after {reviews} \
         reviews{}.",
        percent(flat, active),
        MemoryFacts::FLAT_WITHIN,
        if reviews == ReviewFacts::MOST { " or more" } else { "" }
    );
    if share(flat, active) <= MOST_FLAT {
        return Finding::ok(CHECK, said, numbers);
    }
    let fix = flat_advice(links);
    Finding::trouble(CHECK, HealthLevel::Failing, format!("Utilities do not move: {said}"), fix, numbers)
}

/// Without runs that had memories, no review can move one. Otherwise those runs have no reviews.
fn flat_advice(links: &LinkFacts) -> String {
    let window = format!("in the last {} days", LinkFacts::DAYS);
    match links.linked {
        0 => format!(
            "No run had memories {window}, so no review could move one. Let each run query memories first \
             (POST /v1/projects/{{project_id}}/memory/query), and send \"retrieval_id\" or \"retrieved_memory_ids\" with \
             its trace."
        ),
        linked => format!(
            "{linked} runs had memories {window}. Review these runs: GET /v1/projects/{{project_id}}/traces/rows with \
             \"memory_id\" lists the runs with a memory. See also the check credit_lost."
        ),
    }
}

pub(super) fn duplicates(facts: &DuplicateFacts) -> Finding {
    const CHECK: &str = "duplicates";
    let DuplicateFacts { sampled, doubled } = *facts;
    let numbers = json!({ "sampled": sampled, "doubled": doubled });
    if sampled < FEW {
        return Finding::too_few(CHECK, sampled, "memories have a vector", numbers);
    }
    let said = format!(
        "{doubled} of the {sampled} newest memories ({}) have another one about nearly the same task in a different \
         lesson, with a similarity above {}. They were compared with the {} newest.",
        percent(doubled, sampled),
        DuplicateFacts::SAME_ABOVE,
        DuplicateFacts::AMONG
    );
    if share(doubled, sampled) <= MOST_DOUBLED {
        return Finding::ok(CHECK, said, numbers);
    }
    let fix = "Group lessons that say the same: GET /v1/projects/{project_id}/memories/{memory_id}/neighbours finds them, \
               POST /v1/projects/{project_id}/lessons/group joins them. Until then, query with \
               \"mmr_lambda\": 0.7 for different memories.";
    Finding::trouble(
        CHECK,
        HealthLevel::Warning,
        format!("Memories in different lessons repeat each other: {said}"),
        fix,
        numbers,
    )
}
