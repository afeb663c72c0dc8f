//! The plan of the example runs and what the scripted agent does in them. Pure: the same time gives the same plan.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use reflect_sdk::api::AuthoredReflection;

use super::lots::{Lots, spread};
use super::opening_hours::{DAYS, OpeningHours};
use super::topics::{Details, Policy, Topic, Way, fill};

/// Chosen among a few, so that the pass rate rises from week to week.
const SEED: u64 = 18;
pub(super) const RUNS: usize = 210;
/// How many of the newest runs no one has reviewed yet.
const WAITING: usize = 12;
/// The share of older runs that no one reviews.
const SKIPPED: f64 = 0.09;
const FIRST_ORDER: u64 = 48_213;
/// The day of the attempt to plant a lesson.
const ATTACKED_ON_DAY: f64 = 12.0;
/// The share of failures whose reviewer also writes feedback, and the same for passes.
const FAILURES_WITH_FEEDBACK: f64 = 0.85;
const PASSES_WITH_FEEDBACK: f64 = 0.12;

/// The example runs of three weeks.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) topics: Vec<Topic>,
    pub(super) runs: Vec<PlannedRun>,
    hours: OpeningHours,
}

/// A run before it happens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedRun {
    /// Its place in the plan.
    pub(super) number: usize,
    /// The place of its topic.
    pub(super) topic: usize,
    pub(super) policy: Policy,
    /// The first run of its topic under these rules fails and is reviewed first: the lesson comes from it.
    pub(super) is_first: bool,
    pub(super) task: String,
    details: Details,
    pub(super) is_large_model: bool,
    pub(super) at: DateTime<Utc>,
    /// `None` if no one reviews it.
    pub(super) reviewed_at: Option<DateTime<Utc>>,
    /// Decides whether and what its reviewer writes, 0 to 1.
    words: f64,
}

/// What happens at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DeskEvent {
    /// The agent works on the run with this number.
    Run(usize),
    /// A person reviews it.
    Review(usize),
    /// A person disables what is left of the old lesson of this topic.
    Correction(usize),
    /// A customer tries to plant a lesson.
    Attack,
}

/// What the agent knew about the topic of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Knowledge {
    /// There was no lesson yet, or it was not found.
    Nothing,
    /// There was a lesson, and the server withheld all memories.
    HeldOut,
    /// It recalled the lesson.
    Lesson,
    /// It recalled the lesson of rules that no longer apply.
    OldLesson,
}

/// What a run recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recalled {
    pub(super) knowledge: Knowledge,
    /// How many earlier runs had the same knowledge. It decides about luck, so that the pass rate of each group is the
    /// intended one whatever runs are in it.
    pub(super) earlier: usize,
}

/// What the agent did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempt {
    pub(super) way: Way,
    pub(super) review: Option<PlannedReview>,
}

/// What a person says about a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedReview {
    pub(super) at: DateTime<Utc>,
    pub(super) passed: bool,
    pub(super) feedback: Option<String>,
    pub(super) lesson: AuthoredReflection,
}

impl Scenario {
    /// The three weeks before `now`.
    pub(super) fn until(now: DateTime<Utc>) -> anyhow::Result<Self> {
        let (topics, hours) = (Topic::all()?, OpeningHours::until(now));
        let mut planner = Planner::new(&topics, &hours);
        let runs = (0..RUNS).map(|number| planner.plan(number)).collect();
        Ok(Self { topics, runs, hours })
    }

    /// Everything that happens, in the order of time.
    pub(super) fn events(&self) -> Vec<(DateTime<Utc>, DeskEvent)> {
        let runs = self.runs.iter().map(|run| (run.at, DeskEvent::Run(run.number)));
        let reviewed = self.runs.iter().filter_map(|run| Some((run.reviewed_at?, run.number)));
        let reviews = reviewed.map(|(at, number)| (at, DeskEvent::Review(number)));
        let changes = self.topics.iter().map(|topic| topic.change(Policy::Changed)).enumerate();
        let corrections = changes.filter_map(|(topic, change)| {
            Some((self.at(change?.corrected_on_day), DeskEvent::Correction(topic)))
        });
        let attack = (self.at(ATTACKED_ON_DAY), DeskEvent::Attack);
        let mut events: Vec<_> = runs.chain(reviews).chain(corrections).chain([attack]).collect();
        events.sort();
        events
    }

    pub(super) fn topic_of(&self, run: &PlannedRun) -> &Topic {
        &self.topics[run.topic]
    }

    /// What the agent does in a run, and what its reviewer says.
    pub(super) fn attempt(&self, run: &PlannedRun, recalled: Recalled) -> Attempt {
        let topic = self.topic_of(run);
        let rules = topic.rules(run.policy);
        let chance = recalled.knowledge.chance(run.is_large_model);
        let passed = !run.is_first && spread(recalled.earlier) < chance;
        let way = if passed { &rules.right } else { topic.mistake(run.policy) };
        let review = run.reviewed_at.map(|at| PlannedReview {
            at,
            passed,
            feedback: self.feedback(run, passed),
            lesson: rules.lesson.reflection(passed),
        });
        Attempt { way: way.filled(&run.details), review }
    }

    fn feedback(&self, run: &PlannedRun, passed: bool) -> Option<String> {
        let rules = self.topic_of(run).rules(run.policy);
        if passed {
            return (run.words < PASSES_WITH_FEEDBACK).then(|| rules.praise.clone());
        }
        let is_written = run.is_first || run.words < FAILURES_WITH_FEEDBACK;
        // The first wording is the most complete one, so it explains the run that the lesson comes from.
        let wording = if run.is_first { 0 } else { run.number % rules.feedback.len() };
        is_written.then(|| fill(&rules.feedback[wording], &run.details))
    }

    fn at(&self, day: f64) -> DateTime<Utc> {
        self.hours.at(day / DAYS as f64)
    }
}

impl Knowledge {
    /// How likely the agent is to do the right thing.
    const fn chance(self, is_large_model: bool) -> f64 {
        let better = if is_large_model { 0.03 } else { -0.03 };
        match self {
            Self::Nothing | Self::HeldOut => 0.44 + better,
            Self::Lesson => 0.93 + better,
            Self::OldLesson => 0.0,
        }
    }
}

/// Plans runs one after another.
struct Planner<'a> {
    topics: &'a [Topic],
    hours: &'a OpeningHours,
    lots: Lots,
    /// For each topic, how many runs it should have had so far, minus those it had.
    due: Vec<f64>,
    /// How many runs each topic had.
    planned: Vec<usize>,
    begun: BTreeSet<(usize, Policy)>,
}

impl<'a> Planner<'a> {
    fn new(topics: &'a [Topic], hours: &'a OpeningHours) -> Self {
        let (due, planned) = (vec![0.0; topics.len()], vec![0; topics.len()]);
        Self { topics, hours, lots: Lots::new(SEED), due, planned, begun: BTreeSet::new() }
    }

    fn plan(&mut self, number: usize) -> PlannedRun {
        let day = (number as f64 + self.lots.share()) / RUNS as f64 * DAYS as f64;
        let at = self.choose(day);
        let topics = self.topics;
        let topic = &topics[at];
        let (task, details) = self.task(number, at);
        let is_large_model = self.lots.share() < 0.5;
        let (skipped, delay, words) = (self.lots.share(), self.lots.share(), self.lots.share());
        let policy = topic.policy_on(day);
        let is_first = self.begun.insert((at, policy));
        let is_reviewed = number + WAITING < RUNS && (is_first || skipped >= SKIPPED);
        let reviewed_on = review_day(topic, day, if is_first { 0.0 } else { delay });
        PlannedRun {
            number,
            topic: at,
            policy,
            is_first,
            task,
            details,
            is_large_model,
            at: self.hours.at(day / DAYS as f64),
            reviewed_at: is_reviewed.then(|| self.hours.at(reviewed_on / DAYS as f64)),
            words,
        }
    }

    /// The topic whose turn it is, with some variation.
    fn choose(&mut self, day: f64) -> usize {
        let weights: Vec<f64> = self.topics.iter().map(|topic| topic.weight_on(day)).collect();
        let total: f64 = weights.iter().sum();
        let (mut best, mut highest) = (0, f64::NEG_INFINITY);
        for (topic, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            self.due[topic] += weight / total;
            let rank = self.due[topic] + 0.9 * self.lots.share();
            if rank > highest {
                (best, highest) = (topic, rank);
            }
        }
        self.due[best] -= 1.0;
        best
    }

    /// The next task of a topic, and the values of its placeholders.
    fn task(&mut self, number: usize, at: usize) -> (String, Details) {
        let (topics, nth) = (self.topics, self.planned[at]);
        let topic = &topics[at];
        self.planned[at] += 1;
        let order = FIRST_ORDER + 17 * number as u64 + self.lots.draw() % 11;
        let mut details = topic.details[nth % topic.details.len()].clone();
        details.insert("order".to_owned(), order.to_string());
        (fill(&topic.tasks[nth % topic.tasks.len()], &details), details)
    }
}

/// When a run is reviewed: after days in the first week, on the next day in the second, and within hours in the third.
/// `delay` is between 0 and 1.
fn review_day(topic: &Topic, day: f64, delay: f64) -> f64 {
    let wait = match day {
        ..7.0 => 1.8 + 1.6 * delay,
        7.0..14.0 => 1.0 + 1.2 * delay,
        _ => 0.1 + 0.4 * delay,
    };
    match topic.change(topic.policy_on(day)) {
        Some(change) => (day + wait).max(change.noticed_on_day + 0.4 * delay),
        None => day + wait,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::TimeDelta;
    use reflect_engine::uplift::{ArmStats, RateDifference};

    use super::*;

    /// A Wednesday afternoon.
    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_017_600, 0).unwrap()
    }

    fn scenario() -> Scenario {
        Scenario::until(now()).unwrap()
    }

    fn has_passed(scenario: &Scenario, run: &PlannedRun, attempt: &Attempt) -> bool {
        attempt.way == scenario.topic_of(run).rules(run.policy).right.filled(&run.details)
    }

    /// Plays all runs as if every lesson were recalled as soon as it exists, and one run in five were held out.
    fn played(scenario: &Scenario) -> Vec<(&PlannedRun, Knowledge, bool)> {
        let (mut lots, mut taught) = (Lots::new(1), BTreeSet::new());
        let mut earlier: BTreeMap<Knowledge, usize> = BTreeMap::new();
        let mut outcomes = Vec::new();
        for (_, event) in scenario.events() {
            let run = match event {
                DeskEvent::Run(number) => &scenario.runs[number],
                DeskEvent::Review(number) => {
                    let run = &scenario.runs[number];
                    taught.insert((run.topic, run.policy));
                    continue;
                }
                DeskEvent::Correction(_) | DeskEvent::Attack => continue,
            };
            let knowledge = match taught.contains(&(run.topic, Policy::Initial)) {
                false => Knowledge::Nothing,
                true if lots.share() < 0.2 => Knowledge::HeldOut,
                true if taught.contains(&(run.topic, run.policy)) => Knowledge::Lesson,
                true => Knowledge::OldLesson,
            };
            let count = earlier.entry(knowledge).or_default();
            let attempt = scenario.attempt(run, Recalled { knowledge, earlier: *count });
            *count += usize::from(!run.is_first);
            outcomes.push((run, knowledge, has_passed(scenario, run, &attempt)));
        }
        outcomes
    }

    #[test]
    fn the_plan_is_in_order_and_covers_three_weeks_up_to_now() {
        for hours in 0..7 * 24 {
            let now = now() + TimeDelta::hours(hours);
            let runs = Scenario::until(now).unwrap().runs;
            assert!(runs.is_sorted_by(|one, next| one.at <= next.at), "{now}");
            assert!(runs[0].at >= now - TimeDelta::days(DAYS) && runs[RUNS - 1].at < now, "{now}");
            assert!(runs[RUNS - 1].at - runs[0].at > TimeDelta::days(19), "{now}");
            let mut reviews = runs.iter().filter_map(|run| Some((run.at, run.reviewed_at?)));
            assert!(reviews.all(|(at, reviewed)| at < reviewed && reviewed < now), "{now}");
        }
    }

    #[test]
    fn most_runs_are_reviewed_and_the_newest_wait() {
        let runs = scenario().runs;
        assert_eq!(runs.len(), RUNS);
        assert_eq!(runs.iter().filter(|run| run.reviewed_at.is_some()).count(), 181);
        assert!(runs[RUNS - WAITING..].iter().all(|run| run.reviewed_at.is_none()));
        assert_eq!(runs.iter().filter(|run| run.is_large_model).count(), 113);
        let tasks: BTreeSet<&str> = runs.iter().map(|run| run.task.as_str()).collect();
        assert_eq!(tasks.len(), RUNS, "no two rows of a list are equal");
    }

    #[test]
    fn every_lesson_comes_from_a_failure_with_feedback() {
        let scenario = scenario();
        let mut taught = BTreeSet::new();
        for (_, event) in scenario.events() {
            let DeskEvent::Review(number) = event else { continue };
            let run = &scenario.runs[number];
            if taught.insert((run.topic, run.policy)) {
                let recalled = Recalled { knowledge: Knowledge::Lesson, earlier: 0 };
                let review = scenario.attempt(run, recalled).review.unwrap();
                assert!(!review.passed && review.feedback.is_some(), "{run:?}");
                assert!(!review.lesson.key_mistake.is_empty());
            }
        }
        assert_eq!(taught.len(), 12);
    }

    #[test]
    fn a_lesson_doubles_the_pass_rate_and_the_interval_of_the_holdout_excludes_zero() {
        let scenario = scenario();
        let mut groups: BTreeMap<Knowledge, ArmStats> = BTreeMap::new();
        for (_, knowledge, passed) in played(&scenario).iter().filter(|(run, ..)| run.reviewed_at.is_some()) {
            let group = groups.entry(*knowledge).or_default();
            group.reviewed += 1;
            group.passed += u64::from(*passed);
        }
        let of = |knowledge| (groups[&knowledge].reviewed, groups[&knowledge].passed);
        assert_eq!(of(Knowledge::Nothing), (32, 7), "the first run of each topic fails");
        assert_eq!(of(Knowledge::HeldOut), (30, 12));
        assert_eq!(of(Knowledge::Lesson), (116, 105));
        assert_eq!(of(Knowledge::OldLesson), (3, 0));

        let with = ArmStats { runs: 119, reviewed: 119, passed: 105 };
        let difference = RateDifference::between(with, groups[&Knowledge::HeldOut]).unwrap();
        let percent = [difference.low, difference.value, difference.high].map(|part| (100.0 * part).round());
        assert_eq!(percent, [29.0, 48.0, 64.0]);
    }

    #[test]
    fn the_pass_rate_rises_from_week_to_week() {
        let scenario = scenario();
        let mut weeks = [(0, 0); 3];
        for (run, _, passed) in played(&scenario).iter().filter(|(run, ..)| run.reviewed_at.is_some()) {
            let (reviewed, passes) = &mut weeks[run.number * 3 / RUNS];
            *reviewed += 1;
            *passes += usize::from(*passed);
        }
        assert_eq!(weeks, [(61, 35), (65, 46), (55, 43)]);
    }

    #[test]
    fn an_old_lesson_leads_to_the_mistake_and_the_right_one_mostly_does_not() {
        let scenario = scenario();
        let run = scenario.runs.iter().find(|run| run.policy == Policy::Changed && !run.is_first).unwrap();
        let passes = |knowledge| {
            let attempt = |earlier| scenario.attempt(run, Recalled { knowledge, earlier });
            (0..100).filter(|earlier| has_passed(&scenario, run, &attempt(*earlier))).count()
        };
        assert_eq!(passes(Knowledge::OldLesson), 0);
        assert_eq!(passes(Knowledge::HeldOut), passes(Knowledge::Nothing));
        assert!((40..=48).contains(&passes(Knowledge::Nothing)));
        assert!((89..=97).contains(&passes(Knowledge::Lesson)));
    }
}
