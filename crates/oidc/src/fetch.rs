//! Requests to the provider, with limits on addresses, time and size.

use std::pin::Pin;
use std::time::Duration;

use openidconnect::http::Response;
use openidconnect::url::Url;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reflect_outbound::innermost;

/// The time for one request, from the connection to the last byte.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Documents of large providers have some ten kilobytes.
const LONGEST: usize = 512 * 1024;

/// Why a request got no usable response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("{0}")]
    Failed(String),
    #[error("the response has more than 512 kilobytes")]
    TooLong,
    #[error(
        "it names the address {0}, which is not the issuer's; if this is right, add its host to endpoint_hosts"
    )]
    ForeignAddress(String),
}

/// The HTTP client of one provider. It sends requests to the issuer's host and to configured hosts only, because the
/// provider's documents name the other addresses.
#[derive(Debug, Clone)]
pub(crate) struct Fetcher {
    client: reqwest::Client,
    scheme: String,
    hosts: Vec<String>,
}

impl Fetcher {
    pub(crate) fn new(client: reqwest::Client, issuer: &Url, more_hosts: &[String]) -> Self {
        let hosts = issuer.host_str().into_iter().chain(more_hosts.iter().map(String::as_str));
        let hosts = hosts.map(str::to_ascii_lowercase).collect();
        Self { client, scheme: issuer.scheme().to_owned(), hosts }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, FetchError> {
        let failed = |error: reqwest::Error| FetchError::Failed(innermost(&error));
        let mut request = reqwest::Request::try_from(request).map_err(failed)?;
        let url = request.url();
        let is_known = url.host_str().is_some_and(|host| self.hosts.iter().any(|known| known == host));
        if url.scheme() != self.scheme || !is_known {
            return Err(FetchError::ForeignAddress(url.origin().ascii_serialization()));
        }
        *request.timeout_mut() = Some(TIMEOUT);
        let mut response = self.client.execute(request).await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > LONGEST {
                return Err(FetchError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = Response::new(body);
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }
}

impl<'c> AsyncHttpClient<'c> for Fetcher {
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, FetchError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}
