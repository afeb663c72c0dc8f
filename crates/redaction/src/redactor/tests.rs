//! What hostile texts cost.

use std::time::{Duration, Instant};

use super::*;

fn cost(redactor: &Redactor, part: &str, length: usize) -> Duration {
    let text = part.repeat(length / part.len());
    // The best of three: others may use the machine.
    let once = || {
        let begin = Instant::now();
        redactor.text(&text, &mut Findings::default());
        begin.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn time_grows_with_the_text_and_not_with_its_square() {
    let policy = Policy { secrets: true, personal: true, ip_addresses: true };
    let redactor = Redactor::new(policy, TagKey::new([5; 32]));
    for part in [
        "token=token=",
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
    ] {
        // Both beyond the length up to which the engine of patterns has faster ways.
        let short = cost(&redactor, part, 10_000).max(Duration::from_millis(1));
        let long = cost(&redactor, part, 40_000);
        // Four times the text; its square would be sixteen times.
        assert!(long < short * 10, "{part}: {short:?} and {long:?}");
    }
}
