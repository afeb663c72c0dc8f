//! People who are signed in, and their calls as a browser makes them.

use axum::body::Body;
use axum::http::Request;
use reflect_engine::MemberRequest;
use reflect_store::Actor;
use reflect_types::{MemberRole, ProjectSlug};
use serde_json::Value;
use uuid::Uuid;

use crate::{Answer, TestApp, answer};

impl TestApp {
    /// Signs in somebody new, and gives what their browser keeps. None for all projects.
    pub async fn sign_in(&self, role: MemberRole, projects: Option<&[ProjectSlug]>) -> String {
        self.sign_in_as(&format!("{role} {}", Uuid::now_v7()), role, projects).await
    }

    /// The same, by name.
    pub async fn sign_in_as(&self, name: &str, role: MemberRole, projects: Option<&[ProjectSlug]>) -> String {
        let engine = self.app.engine();
        let actor = Actor { name: "test".to_owned(), request_id: None };
        let name = name.parse().expect("a name");
        let link = match projects {
            None => engine.link_as_operator(&name, Some(role), &actor).await.expect("a link can be made").1,
            Some(projects) => {
                let boss = Box::pin(self.sign_in(MemberRole::Admin, None)).await;
                let boss = engine.authenticate_session(&boss).await.expect("the admin is signed in");
                let request = MemberRequest { name, role, projects: Some(projects.to_vec()) };
                engine.add_member(&boss, request, &actor).await.expect("a member can be made").1
            }
        };
        let signed_in =
            engine.sign_in(&link.secret, None, Some("test"), None).await.expect("the store answers");
        signed_in.expect("the link works").session
    }

    /// A call as a page of the console makes it.
    pub async fn browse(
        &self,
        method: &str,
        path: &str,
        session: Option<&str>,
        body: Option<&Value>,
    ) -> Answer {
        answer(&self.service, browser_request(method, path, session, body)).await
    }

    /// The path of something in the test's project, for people.
    pub fn console_path(&self, rest: &str) -> String {
        format!("/console/api{}", self.path(rest))
    }
}

/// A request as a page of the console makes it.
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
