//! The model provider of the run: scripted, in this process, and as bad as it is told to be.

use reflect_scripted_provider::{ChatBehaviour, Lane, Mix, Part, Script};

/// Fewer numbers than a real model gives, because here nobody looks at what is found.
const DIMENSION: usize = 64;

/// How the provider behaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manners {
    pub(crate) busy_share: f64,
    pub(crate) slow_share: f64,
    pub(crate) slow_ms: u64,
    pub(crate) seed: u64,
}

/// Some calls are refused as too many, some are answered after a long time.
pub(crate) fn bad(manners: Manners) -> Script {
    let parts = vec![
        Part { share: manners.busy_share, behaviour: ChatBehaviour::status(429) },
        Part { share: manners.slow_share, behaviour: ChatBehaviour::DelayMs(manners.slow_ms) },
    ];
    let mix = Some(Mix { seed: manners.seed, parts });
    Script { chat: Lane { mix, ..Lane::default() }, dimension: DIMENSION, ..Script::default() }
}

/// Every call is answered at once.
pub(crate) fn good() -> Script {
    Script { dimension: DIMENSION, ..Script::default() }
}

/// Every call keeps its caller waiting.
pub(crate) fn slow(milliseconds: u64) -> Script {
    let chat = Lane::always(ChatBehaviour::DelayMs(milliseconds));
    Script { chat, dimension: DIMENSION, ..Script::default() }
}
