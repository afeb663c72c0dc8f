//! `reflect hook print`: instructions for agents without hooks.

use clap::Args;
use serde_json::json;

use crate::output::Output;

/// Print instructions for an agent without hooks that uses the MCP server.
#[derive(Debug, Args)]
pub(crate) struct Print {}

/// For the file that the agent reads before every task, such as `AGENTS.md`.
const INSTRUCTIONS: &str = include_str!("instructions.md");

pub(super) fn print(_: &Print, output: &Output) -> anyhow::Result<()> {
    output.item("hook.print/1", &json!({ "text": INSTRUCTIONS }), || INSTRUCTIONS.to_owned())
}
