//! Redacts credentials and personal data in client data, before it is stored or sent to a model.
//!
//! A placeholder replaces each value: `[secret:github-token#3f2a]`. It names the class and has a tag. Equal values of a
//! project have equal tags. Without the project's tag key, a guessed value cannot be tested against a tag.
//!
//! There is no I/O and no clock. Run time is linear in the length of the text. Redaction is best effort: a value that
//! no rule recognises stays in the text.
//!
//! ```
//! use reflect_redaction::{Findings, Policy, Redactor, TagKey};
//!
//! let redactor = Redactor::new(Policy::default(), TagKey::new([7; 32]));
//! let mut findings = Findings::default();
//! let text = redactor.text("token ghp_16C7e42F292c6912E7710c838347Ae178B4a leaked", &mut findings);
//! assert!(text.starts_with("token [secret:github-token#"));
//! assert_eq!(findings.total(), 1);
//! ```

mod checksums;
mod class;
mod entropy;
mod findings;
mod json;
mod named;
mod network;
mod pattern;
mod pem;
mod personal;
mod phone;
mod placeholder;
mod redactor;
mod rules;
mod scan;
mod secrets;
mod unescape;

pub use class::Class;
pub use findings::Findings;
pub use placeholder::{TagKey, without_placeholders};
pub use redactor::{Policy, Redactor};
