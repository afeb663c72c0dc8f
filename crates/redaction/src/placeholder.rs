//! Placeholders, which replace redacted values.

use std::borrow::Cow;

use crate::Class;

/// Distinguishes the secrets of one text, and is too short to identify a secret.
const SHORT: usize = 4;
/// Distinguishes all values of a project.
const LONG: usize = 32;

/// The key of a project's tags. Without it, a guessed value cannot be tested against a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagKey([u8; 32]);

impl TagKey {
    /// Creates the key from its stored bytes.
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    fn tag(&self, class: Class, value: &str, digits: usize) -> String {
        let mut digest = blake3::Hasher::new_keyed(&self.0);
        digest.update(class.name().as_bytes());
        digest.update(&[0]);
        digest.update(value.as_bytes());
        let hex = digest.finalize().to_hex();
        hex.as_str().chars().take(digits).collect()
    }

    pub(crate) fn placeholder(&self, class: Class, value: &str, long: bool) -> String {
        let kind = if class.is_personal() { "pii" } else { "secret" };
        let tag = self.tag(class, value, if long { LONG } else { SHORT });
        format!("[{kind}:{class}#{tag}]")
    }
}

/// The length of the placeholder at the start of a text, if there is one.
pub(crate) fn length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("[secret:").or(text.strip_prefix("[pii:"))?;
    let name = rest.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'-').count();
    let tag = rest[name..].strip_prefix('#')?;
    let digits = tag.bytes().take(LONG).take_while(u8::is_ascii_hexdigit).count();
    let ends = tag[digits..].starts_with(']') && (digits == SHORT || digits == LONG);
    ends.then_some(text.len() - tag.len() + digits + 1)
}

/// A text without its placeholders, for other searches for the same classes of data.
///
/// ```
/// use reflect_redaction::without_placeholders;
///
/// assert_eq!(without_placeholders("use [secret:github-token#3f2a] here"), "use  here");
/// ```
pub fn without_placeholders(text: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed("");
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find('[').map(|at| from + at) {
        match length(&rest[at..]) {
            Some(length) => {
                kept.to_mut().push_str(&rest[..at]);
                (rest, from) = (&rest[at + length..], 0);
            }
            None => from = at + 1,
        }
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.to_mut().push_str(rest);
    kept
}

impl std::fmt::Debug for TagKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TagKey")
    }
}
