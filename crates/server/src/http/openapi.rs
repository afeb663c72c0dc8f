//! The API description, generated from the handlers.

use std::sync::Arc;

use axum::http::Method;
use reflect_types::MemberRole;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{SecurityRequirement, ServerBuilder};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::http::examples::Examples;
use crate::http::route::RouteAccess;
use crate::http::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Reflect",
        description = "A memory for AI agents that learns from outcomes. Record runs as traces, review them, \
                       and retrieve what was learned.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "traces", description = "Recorded runs of agents"),
        (name = "reviews", description = "Results of traces"),
        (name = "signals", description = "Outcomes of runs that other systems report"),
        (name = "memories", description = "Retrieval of memories for a task"),
        (name = "care", description = "Stored memories and their changes"),
        (name = "lessons", description = "Lessons, each of which holds one or more memories"),
        (name = "learning", description = "Whether learning works"),
        (name = "skills", description = "One guide per project"),
        (name = "keys", description = "API keys and their scopes"),
        (name = "webhooks", description = "Endpoints that receive events"),
        (name = "members", description = "People who can sign in, and their roles in the project"),
        (name = "projects", description = "Projects and their settings"),
        (name = "console", description = "For signed-in members. The project routes also exist below `/console/api`, \
                                          with a session instead of a key."),
        (name = "otlp", description = "Runs that arrive as OpenTelemetry spans (OTLP/HTTP)"),
        (name = "mcp", description = "Memories as tools for agents (Model Context Protocol)"),
        (name = "system", description = "The server")
    ),
    // Used only as a query parameter, which does not add its schema.
    components(schemas(reflect_api::MemorySort))
)]
struct Description;

/// The description as JSON, as committed and served.
pub fn description() -> String {
    description_under("")
}

/// The description for a server with this path prefix.
pub(crate) fn description_under(base_path: &str) -> String {
    let router: OpenApiRouter<Arc<App>> = OpenApiRouter::with_openapi(Description::openapi());
    let (_, mut description) = routes::describe(router).split_for_parts();
    description.info.version = env!("CARGO_PKG_VERSION").to_owned();
    if !base_path.is_empty() {
        description.servers = Some(vec![ServerBuilder::new().url(base_path).build()]);
    }
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key: rf_live_… or rf_test_…"))
        .build();
    let cookie = "The session cookie. Over plain HTTP its name is `reflect`";
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description("__Host-reflect", cookie));
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("api_key", SecurityScheme::Http(bearer));
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    let examples = Examples::new();
    for (path, item) in &mut description.paths.paths {
        let operations = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::DELETE, &mut item.delete),
            (Method::PUT, &mut item.put),
            (Method::PATCH, &mut item.patch),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            examples.add_to(operation);
            // OpenAPI 3.1 allows scopes for every security scheme, not only for OAuth.
            operation.security = match routes::TABLE.find(&method, path).map(|route| route.access) {
                Some(RouteAccess::Scope(scope) | RouteAccess::Exporter(scope)) => {
                    Some(vec![SecurityRequirement::new("api_key", [scope.as_str()])])
                }
                // The scope depends on the tool.
                Some(RouteAccess::Tool) => Some(vec![SecurityRequirement::new("api_key", [""; 0])]),
                Some(RouteAccess::Session) => Some(vec![SecurityRequirement::new("session", [""; 0])]),
                // The role that the member needs in every project.
                Some(RouteAccess::InstallationAdmin) => {
                    Some(vec![SecurityRequirement::new("session", [MemberRole::Admin.as_str()])])
                }
                _ => continue,
            };
        }
    }
    description.to_pretty_json().unwrap_or_default()
}
