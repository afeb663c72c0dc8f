//! Every route and what it asks of a caller. A route that is not in this table lets nobody in, and a
//! test compares the table with the API description.

use axum::http::Method;
use reflect_types::Scope;

/// What a caller must bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: the route says nothing about any project.
    Nothing,
    /// The bootstrap token, which the route checks itself.
    BootstrapToken,
    /// A key that works in the project of the path and has this scope; under the console's path, a session of a
    /// member who sees the project and whose role has it.
    Scope(Scope),
    /// A session.
    Session,
    /// A key that works in the project of the header `X-Project-Id`, or in its own; the tool asks for its scope.
    Tool,
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Its method.
    pub method: &'static str,
    /// Its path, with the names of its variable parts.
    pub path: &'static str,
    /// What a caller must bring.
    pub needs: Needs,
}

const fn route(method: &'static str, path: &'static str, needs: Needs) -> Route {
    Route { method, path, needs }
}

/// The table.
pub const ROUTES: &[Route] = &[
    route("GET", "/health", Needs::Nothing),
    route("GET", "/ready", Needs::Nothing),
    route("GET", "/metrics", Needs::Nothing),
    route("GET", "/openapi.json", Needs::Nothing),
    route("GET", "/docs", Needs::Nothing),
    route("GET", "/docs/{file}", Needs::Nothing),
    route("GET", "/login", Needs::Nothing),
    route("POST", "/login", Needs::Nothing),
    route("GET", "/setup", Needs::Nothing),
    route("POST", "/setup", Needs::Nothing),
    route("GET", "/logout", Needs::Nothing),
    route("POST", "/logout", Needs::Nothing),
    route("GET", "/console/api/session", Needs::Session),
    route("POST", "/console/api/logout", Needs::Session),
    route("GET", "/console/api/sessions", Needs::Session),
    route("POST", "/console/api/sessions/{session_id}/revoke", Needs::Session),
    route("GET", "/console/api/members", Needs::Session),
    route("POST", "/console/api/members", Needs::Session),
    route("POST", "/console/api/members/{member_id}/link", Needs::Session),
    route("POST", "/console/api/members/{member_id}/disable", Needs::Session),
    route("POST", "/console/api/members/{member_id}/enable", Needs::Session),
    route("GET", "/console/api/projects", Needs::Session),
    route("POST", "/console/api/projects", Needs::Session),
    route("POST", "/mcp", Needs::Tool),
    route("POST", "/v1/bootstrap", Needs::BootstrapToken),
    route("GET", "/v1/projects/{project_id}", Needs::Scope(Scope::MemoryRead)),
    route("PATCH", "/v1/projects/{project_id}", Needs::Scope(Scope::ProjectAdmin)),
    route("DELETE", "/v1/projects/{project_id}", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/traces", Needs::Scope(Scope::TraceWrite)),
    route("GET", "/v1/projects/{project_id}/traces", Needs::Scope(Scope::TraceRead)),
    route("POST", "/v1/projects/{project_id}/traces/batch", Needs::Scope(Scope::TraceWrite)),
    route("POST", "/v1/projects/{project_id}/traces/delete", Needs::Scope(Scope::ProjectAdmin)),
    route("GET", "/v1/projects/{project_id}/traces/{trace_id}", Needs::Scope(Scope::TraceRead)),
    route("GET", "/v1/projects/{project_id}/traces/rows", Needs::Scope(Scope::TraceRead)),
    route("GET", "/v1/projects/{project_id}/traces/{trace_id}/steps", Needs::Scope(Scope::TraceRead)),
    route("GET", "/v1/projects/{project_id}/traces/{trace_id}/parts/{part}", Needs::Scope(Scope::TraceRead)),
    route("GET", "/v1/projects/{project_id}/overview", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/events", Needs::Scope(Scope::TraceRead)),
    route("POST", "/v1/projects/{project_id}/traces/{trace_id}/review", Needs::Scope(Scope::ReviewWrite)),
    route("DELETE", "/v1/projects/{project_id}/traces/{trace_id}/review", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/traces/{trace_id}/retry", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/reviews/batch", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/reviews/bulk", Needs::Scope(Scope::ReviewWrite)),
    route("GET", "/v1/projects/{project_id}/review-queue", Needs::Scope(Scope::TraceRead)),
    route("POST", "/v1/projects/{project_id}/review-queue/next", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/review-queue/leases", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/traces/{trace_id}/defer", Needs::Scope(Scope::ReviewWrite)),
    route("DELETE", "/v1/projects/{project_id}/traces/{trace_id}/defer", Needs::Scope(Scope::ReviewWrite)),
    route("POST", "/v1/projects/{project_id}/memory/query", Needs::Scope(Scope::MemoryRead)),
    route("POST", "/v1/projects/{project_id}/memory/augment", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/retrievals/{retrieval_id}", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/memories", Needs::Scope(Scope::MemoryRead)),
    route("POST", "/v1/projects/{project_id}/memories", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/merge", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/bulk", Needs::Scope(Scope::MemoryWrite)),
    route("GET", "/v1/projects/{project_id}/memories/{memory_id}", Needs::Scope(Scope::MemoryRead)),
    route("PATCH", "/v1/projects/{project_id}/memories/{memory_id}", Needs::Scope(Scope::MemoryWrite)),
    route("DELETE", "/v1/projects/{project_id}/memories/{memory_id}", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/disable", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/enable", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/pin", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/unpin", Needs::Scope(Scope::MemoryWrite)),
    route(
        "POST",
        "/v1/projects/{project_id}/memories/{memory_id}/quarantine",
        Needs::Scope(Scope::MemoryWrite),
    ),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/release", Needs::Scope(Scope::MemoryWrite)),
    route("POST", "/v1/projects/{project_id}/memories/{memory_id}/erase", Needs::Scope(Scope::ProjectAdmin)),
    route("GET", "/v1/projects/{project_id}/memories/{memory_id}/history", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/memories/{memory_id}/uses", Needs::Scope(Scope::MemoryRead)),
    route(
        "GET",
        "/v1/projects/{project_id}/memories/{memory_id}/neighbours",
        Needs::Scope(Scope::MemoryRead),
    ),
    route("GET", "/v1/projects/{project_id}/actions", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/actions/{action_id}", Needs::Scope(Scope::MemoryRead)),
    route("POST", "/v1/projects/{project_id}/actions/{action_id}/undo", Needs::Scope(Scope::MemoryWrite)),
    route("GET", "/v1/projects/{project_id}/skill", Needs::Scope(Scope::MemoryRead)),
    route("POST", "/v1/projects/{project_id}/skill/create", Needs::Scope(Scope::SkillWrite)),
    route("GET", "/v1/projects/{project_id}/uplift", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/loop-health", Needs::Scope(Scope::MemoryRead)),
    route("POST", "/v1/projects/{project_id}/client-reports", Needs::Scope(Scope::TraceWrite)),
    route("GET", "/v1/projects/{project_id}/diagnosis", Needs::Scope(Scope::MemoryRead)),
    route("GET", "/v1/projects/{project_id}/judge", Needs::Scope(Scope::TraceRead)),
    route("POST", "/v1/projects/{project_id}/judge/try", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/erasures", Needs::Scope(Scope::ProjectAdmin)),
    route("GET", "/v1/projects/{project_id}/erasures/{erasure_id}", Needs::Scope(Scope::ProjectAdmin)),
    route("GET", "/v1/projects/{project_id}/api-keys", Needs::Scope(Scope::KeyManage)),
    route("POST", "/v1/projects/{project_id}/api-keys", Needs::Scope(Scope::KeyManage)),
    route("POST", "/v1/projects/{project_id}/api-keys/{key_id}/revoke", Needs::Scope(Scope::KeyManage)),
    route("GET", "/v1/projects/{project_id}/embedding-change", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/embedding-change", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/embedding-change/compare", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/embedding-change/switch", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/embedding-change/rollback", Needs::Scope(Scope::ProjectAdmin)),
    route("POST", "/v1/projects/{project_id}/embedding-change/finish", Needs::Scope(Scope::ProjectAdmin)),
];

/// Where the routes of projects lie a second time, for people instead of keys.
pub const CONSOLE: &str = "/console/api";

/// Finds a route. HEAD asks for what GET asks for.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    let method = if method == Method::HEAD { "GET" } else { method.as_str() };
    ROUTES.iter().find(|route| route.method == method && route.path == path)
}

/// What a request to this route changes, as the noun of the paths that show it. None for what changes nothing that
/// is looked at, and for runs and verdicts, which are told of one by one where they are stored.
pub(crate) fn topic(route: &Route) -> Option<&'static str> {
    let rest = route.path.split_once("{project_id}").map(|(_, rest)| rest)?;
    match rest {
        "" => Some("project"),
        "/traces" | "/traces/batch" | "/traces/{trace_id}/review" if route.method == "POST" => None,
        "/reviews/batch" | "/client-reports" | "/memory/query" | "/memory/augment" => None,
        _ => rest.split('/').nth(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_by_the_noun_of_their_path() {
        let of = |method, path| topic(find(&method, path).unwrap());
        assert_eq!(of(Method::PATCH, "/v1/projects/{project_id}"), Some("project"));
        assert_eq!(of(Method::POST, "/v1/projects/{project_id}/traces/delete"), Some("traces"));
        assert_eq!(of(Method::DELETE, "/v1/projects/{project_id}/traces/{trace_id}/review"), Some("traces"));
        assert_eq!(of(Method::POST, "/v1/projects/{project_id}/api-keys"), Some("api-keys"));
        assert_eq!(of(Method::POST, "/v1/projects/{project_id}/memory/query"), None);
        assert_eq!(of(Method::POST, "/v1/projects/{project_id}/traces"), None);
    }
}
