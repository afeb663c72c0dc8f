//! Texts that try to be slow: the beginnings of all patterns, repeated.

use std::time::Instant;

use reflect_redaction::{Findings, Policy, Redactor, TagKey};

const PARTS: &[&str] = &[
    "token=token=",
    "token:token:",
    "password: ",
    "secret=aB3$",
    "xghp_eyJ",
    "eyJaaaaaaaaa.",
    "a@a.bc",
    "@a.b",
    "4111-",
    "4111 ",
    "1234567890",
    "DE89 ",
    "+1 (2) ",
    "::1",
    "1.2.3.4.",
    "a://b:c",
    "a://b:c@",
    "bearer ",
    "Authorization: Bearer aB3",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "\\",
    "sk-",
    "[secret:",
    "api_key=[pii:email#",
    "AKIA",
    "Q~",
    "é@é.",
];
/// Long enough that every regular expression engine has reached its steady state.
const SHORT: usize = 256 * 1024;
const LONGER: usize = 4;

/// The cost of one text.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// The repeated text.
    pub part: &'static str,
    /// The time per megabyte of the longer text.
    pub milliseconds: f64,
    /// The time relative to a text of a quarter of the length: about 4 if linear, 16 if quadratic.
    pub growth: f64,
}

/// Measures each text with all rules.
pub fn costs() -> Vec<Cost> {
    let policy = Policy { secrets: true, personal: true, ip_addresses: true };
    let redactor = Redactor::new(policy, TagKey::new([9; 32]));
    let cost = |part: &&'static str| {
        let seconds = |length: usize| {
            let text = part.repeat(length / part.len());
            let once = || {
                let begin = Instant::now();
                redactor.text(&text, &mut Findings::default());
                begin.elapsed().as_secs_f64()
            };
            // The best of three, because the machine may be shared.
            (0..3).map(|_| once()).fold(f64::MAX, f64::min)
        };
        let (short, long) = (seconds(SHORT), seconds(SHORT * LONGER));
        let megabytes = (SHORT * LONGER) as f64 / 1024.0 / 1024.0;
        Cost { part, milliseconds: long * 1000.0 / megabytes, growth: long / short }
    };
    PARTS.iter().map(cost).collect()
}
