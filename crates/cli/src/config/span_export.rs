//! The settings of the spans that the server exports.

use std::sync::Arc;

use clap::Args;
use reflect_outbound::OutboundProxy;
use reflect_server::{SpanDestination, SpanQueue};
use secrecy::{ExposeSecret as _, SecretString};

use super::secret::secret;
use crate::failure::{Failure, Kind};

/// The export of spans.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Traces of the server")]
pub(crate) struct SpanExportConfig {
    /// The OTLP receiver that gets spans of memory searches, new memories, reflections and judgements, such as
    /// http://127.0.0.1:4318. A request with the header traceparent is part of the trace that it names. Default: nothing
    /// is sent. Variables of other programs, such as OTEL_EXPORTER_OTLP_ENDPOINT, are not read.
    #[arg(long, env = "REFLECT_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    /// Headers for the receiver, separated by commas, such as authorization=Bearer abc.
    #[arg(long, env = "REFLECT_OTLP_HEADERS", hide_env_values = true, value_parser = secret, requires = "otlp_endpoint")]
    otlp_headers: Option<SecretString>,
}

impl SpanExportConfig {
    /// The queue of spans to export, if they are.
    pub(crate) fn queue(&self) -> Option<Arc<SpanQueue>> {
        self.otlp_endpoint.as_ref().map(|_| Arc::default())
    }

    /// Where the spans of the queue are sent.
    pub(crate) fn destination(
        &self,
        queue: Option<Arc<SpanQueue>>,
        proxy: Option<&OutboundProxy>,
    ) -> Result<Option<SpanDestination>, Failure> {
        let (Some(endpoint), Some(queue)) = (&self.otlp_endpoint, queue) else { return Ok(None) };
        let refused = |problem: String| {
            Failure::new(Kind::Configuration, "configuration", format!("--otlp-endpoint cannot be used: it {problem}"))
                .fix("set REFLECT_OTLP_ENDPOINT (--otlp-endpoint) to the URL of an OTLP/HTTP receiver, or remove it")
        };
        let headers = self.headers().map_err(refused)?;
        SpanDestination::new(queue, endpoint, &headers, proxy).map(Some).map_err(refused)
    }

    fn headers(&self) -> Result<Vec<(String, SecretString)>, String> {
        let text = self.otlp_headers.as_ref().map(|headers| headers.expose_secret()).unwrap_or_default();
        let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| match pair.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned().into())),
            // The text may be a key.
            None => Err("needs headers of the form name=value".to_owned()),
        });
        pairs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(headers: Option<&str>) -> SpanExportConfig {
        SpanExportConfig {
            otlp_endpoint: Some("http://127.0.0.1:4318".to_owned()),
            otlp_headers: headers.map(|headers| headers.to_owned().into()),
        }
    }

    #[test]
    fn headers_are_pairs() {
        let names = |text| {
            let headers = config(Some(text)).headers()?;
            Ok::<_, String>(
                headers
                    .into_iter()
                    .map(|(name, value)| format!("{name}: {}", value.expose_secret()))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            names("authorization=Bearer a=b, x-org = 7,").unwrap(),
            ["authorization: Bearer a=b", "x-org: 7"]
        );
        assert!(!names("secret").unwrap_err().contains("secret"));
        assert_eq!(config(None).headers().unwrap().len(), 0);
    }

    #[test]
    fn nothing_is_exported_unless_an_endpoint_is_set() {
        let none = SpanExportConfig { otlp_endpoint: None, ..config(None) };
        assert!(none.queue().is_none());
        assert!(none.destination(None, None).unwrap().is_none());
        let some = config(None);
        assert!(some.destination(some.queue(), None).unwrap().is_some());
    }
}
