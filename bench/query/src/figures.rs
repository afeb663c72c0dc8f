//! Statistics of samples: quantiles, and a ratio with its confidence interval.

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::SmallRng;

const RESAMPLES: usize = 1_000;

/// The latencies of both sides in one round, in microseconds.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// Through the server.
    pub ours: Vec<f64>,
    /// Without it.
    pub bare: Vec<f64>,
}

/// A ratio and its 90 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Over all rounds.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The quantile of the samples. 0 without samples.
///
/// ```
/// use reflect_bench_query::figures::quantile;
/// assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
/// assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.99), 3.0);
/// assert_eq!(quantile(&[], 0.5), 0.0);
/// ```
pub fn quantile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// The ratio of our latency to that of pgbench at one quantile, over all rounds. Both sides of a round are measured
/// within seconds, so other load affects both.
///
/// ```
/// use reflect_bench_query::figures::{Round, ratio};
/// let round = Round { ours: vec![3.0, 3.0, 9.0], bare: vec![2.0, 2.0, 4.0] };
/// assert_eq!(ratio(&[round.clone()], 0.5).value, 1.5);
/// assert_eq!(ratio(&[round.clone(), round], 0.99).high, 2.25);
/// ```
pub fn ratio(rounds: &[Round], share: f64) -> Ratio {
    let chosen: Vec<&Round> = rounds.iter().collect();
    let mut random = SmallRng::seed_from_u64(1);
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let again = rounds.iter().map(|_| &rounds[random.random_range(0..rounds.len())]);
            of_all(&again.collect::<Vec<_>>(), share)
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    Ratio { value: of_all(&chosen, share), low: quantile(&resampled, 0.05), high: quantile(&resampled, 0.95) }
}

fn of_all(rounds: &[&Round], share: f64) -> f64 {
    let all = |side: fn(&Round) -> &Vec<f64>| -> Vec<f64> {
        rounds.iter().flat_map(|round| side(round).iter().copied()).collect()
    };
    quantile(&all(|round| &round.ours), share) / quantile(&all(|round| &round.bare), share)
}
