//! The description of the API, made from the handlers themselves.

use std::sync::Arc;

use axum::http::Method;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{SecurityRequirement, ServerBuilder};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::http::{self, Needs, find_route};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Reflect",
        description = "A memory for AI agents that learns from outcomes. Record runs as traces, review them, \
                       and retrieve what was learned.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "traces", description = "Runs of agents"),
        (name = "reviews", description = "What is thought of them"),
        (name = "memories", description = "What a task is given"),
        (name = "care", description = "Memories as they are stored, and what can be done to them"),
        (name = "learning", description = "Whether it works"),
        (name = "skills", description = "One guide per project"),
        (name = "keys", description = "Who may do what"),
        (name = "projects", description = "Where everything belongs"),
        (name = "console", description = "For people who are signed in. The routes of projects lie below \
                                          `/console/api` a second time, for a session instead of a key."),
        (name = "mcp", description = "Memories as tools for agents, by the Model Context Protocol"),
        (name = "system", description = "The server itself")
    ),
    // Named in a query only, where nothing brings a schema along.
    components(schemas(reflect_api::MemorySort))
)]
struct Description;

/// The description as JSON, as it is committed and served.
pub fn description() -> String {
    description_under("")
}

/// The description for a server that a proxy shows under a path.
pub(crate) fn description_under(base_path: &str) -> String {
    let router: OpenApiRouter<Arc<App>> = OpenApiRouter::with_openapi(Description::openapi());
    let (_, mut description) = router
        .merge(http::api())
        .merge(http::mcp_routes())
        .merge(http::system_routes())
        .merge(http::console_routes())
        .split_for_parts();
    description.info.version = env!("CARGO_PKG_VERSION").to_owned();
    if !base_path.is_empty() {
        description.servers = Some(vec![ServerBuilder::new().url(base_path).build()]);
    }
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key: rf_live_… or rf_test_…"))
        .build();
    let cookie = "The cookie of a session; its name is `reflect` over plain HTTP";
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description("__Host-reflect", cookie));
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("api_key", SecurityScheme::Http(bearer));
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
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
            // OpenAPI 3.1 lets any scheme name what it takes, not only OAuth.
            operation.security = match find_route(&method, path).map(|route| route.needs) {
                Some(Needs::Scope(scope)) => {
                    Some(vec![SecurityRequirement::new("api_key", [scope.as_str()])])
                }
                // Which scope depends on the tool that is called.
                Some(Needs::Tool) => Some(vec![SecurityRequirement::new("api_key", [""; 0])]),
                Some(Needs::Session) => Some(vec![SecurityRequirement::new("session", [""; 0])]),
                _ => continue,
            };
        }
    }
    description.to_pretty_json().unwrap_or_default()
}
