//! A stream that says what changes, so that a page can look again: topics and ids, never content.

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
use reflect_engine::News;
use reflect_types::ProjectId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::http::caller::{Caller, Pass};
use crate::http::error::ApiError;

/// Proxies close what is silent for longer; and so long does a stream outlive the session it was opened with.
const HEARTBEAT: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_secs(2);

struct Reader {
    app: Arc<App>,
    pass: Pass,
    project: ProjectId,
    heard: Receiver<Arc<News>>,
    greeted: bool,
    next_beat: Instant,
    _room: OwnedSemaphorePermit,
}

/// Be told what changes in a project, as server-sent events.
///
/// Each event is named after its topic. It ends when the key or the session does, when the server is about to stop, or
/// when it is read too slowly; browsers come back by themselves.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/events", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Events", content_type = "text/event-stream", body = ChangeEvent),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Extension(pass): Extension<Pass>,
) -> Result<Response, ApiError> {
    let room = app.streams.clone().try_acquire_owned();
    let room =
        room.map_err(|_| ApiError::overloaded("too many streams are open; look from time to time instead"))?;
    let reader = Reader {
        heard: app.engine.hear(),
        pass,
        project: caller.visitor.project,
        greeted: false,
        next_beat: Instant::now() + HEARTBEAT,
        _room: room,
        app,
    };
    let events = stream::unfold(reader, |mut reader| async move {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    let mut response = Sse::new(events).into_response();
    // Some proxies gather what they pass on unless they are told not to.
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

impl Reader {
    /// What is said next; none at the end.
    async fn next(&mut self) -> Option<Event> {
        if !self.greeted {
            self.greeted = true;
            return event("hello", &[], 0).map(|event| event.retry(RETRY));
        }
        loop {
            tokio::select! {
                () = self.app.closing.cancelled() => return None,
                () = sleep_until(self.next_beat) => {
                    self.next_beat = Instant::now() + HEARTBEAT;
                    // Who may no longer come in is shown out.
                    self.pass.open(&self.app, None).await.ok()?;
                    return Some(Event::default().comment("still here"));
                }
                // Whoever is too far behind to be told everything has to come back.
                news = self.heard.recv() => {
                    let news = news.ok()?;
                    if news.project == self.project || news.topic == News::MISSED {
                        return event(&news.topic, &news.ids, news.count);
                    }
                }
            }
        }
    }
}

fn event(topic: &str, ids: &[uuid::Uuid], count: u32) -> Option<Event> {
    let change = ChangeEvent { topic: topic.to_owned(), ids: ids.to_vec(), count };
    // A topic is a word of ours and holds no line break.
    Event::default().event(topic).json_data(change).ok()
}
