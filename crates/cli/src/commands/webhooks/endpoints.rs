//! Webhooks as endpoints: list, create, change, delete.

use clap::Args;
use reflect_api::{ChangeWebhook, CreateWebhook, CreatedWebhook, RotateWebhookSecret, Webhook};
use reflect_types::WebhookEventType;
use serde_json::json;
use uuid::Uuid;

use crate::connection::Connection;
use crate::output::{Output, Table, age};

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    #[command(flatten)]
    connection: Connection,
    /// The address that receives events, such as https://hooks.example.com/reflect.
    url: String,
    /// A type of event to send. Can be given several times.
    #[arg(long = "event", value_name = "TYPE", required = true)]
    events: Vec<WebhookEventType>,
    /// What the webhook is for.
    #[arg(long)]
    description: Option<String>,
    /// Send texts too: the task and the summary of memories, and the tasks of waiting runs.
    #[arg(long)]
    include_texts: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
    /// Another address.
    #[arg(long)]
    url: Option<String>,
    /// The types of events to send, instead of the earlier ones. Can be given several times.
    #[arg(long = "event", value_name = "TYPE")]
    events: Vec<WebhookEventType>,
    /// What the webhook is for.
    #[arg(long)]
    description: Option<String>,
    /// Whether to send texts.
    #[arg(long, value_name = "BOOL")]
    include_texts: Option<bool>,
    /// Send events, forget the failures, and try what waits.
    #[arg(long, conflicts_with = "disable")]
    enable: bool,
    /// Send no events.
    #[arg(long)]
    disable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
    /// For how many hours requests are also signed with the old secret.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=168))]
    overlap_hours: u32,
}

#[derive(Debug, Args)]
pub(crate) struct One {
    #[command(flatten)]
    connection: Connection,
    /// The id of the webhook.
    webhook: Uuid,
}

pub(super) async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let webhooks = arguments.connection.client()?.webhooks.list().await?;
    output.list("webhook.list/1", &webhooks, None, || table(&webhooks))?;
    if let Some(first) = webhooks.first() {
        output.next(&format!("reflect webhooks deliveries {}", first.id));
    }
    Ok(())
}

pub(super) async fn create(arguments: Create, output: &Output) -> anyhow::Result<()> {
    let request = CreateWebhook {
        url: arguments.url,
        events: arguments.events,
        description: arguments.description,
        include_texts: arguments.include_texts.then_some(true),
    };
    let created = arguments.connection.client()?.webhooks.create(&request).await?;
    show_secret("webhook.create/1", &created, output)?;
    output.next(&format!("reflect webhooks test {}", created.webhook.id));
    Ok(())
}

pub(super) async fn update(arguments: Update, output: &Output) -> anyhow::Result<()> {
    let change = ChangeWebhook {
        url: arguments.url,
        events: (!arguments.events.is_empty()).then_some(arguments.events),
        description: arguments.description,
        include_texts: arguments.include_texts,
        enabled: (arguments.enable || arguments.disable).then_some(arguments.enable),
    };
    let webhook = arguments.connection.client()?.webhooks.update(arguments.webhook, &change).await?;
    output.item("webhook.update/1", &webhook, || format!("{} {}", webhook.url, state(&webhook)))
}

pub(super) async fn rotate(arguments: Rotate, output: &Output) -> anyhow::Result<()> {
    let request = RotateWebhookSecret { overlap_hours: Some(arguments.overlap_hours) };
    let rotated = arguments.connection.client()?.webhooks.rotate(arguments.webhook, &request).await?;
    show_secret("webhook.rotate/1", &rotated, output)
}

pub(super) async fn delete(arguments: One, output: &Output) -> anyhow::Result<()> {
    arguments.connection.client()?.webhooks.delete(arguments.webhook).await?;
    let deleted = json!({ "id": arguments.webhook, "deleted": true });
    output.item("webhook.delete/1", &deleted, || format!("Deleted: {}.", arguments.webhook))
}

/// The secret alone on standard output, so that it can be piped into a file.
fn show_secret(schema: &str, created: &CreatedWebhook, output: &Output) -> anyhow::Result<()> {
    output.item(schema, created, || created.secret.clone())?;
    output.say(&format!(
        "This is the secret of webhook {}. It is not shown again: store it where the receiver reads it.",
        created.webhook.id
    ));
    Ok(())
}

fn table(webhooks: &[Webhook]) -> Table {
    let mut table = Table::new(&["#ID", "?>AGE", "STATE", "EVENTS", "~URL", "?~DESCRIPTION"]);
    for webhook in webhooks {
        let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
        table.row(&[
            &webhook.id.to_string(),
            &age(webhook.created_at),
            &state(webhook),
            &events.join(" "),
            &webhook.url,
            &webhook.description,
        ]);
    }
    table
}

/// Whether events are sent, and if not, why.
fn state(webhook: &Webhook) -> String {
    match (webhook.enabled, &webhook.disabled_reason, webhook.failures) {
        (false, Some(reason), _) => format!("disabled: {reason}"),
        (false, None, _) => "disabled".to_owned(),
        (true, _, 0) => "enabled".to_owned(),
        (true, _, failures) => format!("failing ({failures} rounds)"),
    }
}
