//! What a verdict on a run that may have one already means. A pure rule.

use reflect_store::ReviewRow;
use reflect_types::{Alpha, ReviewId, Trust};

use super::Verdict;
use crate::EngineError;

/// What is to be done with a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It is there already.
    Keep,
    /// It is stored, in the place of another one where there is one.
    Store { instead_of: Option<ReviewId> },
    /// It contradicts the one that is there.
    Refuse,
}

/// The same verdict again changes nothing. Another one has to say that it means to replace the first. A person's word
/// takes the place of a judge's in any case, also when it is the same: it counts for more.
pub(super) fn step(current: Option<&ReviewRow>, verdict: &Verdict) -> Step {
    let Some(current) = current else { return Step::Store { instead_of: None } };
    if current.is_by_judge() {
        return Step::Store { instead_of: Some(current.review_id) };
    }
    let same = current.result == verdict.result
        && current.feedback == verdict.feedback
        && current.alpha == verdict.alpha.unwrap_or(Alpha::DEFAULT).get()
        && current.authored == verdict.authored.as_ref().and_then(|lesson| serde_json::to_value(lesson).ok());
    match (same, verdict.replace) {
        (true, _) => Step::Keep,
        (false, true) => Step::Store { instead_of: Some(current.review_id) },
        (false, false) => Step::Refuse,
    }
}

/// An untrusted key ends no verdict of one that is trusted: what came of it would be undone on its word.
pub(super) fn may_end(trust: Trust, of: Option<Trust>) -> Result<(), EngineError> {
    if trust == Trust::Untrusted && of.is_some_and(|of| of != Trust::Untrusted) {
        let problem = "an untrusted key cannot replace or withdraw the review of a trusted one";
        return Err(EngineError::Forbidden(problem.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use chrono::DateTime;
    use reflect_types::{ReviewMode, ReviewResult};

    fn pass() -> Verdict {
        Verdict {
            result: ReviewResult::Pass,
            feedback: None,
            alpha: None,
            authored: None,
            replace: false,
            grace: Duration::ZERO,
            reviewer: None,
        }
    }

    fn stored() -> ReviewRow {
        ReviewRow {
            review_id: ReviewId::generate(),
            result: ReviewResult::Pass,
            feedback: None,
            alpha: 0.3,
            mode: ReviewMode::Deferred,
            reviewer: "key:test".to_owned(),
            authored: None,
            created_at: DateTime::UNIX_EPOCH,
            learns_at: None,
        }
    }

    #[test]
    fn the_first_verdict_is_stored_and_the_same_one_again_is_kept() {
        assert_eq!(step(None, &pass()), Step::Store { instead_of: None });
        assert_eq!(step(Some(&stored()), &pass()), Step::Keep);
    }

    #[test]
    fn an_untrusted_key_ends_only_verdicts_of_its_like() {
        assert!(may_end(Trust::Untrusted, Some(Trust::Normal)).is_err());
        assert!(may_end(Trust::Untrusted, Some(Trust::Untrusted)).is_ok());
        assert!(may_end(Trust::Untrusted, None).is_ok());
        assert!(may_end(Trust::Normal, Some(Trust::Trusted)).is_ok());
    }

    #[test]
    fn another_verdict_has_to_say_that_it_replaces() {
        let current = stored();
        let fail = Verdict { result: ReviewResult::Fail, ..pass() };
        assert_eq!(step(Some(&current), &fail), Step::Refuse);
        let replacing = Verdict { replace: true, ..fail };
        assert_eq!(step(Some(&current), &replacing), Step::Store { instead_of: Some(current.review_id) });
    }

    #[test]
    fn a_person_replaces_a_judge_without_saying_so_and_also_when_they_agree() {
        let judged = ReviewRow { reviewer: "judge:some-model".to_owned(), ..stored() };
        let replaces = Step::Store { instead_of: Some(judged.review_id) };
        let fail = Verdict { result: ReviewResult::Fail, ..pass() };
        assert_eq!(step(Some(&judged), &pass()), replaces);
        assert_eq!(step(Some(&judged), &fail), replaces);
        // A key may be called anything; it is no judge for that.
        let person = ReviewRow { reviewer: "key:judge:1".to_owned(), ..stored() };
        assert_eq!(step(Some(&person), &fail), Step::Refuse);
    }
}
