//! IP addresses, for projects that count them as personal data.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

use crate::Class;
use crate::pattern::regex;
use crate::scan::{Span, is_inside_word};

static IPV4: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?-u)\b{start-half}[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b{end-half}"));
static IPV6: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-u)[0-9A-Fa-f:]{6,39}\b{end-half}"));
/// Texts before a version number, which can look like an IPv4 address.
const VERSION: [&str; 3] = ["version ", "release ", "v"];

pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let ipv4 = IPV4.find_iter(text).filter(|found| found.as_str().parse::<Ipv4Addr>().is_ok());
    let ipv4 = ipv4
        .filter(|found| !is_version(&text[..found.start()]) && !text[found.end()..].starts_with(['-', '+']));
    let ipv6 =
        IPV6.find_iter(text).filter(|found| is_ipv6(found.as_str()) && !is_inside_word(text, found.start()));
    let found = ipv4.chain(ipv6).map(|found| found.range());
    spans.extend(found.map(|place| Span { start: place.start, end: place.end, class: Class::IpAddress }));
}

fn is_version(before: &str) -> bool {
    let tail = before.len().saturating_sub(16);
    let before = before.get(before.ceil_char_boundary(tail)..).unwrap_or_default().to_ascii_lowercase();
    VERSION.iter().any(|word| before.ends_with(word)) || before.ends_with('.')
}

/// Code contains `a::b` too, so an address must have at least three groups and a digit.
fn is_ipv6(text: &str) -> bool {
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    groups >= 3 && text.contains(|c: char| c.is_ascii_digit()) && text.parse::<Ipv6Addr>().is_ok()
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
    fn addresses_are_found_and_versions_are_not_redacted() {
        assert_eq!(found("from 203.0.113.7: refused"), ["203.0.113.7"]);
        assert_eq!(found("peer 2001:db8::ff00:42:8329"), ["2001:db8::ff00:42:8329"]);
        assert!(found("version 1.2.3.4, v10.0.0.1, 300.1.2.3, std::mem, 12:30:45").is_empty());
    }
}
