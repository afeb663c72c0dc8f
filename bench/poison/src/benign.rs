//! What the defence costs honest users: Case-Stream with a share of the traffic through an untrusted key. Its memories
//! are quarantined and its votes count less, although all of it is honest.
//!
//! If no key is untrusted, which is the default, nothing may change: every run must be equal to that of the product
//! without these rules. With more untrusted traffic less is learned; this cost is printed for several shares.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, ensure};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_case_stream::arms::{Arm, LIMIT, Question, RECOMMENDED, Review, highest, named};
use reflect_case_stream::data::Dataset;
use reflect_case_stream::environment::{Environment, Ground, REGIMES, Sizes, World};
use reflect_case_stream::statistics::{Interval, mean, paired};
use reflect_case_stream::stream::{self, Outcome};
use reflect_case_stream::vectors::SetVectors;
use reflect_engine::credit::{NEIGHBOURS, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success};
use reflect_engine::rank::{Considered, Ranking, pool, rank};
use reflect_types::{
    Credit, KeyId, MemoryId, SAME_TASK, Said, Source, TraceId, VOUCHERS, independent, says_the_same,
};
use uuid::Uuid;

/// The shares of the traffic that use the untrusted key. The first is the default.
const SHARES: [f64; 3] = [0.0, 0.1, 0.25];
/// The shares whose cost is limited: one of several agents is public, and a quarter of the traffic.
const MEASURED: [usize; 2] = [1, 2];
/// The number of other keys.
const OTHERS: usize = 3;
/// The number of tasks per day.
const A_DAY: usize = 400;
/// The same values as in the engine.
const STEP: f32 = 0.1;
const VOTES_A_DAY: usize = 3;
const WEIGHT: f32 = 0.5;

/// The product with its defences.
struct Guarded<'a> {
    world: &'a World,
    ground: &'a Ground,
    /// The key of each task. 0 is the untrusted one.
    keys: Vec<usize>,
    credits: Vec<Credit>,
    /// Per task: whether its memory is quarantined.
    waits: Vec<bool>,
    lessons: Vec<usize>,
    passed: Vec<bool>,
    vouchers: HashMap<usize, Vec<Source>>,
    votes: HashMap<(usize, usize), usize>,
}

impl<'a> Guarded<'a> {
    fn new(world: &'a World, ground: &'a Ground, untrusted: f64) -> Self {
        let mut random = SmallRng::seed_from_u64(ground.seed);
        let key = |_| if random.random_bool(untrusted) { 0 } else { random.random_range(1..=OTHERS) };
        Self {
            world,
            ground,
            keys: (0..ground.tasks()).map(key).collect(),
            credits: vec![Credit::START; ground.imported.len() + ground.tasks()],
            waits: Vec::new(),
            lessons: Vec::new(),
            passed: Vec::new(),
            vouchers: HashMap::new(),
            votes: HashMap::new(),
        }
    }

    fn is_untrusted(&self, task: usize) -> bool {
        self.keys[task] == 0
    }

    /// The task of a memory. `None` if it was imported.
    fn task_of(&self, memory: usize) -> Option<usize> {
        memory.checked_sub(self.ground.imported.len())
    }

    fn source(&self, task: usize) -> Source {
        let trace = TraceId::from_uuid(Uuid::from_u128(task as u128));
        Source { key: KeyId::from_uuid(Uuid::from_u128(self.keys[task] as u128)), trace }
    }

    /// Whether the memory of one run says nothing that the other does not say.
    fn agree(&self, one: usize, other: usize) -> bool {
        let text = |task: usize| self.world.set.texts[self.ground.stream[task]].as_str();
        let lesson = |task: usize| format!("Call the tool {}", self.world.set.tools[self.lessons[task]]);
        let (mine, theirs) = (lesson(one), lesson(other));
        self.passed[one] == self.passed[other]
            && says_the_same(
                Said { task: text(one), lesson: &mine },
                Said { task: text(other), lesson: &theirs },
            )
    }

    /// Releases the memory of a run if enough others corroborate it.
    fn vouch(&mut self, task: usize, by: usize) {
        let own = self.source(task);
        let source = self.source(by);
        let vouchers = self.vouchers.entry(task).or_default();
        vouchers.push(source);
        self.waits[task] = independent(&own, vouchers) < VOUCHERS;
    }

    /// The expected outcome of a run, from the reviews before it and those of runs whose memories are searched.
    fn expected(&self, review: &Review<'_>) -> f32 {
        let recent = &review.reviews[review.reviews.len().saturating_sub(RECENT_REVIEWS)..];
        let count = |passes: usize| u32::try_from(passes).unwrap_or(u32::MAX);
        let passes = recent.iter().filter(|passed| **passed).count();
        let tally = ReviewTally { reviews: count(recent.len()), passes: count(passes) };
        let searched = review.earlier.iter().copied().enumerate().filter(|(task, _)| !self.waits[*task]);
        let nearest = highest(searched, NEIGHBOURS).into_iter();
        let neighbours =
            nearest.map(|(task, similarity)| Neighbour { similarity, passed: review.reviews[task] });
        expected_success(tally, &neighbours.collect::<Vec<_>>())
    }

    fn credit(&mut self, review: &Review<'_>, memory: usize, expected: f32) {
        let (credit, reward) = (self.credits[memory], review.reward());
        if !self.is_untrusted(review.task) {
            self.credits[memory] = credit.after(reward, expected, None);
            return;
        }
        let votes = self.votes.entry((memory, review.task / A_DAY)).or_default();
        *votes += 1;
        if *votes <= VOTES_A_DAY {
            self.credits[memory] = credit.after_untrusted(reward, expected, STEP);
        }
    }
}

impl Arm for Guarded<'_> {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let is_searched = |memory: &usize| {
            let waits = self.task_of(*memory).is_some_and(|task| self.waits[task]);
            question.bank.advice(*memory).is_some() && !waits
        };
        let searched = (0..question.bank.len()).filter(is_searched);
        let near = highest(searched.map(|memory| (memory, question.similarities[memory])), pool(LIMIT));
        let considered: Vec<Considered> = near
            .into_iter()
            .map(|(memory, similarity)| Considered {
                memory_id: MemoryId::from_uuid(Uuid::from_u128(memory as u128)),
                similarity,
                q: 0.5,
                credit: self.credits[memory],
                // Confirmed ones are ranked like others.
                untrusted: None,
                lesson: None,
                text: None,
                absorbed: 0,
            })
            .collect();
        let ranked = rank(&considered, Ranking::Learned, WEIGHT, -1.0);
        let served = ranked.iter().take(LIMIT);
        Ok(served.map(|ranked| ranked.memory_id.as_uuid().as_u128() as usize).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let expected = self.expected(review);
        for memory in review.shown.iter().filter(|memory| review.followed(**memory)) {
            self.credit(review, *memory, expected);
        }
        let new = review.task;
        self.lessons.push(review.lesson);
        self.passed.push(review.passed);
        self.waits.push(self.is_untrusted(new));
        let near = review.earlier.iter().enumerate().filter(|(_, similarity)| **similarity > SAME_TASK);
        for (other, _) in near {
            match (self.is_untrusted(new), self.is_untrusted(other)) {
                (true, false) if self.agree(new, other) => self.vouch(new, other),
                (false, true) if self.waits[other] && self.agree(other, new) => self.vouch(other, new),
                _ => {}
            }
        }
        Ok(())
    }
}

/// How many percentage points of success on held-out tasks the defence costs, over these seeds, at the measured shares.
#[expect(clippy::print_stdout, reason = "the figures are what the run is for")]
pub(crate) fn loss(
    set: Dataset,
    vectors: &SetVectors,
    seeds: Range<u64>,
    sizes: Sizes,
) -> anyhow::Result<[Interval; 2]> {
    let world = World::new(set, vectors);
    let regime = &REGIMES[1];
    let product = named(&[RECOMMENDED]).pop().context("the product is an arm")?;
    let mut without = Vec::new();
    let mut with = SHARES.map(|_| Vec::new());
    println!(
        "honest traffic, a share of it through an untrusted key; success on held-out tasks, in per cent:\n"
    );
    print!("{:<8}{:>12}", "seed", "no rules");
    SHARES.iter().for_each(|share| print!("{:>12}", format!("{:.0} %", 100.0 * share)));
    println!("{:>28}", "memories waiting, let out");
    for seed in seeds {
        let ground = Ground::new(&world, seed, regime.imported_per_tool, sizes);
        let environment = Environment::new(&world, &ground, regime);
        let plain = stream::run(&environment, product.make(&ground).as_mut())?;
        without.push(success(&plain));
        print!("{seed:<8}{:>12.2}", success(&plain));
        let mut standing = Vec::new();
        for (share, results) in SHARES.iter().zip(&mut with) {
            let mut arm = Guarded::new(&world, &ground, *share);
            let outcome = stream::run(&environment, &mut arm)?;
            if *share == 0.0 {
                ensure!(
                    outcome == plain,
                    "seed {seed}: the rules change a project that has no untrusted key"
                );
            }
            print!("{:>12.2}", success(&outcome));
            results.push(success(&outcome));
            let waiting = arm.waits.iter().filter(|waits| **waits).count();
            let untrusted = (0..arm.waits.len()).filter(|task| arm.is_untrusted(*task)).count();
            standing.push(format!("{waiting}, {}", untrusted - waiting));
        }
        println!("{:>28}", standing[1..].join("; "));
    }
    print!("{:<8}{:>12.2}", "mean", mean(&without));
    with.iter().for_each(|results| print!("{:>12.2}", mean(results)));
    println!();
    for (share, results) in SHARES.iter().zip(&with).skip(1) {
        let lost = paired(&without, results);
        println!("lost at {:.0} %: {:.2} [{:.2}, {:.2}]", 100.0 * share, lost.mean, lost.low, lost.high);
    }
    println!();
    Ok(MEASURED.map(|share| paired(&without, &with[share])))
}

fn success(outcome: &Outcome) -> f64 {
    let right = outcome.held_out.iter().filter(|run| run.right).count();
    100.0 * right as f64 / outcome.held_out.len() as f64
}
