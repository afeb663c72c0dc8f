//! The redactor: replaces credentials and personal data in a text with placeholders.

use std::borrow::Cow;

use crate::findings::Findings;
use crate::placeholder::TagKey;
use crate::rules;
use crate::scan::{self, Span};

/// The kinds of data that are redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Credentials.
    pub secrets: bool,
    /// Personal data.
    pub personal: bool,
    /// IP addresses. Has no effect unless `personal` is set.
    pub ip_addresses: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { secrets: true, personal: false, ip_addresses: false }
    }
}

/// Redacts text according to a policy. Cheap to create: the rules are compiled once per process.
#[derive(Debug, Clone, Copy)]
pub struct Redactor {
    policy: Policy,
    key: TagKey,
    long_tags: bool,
}

impl Redactor {
    /// Creates a redactor with the policy and the tag key of a project.
    pub const fn new(policy: Policy, key: TagKey) -> Self {
        Self { policy, key, long_tags: false }
    }

    /// Returns a redactor whose tags have 32 hexadecimal digits instead of 4, so different values get different tags.
    /// For texts that must stay distinct, such as the subject of a run.
    #[must_use]
    pub const fn with_long_tags(self) -> Self {
        Self { long_tags: true, ..self }
    }

    /// Redacts a plain text. Borrowed if nothing was found.
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

    /// Redacts the value of a named JSON field. The name shows some secrets that no pattern finds.
    pub(crate) fn named<'a>(&self, name: &str, value: &'a str, findings: &mut Findings) -> Cow<'a, str> {
        let mut spans = self.spans(value);
        spans.extend(rules::find_under_name(name, value).filter(|_| self.policy.secrets));
        self.replace(value, spans, findings)
    }

    /// A quick check in one pass: whether a JSON text may contain something to redact.
    pub(crate) fn may_find_in_json(&self, text: &str) -> bool {
        self.policy.personal || (self.policy.secrets && rules::may_hide_secrets(text))
    }

    fn replace<'a>(&self, text: &'a str, spans: Vec<Span>, findings: &mut Findings) -> Cow<'a, str> {
        let spans = scan::merged(text, spans);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for span in spans {
            findings.add(span.class);
            redacted.push_str(&text[copied..span.start]);
            let value = &text[span.start..span.end];
            redacted.push_str(&self.key.placeholder(span.class, value, self.long_tags));
            copied = span.end;
        }
        redacted.push_str(&text[copied..]);
        Cow::Owned(redacted)
    }
}
