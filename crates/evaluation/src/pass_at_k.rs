//! How likely one of k attempts passes, estimated from more than k.

use crate::Verdict;

/// The unbiased estimate of pass@k: the chance that k attempts, drawn from `attempts` of which `passes` passed, hold
/// a pass. None if fewer than k were made, or k is nought.
///
/// It is `1 − C(attempts − passes, k) / C(attempts, k)`, multiplied out so that nothing overflows.
///
/// ```
/// use reflect_evaluation::pass_at_k;
///
/// assert_eq!(pass_at_k(4, 1, 2), Some(0.5));
/// assert_eq!(pass_at_k(10, 0, 3), Some(0.0));
/// assert_eq!(pass_at_k(3, 2, 5), None, "three attempts say nothing about five");
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

/// The mean of [`pass_at_k`] over tasks, each with the verdicts on its attempts.
///
/// Unclear verdicts are left out, and so is a task of which fewer than k attempts were judged: what nobody could
/// judge is no evidence. None if no task is left.
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

    /// Draws every set of k and counts.
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
