//! Which new memories are quarantined. A pure rule.

use reflect_types::Trust;

use super::lint::Signs;

/// Whether a memory is quarantined: always if its source is untrusted, otherwise if its lesson, its task or the run that a
/// model wrote it from has dangerous flags.
pub(super) fn waits(trust: Trust, signs: &Signs) -> bool {
    trust == Trust::Untrusted
        || signs.lesson.iter().any(|flag| flag.is_grave())
        || signs.task.iter().any(|flag| flag.is_grave_in_task())
        || !signs.run.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::flags::Flag;
    use super::*;

    #[test]
    fn what_is_not_trusted_waits_and_so_does_what_looks_like_an_order_or_a_secret() {
        let lesson = |flags: &[Flag]| Signs { lesson: flags.to_vec(), ..Signs::default() };
        assert!(waits(Trust::Untrusted, &lesson(&[])));
        assert!(!waits(Trust::Normal, &lesson(&[])));
        assert!(waits(Trust::Normal, &lesson(&[Flag::Link, Flag::Orders])));
        assert!(waits(Trust::Normal, &lesson(&[Flag::Prompt])));
        assert!(waits(Trust::Trusted, &lesson(&[Flag::Credentials])));
        assert!(!waits(Trust::Normal, &lesson(&[Flag::Link, Flag::Code, Flag::Copy])));
    }

    #[test]
    fn orders_in_a_task_or_in_the_run_wait_too_and_a_task_about_prompts_does_not() {
        let task = |flag| Signs { task: vec![flag], ..Signs::default() };
        assert!(waits(Trust::Normal, &task(Flag::Orders)));
        assert!(!waits(Trust::Trusted, &task(Flag::Credentials)));
        assert!(!waits(Trust::Normal, &task(Flag::Prompt)));
        assert!(!waits(Trust::Normal, &task(Flag::Link)));
        assert!(waits(Trust::Normal, &Signs { run: vec![Flag::Orders], ..Signs::default() }));
    }
}
