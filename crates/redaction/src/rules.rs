//! All rules together: one pass that says which of them are worth trying, and then those.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Regex;

use crate::Class;
use crate::entropy::Mixture;
use crate::named;
use crate::scan::Span;
use crate::secrets::FORMS;
use crate::{network, pem, personal, phone};

/// What may come right before a token: nothing of a word, an underscore, or an escape.
const BEFORE: &str = r"(?:\b{start-half}|_|\\[bfnrt]|\\u00[0-9a-fA-F]{2})";
/// Rules that are no forms, with their anchors.
const PRIVATE_KEY: &[&str] = &["private key"];
const URL: &[&str] = &["://"];
const AUTHORIZATION: &[&str] = &["authorization", "bearer", "basic"];
/// How JSON may write what would be an anchor: any printable character of ASCII by its number, and a slash.
const HIDDEN: &[&str] = &["\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007", ":\\/", "\\/api\\/"];

/// Which rules a text is worth trying.
type Rules = u32;
const PEM_RULE: Rules = 1 << 24;
const URL_RULE: Rules = 1 << 25;
const AUTHORIZATION_RULE: Rules = 1 << 26;
const NAMED_RULE: Rules = 1 << 27;
const HIDDEN_RULE: Rules = 1 << 28;

struct Compiled {
    anchors: AhoCorasick,
    /// By anchor, the rule that it announces.
    announces: Vec<Rules>,
    all: Rules,
    forms: Vec<Regex>,
    url: Regex,
    authorization: Regex,
}

static RULES: LazyLock<Compiled> = LazyLock::new(Compiled::new);

impl Compiled {
    fn new() -> Self {
        let forms = FORMS.iter().enumerate().map(|(index, form)| (form.anchors, 1 << index));
        let others = [
            (PRIVATE_KEY, PEM_RULE),
            (URL, URL_RULE),
            (AUTHORIZATION, AUTHORIZATION_RULE),
            (named::ANCHORS, NAMED_RULE),
            (HIDDEN, HIDDEN_RULE),
        ];
        let (texts, announces): (Vec<&str>, Vec<Rules>) = forms
            .chain(others)
            .flat_map(|(anchors, rule)| anchors.iter().map(move |anchor| (*anchor, rule)))
            .unzip();
        Self {
            anchors: compiled(
                AhoCorasick::builder()
                    .ascii_case_insensitive(true)
                    .match_kind(MatchKind::Standard)
                    .kind(Some(AhoCorasickKind::DFA))
                    .build(texts),
            ),
            all: announces.iter().fold(0, |all, rule| all | rule),
            announces,
            forms: FORMS
                .iter()
                .map(|form| regex(&format!("(?-u){BEFORE}(?<secret>{})", form.pattern)))
                .collect(),
            url: regex(
                r#"(?-u)[A-Za-z][A-Za-z0-9+.-]{1,20}:(?:\\?/){2}(?u:[^\s:/@"'<>\\]{0,128}):(?<secret>(?u:[^\s@/"'<>\\]{1,256}))@[A-Za-z0-9\[_.-]"#,
            ),
            authorization: regex(
                r#"(?i-u)(?:authorization(?:\\{0,4}["'])?[ \t]{0,3}[:=,][ \t]{0,3}(?:\\{0,4}["'])?(?:bearer|basic|token|apikey)|\bbearer)[ \t]{1,3}(?<secret>[A-Za-z0-9+/=._~-]{8,200})"#,
            ),
        }
    }

    /// The rules whose anchors stand in a text.
    fn announced(&self, text: &str) -> Rules {
        let mut rules = 0;
        for found in self.anchors.find_overlapping_iter(text) {
            rules |= self.announces[found.pattern().as_usize()];
            if rules == self.all {
                break;
            }
        }
        rules
    }
}

/// Patterns are constants, and a test compiles them.
#[expect(clippy::expect_used, reason = "a pattern that does not compile fails the first test")]
fn compiled<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("the rules of redaction compile")
}

pub(crate) fn regex(pattern: &str) -> Regex {
    compiled(Regex::new(pattern))
}

/// Whether a JSON text may hold a credential, as it stands or behind escapes.
pub(crate) fn may_hide_secrets(json: &str) -> bool {
    RULES.anchors.is_match(json)
}

pub(crate) fn find_secrets(text: &str, spans: &mut Vec<Span>) {
    let rules = RULES.announced(text);
    if rules & !HIDDEN_RULE == 0 {
        return;
    }
    for (index, form) in FORMS.iter().enumerate().filter(|(index, _)| rules & (1 << index) != 0) {
        for found in RULES.forms[index].captures_iter(text).filter_map(|found| found.name("secret")) {
            if !is_documentation(found.as_str()) {
                spans.push(Span { start: found.start(), end: found.end(), class: form.class });
            }
        }
    }
    if rules & PEM_RULE != 0 {
        pem::find(text, spans);
    }
    if rules & URL_RULE != 0 {
        let passwords = RULES.url.captures_iter(text).filter_map(|found| found.name("secret"));
        let passwords = passwords.filter(|found| !named::is_stand_in(found.as_str()));
        spans.extend(passwords.map(|found| span(found, Class::UrlPassword)));
    }
    if rules & AUTHORIZATION_RULE != 0 {
        let credentials = RULES.authorization.captures_iter(text).filter_map(|found| found.name("secret"));
        let credentials = credentials.map(|found| span(found, Class::Authorization));
        let credentials = credentials.map(|found| Span { end: token_end(text, found.end), ..found });
        spans.extend(credentials.filter(|found| is_credential(&text[found.start..found.end])));
    }
    if rules & NAMED_RULE != 0 {
        named::find(text, spans);
    }
}

pub(crate) fn find_personal(text: &str, ip_addresses: bool, spans: &mut Vec<Span>) {
    personal::find(text, spans);
    phone::find(text, spans);
    if ip_addresses {
        network::find(text, spans);
    }
}

/// The secret in a value whose name says that there is one.
pub(crate) fn find_under_name(name: &str, value: &str) -> Option<Span> {
    let lower = name.to_ascii_lowercase();
    if matches!(lower.as_str(), "authorization" | "proxy-authorization") {
        let scheme = value.split_once(' ').map_or(0, |(scheme, _)| scheme.len() + 1);
        let is = is_credential(value.get(scheme..)?);
        return is.then_some(Span { start: scheme, end: value.len(), class: Class::Authorization });
    }
    named::is_secret(name, value).then_some(Span { start: 0, end: value.len(), class: Class::NamedSecret })
}

fn span(found: regex::Match<'_>, class: Class) -> Span {
    Span { start: found.start(), end: found.end(), class }
}

/// A pattern's repetition is bounded; a secret may go on behind it.
fn token_end(text: &str, from: usize) -> usize {
    let is_token = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'_' | b'~' | b'-')
    };
    from + text.as_bytes()[from..].iter().take_while(|byte| is_token(byte)).count()
}

/// Words that follow "bearer" in prose are words: one case, no digits.
fn is_credential(value: &str) -> bool {
    let mixture = Mixture::of(value);
    value.len() >= 8
        && !named::is_stand_in(value)
        && (mixture.digits || mixture.both_cases)
        && !value.contains(' ')
}

/// The one key that the documents of AWS use.
fn is_documentation(value: &str) -> bool {
    value.ends_with("EXAMPLE")
}
