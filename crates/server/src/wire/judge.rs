//! The judge.

use reflect_api::{JudgeAgreement, JudgeOpinion, JudgeStatus, JudgeVerdict, JudgeWeek, TryJudge};
use reflect_engine::{self as engine, Agreement, GivenRun, JudgeTry, Opinion, TriedRun};
use reflect_types::{ReviewResult, TraceId};

pub(crate) fn judge_status(status: engine::JudgeReport) -> JudgeStatus {
    let week = status.week;
    JudgeStatus {
        settings: status.settings,
        model: status.model,
        state: status.state,
        stopped: status.agreement.stopped,
        message: status.message,
        fix: status.fix,
        agreement: agreement(&status.agreement),
        last_week: JudgeWeek {
            judged: count(week.judged),
            passed: count(week.passed),
            failed: count(week.failed),
            unclear: count(week.unclear),
            blind: count(week.blind),
            applied: count(week.applied),
        },
        tokens_today: count(status.tokens_today),
    }
}

pub(super) fn agreement(agreement: &Agreement) -> JudgeAgreement {
    let pairs = agreement.pairs;
    JudgeAgreement {
        pairs: count(pairs.total()),
        agreed: count(pairs.agreed()),
        passes: count(pairs.passes),
        passes_right: count(pairs.agreed_passes),
        fails: count(pairs.fails),
        fails_right: count(pairs.agreed_fails),
        tpr: agreement.tpr,
        tnr: agreement.tnr,
        informedness: agreement.informedness,
        step: agreement.step,
    }
}

/// Counts are never negative.
pub(super) fn count(counted: i64) -> u64 {
    u64::try_from(counted).unwrap_or(0)
}

pub(crate) fn judge_try(request: TryJudge) -> JudgeTry {
    let run = match request.trace_id {
        Some(id) => TriedRun::Stored(id.parse().ok()),
        None => TriedRun::Given(GivenRun {
            task: request.task.unwrap_or_default(),
            trajectory: request.trajectory,
            final_response: request.final_response,
            reference_context: request.reference_context,
        }),
    };
    JudgeTry { run, rubric: request.rubric }
}

pub(crate) fn judge_opinion(trace_id: Option<TraceId>, model: String, opinion: Opinion) -> JudgeOpinion {
    JudgeOpinion {
        trace_id,
        verdict: match opinion.result {
            Some(ReviewResult::Pass) => JudgeVerdict::Pass,
            Some(ReviewResult::Fail) => JudgeVerdict::Fail,
            None => JudgeVerdict::Unclear,
        },
        feedback_text: opinion.feedback,
        confidence: opinion.confidence,
        model,
        input_tokens: count(opinion.cost.input_tokens),
        output_tokens: count(opinion.cost.output_tokens),
    }
}
