//! Masks credentials and personal data on this machine.

use reflect_redaction::{Findings, Policy, Redactor, TagKey};

use super::options::Masking;
use super::state::State;

/// Replaces values with placeholders, as the server does.
pub(super) struct Mask(Option<Redactor>);

impl Mask {
    /// Equal values get equal placeholders on this machine. Without its key, a guessed value cannot be compared with one.
    pub(super) fn new(masking: Masking, state: &State) -> anyhow::Result<Self> {
        let policy = match masking {
            Masking::Off => return Ok(Self(None)),
            Masking::Credentials => Policy::default(),
            Masking::Personal => Policy { secrets: true, personal: true, ip_addresses: true },
        };
        Ok(Self(Some(Redactor::new(policy, TagKey::new(state.mask_key()?)))))
    }

    pub(super) fn text(&self, text: &str) -> String {
        match &self.0 {
            Some(redactor) => redactor.text(text, &mut Findings::default()).into_owned(),
            None => text.to_owned(),
        }
    }

    /// The same for the values of a JSON text.
    pub(super) fn json(&self, json: String) -> String {
        match &self.0 {
            Some(redactor) => redactor.json(&json, &mut Findings::default()).into_owned(),
            None => json,
        }
    }
}
