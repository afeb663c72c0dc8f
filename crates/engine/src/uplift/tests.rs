//! The figures that were promised, what an interval must be, and that it holds the truth as often as it says.

use proptest::prelude::*;

use super::*;

fn arm(reviewed: u64, passed: u64) -> ArmStats {
    ArmStats { runs: reviewed, reviewed, passed }
}

fn count(arm: Option<i16>, linked: bool, reviewed: i64, passed: i64) -> ArmCount {
    ArmCount { arm, linked, runs: reviewed + 1, reviewed, passed }
}

fn close(value: f64, points: f64) -> bool {
    (100.0 * value - points).abs() < 0.05
}

#[test]
fn the_table_of_what_to_expect_is_right() {
    for (with, without, low, high) in
        [(100, 10, -10.0, 44.7), (300, 30, -1.3, 33.3), (500, 50, 2.0, 29.3), (1000, 100, 5.5, 25.1)]
    {
        let difference =
            RateDifference::between(arm(with, with * 3 / 4), arm(without, without * 3 / 5)).unwrap();
        assert!(close(difference.value, 15.0), "{difference:?}");
        assert!(close(difference.low, low) && close(difference.high, high), "{with}: {difference:?}");
        assert_eq!(difference.excludes_zero(), with >= 500);
    }
}

#[test]
fn a_side_without_reviews_says_nothing_and_says_which() {
    let some = arm(10, 6);
    assert_eq!(RateDifference::between(some, ArmStats::default()), None);
    for (with, without, side) in [
        (some, ArmStats::default(), "without"),
        (ArmStats::default(), some, "with"),
        (ArmStats::default(), ArmStats::default(), "no run of"),
    ] {
        let Certainty::Unknown(reason) = Certainty::of(with, without) else { panic!("not known") };
        assert!(reason.contains(side), "{reason}");
    }
}

#[test]
fn as_many_more_reviews_as_it_says_settle_it_and_one_fewer_do_not() {
    let Certainty::After(more) = Certainty::of(arm(300, 225), arm(30, 18)) else { panic!("open") };
    assert_eq!(more, 7);
    let after = |more: u64| {
        let without = interval::Rate { share: 0.6, of: (30 + more) as f64 };
        interval::newcombe(interval::Rate { share: 0.75, of: 10.0 * without.of }, without)
    };
    assert!(after(more).excludes_zero() && !after(more - 1).excludes_zero());
    assert_eq!(Certainty::of(arm(500, 375), arm(50, 30)), Certainty::Settled);
    assert_eq!(Certainty::of(arm(500, 225), arm(50, 45)), Certainty::Settled);
}

#[test]
fn a_difference_of_nearly_nothing_is_never_settled() {
    for (with, without) in [((100, 60), (10, 6)), ((100_000, 60_001), (10_000, 6_000)), ((9, 0), (5, 0))] {
        let settling = Certainty::of(arm(with.0, with.1), arm(without.0, without.1));
        assert!(
            matches!(settling, Certainty::Unknown(reason) if reason.contains("too close")),
            "{settling:?}"
        );
    }
}

#[test]
fn what_was_decided_by_lot_is_compared_and_nothing_else() {
    let counts = [
        count(Some(1), true, 500, 375),
        count(Some(0), false, 50, 30),
        count(None, true, 1000, 1000),
        count(None, false, 1000, 0),
    ];
    let uplift = UpliftReport::of(&counts, None);
    assert!(uplift.causal);
    assert_eq!(
        (uplift.with, uplift.without.runs, uplift.without.reviewed),
        (ArmStats { runs: 501, reviewed: 500, passed: 375 }, 51, 50)
    );
    assert_eq!(uplift.settling, Certainty::Settled);
    assert_eq!(
        uplift.message,
        "Memories help: 75.0 % of 500 reviewed runs with memories passed, and 60.0 % of 50 without: +15.0 points, \
         between +2.0 and +29.3 in 95 of 100 cases."
    );
}

#[test]
fn without_a_holdout_the_answer_is_no_proof_and_says_how_to_get_one() {
    let uplift = UpliftReport::of(&[count(None, true, 500, 375), count(None, false, 50, 30)], None);
    assert!(!uplift.causal);
    assert!(uplift.difference.is_some_and(RateDifference::excludes_zero));
    assert!(matches!(uplift.settling, Certainty::Unknown(reason) if reason.contains("held out")));
    assert!(
        uplift.message.starts_with("Not causal") && uplift.message.contains("holdout_rate"),
        "{}",
        uplift.message
    );

    let nothing = UpliftReport::of(&[], None);
    assert_eq!((nothing.causal, nothing.difference), (false, None));
    assert!(nothing.message.contains("holdout_rate"), "{}", nothing.message);
}

#[test]
fn words_follow_the_numbers() {
    let said = |with: (i64, i64), without: (i64, i64)| {
        UpliftReport::of(
            &[count(Some(1), true, with.0, with.1), count(Some(0), false, without.0, without.1)],
            None,
        )
        .message
    };
    assert!(said((500, 225), (50, 45)).starts_with("Memories are harmful: "));
    let open = said((100, 75), (10, 6));
    assert!(open.starts_with("Not known yet: ") && open.contains("About 27 more reviews"), "{open}");
    let empty = said((100, 75), (0, 0));
    assert!(empty.starts_with("Not known yet.") && empty.contains("no run without memories"), "{empty}");
    assert!(said((10, 6), (10, 6)).contains(": +0.0 points"));
}

#[test]
fn wrong_reviews_are_corrected_for() {
    let counts = [count(Some(1), true, 500, 375), count(Some(0), false, 50, 30)];
    let uplift = UpliftReport::of(&counts, Some(0.1));
    let (seen, true_one) = (uplift.difference.unwrap(), uplift.corrected.unwrap());
    for (seen, true_one) in
        [(seen.value, true_one.value), (seen.low, true_one.low), (seen.high, true_one.high)]
    {
        assert!((seen / 0.8 - true_one).abs() < 1e-12);
    }
    let hopeless = seen.corrected(0.499_999);
    assert_eq!((hopeless.value, hopeless.high), (1.0, 1.0));
    assert!(uplift.message.contains("Corrected for wrong reviews: +18.8 points"), "{}", uplift.message);
}

proptest! {
    #[test]
    fn an_interval_is_what_an_interval_must_be(
        with in 1_u64..5000, with_share in 0.0_f64..=1.0,
        without in 1_u64..5000, without_share in 0.0_f64..=1.0, times in 2_u64..20,
    ) {
        let passed = |of: u64, share: f64| (of as f64 * share).round() as u64;
        let (with, without) = (arm(with, passed(with, with_share)), arm(without, passed(without, without_share)));
        let difference = RateDifference::between(with, without).unwrap();
        prop_assert!(-1.0 <= difference.low && difference.high <= 1.0);
        prop_assert!(difference.low <= difference.value && difference.value <= difference.high);

        let turned = RateDifference::between(without, with).unwrap();
        prop_assert!((turned.value + difference.value).abs() < 1e-12);
        prop_assert!((turned.low + difference.high).abs() < 1e-12);
        prop_assert!((turned.high + difference.low).abs() < 1e-12);

        let more = |one: ArmStats| arm(one.reviewed * times, one.passed * times);
        let sure = RateDifference::between(more(with), more(without)).unwrap();
        prop_assert!(sure.high - sure.low < difference.high - difference.low);
    }
}

/// SplitMix64: the same numbers on every machine and with every release of every library.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.next() * (most - least)
    }
}

/// Of 200 projects with a known effect and a tenth of their runs held out, in how many the interval holds it.
fn projects_told_right(error: f64, seed: u64) -> usize {
    let mut chance = Chance(seed);
    let told_right = |chance: &mut Chance| {
        let runs = chance.between(1000.0, 4000.0) as u64;
        let without = chance.between(0.2, 0.8);
        let with = chance.between((without - 0.1).max(0.05), (without + 0.3).min(0.97));
        let mut arms = [ArmStats::default(); 2];
        for _ in 0..runs {
            let side = usize::from(chance.next() >= 0.1);
            let passed = chance.next() < [without, with][side];
            let said = passed != (chance.next() < error);
            arms[side].reviewed += 1;
            arms[side].passed += u64::from(said);
        }
        let told = RateDifference::between(arms[1], arms[0]).unwrap().corrected(error);
        told.low <= with - without && with - without <= told.high
    };
    (0..200).filter(|_| told_right(&mut chance)).count()
}

#[test]
fn the_interval_holds_the_true_effect_in_about_95_of_100_projects() {
    for (error, seed) in [(0.0, 1), (0.0, 2), (0.15, 3)] {
        let right = projects_told_right(error, seed);
        println!("review error {error}: the interval holds the true effect in {right} of 200 projects");
        assert!((180..=196).contains(&right), "review error {error}: {right} of 200");
    }
}
