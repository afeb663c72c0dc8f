//! Signs of suspicious text, and the patterns that find them.

use std::sync::LazyLock;

use reflect_types::text::{stripped, tag_message};
use regex::RegexSet;

use super::look_alikes::folded;

/// A sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flag {
    /// Gives its reader instructions.
    Orders,
    /// Reads like a part of a prompt. In a lesson these are instructions; a task may be about prompts.
    Prompt,
    /// Contains what looks like a password or a key.
    Credentials,
    /// Contains a network address.
    Link,
    /// Contains something to execute.
    Code,
    /// Repeats what a tool answered.
    Copy,
}

impl Flag {
    /// The stored name.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Orders | Self::Prompt => "orders",
            Self::Credentials => "credentials",
            Self::Link => "link",
            Self::Code => "code",
            Self::Copy => "copy",
        }
    }

    /// Whether a lesson with this sign waits for a person even when its source is trusted.
    pub(super) const fn is_grave(self) -> bool {
        matches!(self, Self::Orders | Self::Prompt | Self::Credentials)
    }

    /// The same for a task, which agents also read. Whether credentials may stay in a task is a setting of the redaction.
    pub(super) const fn is_grave_in_task(self) -> bool {
        matches!(self, Self::Orders)
    }
}

/// The patterns, each with its flag.
const PATTERNS: &[(Flag, &str)] = &[
    (
        Flag::Orders,
        r"(?i)\b(ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(previous|prior|above|earlier|preceding|all|any|your)\b[^.\n]{0,30}\b(instruction|prompt|rule|message|guideline|direction|order|policy|policies)",
    ),
    (Flag::Orders, r"(?i)\bnew\s+instructions?\s*:"),
    (
        Flag::Orders,
        r"(?i)\bbefore\b[^.\n]{0,60}\b(task|request)\b[^.\n]{0,60}\b(do|perform)\s+the\s+following\b|\b(adhere|obey)\b[^.\n]{0,20}\bfollowing\s+(instruction|order)",
    ),
    // Two memories that work together: one says when to do what the other one says.
    (
        Flag::Orders,
        r"(?i)\b(follow|obey|execute|run|apply|combine)\b[^.\n]{0,60}\b(another|other|next|second|following)\s+(memory|memories|lessons?)\b|\b(when|whenever|if|once|until)\b[^.\n]{0,40}\b(another|other|next|second)\s+(memory|memories|lessons?)\b",
    ),
    (
        Flag::Orders,
        r"(?i)\b(follow|obey|execute)\b[^.\n]{0,30}\b(instructions?|orders?|commands?|steps)\b[^.\n]{0,20}\b(in|of|from)\b[^.\n]{0,20}\b(another|other|next|second)\s+notes?\b",
    ),
    (Flag::Prompt, r"(?i)\b(system|developer|hidden|initial)\s+(prompt|message|instructions?)\b"),
    (Flag::Prompt, r"(?i)\byou\s+(are|must)\s+now\b|\bfrom\s+now\s+on,?\s+you\b"),
    (
        Flag::Orders,
        r"(?i)\bdo\s+not\s+(tell|inform|mention|reveal|warn)\b[^.\n]{0,40}\b(user|customer|anyone|operator|human)",
    ),
    (Flag::Orders, r"(?i)<[|｜][a-z0-9_▁]+[|｜]>|\[/?(INST|SYS)\]|<</?SYS>>|<(start|end)_of_turn>"),
    (Flag::Prompt, r"(?im)^\s*(system|assistant|developer|human)\s*:"),
    (Flag::Credentials, r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    (Flag::Credentials, r"\b(sk|pk|rk)[-_](live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}\b"),
    (
        Flag::Credentials,
        r"\b(AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bglpat-[A-Za-z0-9_-]{16,}|\brf_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{16,}",
    ),
    (Flag::Credentials, r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\."),
    (
        Flag::Credentials,
        r#"(?i)\b(pass(word|wd|phrase)|secret|api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token)\b\s*(is|=|:)\s*["'`]?[^\s"'`]*[0-9!@#$%^&*][^\s"'`]*"#,
    ),
    (Flag::Credentials, r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{20,}"),
    (Flag::Credentials, r"(?i)\b[a-z][a-z0-9+.-]*://[^\s/@:]+:[^\s/@]+@"),
    (Flag::Link, r"(?i)\b(https?|ftp|wss?|file|data|javascript)://?\S"),
    (Flag::Link, r"(?i)\bwww\.[a-z0-9-]+\.[a-z]{2,}"),
    (Flag::Link, r"\b\d{1,3}(\.\d{1,3}){3}(:\d+)?(/|\b)"),
    (Flag::Code, r"```|~~~"),
    (
        Flag::Code,
        r"(?im)(^|[;&|`(]|\$\()\s*(sudo|rm\s+-|curl\s|wget\s|chmod\s|bash\s+-c|sh\s+-c|powershell|nc\s+-|eval\s*\(|exec\s*\()",
    ),
    (
        Flag::Code,
        r"(?i)\b(curl|wget)\s+\S+\s*\|\s*(ba)?sh\b|\brm\s+-rf?\b|\bos\.system\s*\(|\bsubprocess\.|\b__import__\s*\(|<script\b|\bdrop\s+table\b|\bbase64\s+-d",
    ),
];

static SIGNS: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(PATTERNS.iter().map(|(_, pattern)| pattern)).ok());

/// The signs of one text: as it is written, as a reader perceives its letters, and what its tag characters spell. A
/// placeholder of the redaction is not a sign.
pub(super) fn signs(text: &str) -> Vec<Flag> {
    let mut flags = matched(&stripped(text));
    flags.extend(matched(&folded(text)));
    let message = tag_message(text);
    if !message.is_empty() {
        flags.extend(matched(&message));
    }
    flags.sort_unstable();
    flags.dedup();
    flags
}

fn matched(text: &str) -> Vec<Flag> {
    let text = reflect_redaction::without_placeholders(text);
    let matched = SIGNS.iter().flat_map(|signs| signs.matches(&text));
    matched.filter_map(|at| PATTERNS.get(at).map(|(flag, _)| *flag)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        assert!(SIGNS.is_some());
    }
}
