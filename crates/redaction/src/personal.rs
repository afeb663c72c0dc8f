//! Personal data with a known format, most of it with a checksum: e-mail addresses, payment cards, bank accounts,
//! national identity numbers.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::Class;
use crate::checksums::{codice_fiscale, cpf, digits, dni, luhn, mod_97, nir, pesel};
use crate::pattern::regex;
use crate::scan::{Span, continues, find_accepted, is_inside_word};

/// File name extensions. `logo@2x.png` has the form of an e-mail address and is not one.
const FILE_EXTENSIONS: &[&str] =
    &["png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "py", "rs", "go", "java", "json", "md"];
const MAX_LOCAL_PART: usize = 64;

/// The length of an IBAN by country, from the ISO 13616 registry.
const ACCOUNTS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("XK", 20),
];

type Check = fn(&str) -> bool;

struct Compiled {
    email: Regex,
    card: Regex,
    account: Regex,
    national: Vec<(Regex, Check)>,
}

static RULES: LazyLock<Compiled> = LazyLock::new(|| Compiled {
    email: regex(
        r"(?-u)@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62}){0,5}\.(?<top>[A-Za-z]{2,24})\b{end-half}",
    ),
    card: regex(
        r"(?-u)\b{start-half}(?:[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}|[0-9]{14,19})\b{end-half}",
    ),
    account: regex(r"(?-u)\b{start-half}[A-Z]{2}[0-9]{2}[ A-Z0-9]{11,50}"),
    national: vec![
        (regex(r"(?-u)\b{start-half}[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}\b{end-half}"), cpf as Check),
        (regex(r"(?-u)\b{start-half}(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z]\b{end-half}"), dni),
        (
            regex(
                r"(?-u)\b{start-half}[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}\b{end-half}",
            ),
            nir,
        ),
        (regex(r"(?-u)\b{start-half}[0-9]{11}\b{end-half}"), pesel),
        (
            regex(
                r"(?i-u)\b{start-half}[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]\b{end-half}",
            ),
            codice_fiscale,
        ),
    ],
});

pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    find_emails(text, spans);
    let card = |place: Range<usize>| {
        (is_card(&text[place.clone()]) && stands_alone(text, place.clone())).then_some(place)
    };
    find_accepted(&RULES.card, text, Class::PaymentCard, card, spans);
    let account = |place: Range<usize>| {
        let end = place.start + account_length(&text[place.clone()])?;
        (!continues(text, end)).then_some(place.start..end)
    };
    find_accepted(&RULES.account, text, Class::Iban, account, spans);
    for (pattern, check) in &RULES.national {
        let number = |place: Range<usize>| {
            (check(&text[place.clone()]) && stands_alone(text, place.clone())).then_some(place)
        };
        find_accepted(pattern, text, Class::NationalId, number, spans);
    }
}

/// Finds `@domain` first and then reads the local part backwards, so a text without `@` costs nothing.
fn find_emails(text: &str, spans: &mut Vec<Span>) {
    for found in RULES.email.captures_iter(text) {
        let (Some(domain), Some(top)) = (found.get(0), found.name("top")) else { continue };
        let is_local =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
        let before = text.as_bytes()[..domain.start()].iter().rev().take(MAX_LOCAL_PART);
        let start = domain.start() - before.take_while(|byte| is_local(byte)).count();
        let local = text[start..domain.start()].trim_start_matches(['.', '-', '%', '+']);
        let is_repository = local == "git" && text[domain.end()..].starts_with(':');
        if local.is_empty()
            || is_repository
            || FILE_EXTENSIONS.contains(&top.as_str().to_ascii_lowercase().as_str())
        {
            continue;
        }
        spans.push(Span { start: domain.start() - local.len(), end: domain.end(), class: Class::Email });
    }
}

/// Whether the number is not part of a decimal number, a version or a longer sequence of groups.
fn stands_alone(text: &str, place: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'.' | b'-' | b'/' | b':'));
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let before = |back: usize| place.start.checked_sub(back).and_then(|at| bytes.get(at));
    let is_tail = joins(before(1)) && is_digit(before(2));
    let is_head = joins(bytes.get(place.end)) && is_digit(bytes.get(place.end + 1));
    !(is_inside_word(text, place.start) || is_tail || is_head)
}

/// Whether a number is a payment card: the prefix and length match an issuer, and the checksum is correct.
fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let first = |count: usize| digits[..count].iter().fold(0, |number, digit| number * 10 + digit);
    let brand = match digits.len() {
        14 => matches!(first(3), 300..=305) || matches!(first(2), 36 | 38 | 39),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 62 | 65)
                || matches!(first(4), 2221..=2720 | 6011 | 3528..=3589)
                || matches!(first(3), 644..=649)
        }
        17..=19 => first(2) == 62,
        _ => false,
    };
    brand && digits.iter().any(|digit| *digit != digits[0]) && luhn(&digits)
}

/// The length of the IBAN, including spaces, at the start of a text.
fn account_length(text: &str) -> Option<usize> {
    let (_, length) = ACCOUNTS.iter().find(|(country, _)| text.starts_with(country))?;
    let mut account = String::with_capacity(*length);
    for (at, c) in text.char_indices() {
        if c != ' ' {
            account.push(c);
        } else if text[at..].starts_with("  ") {
            return None;
        }
        if account.len() == *length {
            return mod_97(&account).then_some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Class)> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.iter().map(|span| (&text[span.start..span.end], span.class)).collect()
    }

    #[test]
    fn personal_data_is_found() {
        for (text, value, class) in [
            ("write to bob.o'neil+x@mail.example.co.uk.", "neil+x@mail.example.co.uk", Class::Email),
            ("<ann@example.org>", "ann@example.org", Class::Email),
            ("card 4111-1111-1111-1111 12/26", "4111-1111-1111-1111", Class::PaymentCard),
            ("amex 378282246310005", "378282246310005", Class::PaymentCard),
            ("IBAN DE89 3704 0044 0532 0130 00 AND MORE", "DE89 3704 0044 0532 0130 00", Class::Iban),
            ("AB12 PLUS GB29NWBK60161331926819", "GB29NWBK60161331926819", Class::Iban),
            ("1234 4111 1111 1111 1111", "4111 1111 1111 1111", Class::PaymentCard),
            ("GB29NWBK60161331926819", "GB29NWBK60161331926819", Class::Iban),
            ("CPF 529.982.247-25,", "529.982.247-25", Class::NationalId),
            ("DNI 12345678Z", "12345678Z", Class::NationalId),
            ("CF RSSMRA85T10A562S", "RSSMRA85T10A562S", Class::NationalId),
        ] {
            assert_eq!(found(text), [(value, class)], "{text}");
        }
    }

    #[test]
    fn other_numbers_and_names_are_not_personal_data() {
        for text in [
            "git@github.com:org/repo.git",
            "logo@2x.png",
            "react@18.2.0",
            "@types/node",
            "4111 1111 1111 1112",
            "0.4111111111111111",
            "1763212345678",
            "DE89 3704 0044 0532 0130 01",
            "12345678901234567890",
            "2026-11-15T13:33:48",
            "1111111111111111",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
