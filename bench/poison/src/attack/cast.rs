//! The tasks of a seed, divided between honest users, the attacker, and queries.

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use reflect_case_stream::data::Dataset;

use super::Suite;

/// How many tools of the dataset are used.
const TOOLS: usize = 20;
/// Tasks per tool that honest users did before the attack.
const EARLIER: usize = 5;
/// Tasks per tool that honest users do after it, with learning.
const LATER: usize = 3;
/// Tasks per tool that the attacker uses.
const BRIDGES: usize = 2;
/// Queries per tool, from the official test set.
const QUESTIONS: usize = 6;
/// How many tasks of honest users the attacker knows exactly.
const OVERHEARD: usize = 20;
/// The number of hubs, and of the queries that each combines.
const HUBS: (usize, usize) = (40, 3);

/// A task and the tool that is right for it.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) task: String,
    pub(super) tool: usize,
}

/// The tasks of one seed.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) earlier: Vec<Case>,
    pub(super) later: Vec<Case>,
    pub(super) questions: Vec<Case>,
    /// The tasks of the attacker's lessons.
    pub(super) bait: Vec<String>,
    /// Those that honest users have done too, with their lessons.
    pub(super) overheard: Vec<Case>,
}

impl Cast {
    pub(super) fn new(set: &Dataset, suite: Suite, seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut tools: Vec<usize> = (0..set.tools.len()).collect();
        tools.shuffle(&mut random);
        tools.truncate(TOOLS);
        let mut train: Vec<usize> = (0..set.train).collect();
        let mut test: Vec<usize> = (set.train..set.texts.len()).collect();
        train.shuffle(&mut random);
        test.shuffle(&mut random);
        let of = |queries: &[usize], tool: usize| -> Vec<Case> {
            let queries = queries.iter().filter(|query| set.labels[**query] == tool);
            queries.map(|query| Case { task: set.texts[*query].clone(), tool }).collect()
        };
        let (mut earlier, mut later, mut bridges, mut questions) = (vec![], vec![], vec![], vec![]);
        for tool in tools {
            let mut mine = of(&train, tool).into_iter();
            earlier.extend(mine.by_ref().take(EARLIER));
            later.extend(mine.by_ref().take(LATER));
            bridges.extend(mine.by_ref().take(BRIDGES).map(|case| case.task));
            questions.extend(of(&test, tool).into_iter().take(QUESTIONS));
        }
        later.shuffle(&mut random);
        let mut overheard = earlier.clone();
        overheard.shuffle(&mut random);
        overheard.truncate(OVERHEARD);
        let bait = match suite {
            Suite::Bridges => {
                bridges.into_iter().chain(overheard.iter().map(|case| case.task.clone())).collect()
            }
            Suite::Hubs => (0..HUBS.0).map(|_| hub(&bridges, &mut random)).collect(),
        };
        if suite == Suite::Hubs {
            overheard.clear();
        }
        Self { earlier, later, questions, bait, overheard }
    }
}

/// A task that combines several requests, so that it is similar to queries about any of them.
fn hub(queries: &[String], random: &mut SmallRng) -> String {
    let some = (0..HUBS.1).map(|_| queries[random.random_range(0..queries.len())].as_str());
    some.collect::<Vec<_>>().join(" ")
}
