//! The thresholds that a run must reach.

use crate::arms::{NONE, PRODUCT, SIMILARITY};
use crate::measure::Results;

/// How much memory must gain in the quick form, in points. Few tickets cannot tell rankings apart.
const LEAST_GAIN: f64 = 20.0;

/// The missed thresholds of a full run, in words: the product is better than similarity, and the interval excludes 0.
pub fn missed(results: &Results) -> Vec<String> {
    let difference = results.difference(PRODUCT, SIMILARITY);
    let missed = difference.filter(|difference| difference.low <= 0.0).map(|difference| {
        let (mean, low, high) = (difference.mean, difference.low, difference.high);
        format!("{mean:+.1} [{low:+.1}, {high:+.1}] to {SIMILARITY} does not exclude 0")
    });
    missed.into_iter().collect()
}

/// The missed thresholds of the quick form: memory gains enough.
pub fn missed_quick(results: &Results) -> Vec<String> {
    let gain = results.difference(PRODUCT, NONE).map(|difference| difference.mean);
    let missed = gain.filter(|gain| *gain < LEAST_GAIN);
    missed
        .map(|gain| format!("memory gains {gain:+.1} points, at least {LEAST_GAIN:+.1} was wanted"))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{ArmResults, Figures};

    fn results(of: [(&'static str, [f64; 2]); 3]) -> Results {
        let arms = of.map(|(arm, held_out)| {
            let seeds = held_out.iter().zip(0..).map(|(held_out, seed)| Figures {
                seed,
                stream: 0.0,
                last_quarter: 0.0,
                held_out: *held_out,
                base: 0.0,
                actions: 0.0,
                memories: 0.0,
                lessons: 0.0,
            });
            ArmResults { arm, seeds: seeds.collect() }
        });
        Results { arms: arms.into_iter().collect() }
    }

    #[test]
    fn the_advantage_over_similarity_must_be_clear() {
        let none = (NONE, [20.0, 21.0]);
        let clear = results([none, (SIMILARITY, [60.0, 61.0]), (PRODUCT, [80.0, 81.2])]);
        let unclear = results([none, (SIMILARITY, [60.0, 79.0]), (PRODUCT, [80.0, 81.2])]);

        assert!(missed(&clear).is_empty());
        assert_eq!(missed(&unclear).len(), 1);
    }

    #[test]
    fn memory_must_gain_twenty_points() {
        let similarity = (SIMILARITY, [60.0, 61.0]);
        let enough = results([(NONE, [20.0, 21.0]), similarity, (PRODUCT, [40.0, 41.0])]);
        let too_little = results([(NONE, [20.0, 21.0]), similarity, (PRODUCT, [30.0, 41.0])]);

        assert!(missed_quick(&enough).is_empty());
        assert!(missed_quick(&too_little)[0].starts_with("memory gains +15.0"));
    }
}
