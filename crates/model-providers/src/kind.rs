//! Whose protocol is spoken.

use std::fmt;
use std::str::FromStr;

use genai::adapter::AdapterKind;

use crate::SettingsError;

/// Whose protocol is spoken.
///
/// ```
/// use reflect_model_providers::ProviderKind;
/// assert_eq!("Anthropic".parse(), Ok(ProviderKind::Anthropic));
/// assert!("gpt".parse::<ProviderKind>().unwrap_err().to_string().contains("openai"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// OpenAI, and with another base URL every server that speaks its protocol: llama.cpp, vLLM, LM Studio,
    /// most gateways.
    OpenAi,
    /// Anthropic. It has no embeddings.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama. Spoken to through its OpenAI-compatible side, because there it keeps to JSON schemas.
    Ollama,
}

impl ProviderKind {
    /// Every kind, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where calls go unless the settings say otherwise.
    pub(crate) fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/v1/",
        }
    }

    pub(crate) fn speaks_openai(self) -> bool {
        matches!(self, Self::OpenAi | Self::Ollama)
    }

    pub(crate) fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi | Self::Ollama => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
        }
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProviderKind {
    type Err = SettingsError;

    fn from_str(name: &str) -> Result<Self, SettingsError> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()));
        known.ok_or_else(|| SettingsError::UnknownKind(name.to_owned()))
    }
}
