//! Values that look like a secret or personal data and are neither.

use crate::draw::{ALNUM, BASE64, DIGITS, Draw, HEX, LOWER, UPPER, text};

type Decoy = fn(&mut Draw) -> String;

/// All kinds of decoys.
pub const ALL: &[Decoy] = &[
    |draw| draw.of(HEX, 40),
    |draw| format!("sha256:{}", draw.of(HEX, 64)),
    |draw| format!("md5 {}", draw.of(HEX, 32)),
    |draw| uuid(draw),
    |draw| format!("token_id={}", uuid(draw)),
    |draw| format!("data:image/png;base64,iVBORw0KGgo{}", draw.of(BASE64, 400)),
    |draw| format!("integrity sha512-{}==", draw.of(BASE64, 86)),
    |draw| format!("commit {} (HEAD -> main)", draw.of(HEX, 7)),
    |draw| format!("order {}", draw.of("123456789", 10)),
    |draw| format!("invoice INV-2026-{}-{}", draw.of(DIGITS, 4), draw.of(DIGITS, 4)),
    |draw| format!("4{}", not_luhn(draw)),
    |draw| {
        format!(
            "version {}.{}.{}-rc.1+build.{}",
            draw.below(20),
            draw.below(20),
            draw.below(99),
            draw.of(DIGITS, 8)
        )
    },
    |draw| format!("v{}.{}.{}.{}", draw.below(20), draw.below(20), draw.below(20), draw.below(20)),
    |draw| {
        format!("the total is {},{}.{} EUR", draw.within(1, 9), draw.of("123456789", 3), draw.of(DIGITS, 2))
    },
    |draw| format!("at 17{} ms since 1970", draw.of(DIGITS, 11)),
    |draw| format!("max_tokens: {}", draw.within(100, 1_000_000)),
    |draw| format!("\"total_tokens\": {}", draw.within(1_000_000, 900_000_000)),
    |draw| format!("token = request.headers.get_{}", draw.of(LOWER, 5)),
    |_| "password = os.environ['DB_PASSWORD']".to_owned(),
    |_| "const apiKey = process.env.OPENAI_API_KEY".to_owned(),
    |_| "password: ${DB_PASSWORD}".to_owned(),
    |_| "api_key: <your-api-key>".to_owned(),
    |_| "the password: must not be empty".to_owned(),
    |draw| format!("secretName: {}-tls-2026", draw.of(LOWER, 6)),
    |_| "Bearer authentication is required, Basic authentication is not".to_owned(),
    |_| "Authorization: Bearer <token>".to_owned(),
    |_| "postgres://user:password@localhost/app".to_owned(),
    |draw| format!("https://{}.test/a/b?page=2&sort=asc#top", draw.of(LOWER, 6)),
    |_| "git@github.com:org/repo.git".to_owned(),
    |_| "icon@2x.png and react@18.2.0 and @types/node".to_owned(),
    |draw| format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----", draw.of(BASE64, 64)),
    |draw| format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} a", draw.of(BASE64, 43)),
    |draw| format!("#{} and 0x{}", draw.of(HEX, 6), draw.of(HEX, 16)),
    |draw| format!("/var/lib/app/{}/{}.json", draw.of(HEX, 16), draw.of(ALNUM, 12)),
    |draw| format!("arn:aws:iam::{}:role/{}", draw.of(DIGITS, 12), draw.of(ALNUM, 10)),
    |draw| format!("ISBN 978-3-{}-{}-7", draw.of(DIGITS, 2), draw.of(DIGITS, 6)),
    |draw| format!("sk-{} is no key", draw.of(LOWER, 8)),
    |draw| format!("{}_{}_{}", draw.of(UPPER, 6), draw.of(UPPER, 8), draw.of(UPPER, 6)),
    |draw| format!("let token = lexer.next_token(); // {} tokens", draw.below(9000)),
    |draw| format!("std::collections::HashMap<u{}, String>", draw.below(64)),
    |draw| {
        format!(
            "lat {}.{}, lon -{}.{}",
            draw.below(90),
            draw.of(DIGITS, 7),
            draw.below(180),
            draw.of(DIGITS, 7)
        )
    },
    |draw| format!("primary_key: {}, foreign_key={}", draw.of(ALNUM, 20), draw.of(ALNUM, 20)),
    |draw| format!("next_page_token: {}", draw.of(ALNUM, 30)),
    |_| "12:30:45 to 13:00:00, room 12-34-56".to_owned(),
    |draw| format!("@@ -{},7 +{},9 @@ fn main()", draw.below(999), draw.below(999)),
];

fn uuid(draw: &mut Draw) -> String {
    let mut part = |length| draw.of(HEX, length);
    format!("{}-{}-{}-{}-{}", part(8), part(4), part(4), part(4), part(12))
}

/// Fifteen digits that are not a valid card number after a 4.
fn not_luhn(draw: &mut Draw) -> String {
    let mut digits = [vec![4], draw.digits(15)].concat();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 1 { d * 2 / 10 + d * 2 % 10 } else { *d })
        .sum();
    if sum.is_multiple_of(10) {
        digits[15] = (digits[15] + 1) % 10;
    }
    text(&digits[1..])
}
