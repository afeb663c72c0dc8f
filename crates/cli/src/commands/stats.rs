//! `reflect stats`: whether the loop turns and whether memories help, in numbers.

use std::time::SystemTime;

use clap::Args;
use owo_colors::OwoColorize;
use reflect_api::{HealthLevel, LoopHealth, Overview, Uplift, UpliftArm, UpliftQuery};
use serde_json::json;

use crate::connection::Connection;
use crate::output::{Output, hanging, plain_line};
use crate::timestamp::parse_timestamp;

/// Show how many runs are reviewed and whether memories help.
#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    connection: Connection,
    /// Compare only runs since this time, such as 30d or 2026-11-01.
    #[arg(long)]
    since: Option<String>,
}

pub(crate) async fn run(arguments: Stats, output: &Output) -> anyhow::Result<()> {
    let since =
        arguments.since.as_deref().map(|text| parse_timestamp(text, SystemTime::now())).transpose()?;
    let client = arguments.connection.client()?;
    let overview = client.project.overview().await?;
    let health = client.project.loop_health().await?;
    let uplift = client.project.uplift(UpliftQuery { since, review_error: None }).await?;
    let item = json!({ "overview": overview, "loop_health": health, "uplift": uplift });
    output.item("stats/1", &item, || {
        described(&overview, &health, &uplift, output.terminal.colour_out, output.terminal.width())
    })?;
    if health.checks.iter().any(|check| check.level != HealthLevel::Ok) {
        output.next("reflect doctor");
    }
    Ok(())
}

fn described(
    overview: &Overview,
    health: &LoopHealth,
    uplift: &Uplift,
    colour: bool,
    width: Option<u16>,
) -> String {
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let more = |more: bool| if more { "+" } else { "" };
    let (traces, reviews) = (&overview.traces, &overview.reviews);
    let mut text = format!(
        "Runs      {}{more} in 24 h, {}{more} in 7 d\nReviewed  {} of {} ({}), {}{} waiting\n",
        traces.last_24h,
        traces.last_7d,
        reviews.reviewed,
        reviews.runs,
        share(reviews.share),
        reviews.pending,
        more(reviews.pending_more),
        more = more(traces.more),
    );
    text.push_str(&format!("Lessons   {} from {} situations\n", overview.lessons, overview.situations));
    let arm = |arm: &UpliftArm| format!("{} of {} reviewed runs", share(arm.pass_rate), arm.reviewed);
    let passed =
        format!("{} with memories, {} without", arm(&uplift.with_memories), arm(&uplift.without_memories));
    text.push_str(&format!(
        "{}\n{}\n\nLoop\n",
        hanging("Passed    ", &passed, 10, width),
        hanging("Uplift    ", &uplift.message, 10, width),
    ));
    for check in &health.checks {
        let level = match check.level {
            HealthLevel::Ok => "ok   ".to_owned(),
            HealthLevel::Unknown => "?    ".to_owned(),
            HealthLevel::Warning if colour => "warn ".yellow().to_string(),
            HealthLevel::Warning => "warn ".to_owned(),
            HealthLevel::Failing if colour => "FAIL ".red().to_string(),
            HealthLevel::Failing => "FAIL ".to_owned(),
        };
        let before = format!("  {level} {:<22} ", plain_line(&check.check));
        text.push_str(&hanging(&before, &check.message, 31, width));
        text.push('\n');
    }
    text
}
