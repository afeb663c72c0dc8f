//! The route table. An entry registers a handler together with everything the server knows about the route, so a
//! route without these facts cannot exist. Method and path come from the handler's `#[utoipa::path]`.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::Method;
use axum::routing::{MethodRouter, get, options, post};
use reflect_types::Scope;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::app::App;
use crate::http::route::{BodyLimit, LongPoll, Route, RouteAccess, RouteTable};
use crate::http::{
    actions, audit, bootstrap, bulk_reviews, console, curation, diagnosis, docs, embedding, erasures, events,
    feedback, judge, keys, learning, lesson_grouping, lesson_questions, lessons, mcp, members, memories,
    memory_detail, otlp, overview, pages, projects, review_queue, reviews, signals, skills, steps, system,
    trace_list, traces, webhooks,
};

/// A route and its handler.
struct Entry {
    route: Route,
    handler: Handler,
}

enum Handler {
    /// Part of the API description.
    Api(Box<UtoipaMethodRouter<Arc<App>>>),
    /// A page for people.
    Page(Box<MethodRouter<Arc<App>>>),
}

/// Entries are built one at a time: each contains the schemas of its handler, and together they need 10 MB.
type EntryConstructor = fn() -> Entry;

/// An entry for a handler that has a `#[utoipa::path]`.
macro_rules! api {
    ($module:ident $(:: $name:ident)+, $access:expr) => {
        Entry::api(routes!($module $(:: $name)+), $access)
    };
}

impl Entry {
    fn api(handler: UtoipaMethodRouter<Arc<App>>, access: impl Into<RouteAccess>) -> Self {
        let described = handler.1.paths.iter().next();
        let (path, method) = described
            .map(|(path, item)| {
                let operations = [
                    (Method::GET, &item.get),
                    (Method::POST, &item.post),
                    (Method::PATCH, &item.patch),
                    (Method::PUT, &item.put),
                ];
                let found = operations.into_iter().find(|(_, operation)| operation.is_some());
                (path.clone(), found.map_or(Method::DELETE, |(method, _)| method))
            })
            .unwrap_or_default();
        Self { route: Route::new(method, path, access.into()), handler: Handler::Api(Box::new(handler)) }
    }

    fn page(method: Method, path: &str, handler: MethodRouter<Arc<App>>) -> Self {
        Self {
            route: Route::new(method, path.to_owned(), RouteAccess::Public),
            handler: Handler::Page(Box::new(handler)),
        }
    }

    /// Publishes an event with this topic after a successful request.
    fn topic(mut self, topic: &'static str) -> Self {
        self.route.topic = Some(topic);
        self
    }

    fn long_poll(mut self, long_poll: LongPoll) -> Self {
        self.route.long_poll = long_poll;
        self
    }

    fn body(mut self, limit: BodyLimit) -> Self {
        self.route.body_limit = limit;
        self
    }

    fn probe(mut self) -> Self {
        self.route.probe = true;
        self
    }
}

/// The server itself.
static SYSTEM: &[EntryConstructor] = &[
    || api!(system::health, RouteAccess::Public).probe(),
    || api!(system::ready, RouteAccess::Public).probe(),
    || api!(system::ready_to_write, RouteAccess::Public).probe(),
    || api!(system::metrics, RouteAccess::Public).probe(),
    || api!(system::openapi, RouteAccess::Public),
];

/// Pages, which are not part of the API description.
static PAGES: &[EntryConstructor] = &[
    || Entry::page(Method::GET, "/docs", get(docs::page)),
    || Entry::page(Method::GET, "/docs/{file}", get(docs::file)),
    || Entry::page(Method::GET, "/login", get(pages::log_in::page)),
    || Entry::page(Method::POST, "/login", post(pages::log_in::log_in)),
    || Entry::page(Method::GET, "/login/{provider}", get(pages::provider::start)),
    || Entry::page(Method::GET, "/login/{provider}/callback", get(pages::provider::finish)),
    || Entry::page(Method::GET, "/setup", get(pages::set_up::page)),
    || Entry::page(Method::POST, "/setup", post(pages::set_up::set_up)),
    || Entry::page(Method::GET, "/logout", get(pages::log_out::page)),
    || Entry::page(Method::POST, "/logout", post(pages::log_out::log_out)),
    // Browsers ask before a page of another origin sends feedback.
    || Entry::page(Method::OPTIONS, "/v1/feedback", options(feedback::preflight)),
];

/// Routes of the console that belong to no project.
static CONSOLE_ROUTES: &[EntryConstructor] = &[
    || api!(console::session::get_session, RouteAccess::Session),
    || api!(console::session::log_out, RouteAccess::Session),
    || api!(console::session::list_sessions, RouteAccess::Session),
    || api!(console::session::revoke_session, RouteAccess::Session),
    || api!(console::members::list_members, RouteAccess::InstallationAdmin),
    || api!(console::members::create_member, RouteAccess::InstallationAdmin),
    || api!(console::members::link_member, RouteAccess::InstallationAdmin),
    || api!(console::members::set_member_role, RouteAccess::InstallationAdmin),
    || api!(console::members::disable_member, RouteAccess::InstallationAdmin),
    || api!(console::members::enable_member, RouteAccess::InstallationAdmin),
    || api!(console::projects::list_projects, RouteAccess::Session),
    || api!(console::projects::create_project, RouteAccess::InstallationAdmin),
];

static TOOL_ROUTES: &[EntryConstructor] =
    &[|| api!(mcp::answer_mcp, RouteAccess::Tool).body(BodyLimit::Message)];

/// Where exporters of OpenTelemetry send. The paths end as the protocol says.
static OTLP_ROUTES: &[EntryConstructor] = &[
    || api!(otlp::receive_traces, RouteAccess::Exporter(Scope::TraceWrite)).body(BodyLimit::Spans),
    || api!(otlp::receive_logs, RouteAccess::Exporter(Scope::TraceWrite)).body(BodyLimit::Spans),
];

static FIRST_KEY: &[EntryConstructor] = &[|| api!(bootstrap::bootstrap, RouteAccess::BootstrapToken)];

static FEEDBACK: &[EntryConstructor] = &[|| api!(feedback::send_feedback, RouteAccess::FeedbackToken)];

/// The routes of a project. They exist twice: for keys, and under [`CONSOLE`](crate::CONSOLE) for sessions.
static PROJECT: &[EntryConstructor] = &[
    || api!(projects::get_project, Scope::MemoryRead),
    || api!(projects::change_project, Scope::ProjectAdmin).topic("project"),
    || api!(projects::delete_project, Scope::ProjectAdmin).topic("project"),
    || api!(audit::list_audit, Scope::ProjectAdmin),
    // The engine publishes new traces and reviews with their ids.
    || api!(traces::create_trace, Scope::TraceWrite).body(BodyLimit::Configured),
    || api!(traces::list_traces, Scope::TraceRead),
    || api!(traces::create_traces, Scope::TraceWrite).body(BodyLimit::Configured),
    || api!(traces::delete_traces, Scope::ProjectAdmin).topic("traces"),
    || api!(traces::get_trace, Scope::TraceRead).long_poll(LongPoll::WithParameter("wait")),
    || api!(trace_list::list_rows, Scope::TraceRead),
    || api!(steps::get_steps, Scope::TraceRead),
    || api!(steps::get_part, Scope::TraceRead),
    || api!(overview::get_overview, Scope::MemoryRead),
    || api!(overview::get_overview_story, Scope::TraceRead),
    || api!(events::get_events, Scope::TraceRead).long_poll(LongPoll::Stream),
    || api!(reviews::review_trace, Scope::ReviewWrite).long_poll(LongPoll::Always),
    || api!(reviews::withdraw_review, Scope::ReviewWrite).topic("traces"),
    || api!(reviews::retry_trace, Scope::ReviewWrite).topic("traces"),
    || api!(reviews::review_traces, Scope::ReviewWrite).body(BodyLimit::Configured),
    || api!(bulk_reviews::review_in_bulk, Scope::ReviewWrite).topic("reviews"),
    || api!(review_queue::get_review_queue, Scope::TraceRead),
    || api!(review_queue::next_reviews, Scope::ReviewWrite).topic("review-queue"),
    || api!(review_queue::change_leases, Scope::ReviewWrite).topic("review-queue"),
    || api!(review_queue::defer_trace, Scope::ReviewWrite).topic("traces"),
    || api!(review_queue::resume_trace, Scope::ReviewWrite).topic("traces"),
    || api!(memories::query_memories, Scope::MemoryRead),
    || api!(memories::augment_task, Scope::MemoryRead),
    || api!(memories::get_retrieval, Scope::MemoryRead),
    || api!(memory_detail::list_memories, Scope::MemoryRead),
    || api!(curation::write_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::merge_memories, Scope::MemoryWrite).topic("memories"),
    || api!(curation::change_memories, Scope::MemoryWrite).topic("memories"),
    || api!(memory_detail::get_memory, Scope::MemoryRead),
    || api!(curation::edit_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::delete_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::disable_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::enable_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::pin_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::unpin_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::quarantine_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::release_memory, Scope::MemoryWrite).topic("memories"),
    || api!(curation::erase_memory, Scope::ProjectAdmin).topic("memories"),
    || api!(memory_detail::get_memory_history, Scope::MemoryRead),
    || api!(memory_detail::list_memory_uses, Scope::MemoryRead),
    || api!(memory_detail::list_memory_neighbours, Scope::MemoryRead),
    || api!(lessons::list_lessons, Scope::MemoryRead),
    || api!(lessons::group_lessons, Scope::MemoryWrite).topic("lessons"),
    || api!(lessons::get_lesson, Scope::MemoryRead),
    || api!(lessons::split_lesson, Scope::MemoryWrite).topic("lessons"),
    || api!(lessons::move_memory, Scope::MemoryWrite).topic("memories"),
    || api!(lesson_questions::list_lesson_questions, Scope::MemoryRead),
    || api!(lesson_questions::answer_lesson_question, Scope::MemoryWrite).topic("lesson-questions"),
    || api!(lesson_grouping::get_lesson_grouping, Scope::MemoryRead),
    || api!(lesson_grouping::start_lesson_grouping, Scope::ProjectAdmin).topic("lesson-grouping"),
    || {
        let entry = api!(lesson_grouping::revert_lesson_grouping, Scope::ProjectAdmin);
        // It undoes every automatic grouping of the project.
        entry.topic("lesson-grouping").long_poll(LongPoll::Always)
    },
    || api!(actions::list_actions, Scope::MemoryRead),
    || api!(actions::get_action, Scope::MemoryRead),
    || api!(actions::undo_action, Scope::MemoryWrite).topic("actions"),
    || api!(skills::get_skill, Scope::MemoryRead),
    || api!(skills::create_skill, Scope::SkillWrite).topic("skill").long_poll(LongPoll::Always),
    || api!(learning::get_uplift, Scope::MemoryRead),
    || api!(learning::get_loop_health, Scope::MemoryRead),
    || api!(learning::report_client, Scope::TraceWrite),
    || api!(diagnosis::get_diagnosis, Scope::MemoryRead),
    || api!(judge::get_judge, Scope::TraceRead),
    || {
        let entry = api!(judge::try_judge, Scope::ProjectAdmin).topic("judge").long_poll(LongPoll::Always);
        entry.body(BodyLimit::Configured)
    },
    || api!(signals::send_signal, Scope::SignalWrite).topic("signals"),
    || api!(signals::send_signals, Scope::SignalWrite).topic("signals"),
    || api!(signals::get_signal_sources, Scope::TraceRead),
    || api!(signals::list_trace_signals, Scope::TraceRead),
    // Nothing is stored. An agent issues it for its own run.
    || api!(signals::issue_feedback_token, Scope::TraceWrite),
    || api!(erasures::create_erasure, Scope::ProjectAdmin).topic("erasures"),
    || api!(erasures::get_erasure, Scope::ProjectAdmin),
    || api!(keys::create_api_key, Scope::KeyManage).topic("api-keys"),
    || api!(keys::list_api_keys, Scope::KeyManage),
    || api!(keys::rotate_api_key, Scope::KeyManage).topic("api-keys"),
    || api!(keys::revoke_api_key, Scope::KeyManage).topic("api-keys"),
    || api!(webhooks::create_webhook, Scope::WebhookManage).topic("webhooks"),
    || api!(webhooks::list_webhooks, Scope::WebhookManage),
    || api!(webhooks::get_webhook, Scope::WebhookManage),
    || api!(webhooks::change_webhook, Scope::WebhookManage).topic("webhooks"),
    || api!(webhooks::delete_webhook, Scope::WebhookManage).topic("webhooks"),
    || api!(webhooks::rotate_webhook_secret, Scope::WebhookManage).topic("webhooks"),
    || api!(webhooks::test_webhook, Scope::WebhookManage).topic("webhooks"),
    || api!(webhooks::list_webhook_deliveries, Scope::WebhookManage),
    || api!(webhooks::get_webhook_delivery, Scope::WebhookManage),
    || api!(webhooks::redeliver_webhook, Scope::WebhookManage).topic("webhooks"),
    || api!(members::list_project_members, Scope::ProjectAdmin),
    || api!(members::set_project_role, Scope::ProjectAdmin).topic("members"),
    || api!(members::remove_project_member, Scope::ProjectAdmin).topic("members"),
    || api!(embedding::get_embedding_change, Scope::ProjectAdmin),
    || api!(embedding::start_embedding_change, Scope::ProjectAdmin).topic("embedding-change"),
    || api!(embedding::compare_embeddings, Scope::ProjectAdmin).topic("embedding-change"),
    || api!(embedding::switch_embedding, Scope::ProjectAdmin).topic("embedding-change"),
    || api!(embedding::roll_embedding_back, Scope::ProjectAdmin).topic("embedding-change"),
    || api!(embedding::finish_embedding_change, Scope::ProjectAdmin).topic("embedding-change"),
];

/// Everything that has a description, in the order of the description.
fn api() -> impl Iterator<Item = Entry> {
    [FIRST_KEY, PROJECT, FEEDBACK, TOOL_ROUTES, OTLP_ROUTES, SYSTEM, CONSOLE_ROUTES]
        .into_iter()
        .flat_map(entries)
}

fn entries(constructors: &'static [EntryConstructor]) -> impl Iterator<Item = Entry> {
    constructors.iter().map(|constructor| constructor())
}

/// All routes.
pub static ROUTES: LazyLock<Vec<Route>> =
    LazyLock::new(|| api().chain(entries(PAGES)).map(|entry| entry.route).collect());

/// The same routes for lookups.
pub(crate) static TABLE: LazyLock<RouteTable> = LazyLock::new(|| RouteTable::new(&ROUTES));

/// Adds the handlers of the API and their description.
pub(crate) fn describe(router: OpenApiRouter<Arc<App>>) -> OpenApiRouter<Arc<App>> {
    api().fold(router, |router, entry| match entry.handler {
        Handler::Api(handler) => router.routes(*handler),
        Handler::Page(handler) => router.route(&entry.route.path, *handler),
    })
}

/// The handlers of the project routes.
pub(crate) fn project_router() -> Router<Arc<App>> {
    mount(entries(PROJECT))
}

/// The handlers of the routes about the server itself.
pub(crate) fn system_router() -> Router<Arc<App>> {
    mount(entries(SYSTEM))
}

/// All handlers, with the project routes under their own path only.
pub(crate) fn router() -> Router<Arc<App>> {
    mount(api().chain(entries(PAGES)))
}

/// The handlers without their description, which a running server builds only on request.
fn mount(entries: impl IntoIterator<Item = Entry>) -> Router<Arc<App>> {
    entries.into_iter().fold(Router::new(), |router, entry| {
        let handler = match entry.handler {
            Handler::Api(handler) => handler.2,
            Handler::Page(handler) => *handler,
        };
        router.route(&entry.route.path, handler)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn the_topic_of_a_change_is_the_noun_of_its_path() {
        for route in ROUTES.iter() {
            let Some(topic) = route.topic else { continue };
            let rest = route.path.split_once("{project_id}").unwrap().1;
            assert_eq!(topic, rest.split('/').nth(1).unwrap_or("project"), "{} {}", route.method, route.path);
            assert!(![Method::GET, Method::HEAD].contains(&route.method), "{} {}", route.method, route.path);
        }
    }

    #[test]
    fn only_routes_whose_changes_are_published_elsewhere_have_no_topic() {
        let silent: Vec<&str> = ROUTES
            .iter()
            .filter(|route| route.method != Method::GET && matches!(route.access, RouteAccess::Scope(_)))
            .filter(|route| route.topic.is_none())
            .map(|route| route.path.split_once("{project_id}").unwrap().1)
            .collect();
        let expected = [
            "/traces",
            "/traces/batch",
            "/traces/{trace_id}/review",
            "/reviews/batch",
            "/memory/query",
            "/memory/augment",
            "/client-reports",
            "/traces/{trace_id}/feedback-token",
        ];
        assert_eq!(silent, expected);
    }

    #[test]
    fn a_body_without_a_key_is_small() {
        let open = ROUTES.iter().filter(|route| !route.access.is_authenticated());
        for route in open.filter(|route| route.method != Method::GET) {
            assert_eq!(route.body_limit, BodyLimit::Form, "{} {}", route.method, route.path);
        }
    }

    #[test]
    fn only_runs_may_be_large() {
        let large: Vec<&str> = ROUTES
            .iter()
            .filter(|route| route.body_limit.bytes(&Limits::default()) > 1024 * 1024)
            .map(|route| route.path.split_once("{project_id}").map_or(&*route.path, |(_, rest)| rest))
            .collect();
        let expected = [
            "/traces",
            "/traces/batch",
            "/reviews/batch",
            "/judge/try",
            "/mcp",
            "/otlp/v1/traces",
            "/otlp/v1/logs",
        ];
        assert_eq!(large, expected);
    }

    #[test]
    fn a_route_waits_only_when_its_entry_says_so() {
        let find = |method, path| TABLE.find(&method, path).unwrap();
        let trace = find(Method::GET, "/v1/projects/{project_id}/traces/{trace_id}");
        assert!(trace.waits(Some("trajectory=none&wait=5")));
        assert!(trace.waits(Some("%77ait=5")));
        assert!(!trace.waits(Some("trajectory=none")) && !trace.waits(None));
        assert!(find(Method::POST, "/v1/projects/{project_id}/judge/try").waits(None));
        assert!(!find(Method::POST, "/v1/projects/{project_id}/traces").waits(Some("wait=5")));
    }
}
