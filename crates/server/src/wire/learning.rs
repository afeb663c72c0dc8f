//! Whether learning works.

use reflect_api::{
    HealthCheck, HealthLevel, LoopHealth, ReportClient, Uplift, UpliftArm, UpliftDifference, UpliftQuery,
};
use reflect_engine::health::{self, ClientReport, Level};
use reflect_engine::uplift::{self, Arm, Difference, Settling, UpliftQuestion};

pub(crate) const fn uplift_question(query: UpliftQuery) -> UpliftQuestion {
    UpliftQuestion { since: query.since, review_error: query.review_error }
}

pub(crate) fn uplift(query: UpliftQuery, uplift: uplift::Uplift) -> Uplift {
    let (more, reason) = match uplift.settling {
        Settling::Settled => (Some(0), None),
        Settling::After(more) => (Some(more), None),
        Settling::Unknown(reason) => (None, Some(reason.to_owned())),
    };
    Uplift {
        causal: uplift.causal,
        with_memories: arm(uplift.with),
        without_memories: arm(uplift.without),
        difference: uplift.difference.map(difference),
        corrected: uplift.corrected.map(difference),
        settled: uplift.settling == Settling::Settled,
        more_held_out_reviews: more,
        reason,
        since: query.since,
        message: uplift.message,
    }
}

fn arm(arm: Arm) -> UpliftArm {
    UpliftArm { runs: arm.runs, reviewed: arm.reviewed, passed: arm.passed, pass_rate: arm.pass_rate() }
}

const fn difference(difference: Difference) -> UpliftDifference {
    UpliftDifference { value: difference.value, low: difference.low, high: difference.high }
}

pub(crate) fn loop_health(health: health::LoopHealth) -> LoopHealth {
    let checks = health.findings.into_iter().map(|finding| HealthCheck {
        check: finding.check.to_owned(),
        level: level(finding.level),
        message: finding.message,
        fix: finding.fix,
        numbers: finding.numbers,
    });
    LoopHealth { status: level(health.status), checks: checks.collect() }
}

const fn level(level: Level) -> HealthLevel {
    match level {
        Level::Ok => HealthLevel::Ok,
        Level::Unknown => HealthLevel::Unknown,
        Level::Warning => HealthLevel::Warning,
        Level::Failing => HealthLevel::Failing,
    }
}

pub(crate) fn client_report(request: ReportClient) -> ClientReport {
    ClientReport {
        client: request.client,
        sdk: request.sdk,
        dropped: request.dropped.unwrap_or(0),
        spooled: request.spooled.unwrap_or(0),
    }
}
