//! Checks of retrievals: whether they find memories, whether runs name the memories they had, and whether one memory is
//! served too often.

use reflect_store::{LinkFacts, MemoryFacts, MostServed, RetrievalFacts};
use reflect_types::HealthLevel;
use serde_json::json;

use super::empty_advice::EmptyCause;
use super::finding::{FEW, Finding, percent, share};

const MOST_LOST: f64 = 0.05;
const MOSTLY: f64 = 0.5;
const MOST_EMPTY: f64 = 0.5;
const MOST_OF_ONE: f64 = 0.4;

pub(super) fn credit_lost(facts: &LinkFacts) -> Finding {
    const CHECK: &str = "credit_lost";
    let LinkFacts { linked, found_in_trajectory, inferred } = *facts;
    let lost = found_in_trajectory + inferred;
    let numbers = json!({ "runs_with_memories": linked, "inferred": inferred, "found_in_trajectory": found_in_trajectory });
    let window = format!("the last {} days", LinkFacts::DAYS);
    if linked == 0 {
        let message = format!("No run of {window} had memories, as far as is known.");
        return Finding::unknown(CHECK, message, numbers);
    }
    let said = format!(
        "{lost} of {linked} runs with memories ({}) in {window} did not say so: for {inferred} it was inferred from a \
         retrieval shortly before, for {found_in_trajectory} the memories were found in the messages.",
        percent(lost, linked)
    );
    if share(lost, linked) <= MOST_LOST {
        return Finding::ok(CHECK, said, numbers);
    }
    // With few runs, one that does not name its memories must not count as failing.
    let mostly = share(lost, linked) > MOSTLY && linked >= FEW;
    let level = if mostly { HealthLevel::Failing } else { HealthLevel::Warning };
    let fix = "Send what the query answered with the run: POST /v1/projects/{project_id}/traces with \"retrieval_id\": the \
               header X-Retrieval-Id of POST /v1/projects/{project_id}/memory/query, or \"retrieved_memory_ids\": the \
               ids of its memories.";
    Finding::trouble(CHECK, level, format!("Memories are used without credit: {said}"), fix, numbers)
}

pub(super) fn always_empty(facts: &RetrievalFacts, memories: &MemoryFacts) -> Finding {
    const CHECK: &str = "always_empty";
    let RetrievalFacts { retrievals, empty, without_room, degraded, near_miss } = *facts;
    let mut numbers = json!({
        "retrievals": retrievals, "empty": empty, "without_room": without_room, "degraded": degraded,
        "near_miss": near_miss, "memories": memories.active,
    });
    let window = format!("of the last {} days", RetrievalFacts::DAYS);
    if memories.active == 0 {
        return Finding::unknown(CHECK, "There is no memory to find yet.".to_owned(), numbers);
    }
    if retrievals < FEW {
        let of_what = format!("retrievals {window} since there are memories");
        return Finding::too_few(CHECK, retrievals, &of_what, numbers);
    }
    let said = format!(
        "{empty} of the last {retrievals} retrievals {window} ({}) gave nothing.",
        percent(empty, retrievals)
    );
    if share(empty, retrievals) <= MOST_EMPTY {
        return Finding::ok(CHECK, said, numbers);
    }
    let near_miss = near_miss.map(|similarity| {
        format!(" Where none was similar enough, the nearest had a similarity of {similarity:.2} in the middle case.")
    });
    let or_more = if memories.active == MemoryFacts::MOST { " or more" } else { "" };
    let message = format!(
        "Memories are not found: {said} There are {}{or_more} memories.{}",
        memories.active,
        near_miss.unwrap_or_default()
    );
    let cause = EmptyCause::of(facts);
    numbers["suggested_threshold"] = json!(cause.threshold());
    Finding::trouble(CHECK, HealthLevel::Failing, message, cause.advice(), numbers)
}

pub(super) fn one_memory_everywhere(facts: &MostServed, memories: &MemoryFacts) -> Finding {
    const CHECK: &str = "one_memory_everywhere";
    let MostServed { retrievals, memory_id, times } = *facts;
    let numbers = json!({ "retrievals": retrievals, "times": times, "memories": memories.active });
    // With few memories, each is served nearly every time.
    if memories.active < FEW {
        return Finding::too_few(CHECK, memories.active, "memories are in use", numbers);
    }
    if retrievals < FEW {
        let of_what = format!("retrievals of the last {} days served anything", MostServed::DAYS);
        return Finding::too_few(CHECK, retrievals, &of_what, numbers);
    }
    let which = memory_id.map_or_else(|| "No memory".to_owned(), |id| format!("Memory {id}"));
    let said = format!(
        "{which} was served in {times} of the last {retrievals} retrievals that served anything ({}).",
        percent(times, retrievals)
    );
    if share(times, retrievals) <= MOST_OF_ONE {
        return Finding::ok(CHECK, said, numbers);
    }
    let fix = "If it is too general, reword it (PATCH /v1/projects/{project_id}/memories/{memory_id}) or take it out of use \
               (POST /v1/projects/{project_id}/memories/{memory_id}/disable). To make room for others without losing it, \
               query with \"mmr_lambda\": 0.7 or a higher \"similarity_threshold\".";
    Finding::trouble(
        CHECK,
        HealthLevel::Warning,
        format!("One memory crowds out the rest: {said}"),
        fix,
        numbers,
    )
}
