//! The thresholds that a run must reach.

use crate::arms::{FINAL, MEMRL, RECOMMENDED, SIMILARITY};
use crate::data::SetName;
use crate::environment::REGIMES;
use crate::measure::Results;

/// The result of the prototype on held-out tasks, in regimes A, B and C.
const PROTOTYPE: [(SetName, [f64; 3]); 2] =
    [(SetName::Bank, [74.5, 85.9, 76.8]), (SetName::Clinc, [82.3, 86.5, 77.0])];
/// How far below it a run may be, because random numbers and rounding differ.
const TOLERANCE: f64 = 1.0;
/// The regimes in which the advantage must be significant. In B, similarity alone comes close.
const CLEAR: [&str; 2] = ["A", "C"];
/// How many lessons there may be for each memory at the end of B.
const MOST_LESSONS: [(SetName, f64); 2] = [(SetName::Bank, 0.06), (SetName::Clinc, 0.22)];
/// How far grouping, absorbing and superseding may be below one memory for every run, with 97.5 % confidence.
const MOST_LOST: f64 = 0.7;

/// The missed thresholds, in words. Cells that were not measured are skipped.
pub fn missed(results: &Results) -> Vec<String> {
    let mut missed = Vec::new();
    for (set, prototype) in PROTOTYPE {
        for (regime, expected) in REGIMES.iter().map(|regime| regime.name).zip(prototype) {
            let name = format!("{} {regime}", set.title());
            if let Some(cell) = results.cell(set, regime, RECOMMENDED) {
                let (reached, least) = (cell.mean(|figures| figures.held_out), expected - TOLERANCE);
                if reached < least {
                    missed.push(format!("{name}: {reached:.1} held out, at least {least:.1} was wanted"));
                }
            }
            for rival in [SIMILARITY, MEMRL].into_iter().filter(|_| CLEAR.contains(&regime)) {
                let difference =
                    results.difference((set, regime), RECOMMENDED, rival, |figures| figures.held_out);
                if let Some(difference) = difference.filter(|difference| difference.low <= 0.0) {
                    missed.push(format!(
                        "{name}: {:+.1} [{:+.1}, {:+.1}] to {rival} does not exclude 0",
                        difference.mean, difference.low, difference.high
                    ));
                }
            }
        }
    }
    missed.extend(missed_by_lessons(results));
    missed
}

/// The missed thresholds of the arm with lessons.
fn missed_by_lessons(results: &Results) -> Vec<String> {
    let mut missed = Vec::new();
    for (set, most) in MOST_LESSONS {
        let [after, before] = [FINAL, RECOMMENDED].map(|arm| results.cell(set, "B", arm));
        if let (Some(after), Some(before)) = (after, before) {
            let (lessons, memories) =
                (after.mean(|figures| figures.lessons), before.mean(|figures| figures.situations));
            if lessons > most * memories {
                missed.push(format!(
                    "{} B: {lessons:.0} lessons, at most {most} of {memories:.0} memories were wanted",
                    set.title()
                ));
            }
        }
        // Without new memories, both arms decide the same.
        let growing = REGIMES.iter().filter(|regime| regime.every_arm && regime.grows);
        for regime in growing.map(|regime| regime.name) {
            let least = if regime == "C" { 0.0 } else { -MOST_LOST };
            let difference =
                results.difference((set, regime), FINAL, RECOMMENDED, |figures| figures.held_out);
            if let Some(difference) = difference.filter(|difference| difference.low <= least) {
                missed.push(format!(
                    "{} {regime}: lessons are {:+.1} [{:+.1}, {:+.1}] to {RECOMMENDED}, more than {least:+.1} was wanted",
                    set.title(),
                    difference.mean,
                    difference.low,
                    difference.high
                ));
            }
        }
    }
    missed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Cell, Figures};

    fn cell(arm: &'static str, held_out: [f64; 2]) -> Cell {
        let seeds = held_out.iter().zip(0..).map(|(held_out, seed)| Figures {
            seed,
            held_out: *held_out,
            overall: 0.0,
            last_quarter: 0.0,
            first_500: 0.0,
            curve: Vec::new(),
            lessons: 300.0,
            situations: 4_385.0,
            lessons_shown: 0.0,
        });
        Cell { set: SetName::Bank, regime: "A", arm, seeds: seeds.collect() }
    }

    #[test]
    fn a_cell_below_its_threshold_is_named() {
        let good = cell(RECOMMENDED, [75.0, 75.2]);
        let rivals = [cell(SIMILARITY, [68.0, 68.3]), cell(MEMRL, [70.0, 70.2])];
        let with = |recommended: Cell, rivals: &[Cell]| Results { cells: [&[recommended], rivals].concat() };

        assert!(missed(&with(good.clone(), &rivals)).is_empty());
        let low = missed(&with(cell(RECOMMENDED, [73.0, 73.2]), &rivals));
        assert_eq!(low.len(), 1);
        assert!(low[0].starts_with("Bank A: 73.1 held out"), "{low:?}");
        let unclear = missed(&with(good, &[cell(SIMILARITY, [68.0, 80.0])]));
        assert!(unclear[0].contains("similarity only"), "{unclear:?}");
    }

    #[test]
    fn too_many_lessons_and_lost_success_are_named() {
        let results = |regime, held_out| {
            let cells = [cell(RECOMMENDED, [80.0, 81.0]), cell(FINAL, held_out)];
            Results { cells: cells.map(|cell| Cell { regime, ..cell }).to_vec() }
        };

        let lessons = missed_by_lessons(&results("B", [80.0, 81.0]));
        assert_eq!(lessons.len(), 1);
        assert!(lessons[0].starts_with("Bank B: 300 lessons"), "{lessons:?}");
        let lost = missed_by_lessons(&results("B", [79.0, 80.0]));
        assert_eq!(lost.len(), 2);
        assert!(lost[1].starts_with("Bank B: lessons are -1.0"), "{lost:?}");
        assert!(missed_by_lessons(&results("A", [79.0, 80.0])).is_empty(), "nothing is added in A");
        assert_eq!(missed_by_lessons(&results("C", [80.0, 81.0])).len(), 1);
        assert!(missed_by_lessons(&results("C", [81.0, 82.0])).is_empty());
    }
}
