//! Takes credentials and personal data out of what clients send, before anything is stored or sent on.
//!
//! What is taken out leaves a placeholder that says what stood there and a tag that is the same for equal
//! values of one project: `[secret:github-token#3f2a]`. So a text stays readable, equal secrets stay equal,
//! and nobody without the project's key can find out by guessing which value it was.
//!
//! Pure: no input, no output, no clock. Time grows in proportion to the text, whatever it holds. What is not
//! recognised stays where it is: this is a net, not a proof.
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
