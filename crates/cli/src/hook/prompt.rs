//! On a prompt: the lessons for it.

use std::time::{Duration, SystemTime};

use reflect_sdk::MemoryQuery;
use serde_json::Value;

use super::CodingAgent;
use super::event::{HookEvent, context};
use super::mask::Mask;
use super::options::HookOptions;
use super::record::shortened;
use super::session::PendingPrompt;
use super::state::State;
use crate::spool::Destination;

/// The longest task that is sent, in bytes. The server takes 64 kB.
const LONGEST_TASK: usize = 32 * 1024;
/// Claude Code takes 10,000 characters of a hook. If there are more, the model gets only the first 2,000 of them. The server
/// counts four characters as a token.
const MOST_TOKENS_OF_CLAUDE_CODE: u32 = 2400;

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
    let most_tokens = match agent {
        CodingAgent::ClaudeCode => options.max_tokens.min(MOST_TOKENS_OF_CLAUDE_CODE),
        CodingAgent::Codex => options.max_tokens,
    };
    let query = MemoryQuery::new(shortened(&task, LONGEST_TASK)).max_tokens(most_tokens as usize);
    let found = client.memories.augment(query).await?;
    // The run must be linked to the receipt even if it got no lessons: it may be held out.
    if let Some(receipt) = found.retrieval_id {
        let pending = PendingPrompt::new(event.turn(), prompt, receipt, found.memory_ids().collect());
        let destination = Destination::of(&options.connection)?;
        state.session(agent, &destination, &event.session_id)?.add_prompt(&pending, SystemTime::now())?;
    } else if options.debug {
        super::entry::say(found.degraded.as_deref().unwrap_or("the server did not respond"));
    }
    Ok((!found.memory_block.is_empty()).then(|| context(&found.memory_block)))
}
