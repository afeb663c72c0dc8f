//! Deliveries: the log, tests, and sending again.

use std::time::Duration;

use clap::Args;
use reflect_api::{DeliveryState, WebhookDelivery, WebhookDeliveryDetail};
use reflect_sdk::ReflectClient;
use serde_json::json;
use uuid::Uuid;

use crate::arguments::length::Length;
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, age, counted};

/// How often the result of a test is asked for, and how long.
const POLL: Duration = Duration::from_millis(500);
const POLLS: usize = 40;

#[derive(Debug, Args)]
pub(crate) struct Test {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
    /// Only deliveries in this state: waiting, delivered or failed.
    #[arg(long)]
    state: Option<DeliveryState>,
    #[command(flatten)]
    length: Length,
}

#[derive(Debug, Args)]
pub(crate) struct Redeliver {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
    /// The id of a delivery that has ended.
    #[arg(required_unless_present = "failed", conflicts_with = "failed")]
    delivery: Option<Uuid>,
    /// Send the events of all failed deliveries again.
    #[arg(long)]
    failed: bool,
}

pub(super) async fn test(arguments: Test, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let queued = client.webhooks.test(arguments.webhook).await?;
    let tested = result_of(&client, arguments.webhook, queued.delivery_id).await?;
    let last = tested.delivery.attempts.last();
    let Some(attempt) = last else {
        return Err(Failure::new(Kind::Check, "webhook_not_tried", "no server has tried the test yet")
            .fix("check that a server or a worker runs, then `reflect webhooks deliveries`")
            .into());
    };
    output.item("webhook.test/1", &tested, || match &attempt.error {
        None => format!("Delivered in {} ms.", attempt.milliseconds),
        Some(error) => format!("Not delivered: {error}."),
    })?;
    match &attempt.error {
        None => Ok(()),
        Some(error) => {
            let message = format!("the webhook did not accept the test: {error}");
            Err(Failure::new(Kind::Check, "webhook_refused", message)
                .fix("correct the receiver; the server tries the test again for a day")
                .into())
        }
    }
}

/// The delivery after its first attempt, or as it is after some time.
async fn result_of(
    client: &ReflectClient,
    webhook: Uuid,
    delivery: Uuid,
) -> anyhow::Result<WebhookDeliveryDetail> {
    for _ in 0..POLLS {
        let found = client.webhooks.delivery(webhook, delivery).await?;
        if !found.delivery.attempts.is_empty() {
            return Ok(found);
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(client.webhooks.delivery(webhook, delivery).await?)
}

pub(super) async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let (webhook, state) = (arguments.webhook, arguments.state);
    let fetch = async |limit, cursor: Option<String>| {
        client.webhooks.deliveries(webhook, state, cursor.as_deref(), Some(limit)).await
    };
    let (deliveries, rest) = arguments.length.pages(fetch).await?;
    output.list("webhook.deliveries/1", &deliveries, rest.as_deref(), || table(&deliveries))?;
    if let Some(failed) = deliveries.iter().find(|delivery| delivery.state == DeliveryState::Failed) {
        output.next(&format!("reflect webhooks redeliver {webhook} {}", failed.id));
    }
    Ok(())
}

pub(super) async fn redeliver(arguments: Redeliver, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let webhook = arguments.webhook;
    let wanted = match arguments.delivery {
        Some(delivery) => vec![delivery],
        None => failed(&client, webhook).await?,
    };
    let mut queued = Vec::with_capacity(wanted.len());
    for delivery in wanted {
        queued.push(client.webhooks.redeliver(webhook, delivery).await?.delivery_id);
    }
    let sent = json!({ "webhook_id": webhook, "delivery_ids": queued });
    output.item("webhook.redeliver/1", &sent, || {
        format!("{} will be sent again.", counted(queued.len(), "event"))
    })
}

/// The failed deliveries whose events did not arrive in a later delivery, oldest first.
async fn failed(client: &ReflectClient, webhook: Uuid) -> anyhow::Result<Vec<Uuid>> {
    let (mut found, mut cursor): (Vec<WebhookDelivery>, Option<String>) = (Vec::new(), None);
    loop {
        let page = client.webhooks.deliveries(webhook, None, cursor.as_deref(), None).await?;
        found.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(newest_failed(&found))
}

/// Of the deliveries of each event, newest first, the last one counts.
fn newest_failed(deliveries: &[WebhookDelivery]) -> Vec<Uuid> {
    let mut seen = std::collections::HashSet::new();
    let newest = deliveries.iter().filter(|delivery| seen.insert(delivery.event_id));
    let mut failed: Vec<Uuid> = newest
        .filter(|delivery| delivery.state == DeliveryState::Failed)
        .map(|delivery| delivery.id)
        .collect();
    failed.reverse();
    failed
}

fn table(deliveries: &[WebhookDelivery]) -> Table {
    let mut table = Table::new(&["#ID", ">AGE", "EVENT", "STATE", ">TRIES", "?~LAST", "?~SUBJECT"]);
    for delivery in deliveries {
        table.row(&[
            &delivery.id.to_string(),
            &age(delivery.created_at),
            &delivery.event,
            delivery.state.as_str(),
            &delivery.attempts.len().to_string(),
            last(delivery),
            &delivery.subject,
        ]);
    }
    table
}

/// The error of the last attempt.
fn last(delivery: &WebhookDelivery) -> &str {
    delivery.attempts.last().and_then(|attempt| attempt.error.as_deref()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(event: u128, state: DeliveryState) -> WebhookDelivery {
        WebhookDelivery {
            id: Uuid::now_v7(),
            event_id: Uuid::from_u128(event),
            event: "memory.created".to_owned(),
            subject: "memory:1".to_owned(),
            state,
            next_attempt_at: None,
            attempts: Vec::new(),
            created_at: chrono::DateTime::UNIX_EPOCH,
            finished_at: None,
        }
    }

    #[test]
    fn an_event_is_sent_again_unless_a_later_delivery_succeeded_or_waits() {
        use DeliveryState::{Delivered, Failed, Waiting};
        let log = [
            delivery(3, Failed),
            delivery(1, Delivered),
            delivery(2, Waiting),
            delivery(2, Failed),
            delivery(1, Failed),
            delivery(4, Failed),
        ];
        assert_eq!(newest_failed(&log), [log[5].id, log[0].id]);
    }
}
