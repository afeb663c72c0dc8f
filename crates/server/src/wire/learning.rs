//! Whether learning works.

use reflect_api::{HealthCheck, LoopHealth, ReportClient, Uplift, UpliftArm, UpliftDifference, UpliftQuery};
use reflect_engine::health::{self, ClientReport};
use reflect_engine::uplift::{self, ArmStats, Certainty, RateDifference, UpliftQuestion};

pub(crate) const fn uplift_question(query: UpliftQuery) -> UpliftQuestion {
    UpliftQuestion { since: query.since, review_error: query.review_error }
}

pub(crate) fn uplift(query: UpliftQuery, uplift: uplift::UpliftReport) -> Uplift {
    let (more, reason) = match uplift.settling {
        Certainty::Settled => (Some(0), None),
        Certainty::After(more) => (Some(more), None),
        Certainty::Unknown(reason) => (None, Some(reason.to_owned())),
    };
    Uplift {
        causal: uplift.causal,
        with_memories: arm(uplift.with),
        without_memories: arm(uplift.without),
        difference: uplift.difference.map(difference),
        corrected: uplift.corrected.map(difference),
        settled: uplift.settling == Certainty::Settled,
        more_held_out_reviews: more,
        reason,
        since: query.since,
        message: uplift.message,
    }
}

fn arm(arm: ArmStats) -> UpliftArm {
    UpliftArm { runs: arm.runs, reviewed: arm.reviewed, passed: arm.passed, pass_rate: arm.pass_rate() }
}

const fn difference(difference: RateDifference) -> UpliftDifference {
    UpliftDifference { value: difference.value, low: difference.low, high: difference.high }
}

pub(crate) fn loop_health(health: health::LearningHealth) -> LoopHealth {
    let checks = health.findings.into_iter().map(|finding| HealthCheck {
        check: finding.check.to_owned(),
        level: finding.level,
        message: finding.message,
        fix: finding.fix,
        numbers: finding.numbers,
    });
    LoopHealth { status: health.status, checks: checks.collect() }
}

pub(crate) fn client_report(request: ReportClient) -> ClientReport {
    ClientReport {
        client: request.client,
        sdk: request.sdk,
        dropped: request.dropped.unwrap_or(0),
        spooled: request.spooled.unwrap_or(0),
    }
}
