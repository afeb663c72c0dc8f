//! The weight of utility against similarity: that of the request, else that of the project.

use reflect_rules::replay::ReplayScores;
use reflect_types::{LessonSettings, WeightSource};

use crate::rank::{DEFAULT_UTILITY_WEIGHT, Ranking};

/// A weight, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UtilityWeight {
    pub(super) value: f32,
    /// In the words of the receipt.
    pub(super) from: &'static str,
}

/// The weight of a query. Replay compares weights of the learned ranking, so it does not apply to the classic one.
pub(super) fn utility_weight(
    requested: Option<f32>,
    settings: LessonSettings,
    ranking: Ranking,
    replay: &ReplayScores,
) -> UtilityWeight {
    match (requested, settings.utility_weight, ranking) {
        (Some(value), _, _) => UtilityWeight { value, from: "request" },
        (None, WeightSource::Replay, Ranking::Learned) => {
            UtilityWeight { value: replay.weight(), from: "replay" }
        }
        (None, _, _) => UtilityWeight { value: DEFAULT_UTILITY_WEIGHT, from: "default" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_wins_and_replay_applies_to_the_learned_ranking_if_the_project_chose_it() {
        let scores = ReplayScores { scores: [0.0, 9.0, 1.0, 1.0], reviews: 200 };
        let chosen = LessonSettings { utility_weight: WeightSource::Replay, ..LessonSettings::default() };
        let weight = |requested, settings, ranking| {
            let weight = utility_weight(requested, settings, ranking, &scores);
            (weight.value, weight.from)
        };
        assert_eq!(weight(Some(0.7), chosen, Ranking::Learned), (0.7, "request"));
        assert_eq!(weight(None, chosen, Ranking::Learned), (0.15, "replay"));
        assert_eq!(weight(None, chosen, Ranking::Classic), (0.5, "default"));
        let usual = LessonSettings { utility_weight: WeightSource::Default, ..LessonSettings::default() };
        assert_eq!(weight(None, usual, Ranking::Learned), (0.5, "default"));
    }
}
