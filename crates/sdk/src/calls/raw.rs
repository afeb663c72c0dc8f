//! Any call at all, for what has no method of its own.

use reqwest::Method;
use serde_json::Value;

use crate::wire::Request;
use crate::{Error, ReflectClient};

/// What the server answered, as it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RawAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// Where the next page begins, when it is a page and there is more.
    pub next_cursor: Option<String>,
}

impl ReflectClient {
    /// Sends a request with the client's key. A path that begins with a slash is one of the server's; any other lies
    /// below the project's. It is encoded already, with its query. Only reading is repeated when it fails.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// let answer = client.raw("GET", "traces/rows?limit=1", None).await?;
    /// println!("{}", String::from_utf8_lossy(&answer.body));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn raw(&self, method: &str, path: &str, body: Option<&Value>) -> Result<RawAnswer, Error> {
        let verb = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).map_err(|_| {
            Error::configuration(format!("{method:?} is no method of HTTP"), "Such as GET or POST.")
        })?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.path(&[])) };
        if path.chars().any(|character| character.is_whitespace() || character.is_control()) {
            return Err(Error::configuration("the path has spaces in it", "Percent-encode it."));
        }
        let mut request = Request::new(verb, path);
        request.repeatable = matches!(request.method, Method::GET | Method::HEAD);
        if let Some(body) = body {
            request = request.with_body(body)?;
        }
        let answer = self.answer("raw", request).await?;
        Ok(RawAnswer {
            status: answer.status,
            next_cursor: answer.header("x-next-cursor").map(str::to_owned),
            body: answer.body.to_vec(),
        })
    }
}
