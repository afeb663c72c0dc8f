//! What the server knows about a route, besides its handler.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::least_role;
use reflect_types::{Defence, MemberRole, Scope};

use crate::caller_use::RequestLoad;
use crate::limits::Limits;

/// The longest time that a request waits for learning. Most clients and proxies close a request after one minute.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(50);
const PROJECTS: &str = "/v1/projects/";
/// The prefix under which the project routes exist a second time, for signed-in members instead of API keys.
pub const CONSOLE: &str = "/console/api";

/// What a request must present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteAccess {
    /// Nothing. The route returns no project data.
    Public,
    /// The bootstrap token, which the handler checks.
    BootstrapToken,
    /// A feedback token in the body, which the handler checks. Requests are limited by the address of the client.
    FeedbackToken,
    /// A key for the project in the path with this scope. Under [`CONSOLE`]: a session of a member who can see the
    /// project and whose role there has this scope.
    Scope(Scope),
    /// A member's session.
    Session,
    /// A session of a member who is an admin of all projects.
    InstallationAdmin,
    /// A key for the project in the header `X-Project-Id`, or for its own project. Each tool checks its scope.
    Tool,
    /// A key with this scope, for the project in the header `X-Project-Id` or for its own project.
    Exporter(Scope),
}

impl RouteAccess {
    /// Whether the caller is known before the body is read.
    pub(crate) const fn is_authenticated(self) -> bool {
        !matches!(self, Self::Public | Self::BootstrapToken | Self::FeedbackToken)
    }
}

impl From<Scope> for RouteAccess {
    fn from(scope: Scope) -> Self {
        Self::Scope(scope)
    }
}

/// How large the request body may be, in bytes and in JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// The route reads no body.
    Empty,
    /// 16 kB: a form, or another request without a key.
    Form,
    /// 1 MB: everything but runs.
    Command,
    /// [`Limits::body_bytes`](crate::Limits::body_bytes), but few values, because all of them are parsed.
    Message,
    /// [`Limits::body_bytes`](crate::Limits::body_bytes): spans, all of which are decoded.
    Spans,
    /// [`Limits::body_bytes`](crate::Limits::body_bytes): runs, which are stored as text.
    Configured,
}

impl BodyLimit {
    /// The limit of a route unless its entry says otherwise.
    fn usual(method: &Method, access: RouteAccess) -> Self {
        match *method {
            Method::GET | Method::HEAD | Method::DELETE => Self::Empty,
            _ if !access.is_authenticated() && Defence::UnauthenticatedBody.is_on() => Self::Form,
            _ if !access.is_authenticated() => Self::Configured,
            _ => Self::Command,
        }
    }

    /// The largest number of bytes, after decompression.
    pub(crate) fn bytes(self, limits: &Limits) -> usize {
        let most = match self {
            Self::Empty => 0,
            Self::Form => 16 * 1024,
            Self::Command => 1024 * 1024,
            Self::Message | Self::Spans | Self::Configured => usize::MAX,
        };
        most.min(limits.body_bytes)
    }

    /// The largest number of JSON values, or of protobuf messages.
    pub(crate) const fn values(self) -> usize {
        match self {
            Self::Empty | Self::Form => 100,
            Self::Command | Self::Message => 10_000,
            Self::Spans => 250_000,
            Self::Configured => 1_000_000,
        }
    }
}

/// Whether the request may wait for a model. Such a request uses no CPU while it is open, so it has its own limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongPoll {
    /// It does not wait.
    Never,
    /// It waits if this query parameter is present.
    WithParameter(&'static str),
    /// It may always wait.
    Always,
    /// It does not wait, but its response is an event stream that stays open.
    Stream,
}

/// The facts about one route.
#[derive(Debug, Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with the names of its parameters.
    pub path: String,
    /// The path under [`CONSOLE`], if the route exists there too.
    pub(crate) console_path: Option<String>,
    /// What a request must present.
    pub access: RouteAccess,
    /// How large the body may be.
    pub body_limit: BodyLimit,
    /// Whether it may wait for a model.
    pub long_poll: LongPoll,
    /// The topic of the event that is published after a successful request. `None` if nothing changes, or if the
    /// engine publishes an event with ids.
    pub topic: Option<&'static str>,
    /// Whether load balancers and scrapers call it, which is not worth a log line each time.
    pub probe: bool,
}

impl Route {
    /// The facts that follow from the method and the access.
    pub(crate) fn new(method: Method, path: String, access: RouteAccess) -> Self {
        let body_limit = BodyLimit::usual(&method, access);
        let console_path = path.starts_with(PROJECTS).then(|| format!("{CONSOLE}{path}"));
        let long_poll = LongPoll::Never;
        Self { method, path, console_path, access, body_limit, long_poll, topic: None, probe: false }
    }

    /// The least role of a member who may use the route. `None` if it is not for members, or for all of them.
    pub const fn role(&self) -> Option<MemberRole> {
        match self.access {
            RouteAccess::Scope(scope) => Some(least_role(scope)),
            RouteAccess::InstallationAdmin => Some(MemberRole::Admin),
            RouteAccess::Public
            | RouteAccess::BootstrapToken
            | RouteAccess::FeedbackToken
            | RouteAccess::Session
            | RouteAccess::Tool
            | RouteAccess::Exporter(_) => None,
        }
    }

    /// Whether a request to this route waits for a model.
    pub(crate) fn waits(&self, query: Option<&str>) -> bool {
        match self.long_poll {
            LongPoll::Never | LongPoll::Stream => false,
            LongPoll::Always => true,
            LongPoll::WithParameter(name) => query.is_some_and(|query| {
                // An encoded name could be this one.
                let may_wait = |key: &str| key == name || key.contains('%');
                query.split('&').any(|pair| pair.split_once('=').is_some_and(|(key, _)| may_wait(key)))
            }),
        }
    }

    /// What a request to this route uses while it is open.
    pub(crate) fn load(&self, query: Option<&str>) -> RequestLoad {
        match self.long_poll {
            LongPoll::Stream => RequestLoad::Streaming,
            _ if self.waits(query) => RequestLoad::Waiting,
            _ => RequestLoad::Working,
        }
    }
}

/// All routes, by method and path.
#[derive(Debug)]
pub(crate) struct RouteTable(HashMap<(Method, &'static str), &'static Route>);

impl RouteTable {
    pub(crate) fn new(routes: &'static [Route]) -> Self {
        Self(routes.iter().map(|route| ((route.method.clone(), route.path.as_str()), route)).collect())
    }

    /// A HEAD request uses the GET route.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Option<&'static Route> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.0.get(&(method.clone(), path)).copied()
    }
}

/// The route that a request matched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchedRoute {
    pub(crate) route: &'static Route,
    /// Whether the request came in under [`CONSOLE`], where the project routes take a session instead of a key.
    pub(crate) by_session: bool,
}

impl MatchedRoute {
    /// The path of the route for logs and metrics: one of a closed set.
    pub(crate) fn label(self) -> &'static str {
        match &self.route.console_path {
            Some(path) if self.by_session => path,
            _ => &self.route.path,
        }
    }
}

/// Stores the matched route in the request for the other middleware.
pub(crate) async fn attach(
    State(table): State<&'static RouteTable>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let project_path = path.strip_prefix(CONSOLE).filter(|rest| rest.starts_with(PROJECTS));
    let route = table.find(request.method(), project_path.unwrap_or(path));
    if let Some(route) = route {
        let by_session = project_path.is_some();
        request.extensions_mut().insert(MatchedRoute { route, by_session });
    }
    next.run(request).await
}
