//! How it is known whether two lessons give the same advice: by their structure, by a language model that errs, or by
//! labels with errors.

use rand::RngExt;
use rand::rngs::SmallRng;
use reflect_rules::lessons::{AdviceKey, JOINS, Relation, SameBy, relation};

/// How often the same advice is not recognised.
const MISSED_SAME: f64 = 0.2;
/// How often other advice about a similar task is taken for the same.
const FALSE_SAME: f64 = 0.05;
/// How often a contradiction is not recognised.
const MISSED_CONTRADICTION: f64 = 0.2;
/// How often the same advice is taken for a contradiction.
const FALSE_CONTRADICTION: f64 = 0.1;
/// Less similar tasks are not confused.
const CONFUSED: f32 = 0.8;
/// How many lessons the product asks a model about, among how many of the nearest memories.
const ASKED: usize = 3;
const WITH_TEXT: usize = 5;

/// What compares lessons.
#[derive(Debug)]
pub(super) enum Judge {
    /// The rules of the product without a model.
    Structure,
    /// The same, and a model where structure does not tell.
    Model(SmallRng),
    /// Labels with errors.
    Erring(SmallRng),
}

/// A memory near a new one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) memory: usize,
    pub(super) lesson: usize,
    pub(super) similarity: f32,
    pub(super) key: Option<AdviceKey>,
    /// The tool that its lesson advises.
    pub(super) advice: usize,
}

/// How a memory is related to the new one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    pub(super) relation: Relation,
    pub(super) by: SameBy,
    pub(super) contradicts: bool,
}

impl Judgement {
    fn new(relation: Relation, by: SameBy) -> Self {
        Self { relation, by, contradicts: relation == Relation::Contradicts }
    }
}

impl Judge {
    /// One judgement for each memory near a new one, which are in the order of their similarity.
    pub(super) fn compare(&mut self, key: Option<AdviceKey>, advice: usize, near: &[Near]) -> Vec<Judgement> {
        let known = near.iter().map(|near| Judgement::new(relation(key, near.key), SameBy::Structure));
        match self {
            Self::Structure => known.collect(),
            Self::Model(random) => ask(random, advice, near, known.collect()),
            Self::Erring(random) => err(random, advice, near),
        }
    }
}

/// A model is asked about the nearest lessons that structure does not tell apart, unless structure tells which one is the
/// same.
fn ask(random: &mut SmallRng, advice: usize, near: &[Near], mut known: Vec<Judgement>) -> Vec<Judgement> {
    let joins = |(judgement, near): (&Judgement, &Near)| {
        judgement.relation == Relation::Same && near.similarity >= JOINS
    };
    if known.iter().zip(near).any(joins) {
        return known;
    }
    let mut asked: Vec<usize> = Vec::new();
    for at in 0..near.len().min(WITH_TEXT) {
        let Near { lesson, similarity, .. } = near[at];
        let is_unknown = known[at].relation == Relation::Unknown && similarity >= JOINS;
        if !is_unknown || asked.contains(&lesson) || asked.len() == ASKED {
            continue;
        }
        asked.push(lesson);
        let answer = Judgement::new(answer(random, near[at].advice == advice, similarity), SameBy::Model);
        for (judgement, near) in known.iter_mut().zip(near) {
            if near.lesson == lesson && judgement.relation == Relation::Unknown {
                *judgement = answer;
            }
        }
    }
    known
}

/// The answer of a model about two lessons.
fn answer(random: &mut SmallRng, is_same: bool, similarity: f32) -> Relation {
    if is_same {
        return match random.random::<f64>() {
            drawn if drawn < FALSE_CONTRADICTION => Relation::Contradicts,
            drawn if drawn < FALSE_CONTRADICTION + MISSED_SAME => Relation::Different,
            _ => Relation::Same,
        };
    }
    let is_confused = random.random_bool(FALSE_SAME) && similarity >= CONFUSED;
    match (is_confused, random.random_bool(MISSED_CONTRADICTION)) {
        (true, _) => Relation::Same,
        (false, true) => Relation::Different,
        (false, false) => Relation::Contradicts,
    }
}

/// Labels with the errors of the prototype: a new memory is compared with the wrong advice, or with none.
fn err(random: &mut SmallRng, advice: usize, near: &[Near]) -> Vec<Judgement> {
    let nearest = near.first().filter(|near| near.advice != advice && near.similarity >= CONFUSED);
    let taken_for = match nearest {
        Some(nearest) if random.random_bool(FALSE_SAME) => nearest.advice,
        _ => advice,
    };
    let is_missed = random.random_bool(MISSED_SAME);
    let judgement = |near: &Near| {
        let is_same = !is_missed && near.advice == taken_for;
        let contradicts = match near.advice == advice {
            true => random.random_bool(FALSE_CONTRADICTION),
            false => !random.random_bool(MISSED_CONTRADICTION),
        };
        let relation = if is_same { Relation::Same } else { Relation::Unknown };
        Judgement { relation, by: SameBy::Model, contradicts }
    };
    near.iter().map(judgement).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use reflect_rules::lessons::{AdviceText, advice_key};

    use super::*;

    fn near(lesson: usize, advice: usize, key: Option<AdviceKey>) -> Near {
        Near { memory: lesson, lesson, similarity: 0.9, key, advice }
    }

    fn action(tool: &str) -> Option<AdviceKey> {
        advice_key(&AdviceText { correct_action: tool, approach: &[], reflection: "" })
    }

    #[test]
    fn structure_knows_actions_only() {
        let near = [near(1, 7, action("seven")), near(2, 8, action("eight")), near(3, 7, None)];
        let judged = Judge::Structure.compare(action("seven"), 7, &near);
        let relations: Vec<Relation> = judged.iter().map(|one| one.relation).collect();
        assert_eq!(relations, [Relation::Same, Relation::Contradicts, Relation::Unknown]);
    }

    #[test]
    fn a_model_is_asked_where_structure_does_not_tell_and_errs_sometimes() {
        let mut judge = Judge::Model(SmallRng::seed_from_u64(1));
        let near = [near(1, 8, action("eight")), near(2, 7, None), near(2, 7, None), near(3, 8, None)];
        let mut same = 0;
        for _ in 0..1_000 {
            let judged = judge.compare(action("seven"), 7, &near);
            assert_eq!((judged[0].relation, judged[0].by), (Relation::Contradicts, SameBy::Structure));
            assert_eq!(judged[1].relation, judged[2].relation, "one answer for one lesson");
            same += usize::from(judged[1].relation == Relation::Same);
        }
        assert!((640..760).contains(&same), "{same}");
        let judged = judge.compare(action("eight"), 8, &near);
        assert_eq!((judged[0].relation, judged[0].by), (Relation::Same, SameBy::Structure));
        assert_eq!(judged[1].relation, Relation::Unknown, "nothing is asked if structure tells");
    }

    #[test]
    fn labels_err_as_often_as_stated() {
        let mut judge = Judge::Erring(SmallRng::seed_from_u64(1));
        let near = [near(1, 8, None), near(2, 7, None)];
        let (mut same, mut wrong, mut contradicts) = (0, 0, 0);
        for _ in 0..10_000 {
            let judged = judge.compare(None, 7, &near);
            wrong += usize::from(judged[0].relation == Relation::Same);
            same += usize::from(judged[1].relation == Relation::Same);
            contradicts += usize::from(judged[0].contradicts);
        }
        assert!((7_300..7_900).contains(&same), "{same}");
        assert!((300..500).contains(&wrong), "{wrong}");
        assert!((7_800..8_200).contains(&contradicts), "{contradicts}");
    }
}
