//! The judge.

use reflect_api::{
    ChangeJudge, JudgeAgreement, JudgeState, JudgeStatus, JudgeVerdict, JudgeWeek, ProjectJudge, TriedJudge,
    TryJudge,
};
use reflect_engine::{
    self as engine, Agreement, GivenRun, JudgeChange, JudgeSettings, JudgeTry, Opinion, TriedRun,
};
use reflect_types::{ReviewResult, TraceId};

pub(crate) fn project_judge(settings: JudgeSettings) -> ProjectJudge {
    ProjectJudge {
        enabled: settings.enabled,
        rubric: settings.rubric,
        sample_rate: settings.sample_rate,
        blind_share: settings.blind_share,
        daily_tokens: settings.daily_tokens,
        delay_seconds: settings.delay_seconds,
    }
}

pub(crate) fn judge_change(request: ChangeJudge) -> JudgeChange {
    JudgeChange {
        enabled: request.enabled,
        rubric: request.rubric,
        sample_rate: request.sample_rate,
        blind_share: request.blind_share,
        daily_tokens: request.daily_tokens,
        delay_seconds: request.delay_seconds,
    }
}

pub(crate) fn judge_status(status: engine::JudgeStatus) -> JudgeStatus {
    let state = match status.state {
        engine::JudgeState::Off => JudgeState::Off,
        engine::JudgeState::NoModel => JudgeState::NoModel,
        engine::JudgeState::Stopped => JudgeState::Stopped,
        engine::JudgeState::Spent => JudgeState::Spent,
        engine::JudgeState::Judging => JudgeState::Judging,
    };
    let week = status.week;
    JudgeStatus {
        settings: project_judge(status.settings),
        model: status.model,
        state,
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

fn agreement(agreement: &Agreement) -> JudgeAgreement {
    let pairs = agreement.pairs;
    JudgeAgreement {
        pairs: count(pairs.total()),
        agreed: count(pairs.agreed()),
        passes: count(pairs.passes),
        passes_right: count(pairs.passes_right),
        fails: count(pairs.fails),
        fails_right: count(pairs.fails_right),
        tpr: agreement.tpr,
        tnr: agreement.tnr,
        informedness: agreement.informedness,
        step: agreement.step,
    }
}

/// Whatever was counted is no less than nought.
fn count(counted: i64) -> u64 {
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

pub(crate) fn tried_judge(trace_id: Option<TraceId>, model: String, opinion: Opinion) -> TriedJudge {
    TriedJudge {
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
