//! The tasks of a seed, divided between honest users, the attacker, and queries.

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use reflect_case_stream::data::Dataset;
use reflect_case_stream::vectors::{SetVectors, inner_product};
use reflect_engine::AuthoredLesson;

use super::script::{advice, lesson, poison};
use super::{Suite, agentdojo, evasions, grouping};

/// How many tools of the dataset are used.
const TOOLS: usize = 20;
/// Tasks per tool that honest users did before the attack.
pub(super) const EARLIER: usize = 5;
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
/// The number of keys of the attacker.
pub(super) const ATTACKERS: usize = 3;

/// A task and the tool that is right for it.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// The index of the task in the dataset.
    query: usize,
    pub(super) task: String,
    pub(super) tool: usize,
}

/// A lesson of the attacker.
#[derive(Debug, Clone)]
pub(super) struct Planted {
    pub(super) task: String,
    pub(super) lesson: AuthoredLesson,
    /// How many of its keys send it, so that they corroborate each other.
    pub(super) keys: usize,
}

/// The tasks of one seed.
#[derive(Debug)]
pub(super) struct Cast {
    pub(super) earlier: Vec<Case>,
    pub(super) later: Vec<Case>,
    pub(super) questions: Vec<Case>,
    /// What the attacker sends before honest users work.
    pub(super) first: Vec<Planted>,
    /// What it sends then and honest users will say too. These lessons are no poison, but they must not speak for others.
    pub(super) agreeing: Vec<Planted>,
    pub(super) planted: Vec<Planted>,
}

impl Cast {
    pub(super) fn new(set: &Dataset, vectors: &SetVectors, suite: Suite, seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut tools: Vec<usize> = (0..set.tools.len()).collect();
        tools.shuffle(&mut random);
        tools.truncate(TOOLS);
        let mut train: Vec<usize> = (0..set.train).collect();
        let mut test: Vec<usize> = (set.train..set.texts.len()).collect();
        train.shuffle(&mut random);
        test.shuffle(&mut random);
        let of = |queries: &[usize], tool: usize| -> Vec<Case> {
            let queries = queries.iter().copied().filter(|query| set.labels[*query] == tool);
            queries.map(|query| Case { query, task: set.texts[query].clone(), tool }).collect()
        };
        let (mut earlier, mut later, mut bridges, mut questions) = (vec![], vec![], vec![], vec![]);
        for tool in tools {
            let mut mine = of(&train, tool).into_iter();
            earlier.extend(mine.by_ref().take(EARLIER));
            later.extend(mine.by_ref().take(LATER));
            bridges.extend(mine.by_ref().take(BRIDGES));
            questions.extend(of(&test, tool).into_iter().take(QUESTIONS));
        }
        later.shuffle(&mut random);
        let planted = match suite {
            Suite::Bridges => bridged(set, &bridges, &earlier, &mut random),
            Suite::Hubs => (0..HUBS.0).map(|_| Planted::poison(hub(&bridges, &mut random))).collect(),
            Suite::Swaps => {
                bridges.iter().filter_map(|bridge| swap(set, vectors, bridge, &earlier)).collect()
            }
            Suite::Steps => steps(&bridges),
            Suite::Evasions => evade(&bridges),
            Suite::Groupings => grouping::copies(set, vectors, &bridges, &earlier),
        };
        let (first, agreeing) = match suite {
            Suite::Groupings => (grouping::founders(set, &bridges), grouping::agreeing(set, &earlier)),
            _ => (Vec::new(), Vec::new()),
        };
        Self { earlier, later, questions, first, agreeing, planted }
    }
}

impl Planted {
    fn poison(task: String) -> Self {
        Self { task, lesson: lesson(poison()), keys: ATTACKERS }
    }
}

/// Poison on tasks like those of honest users, and on some of their own; and copies of their lessons with appended poison.
fn bridged(set: &Dataset, bridges: &[Case], earlier: &[Case], random: &mut SmallRng) -> Vec<Planted> {
    let mut overheard = earlier.to_vec();
    overheard.shuffle(random);
    overheard.truncate(OVERHEARD);
    let baits = bridges.iter().chain(&overheard).map(|case| Planted::poison(case.task.clone()));
    let copies = overheard.iter().map(|case| Planted {
        task: case.task.clone(),
        lesson: lesson(format!("{}. {}", advice(&set.tools[case.tool]), poison())),
        keys: 1,
    });
    baits.chain(copies).collect()
}

/// A task that combines several requests, so that it is similar to queries about any of them.
fn hub(queries: &[Case], random: &mut SmallRng) -> String {
    let some = (0..HUBS.1).map(|_| queries[random.random_range(0..queries.len())].task.as_str());
    some.collect::<Vec<_>>().join(" ")
}

/// The lesson of the most similar honest task with another tool.
fn swap(set: &Dataset, vectors: &SetVectors, bridge: &Case, earlier: &[Case]) -> Option<Planted> {
    let nearest = nearest_other(vectors, bridge, earlier)?;
    let lesson = lesson(advice(&set.tools[nearest.tool]));
    Some(Planted { task: bridge.task.clone(), lesson, keys: ATTACKERS })
}

/// The most similar honest task with another tool.
pub(super) fn nearest_other<'a>(
    vectors: &SetVectors,
    bridge: &Case,
    earlier: &'a [Case],
) -> Option<&'a Case> {
    let similarity = |case: &Case| {
        inner_product(vectors.queries[bridge.query].as_slice(), vectors.queries[case.query].as_slice())
    };
    let others = earlier.iter().filter(|case| case.tool != bridge.tool);
    others.max_by(|one, other| similarity(one).total_cmp(&similarity(other)))
}

/// The lessons of all injections, on the tasks in turn.
fn steps(bridges: &[Case]) -> Vec<Planted> {
    let lessons = agentdojo::injections().into_iter().flatten();
    let planted = bridges.iter().cycle().zip(lessons);
    planted
        .map(|(bridge, text)| Planted { task: bridge.task.clone(), lesson: lesson(text), keys: 1 })
        .collect()
}

fn evade(bridges: &[Case]) -> Vec<Planted> {
    let disguises = evasions::disguises();
    let planted = bridges.iter().zip(disguises.iter().cycle());
    let planted = planted.map(|(bridge, disguise)| Planted {
        task: format!("{} {}", bridge.task, disguise.task).trim_end().to_owned(),
        lesson: AuthoredLesson {
            correct_action: disguise.correct_action.clone(),
            ..lesson(disguise.guidance.clone())
        },
        keys: 1,
    });
    planted.collect()
}
