//! `reflect webhooks`: endpoints that receive events, and what was delivered to them.

mod deliveries;
mod endpoints;

use clap::Subcommand;

use crate::output::Output;

/// List, create, change, test and delete webhooks, and show and repeat deliveries.
#[derive(Debug, Subcommand)]
pub(crate) enum Webhooks {
    /// List the webhooks of a project.
    List(endpoints::List),
    /// Create a webhook. The secret is printed once, on standard output.
    Create(endpoints::Create),
    /// Change a webhook, or enable or disable it.
    Update(endpoints::Update),
    /// Replace the secret of a webhook. Requests are signed with both secrets for some time.
    Rotate(endpoints::Rotate),
    /// Delete a webhook.
    Delete(endpoints::One),
    /// Send a test event, and wait for the result.
    Test(deliveries::Test),
    /// List the deliveries of a webhook, newest first.
    Deliveries(deliveries::List),
    /// Send the event of a delivery again, or those of all failed deliveries.
    Redeliver(deliveries::Redeliver),
}

pub(crate) async fn run(webhooks: Webhooks, output: &Output) -> anyhow::Result<()> {
    match webhooks {
        Webhooks::List(arguments) => endpoints::list(arguments, output).await,
        Webhooks::Create(arguments) => endpoints::create(arguments, output).await,
        Webhooks::Update(arguments) => endpoints::update(arguments, output).await,
        Webhooks::Rotate(arguments) => endpoints::rotate(arguments, output).await,
        Webhooks::Delete(arguments) => endpoints::delete(arguments, output).await,
        Webhooks::Test(arguments) => deliveries::test(arguments, output).await,
        Webhooks::Deliveries(arguments) => deliveries::list(arguments, output).await,
        Webhooks::Redeliver(arguments) => deliveries::redeliver(arguments, output).await,
    }
}
