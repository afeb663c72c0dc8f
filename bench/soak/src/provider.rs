//! The scripts of the model provider of a run.

use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Mix, MixPart, Rule, Script};

/// Fewer dimensions than a real model has, because search quality does not matter here.
const DIMENSION: usize = 64;

/// The criteria of a judge, by which the provider recognises its calls.
pub const RUBRIC: &str = "The kettle must whistle.";
const VERDICT: &str = r#"{"feedback": "It whistled.", "score": 0.9, "verdict": "pass", "criteria": []}"#;

/// The behaviour of the provider.
#[derive(Debug, Clone, Copy)]
pub struct Manners {
    /// The share of calls that are rejected with 429.
    pub busy_share: f64,
    /// The share of slow calls.
    pub slow_share: f64,
    /// How long a slow call takes.
    pub slow_ms: u64,
    /// The random seed.
    pub seed: u64,
}

/// Some calls are rejected with 429, some are slow.
pub fn bad(manners: Manners) -> Script {
    let parts = vec![
        MixPart { share: manners.busy_share, behaviour: ChatBehaviour::status(429) },
        MixPart { share: manners.slow_share, behaviour: ChatBehaviour::DelayMs(manners.slow_ms) },
    ];
    let mix = Some(Mix { seed: manners.seed, parts });
    Script {
        chat: EndpointScript { mix, ..EndpointScript::default() },
        dimension: DIMENSION,
        ..Script::default()
    }
}

/// Every call gets an immediate response.
pub fn good() -> Script {
    Script { dimension: DIMENSION, ..Script::default() }
}

/// Every call is slow.
pub fn slow(milliseconds: u64) -> Script {
    let chat = EndpointScript::always(ChatBehaviour::DelayMs(milliseconds));
    Script { chat, dimension: DIMENSION, ..Script::default() }
}

/// A judge with [`RUBRIC`] has a clear verdict.
pub fn judged(mut script: Script) -> Script {
    let behaviour = ChatBehaviour::Text(VERDICT.to_owned());
    script.chat.rules.push(Rule { words: vec![RUBRIC.to_owned()], behaviour });
    script
}
