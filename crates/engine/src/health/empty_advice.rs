//! What to do about retrievals that return nothing. The advice follows from the figures.

use reflect_store::RetrievalFacts;

use super::finding::share;

/// A cause explains the empty retrievals if it explains more than this share of them.
const MOSTLY: f64 = 0.5;
/// Below this similarity, tasks are usually unrelated, so a lower threshold would return wrong memories.
const RELATED: f64 = 0.2;
/// A suggested threshold is a multiple of this.
const STEP: f64 = 0.05;

/// Why retrievals are empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EmptyCause {
    /// Memories were found and did not fit into the prompt.
    NoRoom,
    /// There was no vector to search with.
    NoVector,
    /// The threshold excludes the nearest memories. With this threshold, half of the retrievals would find one.
    HighThreshold(f64),
    /// The nearest memories are about other tasks.
    Unrelated(f64),
    /// No memory was compared.
    NothingCompared,
}

impl EmptyCause {
    pub(super) fn of(facts: &RetrievalFacts) -> Self {
        let RetrievalFacts { empty, without_room, degraded, near_miss, .. } = *facts;
        if share(without_room, empty) > MOSTLY {
            return Self::NoRoom;
        }
        if share(degraded, empty) > MOSTLY {
            return Self::NoVector;
        }
        match near_miss {
            None => Self::NothingCompared,
            Some(similarity) if similarity < RELATED => Self::Unrelated(similarity),
            // The smallest addition keeps 0.25 from being rounded down to 0.20.
            Some(similarity) => Self::HighThreshold(((similarity / STEP + 1e-9).floor()) * STEP),
        }
    }

    /// The threshold that helps, if a threshold does.
    pub(super) fn threshold(self) -> Option<f64> {
        match self {
            Self::HighThreshold(threshold) => Some((threshold * 100.0).round() / 100.0),
            _ => None,
        }
    }

    pub(super) fn advice(self) -> String {
        match self {
            Self::NoRoom => "Memories were found and did not fit: send a larger \"max_tokens\" to \
                             POST /v1/projects/{project_id}/memory/augment."
                .to_owned(),
            Self::NoVector => "Most of them searched by words, because there was no vector: the header \
                               X-Reflect-Degraded of a query says why. Give the server an embedding model that answers."
                .to_owned(),
            Self::HighThreshold(threshold) => format!(
                "The threshold excludes the nearest memories: POST /v1/projects/{{project_id}}/memory/query with \
                 \"similarity_threshold\": {threshold:.2} finds one for half of these queries."
            ),
            Self::Unrelated(similarity) => format!(
                "The nearest memories have a similarity of only {similarity:.2}, so a lower \"similarity_threshold\" \
                 would return unrelated ones. Query with the same task text that runs are recorded with, without \
                 instructions or history, and review runs of these tasks."
            ),
            Self::NothingCompared => "No memory was compared: check \"metadata_filter\" and \"metadata_exclude\" of the \
                                      query, and that it names the project with the memories."
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(near_miss: Option<f64>) -> RetrievalFacts {
        RetrievalFacts { retrievals: 100, empty: 80, near_miss, ..RetrievalFacts::default() }
    }

    #[test]
    fn a_suggested_threshold_is_never_above_the_similarity_it_should_admit() {
        for hundredths in 0..100 {
            let similarity = f64::from(hundredths) / 100.0;
            let cause = EmptyCause::of(&facts(Some(similarity)));
            match cause.threshold() {
                Some(threshold) => {
                    assert!(
                        threshold <= similarity && similarity - threshold < 0.05,
                        "{similarity} {threshold}"
                    );
                    assert!(cause.advice().contains(&format!("{threshold:.2}")), "{}", cause.advice());
                }
                None => assert!(similarity < RELATED, "{similarity}"),
            }
        }
    }

    #[test]
    fn a_threshold_is_not_suggested_when_the_nearest_memories_are_unrelated() {
        let cause = EmptyCause::of(&facts(Some(0.12)));
        assert_eq!(cause, EmptyCause::Unrelated(0.12));
        assert!(
            cause.advice().contains("only 0.12") && !cause.advice().contains("0.2 "),
            "{}",
            cause.advice()
        );
    }

    #[test]
    fn the_cause_of_most_empty_retrievals_decides() {
        let of = |without_room, degraded| {
            EmptyCause::of(&RetrievalFacts { without_room, degraded, ..facts(Some(0.271)) })
        };
        assert_eq!(of(41, 0), EmptyCause::NoRoom);
        assert_eq!(of(0, 41), EmptyCause::NoVector);
        assert_eq!(of(40, 40).threshold(), Some(0.25));
        assert_eq!(EmptyCause::of(&facts(None)), EmptyCause::NothingCompared);
    }
}
