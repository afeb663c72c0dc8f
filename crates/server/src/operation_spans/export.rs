//! Sends spans to the configured receiver, as OTLP over HTTP with protobuf.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message as _;
use reflect_outbound::{OutboundProxy, client_builder, innermost};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;

use super::layer::SpanQueue;

/// How often spans are sent, if there is no full batch.
const INTERVAL: Duration = Duration::from_secs(5);
const CONNECT_TIME: Duration = Duration::from_secs(5);
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// Where spans are sent.
#[derive(Clone)]
pub struct SpanDestination {
    queue: Arc<SpanQueue>,
    client: Client,
    url: Url,
    headers: HeaderMap,
}

/// Without the headers, which may contain a key.
impl fmt::Debug for SpanDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpanDestination").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl SpanDestination {
    /// The receiver at this address, such as `http://collector:4318`, which gets these headers with every request.
    pub fn new(
        queue: Arc<SpanQueue>,
        endpoint: &str,
        headers: &[(String, SecretString)],
        proxy: Option<&OutboundProxy>,
    ) -> Result<Self, String> {
        let base = Url::parse(endpoint.trim()).map_err(|error| format!("is not a URL: {error}"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err("must be a URL such as http://127.0.0.1:4318".to_owned());
        }
        let url = format!("{}/v1/traces", base.as_str().trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|error| format!("is not a URL: {error}"))?;
        let builder = client_builder(&url, CONNECT_TIME, proxy).map_err(|error| innermost(&error))?;
        let client = builder.timeout(REQUEST_TIME).build().map_err(|error| innermost(&error))?;
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let parsed = HeaderName::try_from(name.as_str())
                .ok()
                .zip(HeaderValue::try_from(value.expose_secret()).ok());
            let Some((name, mut value)) = parsed else { return Err(format!("has no valid header {name:?}")) };
            value.set_sensitive(true);
            all.insert(name, value);
        }
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        Ok(Self { queue, client, url, headers: all })
    }

    /// Sends spans as they come in, until `stop` is cancelled; then the rest.
    pub(crate) async fn export(&self, stop: CancellationToken) {
        let mut reached = true;
        loop {
            let stopped = tokio::select! {
                () = stop.cancelled() => true,
                () = self.queue.filled() => false,
                () = tokio::time::sleep(INTERVAL) => false,
            };
            loop {
                let spans = self.queue.take();
                if spans.is_empty() {
                    break;
                }
                let sent = self.send(spans).await;
                report(&sent, &mut reached);
                // The others wait for the next attempt.
                if sent.is_err() {
                    break;
                }
            }
            if stopped {
                return;
            }
        }
    }

    async fn send(&self, spans: Vec<Span>) -> Result<u64, (u64, String)> {
        let count = spans.len() as u64;
        let body = request(spans).encode_to_vec();
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        match request.send().await {
            Ok(response) if response.status().is_success() => Ok(count),
            Ok(response) => Err((count, format!("the receiver answered {}", response.status()))),
            Err(error) => Err((count, innermost(&error))),
        }
    }
}

fn report(sent: &Result<u64, (u64, String)>, reached: &mut bool) {
    let (result, count) = match sent {
        Ok(count) => ("sent", *count),
        Err((count, _)) => ("failed", *count),
    };
    metrics::counter!("reflect_exported_spans_total", "result" => result).increment(count);
    match sent {
        Ok(_) if !*reached => tracing::info!("spans are sent again"),
        Err((_, error)) if *reached => tracing::warn!(error, "spans cannot be sent and are dropped: {error}"),
        _ => {}
    }
    *reached = sent.is_ok();
}

fn request(spans: Vec<Span>) -> ExportTraceServiceRequest {
    let text = |text: &str| Some(AnyValue { value: Some(Value::StringValue(text.to_owned())) });
    let attribute =
        |key: &str, value: &str| KeyValue { key: key.to_owned(), value: text(value), ..KeyValue::default() };
    let version = env!("CARGO_PKG_VERSION");
    let attributes = vec![attribute("service.name", "reflect"), attribute("service.version", version)];
    let scope = InstrumentationScope {
        name: "reflect".to_owned(),
        version: version.to_owned(),
        ..InstrumentationScope::default()
    };
    let scope_spans = vec![ScopeSpans { scope: Some(scope), spans, ..ScopeSpans::default() }];
    let resource = Some(Resource { attributes, ..Resource::default() });
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans { resource, scope_spans, ..ResourceSpans::default() }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(endpoint: &str, headers: &[(&str, &str)]) -> Result<SpanDestination, String> {
        let headers: Vec<(String, SecretString)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned().into())).collect();
        SpanDestination::new(Arc::default(), endpoint, &headers, None)
    }

    #[test]
    fn the_path_of_the_protocol_is_added_to_the_address() {
        for (endpoint, url) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://o.example/otlp/", "https://o.example/otlp/v1/traces"),
        ] {
            assert_eq!(destination(endpoint, &[]).unwrap().url.as_str(), url);
        }
        for wrong in ["127.0.0.1:4318", "ftp://x", "", "http://"] {
            assert!(destination(wrong, &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_are_checked_and_not_shown() {
        let with_key = destination("http://127.0.0.1:4318", &[("authorization", "Bearer secret")]).unwrap();
        assert_eq!(with_key.headers["authorization"], "Bearer secret");
        assert!(!format!("{with_key:?} {:?}", with_key.headers).contains("secret"));
        assert!(destination("http://127.0.0.1:4318", &[("a b", "c")]).is_err());
    }
}
