//! The way in: what is to be taken out, and out of what.

use std::borrow::Cow;

use crate::findings::Findings;
use crate::placeholder::TagKey;
use crate::scan::{self, Span};
use crate::{json, rules};

/// What is to be taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Credentials.
    pub secrets: bool,
    /// Personal data.
    pub personal: bool,
    /// Addresses of the internet protocol too. Counts only together with personal data.
    pub ip_addresses: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { secrets: true, personal: false, ip_addresses: false }
    }
}

/// Takes out what its policy says. Cheap to make: the rules are compiled once per process.
#[derive(Debug, Clone, Copy)]
pub struct Redactor {
    policy: Policy,
    key: TagKey,
    long_tags: bool,
}

impl Redactor {
    /// A redactor of one project.
    pub const fn new(policy: Policy, key: TagKey) -> Self {
        Self { policy, key, long_tags: false }
    }

    /// The same with tags that no two values of a project share, for texts that things are found by.
    #[must_use]
    pub const fn telling_apart(self) -> Self {
        Self { long_tags: true, ..self }
    }

    /// A plain text. Borrowed when nothing was found.
    pub fn text<'a>(&self, text: &'a str, findings: &mut Findings) -> Cow<'a, str> {
        self.replace(text, self.spans(text), findings)
    }

    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        if self.policy.secrets {
            rules::find_secrets(text, &mut spans);
        }
        if self.policy.personal {
            rules::find_personal(text, self.policy.ip_addresses, &mut spans);
        }
        spans
    }

    /// The values of a JSON text; names of fields stay, and so does every byte that is no part of a value in
    /// which something was found. What is no JSON is taken as plain text.
    pub fn json<'a>(&self, text: &'a str, findings: &mut Findings) -> Cow<'a, str> {
        json::redact(self, text, findings)
    }

    /// A value that stands under a name.
    pub(crate) fn named<'a>(&self, name: &str, value: &'a str, findings: &mut Findings) -> Cow<'a, str> {
        let mut spans = self.spans(value);
        spans.extend(rules::find_under_name(name, value).filter(|_| self.policy.secrets));
        self.replace(value, spans, findings)
    }

    /// Whether a JSON text can hold anything at all, found out in one pass.
    pub(crate) fn may_find_in_json(&self, text: &str) -> bool {
        self.policy.personal || (self.policy.secrets && rules::may_hide_secrets(text))
    }

    fn replace<'a>(&self, text: &'a str, spans: Vec<Span>, findings: &mut Findings) -> Cow<'a, str> {
        let spans = scan::apart(text, spans);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut done = 0;
        for span in spans {
            findings.add(span.class);
            redacted.push_str(&text[done..span.start]);
            let value = &text[span.start..span.end];
            redacted.push_str(&self.key.placeholder(span.class, value, self.long_tags));
            done = span.end;
        }
        redacted.push_str(&text[done..]);
        Cow::Owned(redacted)
    }
}
