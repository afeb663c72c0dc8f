//! The situations of a run: one for the run, or one for each step that its client marked. A pure rule, except for new ids.

use reflect_rules::lessons::{AdviceKey, Joined, Placement, SameBy, SituationKind};
use reflect_rules::run_lessons::{LessonUnit, lesson_units};
use reflect_store::{LearnInput, NewMemoryRow};
use reflect_trajectory::{MarkedStep, marked_steps};
use reflect_types::{LessonId, ReviewResult};

use super::draft::{LessonDraft, Origin, memory_about};
use super::lesson::{AuthoredLesson, action_guidance};

/// The longest summary of a step, in characters.
const LONGEST_SUMMARY: usize = 200;
/// The longest task of a step, in characters. A longer one could not be sent to a query.
const LONGEST_TASK: usize = 16_000;

/// What a run is split into.
#[derive(Debug, Clone)]
pub(crate) struct RunUnits {
    steps: Vec<MarkedStep>,
    /// At least one.
    units: Vec<LessonUnit>,
    has_words: bool,
}

impl RunUnits {
    /// `has_words`: the reviewer said more than the verdict, or sent a lesson.
    pub(crate) fn of(input: &LearnInput, has_words: bool) -> Self {
        let steps = marked_steps(&input.trajectory);
        let acted: Vec<bool> = steps.iter().map(|step| !step.action.trim().is_empty()).collect();
        let units = lesson_units(input.result == ReviewResult::Pass, has_words, &acted);
        Self { steps, units, has_words }
    }

    /// What the run did, if it marked its steps. A failed step without an action says nothing.
    pub(crate) fn actions(&self) -> Option<String> {
        let actions: Vec<&str> =
            self.steps.iter().map(|step| step.action.trim()).filter(|action| !action.is_empty()).collect();
        (!actions.is_empty()).then(|| actions.join("; "))
    }

    /// The lesson of the first situation, if that is a step. No model is needed then.
    pub(crate) fn first_step(&self) -> Option<LessonDraft> {
        self.units.first().and_then(|unit| self.step_lesson(*unit))
    }

    /// The memory of the first situation with this lesson. Its plan has those of the others. All of them have no vectors.
    pub(crate) fn memory(&self, input: &LearnInput, lesson: LessonDraft) -> NewMemoryRow {
        let (first, others) = match self.units.split_first() {
            Some((first, others)) => (*first, others),
            None => (LessonUnit::Run, &[][..]),
        };
        let mut memory = self.memory_of(input, first, lesson);
        let steps = others.iter().filter_map(|unit| Some((*unit, self.step_lesson(*unit)?)));
        memory.lesson.steps = steps.map(|(unit, lesson)| self.memory_of(input, unit, lesson)).collect();
        memory
    }

    fn memory_of(&self, input: &LearnInput, unit: LessonUnit, lesson: LessonDraft) -> NewMemoryRow {
        let step = match unit {
            LessonUnit::Run => None,
            LessonUnit::Step(at) => self.steps.get(at),
            LessonUnit::End => self.steps.last(),
        };
        let mut memory = match step {
            Some(step) => memory_about(input, state(step), lesson),
            None => memory_about(input, input.task.clone(), lesson),
        };
        if step.is_some() {
            memory.lesson.kind = SituationKind::State;
        }
        if let LessonUnit::Step(at) = unit {
            memory.lesson.step = i16::try_from(at).ok();
        }
        // The words are about the run, so they count for each of its situations.
        memory.lesson.has_words |= self.has_words;
        memory
    }

    fn step_lesson(&self, unit: LessonUnit) -> Option<LessonDraft> {
        let LessonUnit::Step(at) = unit else { return None };
        self.steps.get(at).map(step_lesson)
    }
}

/// The lesson of a step of a run that passed: what was done.
fn step_lesson(step: &MarkedStep) -> LessonDraft {
    let action = step.action.trim();
    let text = AuthoredLesson {
        summary: format!("In this state: {action}").chars().take(LONGEST_SUMMARY).collect(),
        guidance: action_guidance(action),
        correct_action: action.to_owned(),
        ..AuthoredLesson::default()
    };
    let note = "written without a model, from a marked step of a run that passed".to_owned();
    let origin = Origin::Offline { note, reason: None };
    LessonDraft { text, origin, used: None, tools_used: Vec::new() }
}

/// The state of a step, as a task without NUL, which Postgres cannot hold.
fn state(step: &MarkedStep) -> String {
    let task: String = step.task.trim().chars().take(LONGEST_TASK).collect();
    task.replace('\0', "\u{fffd}")
}

/// Steps that would found a lesson with the advice of an earlier situation of the same run join that one.
pub(super) fn join_own_steps(memory: &mut NewMemoryRow) {
    let mut earlier = vec![founded(memory)];
    for step in &mut memory.lesson.steps {
        let own = earlier.iter().flatten().find(|(advice, _)| step.lesson.advice == Some(*advice)).copied();
        match own {
            Some((_, joined)) if step.lesson.placement == Placement::Own && !step.quarantined => {
                step.lesson.placement = Placement::Join(joined);
            }
            _ => earlier.push(founded(step)),
        }
    }
}

/// The advice of a new situation that founds a lesson, and that lesson.
fn founded(memory: &NewMemoryRow) -> Option<(AdviceKey, Joined)> {
    let situation = memory.memory_id;
    let joined = Joined { situation, lesson: LessonId::from(situation), by: SameBy::Structure };
    let founds = memory.lesson.placement == Placement::Own && !memory.quarantined;
    memory.lesson.advice.filter(|_| founds).map(|advice| (advice, joined))
}

#[cfg(test)]
mod tests {
    use reflect_rules::lessons::{AdviceText, advice_key};
    use serde_json::json;

    use super::super::test_input::input;
    use super::*;

    fn run(result: ReviewResult, steps: &[(&str, &str)]) -> LearnInput {
        let marked = steps.iter().map(|(task, action)| {
            json!({ "role": "assistant", "content": "…", "reflect_step": { "task": task, "action": action } })
        });
        let trajectory = serde_json::Value::from_iter(marked).to_string();
        LearnInput { trajectory, ..input(result, None) }
    }

    const STEPS: [(&str, &str); 3] =
        [("no signal", "restart the phone"), ("still no signal", "reset the network"), ("it works", "")];

    #[test]
    fn a_pass_without_words_is_one_situation_for_each_step_with_an_action() {
        let input = run(ReviewResult::Pass, &STEPS);
        let units = RunUnits::of(&input, false);
        let lesson = units.first_step().unwrap();
        let memory = units.memory(&input, lesson);
        assert_eq!((memory.task.as_str(), memory.lesson.step), ("no signal", Some(0)));
        assert_eq!(memory.lesson.kind, SituationKind::State);
        assert!(!memory.lesson.has_words && !memory.lesson.steps[0].lesson.has_words);
        assert_eq!(
            (memory.reflection.as_str(), memory.correct_action.as_str()),
            ("Do: restart the phone", "restart the phone")
        );
        assert_eq!(memory.summary, "In this state: restart the phone");
        let steps: Vec<_> =
            memory.lesson.steps.iter().map(|step| (step.task.as_str(), step.lesson.step)).collect();
        assert_eq!(steps, [("still no signal", Some(1))]);
        assert_eq!(units.actions().as_deref(), Some("restart the phone; reset the network"));
    }

    #[test]
    fn words_are_a_lesson_of_their_own_and_a_failure_is_about_its_last_state() {
        let words = || LessonDraft {
            text: AuthoredLesson { guidance: "Ask first.".into(), ..AuthoredLesson::default() },
            origin: Origin::Author,
            used: None,
            tools_used: Vec::new(),
        };
        let passed = run(ReviewResult::Pass, &STEPS);
        let units = RunUnits::of(&passed, true);
        assert_eq!(units.first_step(), None);
        let memory = units.memory(&passed, words());
        assert_eq!((memory.task.as_str(), memory.lesson.step), (passed.task.as_str(), None));
        assert_eq!(memory.lesson.steps.len(), 2);
        assert!(memory.lesson.steps.iter().all(|step| step.lesson.has_words));

        let failed = run(ReviewResult::Fail, &STEPS);
        let memory = RunUnits::of(&failed, true).memory(&failed, words());
        assert_eq!((memory.task.as_str(), memory.lesson.steps.len()), ("it works", 0));
    }

    #[test]
    fn a_run_without_marks_is_one_situation() {
        let input = input(ReviewResult::Pass, None);
        let units = RunUnits::of(&input, false);
        assert_eq!((units.first_step(), units.actions()), (None, None));
    }

    #[test]
    fn steps_with_the_same_action_are_one_lesson() {
        let input = run(ReviewResult::Pass, &[("a", "wait"), ("b", "call"), ("c", "wait")]);
        let units = RunUnits::of(&input, false);
        let mut memory = units.memory(&input, units.first_step().unwrap());
        let plan = |memory: &mut NewMemoryRow| {
            let (correct_action, approach) = (memory.correct_action.as_str(), &[][..]);
            memory.lesson.advice = advice_key(&AdviceText { correct_action, approach, reflection: "" });
            memory.lesson.placement = Placement::Own;
        };
        plan(&mut memory);
        memory.lesson.steps.iter_mut().for_each(plan);

        join_own_steps(&mut memory);

        let placed: Vec<_> = memory.lesson.steps.iter().map(|step| step.lesson.placement.joined()).collect();
        assert_eq!(placed[0], None);
        assert_eq!(placed[1].map(|joined| joined.situation), Some(memory.memory_id));
    }
}
