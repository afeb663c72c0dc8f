//! People: how they come in, what they may do, and who is kept out.

use axum::body::Body;
use axum::http::Request;
use reflect_server::ServerSettings;
use reflect_store::{AuditActor, RequestOrigin};
use reflect_test_support::{TestApp, TestResponse, browser_request, send};
use reflect_types::{MemberRole, ProjectSlug};
use serde_json::{Value, json};

const SESSION: &str = "/console/api/session";

fn operator() -> AuditActor {
    AuditActor::local("operator")
}

/// Opens a page as a browser does, and gives it with the token of its form.
async fn open(app: &TestApp, path: &str) -> (TestResponse, String) {
    let page = app.call(Request::get(path).header("accept", "text/html").body(Body::empty()).unwrap()).await;
    let cookie = page.header("set-cookie").unwrap_or_default().to_owned();
    let token = cookie.split(['=', ';']).nth(1).unwrap_or_default().to_owned();
    (page, token)
}

fn form(path: &str, token: &str, fields: &str) -> Request<Body> {
    Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header("cookie", format!("reflect-form={token}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(format!("form={token}&{fields}")))
        .unwrap()
}

fn session_of(answer: &TestResponse) -> String {
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"),
        "{cookie}"
    );
    cookie.split(['=', ';']).nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn a_spent_link_leads_whoever_is_signed_in_to_the_console_and_nobody_else() {
    let app = TestApp::start().await;
    let session = app.browser().sign_in(MemberRole::Reviewer, None).await;
    let spent = "/login?t=spent-long-ago";

    let signed_in = app.browser().send("GET", spent, Some(&session), None).await.expect(303);
    let stranger = app.browser().send("GET", spent, Some("forged"), None).await.expect(200);

    assert_eq!(signed_in.header("location"), Some("/"));
    assert!(String::from_utf8_lossy(&stranger.bytes).contains("is not valid or has expired"));
    let plain = app.browser().send("GET", "/login", Some(&session), None).await.expect(200);
    assert!(!String::from_utf8_lossy(&plain.bytes).contains("is not valid"), "no link was opened");
}

#[tokio::test]
async fn the_first_admin_sets_up_and_nobody_after_them() {
    let app = TestApp::start().await;
    let engine = app.app.engine();
    let first = engine.members.create_setup_link(&operator()).await.unwrap().unwrap();
    let second = engine.members.create_setup_link(&operator()).await.unwrap().unwrap();

    let (page, token) = open(&app, &format!("/setup?t={}", first.secret)).await;
    assert!(String::from_utf8_lossy(&page.expect(200).bytes).contains("Your name"));
    let nameless = app.call(form("/setup", &token, &format!("t={}&name=+", first.secret))).await;
    assert!(String::from_utf8_lossy(&nameless.expect(422).bytes).contains("1 to 100"));
    let made = app
        .call(form("/setup", &token, &format!("t={}&name=Ana+P%C3%A9rez", first.secret)))
        .await
        .expect(303);
    assert_eq!(made.header("location"), Some("/"));

    let me = app.browser().send("GET", SESSION, Some(&session_of(&made)), None).await.expect(200).json();
    assert_eq!((&me["member"]["name"], &me["member"]["role"]), (&json!("Ana Pérez"), &json!("admin")));
    assert_eq!(me["member"]["manages_members"], true);
    assert!(engine.members.create_setup_link(&operator()).await.unwrap().is_none());
    for link in [&first.secret, &second.secret] {
        let closed = app.call(form("/setup", &token, &format!("t={link}&name=eve"))).await.expect(410);
        assert!(closed.header("set-cookie").is_none_or(|cookie| cookie.starts_with("reflect-form=")));
        open(&app, &format!("/setup?t={link}")).await.0.expect(410);
    }
    assert_eq!(app.app.engine().store.members().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn two_who_set_up_at_the_same_moment_make_one_admin() {
    let app = TestApp::start().await;
    let mut calls = Vec::new();
    for number in 0..8 {
        let link = app.app.engine().members.create_setup_link(&operator()).await.unwrap().unwrap();
        calls.push(app.call(form("/setup", "tok", &format!("t={}&name=first{number}", link.secret))));
    }
    let answers = futures::future::join_all(calls).await;

    let let_in = answers.iter().filter(|answer| answer.status.as_u16() == 303).count();
    assert_eq!(let_in, 1);
    assert_eq!(app.app.engine().store.members().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_link_lets_one_in_once_though_twenty_try_together() {
    let app = TestApp::start().await;
    let name = "ana".parse().unwrap();
    let (_, link) = app
        .app
        .engine()
        .members
        .create_link_as_operator(&name, Some(MemberRole::Viewer), &operator())
        .await
        .unwrap();
    let path = format!("/login?t={}", link.secret);

    // Looking at it, as programs that preview links do, spends nothing.
    let (_, _) = open(&app, &path).await;
    let (page, token) = open(&app, &path).await;
    assert!(String::from_utf8_lossy(&page.expect(200).bytes).contains("Sign in as ana"));
    let tries = (0..20).map(|_| app.call(form("/login", &token, &format!("t={}", link.secret))));
    let answers = futures::future::join_all(tries).await;

    let let_in: Vec<&TestResponse> = answers.iter().filter(|answer| answer.status.as_u16() == 303).collect();
    assert_eq!(let_in.len(), 1);
    // One who would have to wait too long for a connection is sent away, and has spent nothing.
    assert!(answers.iter().all(|answer| matches!(answer.status.as_u16(), 303 | 401 | 503)));
    app.browser().send("GET", SESSION, Some(&session_of(let_in[0])), None).await.expect(200);
    assert!(String::from_utf8_lossy(&open(&app, &path).await.0.bytes).contains("is not valid"));
    let again = app.app.engine().members.create_link_as_operator(&name, None, &operator()).await.unwrap().1;
    let newer = app.app.engine().members.create_link_as_operator(&name, None, &operator()).await.unwrap().1;
    app.call(form("/login", &token, &format!("t={}", again.secret))).await.expect(401);
    app.call(form("/login", &token, &format!("t=http://x/login?t={}", newer.secret))).await.expect(303);
}

#[tokio::test]
async fn signing_in_anew_and_signing_out_end_the_session_before() {
    let app = TestApp::start().await;
    let earlier = app.browser().sign_in_as("ana", MemberRole::Viewer, None).await;
    let link = app
        .app
        .engine()
        .members
        .create_link_as_operator(&"ana".parse().unwrap(), None, &operator())
        .await
        .unwrap()
        .1;
    let mut request = form("/login", "tok", &format!("t={}", link.secret));
    request.headers_mut().insert("cookie", format!("reflect-form=tok; reflect={earlier}").parse().unwrap());
    let session = session_of(&app.call(request).await.expect(303));

    assert_ne!(session, earlier);
    assert_eq!(
        app.browser().send("GET", SESSION, Some(&earlier), None).await.expect(401).code(),
        "session_ended"
    );
    app.browser().send("GET", SESSION, Some(&session), None).await.expect(200);
    let gone =
        app.browser().send("POST", "/console/api/logout", Some(&session), Some(&json!({}))).await.expect(204);
    assert!(gone.header("set-cookie").unwrap().contains("Max-Age=0"));
    app.browser().send("GET", SESSION, Some(&session), None).await.expect(401);

    let third = app.browser().sign_in(MemberRole::Viewer, None).await;
    let mut request = form("/logout", "tok", "");
    request.headers_mut().insert("cookie", format!("reflect-form=tok; reflect={third}").parse().unwrap());
    assert_eq!(app.call(request).await.expect(303).header("location"), Some("/login"));
    app.browser().send("GET", SESSION, Some(&third), None).await.expect(401);
}

#[tokio::test]
async fn a_session_ends_by_the_clock_of_the_database() {
    let app = TestApp::start().await;
    let mut database = app.db.superuser().await;
    for (change, status) in [
        ("last_seen_at = now() - interval '11 hours 59 minutes'", 200),
        ("last_seen_at = now() - interval '12 hours 1 minute'", 401),
        ("expires_at = now() + interval '1 minute'", 200),
        ("expires_at = now() - interval '1 second'", 401),
        ("revoked_at = now()", 401),
    ] {
        let session = app.browser().sign_in(MemberRole::Viewer, None).await;
        let update = format!(
            "update session set {change} where session_id = (select session_id from session order by session_id desc limit 1)"
        );
        sqlx::query(sqlx::AssertSqlSafe(update)).execute(&mut database).await.unwrap();
        // A process that has not seen it before, so that nothing is remembered.
        let (_, fresh) = app.another().await;
        let looked = send(&fresh, browser_request("GET", SESSION, Some(&session), None)).await;
        assert_eq!(looked.status.as_u16(), status, "{change}");
    }
    let lasts: f64 =
        sqlx::query_scalar("select max(extract(epoch from expires_at - created_at))::float8 from session")
            .fetch_one(&mut database)
            .await
            .unwrap();
    assert!((lasts - 7.0 * 86400.0).abs() < 60.0, "{lasts}");
    let session = app.browser().sign_in(MemberRole::Viewer, None).await;
    let readable = "select count(*) from session s
                    where s::text like '%' || $1 || '%' or s::text like '%' || encode(convert_to($1, 'utf8'), 'hex') || '%'";
    let readable: i64 = sqlx::query_scalar(readable).bind(&session).fetch_one(&mut database).await.unwrap();
    assert_eq!(readable, 0, "what the browser keeps is stored");
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing() {
    let app = TestApp::start().await;
    let session = app.browser().sign_in(MemberRole::Admin, None).await;
    let post = |headers: &[(&str, &str)], body: &'static str| {
        let mut request =
            Request::post("/console/api/projects").header("cookie", format!("reflect={session}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        app.call(request.body(Body::from(body)).unwrap())
    };
    let (json_kind, body) = (("content-type", "application/json"), r#"{"project_id": "made"}"#);
    for (headers, status) in [
        (vec![json_kind, ("sec-fetch-site", "cross-site")], 403),
        (vec![json_kind, ("sec-fetch-site", "same-site")], 403),
        (vec![json_kind, ("sec-fetch-site", "cross-site"), ("origin", "http://here"), ("host", "here")], 403),
        (vec![json_kind, ("origin", "http://evil"), ("host", "here")], 403),
        (vec![json_kind, ("origin", "null"), ("host", "here")], 403),
        (vec![json_kind], 403),
        (vec![("content-type", "text/plain"), ("sec-fetch-site", "same-origin")], 415),
        (vec![("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")], 415),
    ] {
        assert_eq!(post(&headers, body).await.status.as_u16(), status, "{headers:?}");
    }
    assert!(
        app.app
            .engine()
            .store
            .catalogue()
            .project_rows(None)
            .await
            .unwrap()
            .iter()
            .all(|row| row.slug != "made")
    );
    post(&[json_kind, ("origin", "http://here"), ("host", "here")], body).await.expect(201);
    let mut forged = form("/login", "tok", "t=x");
    forged.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
    assert_eq!(app.call(forged).await.expect(403).code(), "cross_site");
    let mut bare = form("/login", "tok", "t=x");
    bare.headers_mut().remove("cookie");
    app.call(bare).await.expect(403);
}

#[tokio::test]
async fn every_page_and_answer_is_shielded() {
    let app = TestApp::start().await;
    let paths = ["/", "/p/some/traces", "/login", "/login?t=x", "/setup", "/setup?t=x", "/logout"];
    for path in paths.iter().chain(&[SESSION, "/console/api/nothing", "/nowhere.js", "/health"]) {
        let request = Request::get(*path).header("accept", "text/html,*/*").body(Body::empty()).unwrap();
        let answer = app.call(request).await;
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        if paths.contains(path) {
            assert!(policy.contains("require-trusted-types-for 'script'"), "{path}: {policy}");
            assert!(policy.contains("form-action 'self'"), "{path}: {policy}");
            assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{path}");
            assert!(!String::from_utf8_lossy(&answer.bytes).contains("__REFLECT"), "{path}");
        }
    }
    // A call that is no page gets an error and no page.
    let request =
        Request::get("/console/api/nothing").header("accept", "text/html").body(Body::empty()).unwrap();
    assert_eq!(app.call(request).await.expect(404).code(), "route_not_found");
}

#[tokio::test]
async fn behind_tls_cookies_are_for_tls_alone_and_links_are_whole() {
    let settings = ServerSettings {
        public_url: Some("https://reflect.example".into()),
        base_path: "/pre".into(),
        ..ServerSettings::default()
    };
    let app = TestApp::with(settings).await;
    let session = app.browser().sign_in(MemberRole::Admin, None).await;
    let plain = app.browser().send("GET", &format!("/pre{SESSION}"), Some(&session), None).await;
    assert_eq!(plain.expect(401).code(), "not_signed_in");
    let request = Request::post("/pre/console/api/members")
        .header("cookie", format!("__Host-reflect={session}"))
        .header("origin", "https://reflect.example")
        .header("content-type", "application/json")
        .body(Body::from(json!({ "name": "bo", "role": "reviewer" }).to_string()))
        .unwrap();
    let made = app.call(request).await.expect(201).json();
    let path = made["link"]["path"].as_str().unwrap();
    assert!(path.starts_with("/pre/login?t="), "{path}");
    assert_eq!(made["link"]["url"], json!(format!("https://reflect.example{path}")));
    let (page, _) = open(&app, path).await;
    let cookie = page.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-reflect-form=") && cookie.ends_with("; Secure"), "{cookie}");
}

#[tokio::test]
async fn a_reviewer_judges_under_their_own_name() {
    let app = TestApp::start().await;
    let session =
        app.browser().sign_in_as("Ana", MemberRole::Reviewer, Some(std::slice::from_ref(&app.project))).await;
    let trace = app.given_trace().await;
    let lesson = json!({ "result": "pass", "reflection": { "summary": "s" } });
    let path = app.browser().path(&format!("/traces/{trace}/review"));
    app.browser().send("POST", &path, Some(&session), Some(&lesson)).await.expect(200);

    let rows = app
        .browser()
        .send("GET", &app.browser().path("/traces/rows"), Some(&session), None)
        .await
        .expect(200)
        .json();
    assert_eq!((&rows[0]["reviewer"], &rows[0]["result"]), (&json!("member:Ana"), &json!("pass")));
    app.browser().send("DELETE", &path, Some(&session), None).await.expect(200);
    let project = app.app.engine().store.catalogue().find_project(&app.project).await.unwrap().unwrap();
    let audit = app.app.engine().store.project(project).admin().audit_entries(None, 10).await.unwrap();
    assert!(audit.iter().any(|entry| entry.actor == "member:Ana"), "{audit:?}");
}

#[tokio::test]
async fn an_admin_lets_people_in_and_shuts_them_out() {
    let app = TestApp::start().await;
    let admin = app.browser().sign_in_as("boss", MemberRole::Admin, None).await;
    let members = "/console/api/members";
    let new = json!({ "name": "bo", "role": "reviewer", "projects": [app.project] });
    let made = app.browser().send("POST", members, Some(&admin), Some(&new)).await.expect(201).json();
    let secret = made["link"]["path"].as_str().unwrap().split("t=").nth(1).unwrap().to_owned();
    let bo = app
        .app
        .engine()
        .sessions
        .sign_in(&secret, None, None, RequestOrigin::default())
        .await
        .unwrap()
        .unwrap()
        .session;
    let id = made["member"]["id"].as_str().unwrap();

    assert_eq!(
        app.browser().send("POST", members, Some(&admin), Some(&new)).await.expect(409).code(),
        "conflict"
    );
    let nowhere = json!({ "name": "cy", "role": "viewer", "projects": ["nowhere"] });
    app.browser().send("POST", members, Some(&admin), Some(&nowhere)).await.expect(422);
    for (method, path) in
        [("GET", members.to_owned()), ("POST", members.to_owned()), ("POST", format!("{members}/{id}/link"))]
    {
        let body = (method == "POST").then_some(&new);
        assert_eq!(
            app.browser().send(method, &path, Some(&bo), body).await.expect(403).code(),
            "forbidden",
            "{path}"
        );
    }
    app.browser().send("GET", "/console/api/sessions?all=true", Some(&bo), None).await.expect(403);
    let own = app.browser().send("GET", "/console/api/sessions", Some(&bo), None).await.expect(200).json();
    assert_eq!((own.as_array().unwrap().len(), &own[0]["current"]), (1, &json!(true)));
    let all = app
        .browser()
        .send("GET", "/console/api/sessions?all=true", Some(&admin), None)
        .await
        .expect(200)
        .json();
    let bosses = all.as_array().unwrap().iter().find(|session| session["member"] == "boss").unwrap();
    let revoke = format!("/console/api/sessions/{}/revoke", bosses["id"].as_str().unwrap());
    app.browser().send("POST", &revoke, Some(&bo), Some(&json!({}))).await.expect(404);

    let mine = app.browser().send("GET", SESSION, Some(&admin), None).await.expect(200).json();
    let me = format!("{members}/{}/disable", mine["member"]["id"].as_str().unwrap());
    app.browser().send("POST", &me, Some(&admin), Some(&json!({}))).await.expect(422);
    app.browser().send("GET", SESSION, Some(&bo), None).await.expect(200);
    let out = app
        .browser()
        .send("POST", &format!("{members}/{id}/disable"), Some(&admin), Some(&json!({})))
        .await
        .expect(200);
    assert!(!out.json()["disabled_at"].is_null());
    app.browser().send("GET", SESSION, Some(&bo), None).await.expect(401);
    app.browser()
        .send("POST", &format!("{members}/{id}/link"), Some(&admin), Some(&json!({})))
        .await
        .expect(409);
    app.browser()
        .send("POST", &format!("{members}/{id}/enable"), Some(&admin), Some(&json!({})))
        .await
        .expect(200);
    app.browser()
        .send("POST", &format!("{members}/{id}/link"), Some(&admin), Some(&json!({})))
        .await
        .expect(201);
    app.browser().send("POST", &revoke, Some(&admin), Some(&json!({}))).await.expect(200);
    app.browser().send("GET", SESSION, Some(&admin), None).await.expect(401);
}

#[tokio::test]
async fn members_see_their_projects_and_admins_make_new_ones() {
    let app = TestApp::start().await;
    app.given_trace().await;
    let other: ProjectSlug = "other".parse().unwrap();
    app.new_key(Some(&other), reflect_types::Scope::ALL).await;
    let bo = app.browser().sign_in(MemberRole::Viewer, Some(std::slice::from_ref(&app.project))).await;
    let names = |listed: &Value| -> Vec<String> {
        listed.as_array().unwrap().iter().map(|row| row["project_id"].as_str().unwrap().to_owned()).collect()
    };
    let projects = "/console/api/projects";
    let listed = app.browser().send("GET", projects, Some(&bo), None).await.expect(200).json();
    assert_eq!(names(&listed), [app.project.to_string()]);
    assert_eq!(listed[0]["pending"], 1);
    app.browser().send("POST", projects, Some(&bo), Some(&json!({ "project_id": "x" }))).await.expect(403);

    let limited = app.browser().sign_in(MemberRole::Admin, Some(std::slice::from_ref(&app.project))).await;
    app.browser()
        .send("POST", projects, Some(&limited), Some(&json!({ "project_id": "x" })))
        .await
        .expect(403);
    let admin = app.browser().sign_in(MemberRole::Admin, None).await;
    app.browser().send("POST", projects, Some(&admin), Some(&json!({ "project_id": "x" }))).await.expect(201);
    app.browser().send("POST", projects, Some(&admin), Some(&json!({ "project_id": "x" }))).await.expect(409);
    let all = names(&app.browser().send("GET", projects, Some(&admin), None).await.expect(200).json());
    assert!(all.contains(&"other".to_owned()) && all.contains(&"x".to_owned()), "{all:?}");
    // Naming a project makes none, unlike with a master key.
    app.browser().send("GET", "/console/api/v1/projects/y/traces", Some(&admin), None).await.expect(404);
}

#[tokio::test]
async fn a_disabled_member_loses_the_keys_they_created_and_those_created_with_them() {
    let app = TestApp::start().await;
    let admin = app.browser().sign_in_as("boss", MemberRole::Admin, None).await;
    let bo =
        app.browser().sign_in_as("bo", MemberRole::Admin, Some(std::slice::from_ref(&app.project))).await;
    let wish = json!({ "label": "l", "scopes": ["trace:read", "key:manage"] });
    let keys = app.browser().path("/api-keys");
    let made = app.browser().send("POST", &keys, Some(&bo), Some(&wish)).await.expect(201).json();
    let first = made["api_key"].as_str().unwrap();
    let below =
        app.send("POST", &app.path("/api-keys"), Some(first), &[], Some(&wish)).await.expect(201).json();
    let second = below["api_key"].as_str().unwrap();
    let members = app.app.engine().store.members().list().await.unwrap();
    let id = members.iter().find(|member| member.name == "bo").unwrap().member_id;

    let path = format!("/console/api/members/{id}/disable");
    app.browser().send("POST", &path, Some(&admin), Some(&json!({}))).await.expect(200);

    for key in [first, second] {
        let refused = app.send("GET", &app.path("/traces"), Some(key), &[], None).await;
        assert_eq!(refused.expect(401).code(), "key_revoked");
    }
    app.get("/traces").await.expect(200);
}

#[tokio::test]
async fn roles_are_given_per_project_and_by_nobody_who_has_less() {
    let app = TestApp::start().await;
    let admin = app.browser().sign_in_as("boss", MemberRole::Admin, None).await;
    let lead =
        app.browser().sign_in_as("lead", MemberRole::Admin, Some(std::slice::from_ref(&app.project))).await;
    let bo =
        app.browser().sign_in_as("bo", MemberRole::Viewer, Some(std::slice::from_ref(&app.project))).await;
    let other: ProjectSlug = "other".parse().unwrap();
    app.new_key(Some(&other), reflect_types::Scope::ALL).await;
    let path = app.browser().path("/members/bo");
    let set = async |session: &str, path: &str, role: &str| {
        app.browser().send("PUT", path, Some(session), Some(&json!({ "role": role }))).await
    };

    assert_eq!(set(&bo, &path, "admin").await.expect(403).code(), "missing_scope");
    let given = set(&lead, &path, "reviewer").await.expect(200).json();
    assert_eq!((&given["name"], &given["role"]), (&json!("bo"), &json!("reviewer")));
    let elsewhere = "/console/api/v1/projects/other/members/bo";
    set(&lead, elsewhere, "admin").await.expect(404);
    set(&admin, elsewhere, "maintainer").await.expect(200);
    let me = app.browser().send("GET", SESSION, Some(&bo), None).await.expect(200).json();
    let roles: Vec<(&Value, &Value)> =
        me["projects"].as_array().unwrap().iter().map(|one| (&one["project_id"], &one["role"])).collect();
    assert_eq!(roles, [(&json!("other"), &json!("maintainer")), (&json!(app.project), &json!("reviewer"))]);
    assert_eq!(me["member"]["role"], Value::Null);

    let narrow = app.new_key(Some(&app.project), &[reflect_types::Scope::ProjectAdmin]).await;
    let key_path = app.path("/members/bo");
    let body = json!({ "role": "viewer" });
    let refused = app.send("PUT", &key_path, Some(&narrow), &[], Some(&body)).await;
    assert_eq!(refused.expect(403).code(), "forbidden");
    app.send("PUT", &key_path, Some(&app.key), &[], Some(&body)).await.expect(200);
    app.browser().send("DELETE", &path, Some(&lead), None).await.expect(200);
    app.browser().send("GET", &app.browser().path("/traces"), Some(&bo), None).await.expect(404);

    let everywhere = format!("/console/api/members/{}/role", given["id"].as_str().unwrap());
    assert_eq!(set(&lead, &everywhere, "admin").await.expect(403).code(), "forbidden");
    let row = set(&admin, &everywhere, "viewer").await.expect(200).json();
    assert_eq!(row["role"], "viewer");
    assert_eq!(row["projects"], json!([{ "project_id": "other", "role": "maintainer" }]));
    app.browser().send("GET", &app.browser().path("/traces"), Some(&bo), None).await.expect(200);
    let mine = app.browser().send("GET", SESSION, Some(&admin), None).await.expect(200).json();
    let own = format!("/console/api/members/{}/role", mine["member"]["id"].as_str().unwrap());
    set(&admin, &own, "viewer").await.expect(422);
}
