//! pass@k: the probability that at least one of k attempts passes.

use crate::verdict::Verdict;

/// The unbiased estimate of pass@k: the probability that a random sample of k attempts contains a pass. The sample comes
/// from `attempts`, of which `passes` passed. `None` if there are fewer than k attempts, or if k is 0.
///
/// It is `1 − C(attempts − passes, k) / C(attempts, k)`, computed as a product to avoid overflow.
///
/// ```
/// use reflect_evaluation::pass_at_k;
///
/// assert_eq!(pass_at_k(4, 1, 2), Some(0.5));
/// assert_eq!(pass_at_k(10, 0, 3), Some(0.0));
/// assert_eq!(pass_at_k(3, 2, 5), None, "three attempts are too few for k = 5");
/// ```
pub fn pass_at_k(attempts: u64, passes: u64, k: u64) -> Option<f64> {
    if k == 0 || k > attempts || passes > attempts {
        return None;
    }
    let fails = attempts - passes;
    if fails < k {
        return Some(1.0);
    }
    let all_fail: f64 = (fails + 1..=attempts).map(|n| 1.0 - k as f64 / n as f64).product();
    Some(1.0 - all_fail)
}

/// The mean of [`pass_at_k`] over tasks. Each task is a list of the verdicts on its attempts.
///
/// Unclear verdicts and tasks with fewer than k other verdicts are ignored. `None` if no task remains.
///
/// ```
/// use reflect_evaluation::{Verdict::{Fail, Pass, Unclear}, mean_pass_at_k};
///
/// let tasks = [vec![Pass, Fail], vec![Fail, Fail, Unclear], vec![Unclear]];
/// assert_eq!(mean_pass_at_k(&tasks, 1), Some(0.25));
/// ```
pub fn mean_pass_at_k<T: AsRef<[Verdict]>>(tasks: &[T], k: u64) -> Option<f64> {
    let of_task = |verdicts: &T| {
        let count = |wanted| verdicts.as_ref().iter().filter(|verdict| **verdict == wanted).count() as u64;
        let passes = count(Verdict::Pass);
        pass_at_k(passes + count(Verdict::Fail), passes, k)
    };
    let estimates: Vec<f64> = tasks.iter().filter_map(of_task).collect();
    (!estimates.is_empty()).then(|| estimates.iter().sum::<f64>() / estimates.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Enumerates all samples of k attempts.
    fn counted(attempts: u64, passes: u64, k: u64) -> f64 {
        let sets = (0_u64..1 << attempts).filter(|set| u64::from(set.count_ones()) == k);
        let (mut all, mut with_pass) = (0_u64, 0_u64);
        for set in sets {
            all += 1;
            with_pass += u64::from(set & ((1 << passes) - 1) != 0);
        }
        with_pass as f64 / all as f64
    }

    proptest! {
        #[test]
        fn the_estimate_is_what_counting_every_draw_gives(attempts in 1_u64..12, passes in 0_u64..12, k in 1_u64..12) {
            let passes = passes.min(attempts);
            match pass_at_k(attempts, passes, k) {
                None => prop_assert!(k > attempts),
                Some(estimate) => prop_assert!((estimate - counted(attempts, passes, k)).abs() < 1e-9),
            }
        }
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        let estimate = pass_at_k(100_000, 10, 50_000).unwrap();
        assert!((0.999..1.0).contains(&estimate), "{estimate}");
    }
}
