//! The server: listens, records the calls, and follows the script.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::calls::{Call, CallKind, Counts, Log, name_of};
use crate::choose::Chooser;
use crate::deliver::{CloseConnection, Delivery};
use crate::script::{ChatBehaviour, EmbedBehaviour, Script};
use crate::{chat, embeddings};

/// A running provider. It stops when it is dropped.
///
/// ```
/// use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Script, ScriptedProvider};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let provider = ScriptedProvider::start(Script::default()).await.unwrap();
/// provider.set(Script { chat: EndpointScript::always(ChatBehaviour::Hang), ..Script::default() });
/// assert_eq!(provider.counts().chat, 0);
/// # });
/// ```
pub struct ScriptedProvider {
    address: SocketAddr,
    shared: Shared,
    /// Dropping it closes every connection.
    _listening: JoinSet<()>,
}

impl ScriptedProvider {
    /// Listens on a free port of the loopback address.
    pub async fn start(script: Script) -> io::Result<Self> {
        Self::start_on(0, script).await
    }

    /// Listens on this port of the loopback address.
    pub async fn start_on(port: u16, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let shared = Shared(Arc::new(Mutex::new(Inner::new(script))));
        let mut listening = JoinSet::new();
        listening.spawn(listen(listener, router(shared.clone())));
        Ok(Self { address, shared, _listening: listening })
    }

    /// The address without a path: `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for OpenAI clients: `http://127.0.0.1:40123/v1`.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The arguments with which `reflect serve` uses this provider for texts and embeddings.
    pub fn server_arguments(&self) -> Vec<String> {
        let url = self.base_url();
        let arguments = [
            ["--text-provider", "openai"],
            ["--text-url", &url],
            ["--text-model", "scripted"],
            ["--embedder", "openai"],
            ["--embedder-url", &url],
            ["--embedder-model", "scripted-embedding"],
            // A busy machine must not cause a search by words.
            ["--question-ms", "5000"],
        ];
        arguments.concat().into_iter().map(str::to_owned).collect()
    }

    /// Starts another script. Calls in progress continue with the old one.
    pub fn set(&self, script: Script) {
        self.shared.lock().follow(script);
    }

    /// The last thousand calls, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().log.calls()
    }

    /// The numbers of calls.
    pub fn counts(&self) -> Counts {
        self.shared.lock().log.counts()
    }
}

struct Inner {
    chat: Chooser<ChatBehaviour>,
    embeddings: Chooser<EmbedBehaviour>,
    dimension: usize,
    log: Log,
}

impl Inner {
    fn new(script: Script) -> Self {
        Self {
            chat: Chooser::new(script.chat),
            embeddings: Chooser::new(script.embeddings),
            dimension: script.dimension,
            log: Log::default(),
        }
    }

    fn follow(&mut self, script: Script) {
        let log = std::mem::take(&mut self.log);
        *self = Self { log, ..Self::new(script) };
    }
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Inner>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat_completions))
        .route("/v1/embeddings", post(create_embeddings))
        .route("/v1/models", get(models))
        .route("/script", put(set_script))
        .route("/calls", get(calls))
        .layer(DefaultBodyLimit::disable())
        .with_state(shared)
}

async fn chat_completions(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let request_text = chat::request_text(&request);
    let behaviour = {
        let mut inner = shared.lock();
        let behaviour = inner.chat.next(&request_text);
        inner.log.add(call(CallKind::Chat, &uri, &headers, request.clone(), name_of(&behaviour)));
        behaviour
    };
    chat::reply(&request, behaviour).await.deliver().await
}

async fn create_embeddings(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let request_text = embeddings::request_text(&request);
    let (behaviour, dimension) = {
        let mut inner = shared.lock();
        let behaviour = inner.embeddings.next(&request_text);
        inner.log.add(call(CallKind::Embeddings, &uri, &headers, request.clone(), name_of(&behaviour)));
        (behaviour, inner.dimension)
    };
    embeddings::reply(&request, behaviour, dimension).await.deliver().await
}

async fn models(State(shared): State<Shared>, uri: Uri, headers: HeaderMap) -> Json<Value> {
    shared.lock().log.add(call(CallKind::Models, &uri, &headers, Value::Null, "answer".to_owned()));
    let models = ["scripted", "scripted-embedding"];
    let models = models.map(|id| json!({ "id": id, "object": "model", "created": 0, "owned_by": "script" }));
    Json(json!({ "object": "list", "data": models }))
}

async fn set_script(State(shared): State<Shared>, body: Bytes) -> Response {
    match serde_json::from_slice(&body) {
        Ok(script) => {
            shared.lock().follow(script);
            Delivery::Json("{}".to_owned()).deliver().await
        }
        Err(error) => Delivery::bad_request(format!("the script is not valid: {error}")).deliver().await,
    }
}

async fn calls(State(shared): State<Shared>) -> Json<Counts> {
    Json(shared.lock().log.counts())
}

fn call(kind: CallKind, uri: &Uri, headers: &HeaderMap, body: Value, behaviour: String) -> Call {
    let headers = headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let headers = headers.collect();
    Call { kind, at: SystemTime::now(), path: uri.to_string(), headers, body, behaviour }
}

async fn listen(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                connections.spawn(serve(stream, router.clone()));
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Not `axum::serve`, which always sends a response. Here a script can close the connection instead.
async fn serve(stream: TcpStream, router: Router) {
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let router = router.clone();
        async move {
            let Ok(response) = router.oneshot(request.map(Body::new)).await;
            match response.extensions().get::<CloseConnection>() {
                Some(_) => Err(io::Error::other("the script closes this connection")),
                None => Ok(response),
            }
        }
    });
    // A client that disconnects is not an error.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
