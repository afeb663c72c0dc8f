//! Which situations a reviewed run adds: one for the run, or one per step that its client marked.

/// What a situation describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LessonUnit {
    /// The whole run.
    Run,
    /// A marked step, from 0.
    Step(usize),
    /// The last marked state of a failed run.
    End,
}

/// The situations of a run. `steps[i]` says whether the marked step `i` has an action; steps without one are left out of a
/// pass. A run without marked steps has one situation. A pass with words of a reviewer also has one for the run. Only the
/// last state of a failure is known to need another action.
///
/// ```
/// use reflect_rules::run_lessons::{LessonUnit, lesson_units};
///
/// assert_eq!(lesson_units(true, false, &[]), [LessonUnit::Run]);
/// assert_eq!(lesson_units(true, false, &[true, true]), [LessonUnit::Step(0), LessonUnit::Step(1)]);
/// assert_eq!(lesson_units(false, true, &[true, true]), [LessonUnit::End]);
/// ```
pub fn lesson_units(passed: bool, has_words: bool, steps: &[bool]) -> Vec<LessonUnit> {
    if steps.is_empty() {
        return vec![LessonUnit::Run];
    }
    if !passed {
        return vec![LessonUnit::End];
    }
    let acted = steps.iter().enumerate().filter(|(_, has_action)| **has_action);
    let mut units: Vec<LessonUnit> = acted.map(|(step, _)| LessonUnit::Step(step)).collect();
    if has_words || units.is_empty() {
        units.insert(0, LessonUnit::Run);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_adds_its_steps_and_the_run_only_if_there_are_words() {
        let steps = [true, false, true];
        assert_eq!(lesson_units(true, false, &steps), [LessonUnit::Step(0), LessonUnit::Step(2)]);
        assert_eq!(
            lesson_units(true, true, &steps),
            [LessonUnit::Run, LessonUnit::Step(0), LessonUnit::Step(2)]
        );
    }

    #[test]
    fn a_failure_adds_its_end_and_a_pass_without_actions_the_run() {
        assert_eq!(lesson_units(false, false, &[true, false]), [LessonUnit::End]);
        assert_eq!(lesson_units(true, false, &[false]), [LessonUnit::Run]);
        assert_eq!(lesson_units(false, true, &[]), [LessonUnit::Run]);
    }
}
