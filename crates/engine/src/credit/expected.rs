//! The probability that a run passes, whatever memories it has. Without it, memories that are used for easy tasks would
//! look useful.

/// How many earlier reviewed runs of similar tasks are read.
pub const NEIGHBOURS: usize = 20;
/// How many runs count of one memory: its own and those that it absorbed, newest first.
pub const NEIGHBOURS_OF_MEMORY: usize = 5;
/// How many recent reviews give the pass rate of a project.
pub const RECENT_REVIEWS: usize = 1000;
/// How fast the weight of an earlier run falls as tasks become less similar.
const WIDTH: f64 = 0.2;
/// The weight of the project's pass rate, in runs of the same task.
const PRIOR: f64 = 2.0;

/// Reviews and their results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewTally {
    /// All reviews.
    pub reviews: u32,
    /// The reviews with the result `pass`.
    pub passes: u32,
}

impl ReviewTally {
    fn pass_rate(self) -> f64 {
        (f64::from(self.passes) + 1.0) / (f64::from(self.reviews) + 2.0)
    }
}

/// An earlier reviewed run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The similarity of its task.
    pub similarity: f32,
    /// Whether it passed.
    pub passed: bool,
}

/// The expected success of a run, from earlier runs: runs of the most similar tasks count most.
///
/// ```
/// use reflect_engine::credit::{Neighbour, ReviewTally, expected_success};
///
/// let project = ReviewTally { reviews: 98, passes: 49 };
/// assert_eq!(expected_success(project, &[]), 0.5);
/// let passed = [Neighbour { similarity: 0.9, passed: true }; 5];
/// assert!(expected_success(project, &passed) > 0.7);
/// ```
pub fn expected_success(project: ReviewTally, neighbours: &[Neighbour]) -> f32 {
    let (mut weight, mut passed) = (PRIOR, PRIOR * project.pass_rate());
    for neighbour in neighbours {
        let counts = ((f64::from(neighbour.similarity) - 1.0) / WIDTH).exp();
        weight += counts;
        if neighbour.passed {
            passed += counts;
        }
    }
    (passed / weight) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_probability_and_a_pass_raises_it(
            reviews in 0_u32..5000, share in 0.0_f64..=1.0,
            seen in proptest::collection::vec((-1.0_f32..=1.0, any::<bool>()), 0..NEIGHBOURS),
            similarity in -0.5_f32..=1.0,
        ) {
            let project = ReviewTally { reviews, passes: (f64::from(reviews) * share) as u32 };
            let mut seen: Vec<Neighbour> =
                seen.into_iter().map(|(similarity, passed)| Neighbour { similarity, passed }).collect();
            let before = expected_success(project, &seen);
            prop_assert!((0.0..=1.0).contains(&before));
            seen.push(Neighbour { similarity, passed: true });
            let passed = expected_success(project, &seen);
            seen.pop();
            seen.push(Neighbour { similarity, passed: false });
            prop_assert!(passed >= before && before >= expected_success(project, &seen));
        }
    }
}
