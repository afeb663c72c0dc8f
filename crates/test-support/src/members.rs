//! Signed-in members and the requests of their browsers.

use axum::body::Body;
use axum::http::Request;
use reflect_engine::MemberRequest;
use reflect_store::{AuditActor, RequestOrigin};
use reflect_types::{MemberRole, ProjectSlug};
use serde_json::Value;
use uuid::Uuid;

use crate::app::TestApp;
use crate::requests::{TestResponse, send};

/// Requests to a test application as the console sends them.
#[derive(Debug)]
pub struct Browser<'a>(&'a TestApp);

impl TestApp {
    /// Requests as the console sends them.
    pub fn browser(&self) -> Browser<'_> {
        Browser(self)
    }
}

impl Browser<'_> {
    /// Signs in a new member and returns the session cookie. `None` gives access to all projects.
    pub async fn sign_in(&self, role: MemberRole, projects: Option<&[ProjectSlug]>) -> String {
        self.sign_in_as(&format!("{role} {}", Uuid::now_v7()), role, projects).await
    }

    /// The same with this name.
    pub async fn sign_in_as(&self, name: &str, role: MemberRole, projects: Option<&[ProjectSlug]>) -> String {
        let engine = self.0.app.engine();
        let actor = AuditActor::local("test");
        let name = name.parse().expect("a name");
        let link = match projects {
            None => {
                engine
                    .members
                    .create_link_as_operator(&name, Some(role), &actor)
                    .await
                    .expect("a link can be created")
                    .1
            }
            Some(projects) => {
                let admin = Box::pin(self.sign_in(MemberRole::Admin, None)).await;
                let admin = engine.access.authenticate_session(&admin).await.expect("the admin is signed in");
                let request = MemberRequest { name, role, projects: Some(projects.to_vec()) };
                engine.members.add(&admin, request, &actor).await.expect("a member can be created").1
            }
        };
        let signed_in = engine
            .sessions
            .sign_in(&link.secret, None, Some("test"), RequestOrigin::default())
            .await
            .expect("the store answers");
        signed_in.expect("the link works").session
    }

    /// Sends a request.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        session: Option<&str>,
        body: Option<&Value>,
    ) -> TestResponse {
        send(&self.0.service, browser_request(method, path, session, body)).await
    }

    /// A path in the test's project, under the console's prefix.
    pub fn path(&self, rest: &str) -> String {
        format!("/console/api{}", self.0.path(rest))
    }
}

/// A request as a page of the console sends it.
pub fn browser_request(
    method: &str,
    path: &str,
    session: Option<&str>,
    body: Option<&Value>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path).header("sec-fetch-site", "same-origin");
    if let Some(session) = session {
        request = request.header("cookie", format!("reflect={session}"));
    }
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    request.body(body).expect("a well-formed request")
}
