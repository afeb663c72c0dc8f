//! Texts made to be slow: beginnings of everything, over and over.

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
/// Long enough for every engine of patterns to be in the state in which it stays.
const SHORT: usize = 256 * 1024;
const LONGER: usize = 4;

/// What one of them costs.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// What is repeated.
    pub part: &'static str,
    /// By megabyte of the longer text.
    pub milliseconds: f64,
    /// How many times as long it takes as a text of a quarter of its length: about 4, or 16 for a square.
    pub growth: f64,
}

/// What each of them costs, with everything looked for.
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
            // The best of three: others may use the machine.
            (0..3).map(|_| once()).fold(f64::MAX, f64::min)
        };
        let (short, long) = (seconds(SHORT), seconds(SHORT * LONGER));
        let megabytes = (SHORT * LONGER) as f64 / 1024.0 / 1024.0;
        Cost { part, milliseconds: long * 1000.0 / megabytes, growth: long / short }
    };
    PARTS.iter().map(cost).collect()
}
