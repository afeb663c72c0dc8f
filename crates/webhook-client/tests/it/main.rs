//! The client against receivers of this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use reflect_outbound::AddressGuard;
use reflect_webhook_client::{
    InvalidWebhookUrl, SendError, WebhookAnswer, WebhookClient, WebhookRequest, generate_secret, sign,
};
use secrecy::SecretString;
use tokio::net::TcpListener;

/// What receivers got: path, id and signature.
type Received = Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>;

async fn receive(
    State(received): State<Received>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    body: Bytes,
) -> axum::response::Response {
    received.lock().unwrap().push((uri.path().to_owned(), headers, body));
    match uri.path() {
        "/ok" => StatusCode::NO_CONTENT.into_response(),
        "/busy" => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "120")]).into_response(),
        "/moved" => (StatusCode::TEMPORARY_REDIRECT, [("location", "/ok")]).into_response(),
        "/long" => (StatusCode::OK, "x".repeat(10_000_000)).into_response(),
        _ => std::future::pending().await,
    }
}

struct Receiver {
    address: String,
    received: Received,
}

impl Receiver {
    #[expect(clippy::disallowed_methods, reason = "it ends with the test")]
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Received::default();
        let app = Router::new().route("/{*path}", post(receive)).with_state(received.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, received }
    }

    async fn send(&self, client: &WebhookClient, path: &str) -> Result<WebhookAnswer, SendError> {
        send_to(client, &format!("{}{path}", self.address), &[]).await
    }

    fn paths(&self) -> Vec<String> {
        self.received.lock().unwrap().iter().map(|(path, ..)| path.clone()).collect()
    }
}

async fn send_to(
    client: &WebhookClient,
    url: &str,
    secrets: &[SecretString],
) -> Result<WebhookAnswer, SendError> {
    client.send(WebhookRequest { url, id: "one", timestamp: 1_700_000_000, body: b"{}", secrets }).await
}

fn local() -> WebhookClient {
    let networks = vec!["127.0.0.0/8".parse().unwrap()];
    WebhookClient::new(AddressGuard::new(networks), None).unwrap()
}

#[tokio::test]
async fn a_request_is_signed_and_has_the_headers_of_the_specification() {
    let (receiver, secret) = (Receiver::start().await, generate_secret());

    let secrets = [secret];
    let answer = send_to(&local(), &format!("{}/ok", receiver.address), &secrets).await;

    assert_eq!(answer, Ok(WebhookAnswer { status: 204, retry_after: None }));
    let received = receiver.received.lock().unwrap();
    let (_, headers, body) = &received[0];
    let header = |name: &str| headers[name].to_str().unwrap();
    assert_eq!((header("webhook-id"), header("webhook-timestamp")), ("one", "1700000000"));
    assert_eq!(header("webhook-signature"), sign(&secrets, "one", 1_700_000_000, b"{}"));
    assert_eq!((header("content-type"), &body[..]), ("application/json", &b"{}"[..]));
    assert!(header("user-agent").starts_with("reflect/"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let receiver = Receiver::start().await;

    let answer = receiver.send(&local(), "/moved").await.unwrap();

    assert_eq!(answer.status, 307);
    assert_eq!(receiver.paths(), ["/moved"]);
}

#[tokio::test]
async fn a_receiver_can_ask_to_wait_and_its_answer_can_be_long() {
    let (receiver, client) = (Receiver::start().await, local());

    let busy = receiver.send(&client, "/busy").await.unwrap();
    let long = receiver.send(&client, "/long").await.unwrap();

    assert_eq!((busy.status, busy.retry_after), (503, Some(Duration::from_secs(120))));
    assert_eq!(long.status, 200);
    assert_eq!(receiver.send(&client, "/ok").await.unwrap().status, 204);
}

#[tokio::test]
async fn a_receiver_that_hangs_or_is_not_there_is_an_error() {
    let receiver = Receiver::start().await;
    let client = local().with_timeout(Duration::from_millis(200));

    let hanging = receiver.send(&client, "/hang").await;
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let absent = send_to(&client, &format!("http://{free}/ok"), &[]).await;

    assert_eq!(hanging, Err(SendError::Timeout));
    let SendError::Failed(why) = absent.unwrap_err() else { panic!("a connection was refused") };
    assert!(why.starts_with("cannot connect: "), "{why}");
}

#[tokio::test]
async fn this_machine_is_not_reached_by_number_or_by_name() {
    let receiver = Receiver::start().await;
    let port = receiver.address.rsplit(':').next().unwrap();
    let public = WebhookClient::new(AddressGuard::default(), None).unwrap();
    let elsewhere = AddressGuard::new(vec!["10.0.0.0/8".parse().unwrap()]);
    let elsewhere = WebhookClient::new(elsewhere, None).unwrap();

    let private = Err(SendError::Url(InvalidWebhookUrl::Private));
    assert_eq!(send_to(&public, &format!("https://127.0.0.1:{port}/ok"), &[]).await, private);
    assert_eq!(send_to(&public, &format!("https://localhost:{port}/ok"), &[]).await, private);
    let scheme = Err(SendError::Url(InvalidWebhookUrl::Scheme));
    assert_eq!(send_to(&public, &format!("http://127.0.0.1:{port}/ok"), &[]).await, scheme);
    assert_eq!(send_to(&elsewhere, &format!("http://127.0.0.1:{port}/ok"), &[]).await, scheme);
    assert!(receiver.paths().is_empty());
}
