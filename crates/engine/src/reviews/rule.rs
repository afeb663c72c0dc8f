//! What a review means for a run that may already have one. A pure rule.

use reflect_store::ReviewRow;
use reflect_types::{Alpha, ReviewId, Trust};

use super::verdict::ReviewRequest;
use crate::error::EngineError;

/// What to do with a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VerdictChange {
    /// The same review exists.
    Keep,
    /// Store it, and replace the existing review if there is one.
    Store { instead_of: Option<ReviewId> },
    /// It contradicts the existing review.
    Refuse,
}

/// The same review again changes nothing. A different one must ask to replace the first. A person's review always
/// replaces that of a judge or of signals, even with the same result, because it counts more.
pub(super) fn verdict_change(current: Option<&ReviewRow>, verdict: &ReviewRequest) -> VerdictChange {
    let Some(current) = current else { return VerdictChange::Store { instead_of: None } };
    if current.by().is_automatic() {
        return VerdictChange::Store { instead_of: Some(current.review_id) };
    }
    let same = current.result == verdict.result
        && current.feedback == verdict.feedback
        && current.alpha == verdict.alpha.unwrap_or(Alpha::DEFAULT).get()
        && current.authored == verdict.authored.as_ref().and_then(|lesson| serde_json::to_value(lesson).ok());
    match (same, verdict.replace) {
        (true, _) => VerdictChange::Keep,
        (false, true) => VerdictChange::Store { instead_of: Some(current.review_id) },
        (false, false) => VerdictChange::Refuse,
    }
}

/// An untrusted key must not end the review of a trusted one, because that would undo its effects.
pub(super) fn check_may_end(trust: Trust, of: Option<Trust>) -> Result<(), EngineError> {
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

    fn pass() -> ReviewRequest {
        ReviewRequest {
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
        assert_eq!(verdict_change(None, &pass()), VerdictChange::Store { instead_of: None });
        assert_eq!(verdict_change(Some(&stored()), &pass()), VerdictChange::Keep);
    }

    #[test]
    fn an_untrusted_key_ends_only_verdicts_of_its_like() {
        assert!(check_may_end(Trust::Untrusted, Some(Trust::Normal)).is_err());
        assert!(check_may_end(Trust::Untrusted, Some(Trust::Untrusted)).is_ok());
        assert!(check_may_end(Trust::Untrusted, None).is_ok());
        assert!(check_may_end(Trust::Normal, Some(Trust::Trusted)).is_ok());
    }

    #[test]
    fn another_verdict_has_to_say_that_it_replaces() {
        let current = stored();
        let fail = ReviewRequest { result: ReviewResult::Fail, ..pass() };
        assert_eq!(verdict_change(Some(&current), &fail), VerdictChange::Refuse);
        let replacing = ReviewRequest { replace: true, ..fail };
        assert_eq!(
            verdict_change(Some(&current), &replacing),
            VerdictChange::Store { instead_of: Some(current.review_id) }
        );
    }

    #[test]
    fn a_person_replaces_a_judge_and_signals_without_saying_so_and_also_when_they_agree() {
        let fail = ReviewRequest { result: ReviewResult::Fail, ..pass() };
        for reviewer in ["judge:some-model", "signal:ci"] {
            let automatic = ReviewRow { reviewer: reviewer.to_owned(), ..stored() };
            let replaces = VerdictChange::Store { instead_of: Some(automatic.review_id) };
            assert_eq!(verdict_change(Some(&automatic), &pass()), replaces);
            assert_eq!(verdict_change(Some(&automatic), &fail), replaces);
        }
        // A key may be called anything; it is no judge for that.
        let person = ReviewRow { reviewer: "key:judge:1".to_owned(), ..stored() };
        assert_eq!(verdict_change(Some(&person), &fail), VerdictChange::Refuse);
    }
}
