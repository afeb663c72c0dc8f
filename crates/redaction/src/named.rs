//! Secrets that are recognised by the name of their field or variable.
//!
//! `password = "hunter2!"` is a secret. `max_tokens: 1500`, `token = os.environ["TOKEN"]` and `secretName: my-app` are
//! not. The name decides which checks the value must pass. Plain words, paths and example values are never secrets.

use std::sync::LazyLock;

use regex::Regex;

use crate::Class;
use crate::entropy::{Mixture, bits_per_byte};
use crate::pattern::regex;
use crate::placeholder;
use crate::scan::Span;

pub(crate) const ANCHORS: &[&str] = &["passw", "pwd", "passphrase", "secret", "token", "key", "credential"];

/// Words in a name that mark a secret. Longer alternatives come first.
const WORDS: &str = "passwords?|passwd|pwd|passphrase|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|auth[_-]?keys?|account[_-]?keys?\
                     |private[_-]?keys?|signing[_-]?keys?|encryption[_-]?keys?|master[_-]?keys?|shared[_-]?keys?|credentials?";
/// If the last word of a name is one of these, the value is not a secret (`token_count`).
const NOT_SECRET_AFTER: &str = "count counts id ids name names type types url uri endpoint path file files field length len \
    limit limits max min usage used expiry expires expiration expired ttl policy label header param prefix suffix size \
    budget version status provider class ref arn manager store hint regex pattern format rules required ratio rate cost \
    price index level position offset per second day at in fingerprint digest alias issuer scope scopes";
/// If the word before the marking word is one of these, the value is not a secret (`max_tokens`).
const NOT_SECRET_BEFORE: &str = "max min num total prompt completion input output reasoning cached used page next continuation \
    eos bos pad unk sep stop special daily public count idempotency";
const MAX_NAME: usize = 64;
const MIN_PASSWORD: usize = 6;
const MIN_TOKEN: usize = 16;
/// About half the entropy of random letters and digits. Words and identifiers are below it.
const MIN_BITS: f64 = 3.0;

static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r#"(?i-u)(?<name>(?:{WORDS})[a-z0-9_.-]{{0,24}})(?:\\{{0,4}}["'])?[ \t]{{0,4}}(?:=>|:=|==?|:)[ \t]{{0,4}}(?:(?:\\{{0,4}}["'])(?<quoted>(?u:[^"'\\\s]{{6,200}}))|(?<bare>(?u:[^\s"'`,;<>(){{}}\[\]\\|&=:]{{6,200}})))"#
    ))
});
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(&format!("(?i-u)(?:{WORDS})")));

/// Finds secrets by their names. If a value is not a secret, the search continues inside it, so that in `token:
/// password=…` the second name is used. Unquoted values end before `=` and `:`, which keeps the run time linear.
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(found) = NAMED.captures_at(text, from) {
        let (Some(name), Some(value)) = (found.name("name"), found.name("quoted").or(found.name("bare")))
        else {
            return;
        };
        let before = name.start().saturating_sub(1);
        if let Some(length) = text.get(before..).and_then(placeholder::length) {
            from = before + length;
            continue;
        }
        let start = name_start(text, name.start());
        // Only the part that the pattern matched is checked. Otherwise a very long value would be read many times.
        if is_secret(&text[start..name.end()], value.as_str()) {
            let end = value_end(text, value.end(), found.name("quoted").is_some());
            spans.push(Span { start: value.start(), end, class: Class::NamedSecret });
            from = end;
        } else {
            from = value.start();
        }
    }
}

/// Whether the value of a field with this name is a secret.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    if name.len() > MAX_NAME || is_example(value) || value.contains(char::is_whitespace) {
        return false;
    }
    let Some(word) = WORD.find_iter(name).last() else { return false };
    let (before, after) = (parts(&name[..word.start()]), parts(&name[word.end()..]));
    // "tokenizer", "secretary", "passwordless" are other words.
    if name[word.end()..].starts_with(|c: char| c.is_ascii_lowercase()) {
        return false;
    }
    if after.last().is_some_and(|part| is_among(part, NOT_SECRET_AFTER))
        || before.last().is_some_and(|part| is_among(part, NOT_SECRET_BEFORE))
    {
        return false;
    }
    let word = word.as_str().to_ascii_lowercase();
    if is_path_or_url(value) || is_code(value) {
        return false;
    }
    let mixture = Mixture::of(value);
    if word.starts_with('p') && !word.starts_with("private") {
        return value.len() >= MIN_PASSWORD && mixture.letters && (mixture.digits || mixture.others);
    }
    let random = bits_per_byte(value) >= MIN_BITS;
    let long = value.len() >= MIN_TOKEN && (mixture.digits || mixture.both_cases && !mixture.others);
    let dense = value.len() >= 10 && mixture.kinds() >= 3 && mixture.digits && !word.starts_with("token");
    random && mixture.letters && (long || dense)
}

fn is_among(part: &str, words: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == part)
}

/// Whether a value is an example or a placeholder instead of a secret.
pub(crate) fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.starts_with(['$', '{', '<', '%', '[', '*', '#'])
        || value.chars().all(|c| value.starts_with(c))
        || matches!(lower.as_str(), "password" | "passwd" | "pass" | "pwd" | "changeme")
        || ["xxxx", "....", "****", "example", "redacted", "placeholder", "your-", "your_", "<your", "…"]
            .iter()
            .any(|sign| lower.contains(sign))
}

/// Whether a value is a path or a URL.
fn is_path_or_url(value: &str) -> bool {
    value.starts_with(['/', '~', '.']) || value.contains("://") || value.get(1..3) == Some(":\\")
}

/// Whether a value is code, such as `self.password`, `process.env.TOKEN` or a call.
fn is_code(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let value = value.trim_end_matches(['.', '!', '?']);
    value.contains('(')
        || (value.contains('.')
            && value.split('.').all(|part| is_name(part) && !part.contains(|c: char| c.is_ascii_digit())))
        || value.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | '.' | ':' | '/' | '?'))
}

/// The words of a name in lower case. `apiKeyId` and `API_KEY_ID` have the same words.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut previous_is_lower = false;
    for c in name.chars() {
        let is_border = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && previous_is_lower);
        if is_border {
            parts.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.push(c.to_ascii_lowercase());
        }
        previous_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The start of the name that contains the word at this index.
fn name_start(text: &str, word: usize) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    word - text.as_bytes()[..word].iter().rev().take(MAX_NAME / 2).take_while(|byte| is_name(byte)).count()
}

/// The end of the value. The pattern matches at most 200 characters, and a secret can be longer.
fn value_end(text: &str, from: usize, quoted: bool) -> usize {
    let ends = |c: char| match quoted {
        true => c.is_whitespace() || matches!(c, '"' | '\'' | '\\'),
        false => c.is_whitespace() || "\"'`,;<>(){}[]\\|&".contains(c),
    };
    from + text[from..].find(ends).unwrap_or(text.len() - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn secrets_are_found_by_name() {
        for (text, value) in [
            ("password=hunter2", "hunter2"),
            ("DB_PASSWORD: 'tr0ub4dor&3'", "tr0ub4dor&3"),
            (r#"{"api_key": "9f8c2b7a41d64e0bb3a1c5d7e9f01234"}"#, "9f8c2b7a41d64e0bb3a1c5d7e9f01234"),
            (r#"{\"client_secret\": \"Zk8~x2LmPq9RtVw4\"}"#, "Zk8~x2LmPq9RtVw4"),
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzR3tQm9u1L",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzR3tQm9u1L",
            ),
            (
                "https://x.test/a?token=d41d8cd98f00b204e9800998ecf8427e&b=1",
                "d41d8cd98f00b204e9800998ecf8427e",
            ),
            ("token: password=hunter2!abc", "hunter2!abc"),
        ] {
            assert_eq!(found(text), [value], "{text}");
        }
        let long = "9f8c2b7a41d64e0b".repeat(40);
        assert_eq!(found(&format!("secret={long};")), [long.as_str()]);
    }

    #[test]
    fn words_numbers_code_paths_and_examples_are_not_secrets() {
        for text in [
            "max_tokens: 1500000",
            "total_tokens=1234567890123456",
            "tokenizer: cl100k_base_v2_2024",
            "token = self.access_token",
            "password: string",
            "password = os.environ['DB_PASSWORD']",
            "secretName: my-app-credentials-2024",
            "PWD=/home/user/app2",
            "password=${DB_PASSWORD}",
            "api_key: <your-api-key>",
            "token_id=550e8400-e29b-41d4-a716-446655440000",
            "password: [secret:named-secret#1a2b]",
            "api_key = \"xxxxxxxxxxxxxxxxxxxx\"",
            "the password: please change it",
            "secret: projects/app/secrets/database",
            "Authorization tokens: read the documentation",
            "key: value12345678901234567890",
            "next_page_token: CAUQAAaaBBccDD1234567890",
            "passwordless: enabled1",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
