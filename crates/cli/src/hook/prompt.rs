//! On a prompt: the lessons for it.

use std::time::{Duration, SystemTime};

use reflect_sdk::MemoryQuery;
use serde_json::Value;

use super::CodingAgent;
use super::event::{HookEvent, context};
use super::mask::Mask;
use super::options::HookOptions;
use super::record::shortened;
use super::report::say;
use super::session::PendingPrompt;
use super::state::State;
use crate::spool::Destination;

/// The longest task that is sent, in bytes. The server takes 64 kB.
const LONGEST_TASK: usize = 32 * 1024;
/// Claude Code takes 10,000 characters of a hook, and Codex 10,000 bytes. Of a longer text the model gets only the begin. The
/// server counts four characters as a token.
const MOST_TOKENS: usize = 2400;
const MOST_BYTES_OF_CODEX: usize = 10_000;

/// What the hook answers to a prompt. `None` if there are no lessons.
pub(super) async fn lessons(
    agent: CodingAgent,
    options: &HookOptions,
    event: &HookEvent,
    left: Duration,
) -> anyhow::Result<Option<Value>> {
    let prompt = event.prompt.as_deref().unwrap_or_default().trim();
    if prompt.is_empty() {
        return Ok(None);
    }
    let state = State::open(options.state_folder()?)?;
    let task = Mask::new(options.mask, &state)?.text(prompt);
    let client = options.client_builder()?.max_retries(0).retrieval_timeout(left).build()?;
    let destination = Destination::of(&options.connection)?;
    let session = state.session(agent, &destination, &event.session_id)?;
    session.begin(SystemTime::now())?;
    let query = MemoryQuery::new(shortened(&task, LONGEST_TASK));
    let most_tokens = MOST_TOKENS.min(options.max_tokens as usize);
    let mut found = client.memories.augment(query.clone().max_tokens(most_tokens)).await?;
    let bytes = found.memory_block.len();
    if agent == CodingAgent::Codex && bytes > MOST_BYTES_OF_CODEX {
        // Characters of several bytes.
        let fewer = most_tokens * MOST_BYTES_OF_CODEX * 9 / 10 / bytes;
        found = client.memories.augment(query.max_tokens(fewer)).await?;
    }
    // The run must be linked to the receipt even if it got no lessons: it may be held out.
    if let Some(receipt) = found.retrieval_id {
        let pending = PendingPrompt::new(event.turn(), prompt, receipt, found.memory_ids().collect());
        session.add_prompt(&pending, SystemTime::now())?;
    } else if options.debug {
        say(found.degraded.as_deref().unwrap_or("the server did not respond"));
    }
    Ok((!found.memory_block.is_empty()).then(|| context(&found.memory_block)))
}
