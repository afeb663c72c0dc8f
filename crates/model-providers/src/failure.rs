//! Classifies failed calls and writes their messages.
//!
//! Messages are for the operator: where the call failed, what to check, and at most one line of the provider's error
//! message. They never contain the key or other parts of the response.

use std::time::{Duration, SystemTime};

use genai::{Error, webc};
use reflect_model::ModelError;
use reflect_outbound::innermost;
use reqwest::{StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::kind::ProviderKind;
use crate::retry_after::retry_after;

/// The maximum length of a quoted provider message.
const REPEATED: usize = 200;

/// The context of a failure message.
pub(crate) struct Failure {
    /// The provider: `openai at https://api.openai.com`.
    place: String,
    model: String,
    key: Option<SecretString>,
}

impl Failure {
    pub(crate) fn new(kind: ProviderKind, model: &str, url: &Url, key: Option<&SecretString>) -> Self {
        let place = format!("{kind} at {}", url.origin().ascii_serialization());
        Self { place, model: model.to_owned(), key: key.cloned() }
    }

    pub(crate) fn too_slow(&self, limit: Duration) -> ModelError {
        let message = format!("{} gave no whole answer within {} s", self.place, limit.as_secs_f64());
        ModelError::retry_later(message, None)
    }

    pub(crate) fn unreadable(&self, why: &str) -> ModelError {
        ModelError::unreadable(format!("{} {why}", self.place))
    }

    pub(crate) fn declined(&self) -> ModelError {
        ModelError::do_not_retry(format!(
            "{} declined to answer: its filter objects to the content",
            self.place
        ))
    }

    /// Classifies an error of `genai`.
    pub(crate) fn tell(&self, error: &Error) -> ModelError {
        if let Some(status) = error.status() {
            return self.status(status, error);
        }
        match error {
            Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
                self.call(webc_error)
            }
            Error::StreamParse { serde_error, .. } => {
                let why = self.shorten(&serde_error.to_string());
                self.unreadable(&format!("gave an answer of another shape than its protocol has: {why}"))
            }
            Error::ChatResponseGeneration { .. }
            | Error::ChatResponse { .. }
            | Error::NoChatResponse { .. }
            | Error::InvalidJsonResponseElement { .. }
            | Error::JsonValueExt(_)
            | Error::SerdeJson(_) => self.unreadable("gave an answer of another shape than its protocol has"),
            other => {
                let why = self.shorten(&other.to_string());
                ModelError::do_not_retry(format!("{} cannot be asked: {why}", self.place))
            }
        }
    }

    fn call(&self, error: &webc::Error) -> ModelError {
        match error {
            webc::Error::ResponseFailedNotJson { .. } => {
                self.unreadable("gave something else than JSON: is there a proxy in between?")
            }
            webc::Error::ResponseFailedInvalidJson { cause, .. } => {
                let why = self.shorten(cause);
                self.unreadable(&format!("gave JSON that is broken or cut off: {why}"))
            }
            webc::Error::Reqwest(error) => self.transport(error),
            _ => self.unreadable("gave an answer of another shape than its protocol has"),
        }
    }

    fn transport(&self, error: &reqwest::Error) -> ModelError {
        let place = &self.place;
        let cause = self.shorten(&innermost(error));
        if error.is_builder() {
            return ModelError::do_not_retry(format!("{place} cannot be asked: {cause}"));
        }
        let message = if error.is_connect() {
            format!("{place} cannot be reached: {cause}")
        } else {
            format!("the connection to {place} broke: {cause}")
        };
        ModelError::retry_later(message, None)
    }

    fn status(&self, status: StatusCode, error: &Error) -> ModelError {
        let (place, code) = (&self.place, status.as_u16());
        let said = self.said(error);
        let message = match code {
            // Messages about a wrong key often contain a part of the key.
            401 if self.key.is_some() => format!("{place} refused the key (401): check the API key"),
            401 => format!("{place} wants an API key (401): set one"),
            402 => format!("{place} wants to be paid (402): check the account{said}"),
            403 => format!("{place} forbids this (403): check what the key may do{said}"),
            404 => format!(
                "{place} has no such model or address (404): check the model `{}` and the base URL{said}",
                self.model
            ),
            413 => format!("{place} finds the request too long (413){said}"),
            429 => format!("{place} is busy (429){said}"),
            300..=399 => format!(
                "{place} answered with a redirect ({code}), which is not followed: set the base URL to where it \
                 leads"
            ),
            500..=599 => format!("{place} failed ({code}){said}"),
            _ => format!("{place} refused the request ({code}): check the model `{}`{said}", self.model),
        };
        match code {
            // Some servers use 409 and 425 if they are not ready.
            408 | 409 | 425 | 429 | 500..=599 => {
                let after = error.headers().and_then(|headers| retry_after(headers, SystemTime::now()));
                ModelError::retry_later(message, after)
            }
            _ => ModelError::do_not_retry(message),
        }
    }

    /// The message of the provider's error, to append to a message.
    fn said(&self, error: &Error) -> String {
        let body = body_of(error).and_then(|body| serde_json::from_str::<Value>(body).ok());
        let places =
            ["/error/message", "/error", "/message", "/detail", "/0/error/message", "/errors/0/message"];
        let message = body.as_ref().and_then(|body| places.iter().find_map(|at| body.pointer(at)?.as_str()));
        message.map(|message| format!(": {}", self.shorten(message))).unwrap_or_default()
    }

    /// One line with a maximum length, without the key.
    fn shorten(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(key.expose_secret(), "[key]"),
            None => text.to_owned(),
        };
        let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(REPEATED - 1) {
            Some((end, _)) if line[end..].chars().count() > 1 => format!("{}…", &line[..end]),
            _ => line,
        }
    }
}

/// The body that came with a failed status.
pub(crate) fn body_of(error: &Error) -> Option<&str> {
    match error {
        Error::WebModelCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. }
        | Error::WebAdapterCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. }
        | Error::HttpError { body, .. } => Some(body),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use genai::ModelIden;
    use genai::adapter::AdapterKind;
    use reflect_model::Remedy;
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::*;

    fn failure() -> Failure {
        let url = Url::parse("https://api.example/v1/").unwrap();
        Failure::new(ProviderKind::OpenAi, "small", &url, Some(&"sk-secret-1".into()))
    }

    fn told(code: u16, body: &str, retry_after: Option<&'static str>) -> ModelError {
        let headers = retry_after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value)));
        let webc_error = webc::Error::ResponseFailedStatus {
            status: StatusCode::from_u16(code).unwrap(),
            body: body.to_owned(),
            headers: Box::new(HeaderMap::from_iter(headers)),
        };
        let model_iden = ModelIden::new(AdapterKind::OpenAI, "small");
        failure().tell(&Error::WebModelCall { model_iden, webc_error })
    }

    #[test]
    fn every_status_has_its_remedy() {
        for code in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
            assert_eq!(told(code, "", None).remedy, Remedy::RetryLater { after: None }, "{code}");
        }
        for code in [301, 307, 400, 401, 402, 403, 404, 405, 413, 415, 422] {
            assert_eq!(told(code, "", None).remedy, Remedy::DoNotRetry, "{code}");
        }
        let after = Some(Duration::from_secs(9));
        assert_eq!(told(503, "", Some("9")).remedy, Remedy::RetryLater { after });
    }

    #[test]
    fn messages_say_what_to_check() {
        assert_eq!(
            told(401, r#"{"error":{"message":"Incorrect API key provided: sk-se**t-1"}}"#, None).message,
            "openai at https://api.example refused the key (401): check the API key"
        );
        assert_eq!(
            told(404, r#"{"error":{"message":"no such model"}}"#, None).message,
            "openai at https://api.example has no such model or address (404): check the model `small` and the \
             base URL: no such model"
        );
    }

    #[test]
    fn what_a_provider_says_is_kept_short_and_without_the_key() {
        let body = format!(r#"{{"error":"the key sk-secret-1\nis\u0007 wrong {}"}}"#, "x".repeat(5000));
        let message = told(400, &body, None).message;

        assert!(message.contains("the key [key] is wrong xxx") && !message.contains("sk-secret-1"));
        assert!(message.chars().count() < 300, "{message}");
    }

    #[test]
    fn a_body_that_is_no_error_of_a_provider_is_not_repeated() {
        assert!(!told(502, "<html>internal secrets</html>", None).message.contains("secrets"));
    }

    #[test]
    fn two_hundred_characters_are_the_limit() {
        let failure = failure();

        assert_eq!(failure.shorten(&"a".repeat(200)), "a".repeat(200));
        assert_eq!(failure.shorten(&"ä".repeat(201)).chars().count(), 200);
        assert!(failure.shorten(&"a".repeat(201)).ends_with('…'));
    }
}
