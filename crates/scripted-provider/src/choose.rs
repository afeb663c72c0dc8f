//! Chooses the behaviour of a call.

use std::collections::VecDeque;

use crate::script::{EndpointScript, Mix};

/// The script of one endpoint, and how far it is.
pub(crate) struct Chooser<B> {
    script: EndpointScript<B>,
    queue: VecDeque<B>,
    random: SplitMix,
}

impl<B: Clone> Chooser<B> {
    pub(crate) fn new(script: EndpointScript<B>) -> Self {
        let seed = script.mix.as_ref().map_or(0, |mix| mix.seed);
        Self { queue: script.queue.iter().cloned().collect(), random: SplitMix(seed), script }
    }

    /// The behaviour for a request with this text.
    pub(crate) fn next(&mut self, request_text: &str) -> B {
        let request_text = request_text.to_lowercase();
        let rule = self
            .script
            .rules
            .iter()
            .find(|rule| rule.words.iter().all(|word| request_text.contains(&word.to_lowercase())));
        if let Some(rule) = rule {
            return rule.behaviour.clone();
        }
        if let Some(behaviour) = self.queue.pop_front() {
            return behaviour;
        }
        let by_chance = self.script.mix.as_ref().and_then(|mix| draw(mix, self.random.fraction()));
        by_chance.unwrap_or_else(|| self.script.default.clone())
    }
}

/// The part of the mix for a number between 0 and 1.
fn draw<B: Clone>(mix: &Mix<B>, mut fraction: f64) -> Option<B> {
    for part in &mix.parts {
        if fraction < part.share {
            return Some(part.behaviour.clone());
        }
        fraction -= part.share;
    }
    None
}

/// Random numbers that are the same on every machine and with every library version.
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 (inclusive) to 1 (exclusive).
    fn fraction(&mut self) -> f64 {
        // A double represents 53 bits exactly.
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{ChatBehaviour, MixPart, Rule};

    #[test]
    fn rules_come_before_the_queue_and_the_queue_before_the_default() {
        let mut chooser = Chooser::new(EndpointScript {
            rules: vec![Rule {
                words: vec!["Poison".into(), "apple".into()],
                behaviour: ChatBehaviour::status(401),
            }],
            queue: vec![ChatBehaviour::Hang],
            ..EndpointScript::default()
        });

        assert_eq!(chooser.next("An APPLE full of poison"), ChatBehaviour::status(401));
        assert_eq!(chooser.next("an apple"), ChatBehaviour::Hang);
        assert_eq!(chooser.next("an apple"), ChatBehaviour::Answer);
    }

    #[test]
    fn a_mix_keeps_its_shares_and_is_deterministic() {
        let part = |share, code| MixPart { share, behaviour: ChatBehaviour::status(code) };
        let mix = Some(Mix { seed: 7, parts: vec![part(0.07, 429), part(0.06, 500)] });
        let script = EndpointScript { mix, ..EndpointScript::default() };
        let draw = || {
            let mut chooser = Chooser::new(script.clone());
            (0..10_000).map(|_| chooser.next("")).collect::<Vec<_>>()
        };

        let calls = draw();

        let count = |wanted: &ChatBehaviour| calls.iter().filter(|call| *call == wanted).count();
        assert!((600..800).contains(&count(&ChatBehaviour::status(429))));
        assert!((500..700).contains(&count(&ChatBehaviour::status(500))));
        assert_eq!(calls, draw());
    }
}
