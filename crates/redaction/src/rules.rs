//! All rules. One pass finds the rules whose anchors occur in a text; only those rules run.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Regex;

use crate::Class;
use crate::entropy::Mixture;
use crate::named;
use crate::pattern::{compiled, regex};
use crate::scan::Span;
use crate::secrets::FORMS;
use crate::{network, pem, personal, phone};

/// What may precede a token: a word boundary, an underscore or an escape sequence.
const BEFORE: &str = r"(?:\b{start-half}|_|\\[bfnrt]|\\u00[0-9a-fA-F]{2})";
/// Anchors of rules that are not in `FORMS`.
const PRIVATE_KEY: &[&str] = &["private key"];
const URL: &[&str] = &["://"];
const AUTHORIZATION: &[&str] = &["authorization", "bearer", "basic"];
/// How JSON can escape an anchor: a `\u` escape of a printable ASCII character, or an escaped slash.
const ESCAPED: &[&str] = &["\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007", ":\\/", "\\/api\\/"];

/// A set of rules, as bits.
type Rules = u32;
const PEM_RULE: Rules = 1 << 24;
const URL_RULE: Rules = 1 << 25;
const AUTHORIZATION_RULE: Rules = 1 << 26;
const NAMED_RULE: Rules = 1 << 27;
const ESCAPED_RULE: Rules = 1 << 28;

struct Compiled {
    anchors: AhoCorasick,
    /// The rule of each anchor.
    rule_of_anchor: Vec<Rules>,
    all: Rules,
    /// A form is compiled when its anchor occurs for the first time. A program that redacts one text and ends, such as a
    /// hook, would take longer to compile all of them than for all the rest.
    forms: Vec<OnceLock<Regex>>,
}

static RULES: LazyLock<Compiled> = LazyLock::new(Compiled::new);
static URL_PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?-u)[A-Za-z][A-Za-z0-9+.-]{1,20}:(?:\\?/){2}(?u:[^\s:/@"'<>\\]{0,128}):(?<secret>(?u:[^\s@/"'<>\\]{1,256}))@[A-Za-z0-9\[_.-]"#,
    )
});
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i-u)(?:authorization(?:\\{0,4}["'])?[ \t]{0,3}[:=,][ \t]{0,3}(?:\\{0,4}["'])?(?:bearer|basic|token|apikey)|\bbearer)[ \t]{1,3}(?<secret>[A-Za-z0-9+/=._~-]{8,200})"#,
    )
});

impl Compiled {
    fn new() -> Self {
        let forms = FORMS.iter().enumerate().map(|(index, form)| (form.anchors, 1 << index));
        let others = [
            (PRIVATE_KEY, PEM_RULE),
            (URL, URL_RULE),
            (AUTHORIZATION, AUTHORIZATION_RULE),
            (named::ANCHORS, NAMED_RULE),
            (ESCAPED, ESCAPED_RULE),
        ];
        let (texts, rule_of_anchor): (Vec<&str>, Vec<Rules>) = forms
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
            all: rule_of_anchor.iter().fold(0, |all, rule| all | rule),
            rule_of_anchor,
            forms: FORMS.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The pattern of a form.
    fn form(&self, index: usize) -> &Regex {
        let pattern = || regex(&format!("(?-u){BEFORE}(?<secret>{})", FORMS[index].pattern));
        self.forms[index].get_or_init(pattern)
    }

    /// The rules whose anchors occur in a text.
    fn rules_for(&self, text: &str) -> Rules {
        let mut rules = 0;
        for found in self.anchors.find_overlapping_iter(text) {
            rules |= self.rule_of_anchor[found.pattern().as_usize()];
            if rules == self.all {
                break;
            }
        }
        rules
    }
}

/// Whether a JSON text may contain a credential, possibly escaped.
pub(crate) fn may_hide_secrets(json: &str) -> bool {
    RULES.anchors.is_match(json)
}

pub(crate) fn find_secrets(text: &str, spans: &mut Vec<Span>) {
    let rules = RULES.rules_for(text);
    if rules & !ESCAPED_RULE == 0 {
        return;
    }
    for (index, form) in FORMS.iter().enumerate().filter(|(index, _)| rules & (1 << index) != 0) {
        for found in RULES.form(index).captures_iter(text).filter_map(|found| found.name("secret")) {
            if !is_documentation(found.as_str()) {
                spans.push(Span { start: found.start(), end: found.end(), class: form.class });
            }
        }
    }
    if rules & PEM_RULE != 0 {
        pem::find(text, spans);
    }
    if rules & URL_RULE != 0 {
        let passwords = URL_PASSWORD.captures_iter(text).filter_map(|found| found.name("secret"));
        let passwords = passwords.filter(|found| !named::is_example(found.as_str()));
        spans.extend(passwords.map(|found| span(found, Class::UrlPassword)));
    }
    if rules & AUTHORIZATION_RULE != 0 {
        let credentials = HEADER.captures_iter(text).filter_map(|found| found.name("secret"));
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

/// The secret in the value of a field whose name marks it as a secret.
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

/// The end of the token. The pattern matches at most 200 characters, and a token can be longer.
fn token_end(text: &str, from: usize) -> usize {
    let is_token = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'_' | b'~' | b'-')
    };
    from + text.as_bytes()[from..].iter().take_while(|byte| is_token(byte)).count()
}

/// Whether a value after "bearer" is a credential. In prose a word follows: one case, no digits.
fn is_credential(value: &str) -> bool {
    let mixture = Mixture::of(value);
    value.len() >= 8
        && !named::is_example(value)
        && (mixture.digits || mixture.both_cases)
        && !value.contains(' ')
}

/// The example key in the documentation of AWS.
fn is_documentation(value: &str) -> bool {
    value.ends_with("EXAMPLE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (index, form) in FORMS.iter().enumerate() {
            assert!(RULES.form(index).captures_len() > 1, "{}", form.pattern);
        }
        assert_eq!([URL_PASSWORD.captures_len(), HEADER.captures_len()], [2, 2]);
    }
}
