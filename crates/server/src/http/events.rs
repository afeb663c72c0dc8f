//! The event stream of a project: topics and ids of changes, never content.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use reflect_api::{ChangeEvent, ErrorBody};
use reflect_engine::ProjectEvent;
use reflect_store::RequestOrigin;
use reflect_types::ProjectId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::{Caller, ProjectAccess};

/// Proxies close connections that are idle for longer. Also how long a stream can outlive its key or session.
const HEARTBEAT: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_secs(2);

struct EventReader {
    app: Arc<App>,
    access: ProjectAccess,
    project: ProjectId,
    received: Receiver<Arc<ProjectEvent>>,
    said_hello: bool,
    next_beat: Instant,
    _permit: OwnedSemaphorePermit,
}

/// Subscribe to the changes of a project, as server-sent events.
///
/// Each event is named after its topic. The stream ends when the key or session ends, when the server stops, or when
/// the client reads too slowly. Browsers reconnect automatically.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/events", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Events", content_type = "text/event-stream", body = ChangeEvent),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Extension(access): Extension<ProjectAccess>,
) -> Result<Response, ApiError> {
    let permit = app.streams.clone().try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::overloaded("too many event streams are open; poll instead"))?;
    let reader = EventReader {
        received: app.engine.events.subscribe(),
        access,
        project: caller.visitor.project,
        said_hello: false,
        next_beat: Instant::now() + HEARTBEAT,
        _permit: permit,
        app,
    };
    let events = stream::unfold(reader, |mut reader| async move {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    let mut response = Sse::new(events).into_response();
    // Some proxies buffer responses without this header.
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

impl EventReader {
    /// The next event. `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.said_hello {
            self.said_hello = true;
            return event("hello", &[], 0).map(|event| event.retry(RETRY));
        }
        loop {
            tokio::select! {
                () = self.app.closing.cancelled() => return None,
                () = sleep_until(self.next_beat) => {
                    self.next_beat = Instant::now() + HEARTBEAT;
                    // End the stream if the caller no longer has access.
                    self.access.check(&self.app, &RequestOrigin::default()).await.ok()?;
                    return Some(Event::default().comment("still here"));
                }
                // A client that is too far behind must reconnect.
                received = self.received.recv() => {
                    let changed = received.ok()?;
                    if changed.project == self.project || changed.topic == ProjectEvent::MISSED {
                        return event(&changed.topic, &changed.ids, changed.count);
                    }
                }
            }
        }
    }
}

fn event(topic: &str, ids: &[uuid::Uuid], count: u32) -> Option<Event> {
    let change = ChangeEvent { topic: topic.to_owned(), ids: ids.to_vec(), count };
    // Topics are fixed words without line breaks.
    Event::default().event(topic).json_data(change).ok()
}
