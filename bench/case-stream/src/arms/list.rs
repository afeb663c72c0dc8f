//! All arms by name, in the order of the table.

use rand::rngs::SmallRng;

use reflect_types::{LessonSettings, WeightSource};

use super::Arm;
use super::blend::Blend;
use super::judge::Judge;
use super::lessons::{KnownUse, Lessons, Variant};
use super::memrl::MemRl;
use super::nearest::{Nearest, Nothing};
use super::oracles::{Label, Quality};
use super::recommended::{Attribution, Parts, Recommended};
use super::thompson::Thompson;
use crate::environment::{Ground, Purpose, Regime, WRONG_SIGNALS, random};

/// The name of the arm without memories.
pub const NONE: &str = "no memory";
/// The name of the arm that ranks by similarity alone.
pub const SIMILARITY: &str = "similarity only";
/// The name of the arm that ranks like MemRL.
pub const MEMRL: &str = "MemRL z-score 10→5, alpha .3";
/// The name of the arm that ranks like the product, with one memory for every run.
pub const RECOMMENDED: &str = "recommended";
/// The name of the same arm with the learning rate that a source of signals with this error has.
pub const OF_SIGNALS: &str = "recommended, signals";
/// The name of the arm that is the product: lessons that hold many situations.
pub const FINAL: &str = "final";
/// The name of the same arm with the weight of utility that replay selects.
pub const REPLAY: &str = "final + replay";
/// The arms with lessons, in the order of the table.
pub const LESSON_ARMS: [&str; 9] = [
    FINAL,
    REPLAY,
    "final, structure only",
    "final, configured model",
    "final, judgements err",
    "final, inferred use",
    "final, no attribution",
    "final, optimism ends when shown",
    "lessons only",
];
/// The arms that run in every regime.
const EVERYWHERE: [&str; 4] = [SIMILARITY, RECOMMENDED, FINAL, REPLAY];
/// The learning rate of such a source: a tenth of its informedness (ADR 0027).
const SIGNAL_STEP: f32 = 0.1 * (1.0 - 2.0 * WRONG_SIGNALS as f32);
/// The share of lessons with a correct action, where only structure tells what is the same.
const WITH_ACTION: f64 = 0.8;

/// An arm by name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in tables.
    pub name: &'static str,
    make: MakeArm,
}

impl Entry {
    /// Creates the arm for one seed. Its randomness depends on the seed too.
    pub fn make(&self, ground: &Ground) -> Box<dyn Arm> {
        (self.make)(ground)
    }

    /// Whether it is measured in a regime.
    pub fn runs_in(&self, regime: &Regime) -> bool {
        regime.every_arm || EVERYWHERE.contains(&self.name)
    }
}

/// The arms with these names, in the order of the table.
pub fn named(names: &[&str]) -> Vec<Entry> {
    all().into_iter().filter(|entry| names.contains(&entry.name)).collect()
}

/// The arm that learns from signals. Not in the table: it belongs to [`SIGNALLED`](crate::environment::SIGNALLED).
pub fn of_signals() -> Entry {
    entry(OF_SIGNALS, |_| recommended(Parts { alpha: Some(SIGNAL_STEP), ..Parts::default() }))
}

/// All arms, in the order of the table.
pub fn all() -> Vec<Entry> {
    [rivals(), product(), lessons(), oracles()].concat()
}

fn entry(name: &'static str, make: MakeArm) -> Entry {
    Entry { name, make }
}

fn rivals() -> Vec<Entry> {
    vec![
        entry(NONE, |_| Box::new(Nothing)),
        entry(SIMILARITY, |_| Box::new(Nearest { passes_only: false })),
        entry("similarity, store passes only", |_| Box::new(Nearest { passes_only: true })),
        entry("blend over whole bank, alpha .1", |_| Box::new(Blend::new(None, 0.1))),
        entry("blend over whole bank, alpha .3", |_| Box::new(Blend::new(None, 0.3))),
        entry("blend in top-20, alpha .1", |_| Box::new(Blend::new(Some(20), 0.1))),
        entry("blend in top-20, alpha .3", |_| Box::new(Blend::new(Some(20), 0.3))),
        entry(MEMRL, |_| Box::new(MemRl::new(None))),
        entry("same + epsilon .1", |ground| Box::new(MemRl::new(Some(chance(ground))))),
        entry("Beta posterior + Thompson, top-20", |ground| Box::new(Thompson::new(chance(ground)))),
    ]
}

fn product() -> Vec<Entry> {
    vec![
        entry("recommended, no attribution", |_| {
            recommended(Parts { attribution: Attribution::None, ..Parts::default() })
        }),
        entry("recommended, attribution 80% right", |ground| {
            let attribution = Attribution::Unsure { right: 0.8, random: chance(ground) };
            recommended(Parts { attribution, ..Parts::default() })
        }),
        entry(RECOMMENDED, |_| recommended(Parts::default())),
        entry("− baseline", |_| recommended(Parts { baseline: false, ..Parts::default() })),
        entry("− annealing (constant .3)", |_| recommended(Parts { alpha: Some(0.3), ..Parts::default() })),
        entry("− optimism", |_| recommended(Parts { optimism: false, ..Parts::default() })),
        entry("+ contextual kernel", |_| recommended(Parts { contextual: true, ..Parts::default() })),
    ]
}

/// Makes an arm for a stream.
type MakeArm = fn(&Ground) -> Box<dyn Arm>;

/// In the order of [`LESSON_ARMS`].
fn lessons() -> Vec<Entry> {
    let makes: [MakeArm; 9] = [
        |ground| with_lessons(ground, Variant::default()),
        |ground| {
            let settings =
                LessonSettings { utility_weight: WeightSource::Replay, ..LessonSettings::default() };
            with_lessons(ground, Variant { settings, ..Variant::default() })
        },
        |ground| with_lessons(ground, Variant { with_action: WITH_ACTION, ..Variant::default() }),
        |ground| {
            let judge = Judge::Model(random(ground.seed, Purpose::Judgements));
            with_lessons(ground, Variant { judge, with_action: WITH_ACTION, ..Variant::default() })
        },
        |ground| {
            let judge = Judge::Erring(random(ground.seed, Purpose::Judgements));
            with_lessons(ground, Variant { judge, ..Variant::default() })
        },
        |ground| with_lessons(ground, Variant { known_use: KnownUse::Inferred, ..Variant::default() }),
        |ground| with_lessons(ground, Variant { known_use: KnownUse::Nothing, ..Variant::default() }),
        |ground| with_lessons(ground, Variant { ends_when_shown: true, ..Variant::default() }),
        |ground| {
            let settings = LessonSettings { absorb: false, supersede: false, ..LessonSettings::default() };
            with_lessons(ground, Variant { settings, ..Variant::default() })
        },
    ];
    LESSON_ARMS.into_iter().zip(makes).map(|(name, make)| entry(name, make)).collect()
}

fn oracles() -> Vec<Entry> {
    vec![
        entry("quality oracle", |ground| Box::new(Quality { labels: ground.labels.clone() })),
        entry("label oracle", |_| Box::new(Label)),
    ]
}

fn with_lessons(ground: &Ground, variant: Variant) -> Box<dyn Arm> {
    Box::new(Lessons::new(ground, variant))
}

fn recommended(parts: Parts) -> Box<dyn Arm> {
    Box::new(Recommended::new(parts))
}

fn chance(ground: &Ground) -> SmallRng {
    random(ground.seed, Purpose::Arm)
}
