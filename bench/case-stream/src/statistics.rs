//! Means, and confidence intervals of the mean difference between two arms.

use serde::Serialize;

/// The 97.5 % quantiles of Student's t with 1 to 30 degrees of freedom.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The same quantile of the normal distribution, which is the limit of t.
const NORMAL_975: f64 = 1.960;

/// A mean with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean. 0 without samples.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The mean difference of pairs, seed by seed, with its interval. With one seed the interval is infinite.
///
/// ```
/// use reflect_case_stream::statistics::paired;
/// let interval = paired(&[3.0, 4.0, 5.0], &[1.0, 1.0, 1.0]);
/// assert_eq!(interval.mean, 3.0);
/// assert!((interval.low - 0.516).abs() < 0.001 && (interval.high - 5.484).abs() < 0.001);
/// ```
pub fn paired(one: &[f64], other: &[f64]) -> Interval {
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    let (mean, count) = (mean(&differences), differences.len());
    if count < 2 {
        return Interval { mean, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let squares = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    let half = t_975(count - 1) * error;
    Interval { mean, low: mean - half, high: mean + half }
}

fn t_975(degrees: usize) -> f64 {
    let beyond = || {
        // Above the table, the first terms of the expansion in powers of 1/n are accurate enough.
        let (n, z) = (degrees as f64, NORMAL_975);
        z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
    };
    T_975.get(degrees.saturating_sub(1)).copied().unwrap_or_else(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_match_the_paired_t_test() {
        let one = [70.1, 71.4, 69.8, 72.0, 70.9];
        let other = [68.0, 68.9, 68.1, 68.7, 68.2];

        let interval = paired(&one, &other);

        // Differences 2.1, 2.5, 1.7, 3.3, 2.7: mean 2.46, standard deviation 0.6066, t(4) = 2.776.
        assert!((interval.mean - 2.46).abs() < 1e-9);
        assert!((interval.high - interval.low - 2.0 * 2.776 * 0.606_630 / 5.0_f64.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn quantiles_beyond_the_table_are_continuous() {
        assert!((t_975(31) - 2.040).abs() < 0.003);
        assert!((t_975(100) - 1.984).abs() < 0.003);
    }

    #[test]
    fn one_seed_has_an_infinite_interval() {
        let interval = paired(&[2.0], &[1.0]);

        assert!(interval.low < -1e9 && interval.high > 1e9);
    }
}
