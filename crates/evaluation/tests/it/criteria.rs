//! The combination of scores.

use proptest::prelude::*;
use reflect_evaluation::*;

fn score(value: f64) -> Score {
    Score::new(value).unwrap()
}

#[test]
fn all_required_criteria_have_to_reach_their_thresholds() {
    let criteria = Criteria::new([
        Criterion::new("a").threshold(score(0.9)),
        Criterion::new("b"),
        Criterion::new("c").optional(),
    ])
    .unwrap();

    let verdict = |a: f64, b: f64, c: f64| {
        criteria
            .weigh(|name| {
                Some(score(if name == "a" {
                    a
                } else if name == "b" {
                    b
                } else {
                    c
                }))
            })
            .verdict
    };

    assert_eq!(verdict(0.9, 0.5, 0.0), Verdict::Pass);
    assert_eq!(verdict(0.89, 1.0, 1.0), Verdict::Fail);
    assert_eq!(criteria.weigh(|_| None).verdict, Verdict::Unclear);
    assert_eq!(criteria.weigh(|_| None).score, None);
    let fails_anyway = criteria.weigh(|name| (name == "a").then_some(Score::NONE));
    assert_eq!(fails_anyway.verdict, Verdict::Fail, "what is not judged cannot save it");
}

#[test]
fn criteria_that_cannot_work_are_refused() {
    let refused = [
        Criteria::new([]),
        Criteria::new([Criterion::new("a").optional()]),
        Criteria::new([Criterion::new("a"), Criterion::new("a")]),
        Criteria::new([Criterion::new("a").weight(0.0)]),
        Criteria::new([Criterion::new("a").weight(f64::NAN)]),
    ];

    let errors: Vec<CriteriaError> = refused.into_iter().map(Result::unwrap_err).collect();

    assert_eq!(
        errors,
        [
            CriteriaError::NothingRequired,
            CriteriaError::NothingRequired,
            CriteriaError::SameName("a".into()),
            CriteriaError::InvalidWeight("a".into()),
            CriteriaError::InvalidWeight("a".into()),
        ]
    );
}

proptest! {
    #[test]
    fn the_score_lies_between_those_that_were_given(scores in prop::collection::vec(0.0_f64..=1.0, 1..6)) {
        let names: Vec<String> = (0..scores.len()).map(|n| n.to_string()).collect();
        let criteria = names.iter().zip(1..).map(|(name, weight)| Criterion::new(name).weight(f64::from(weight)));
        let criteria = Criteria::new(criteria).unwrap();

        let weighed = criteria.weigh(|name| Some(score(scores[name.parse::<usize>().unwrap()])));

        let (low, high) = scores.iter().fold((1.0_f64, 0.0_f64), |(low, high), s| (low.min(*s), high.max(*s)));
        let given = weighed.score.unwrap().get();
        prop_assert!(low - 1e-9 <= given && given <= high + 1e-9);
    }
}
