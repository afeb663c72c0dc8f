//! Thompson sampling: a Beta distribution for each memory, and a sample from it instead of its mean.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Arm, LIMIT, PerMemory, Question, Review, WEIGHT, highest, nearest};

const POOL: usize = 20;
/// The number of reviews that the prior counts as. The first review then moves a utility by 0.3.
const PRIOR: f64 = 1.0 / 0.3 - 1.0;
/// The maximum number of reviews that count, so that the utility of a memory can change.
const MOST: f64 = 30.0;
/// Both parameters of the distribution must be positive.
const LEAST: f64 = 1e-3;

#[derive(Debug, Clone, Copy)]
struct Belief {
    mean: f64,
    weight: f64,
}

/// Blends similarity with a sample.
#[derive(Debug)]
pub(super) struct Thompson {
    beliefs: PerMemory<Belief>,
    random: SmallRng,
}

impl Thompson {
    pub(super) const fn new(random: SmallRng) -> Self {
        Self { beliefs: PerMemory::new(Belief { mean: 0.5, weight: PRIOR }), random }
    }
}

impl Arm for Thompson {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let pool = nearest(question, POOL);
        let scores = pool.into_iter().map(|(memory, similarity)| {
            let Belief { mean, weight } = *self.beliefs.get(memory);
            let utility = if question.learning {
                beta(&mut self.random, (mean * weight).max(LEAST), ((1.0 - mean) * weight).max(LEAST))
            } else {
                mean
            };
            (memory, (1.0 - WEIGHT) * similarity + WEIGHT * utility as f32)
        });
        Ok(highest(scores, LIMIT).into_iter().map(|(memory, _)| memory).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        for memory in review.shown {
            let belief = self.beliefs.get_mut(*memory);
            belief.mean += (f64::from(review.reward()) - belief.mean) / (belief.weight + 1.0);
            belief.weight = (belief.weight + 1.0).min(MOST + PRIOR);
        }
        Ok(())
    }
}

fn beta(random: &mut SmallRng, one: f64, other: f64) -> f64 {
    let (one, other) = (gamma(random, one), gamma(random, other));
    one / (one + other).max(f64::MIN_POSITIVE)
}

/// A sample from the gamma distribution, by the method of Marsaglia and Tsang (2000).
fn gamma(random: &mut SmallRng, shape: f64) -> f64 {
    if shape < 1.0 {
        let smaller = random.random::<f64>().powf(1.0 / shape);
        return gamma(random, shape + 1.0) * smaller;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = normal(random);
        let v = (1.0 + c * normal).powi(3);
        let accepts = |uniform: f64| uniform.ln() < 0.5 * normal * normal + d - d * v + d * v.ln();
        if v > 0.0 && accepts(random.random()) {
            return d * v;
        }
    }
}

/// A sample from the normal distribution, by the method of Box and Muller.
fn normal(random: &mut SmallRng) -> f64 {
    let (radius, angle) = (1.0 - random.random::<f64>(), random.random::<f64>());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn samples_have_the_mean_and_variance_of_their_distribution() {
        let mut random = SmallRng::seed_from_u64(1);
        for (one, other) in [(0.5, 1.8), (3.0, 2.0), (20.0, 12.0)] {
            let draws: Vec<f64> = (0..20_000).map(|_| beta(&mut random, one, other)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            let total: f64 = one + other;
            assert!((mean - one / total).abs() < 0.01, "{mean}");
            let expected = one * other / (total * total * (total + 1.0));
            assert!((variance / expected - 1.0).abs() < 0.05, "{variance} {expected}");
        }
    }
}
