//! The tenant matrix: every route against every kind of key, role and project membership that must not get through,
//! made from the table of routes, so that a new route is covered by being listed.

mod things;

use reflect_engine::least_role;
use reflect_server::{CONSOLE, ROUTES, Route, RouteAccess, TOOLS};
use reflect_test_support::{TestApp, TestResponse};
use reflect_types::{MemberRole, ProjectSlug, Scope};
use serde_json::{Value, json};

use things::{Theirs, body, path, things_of};

fn guarded() -> impl Iterator<Item = (&'static Route, Scope)> {
    ROUTES.iter().filter_map(|route| match route.access {
        RouteAccess::Scope(scope) => Some((route, scope)),
        _ => None,
    })
}

async fn theirs(app: &TestApp) -> Theirs {
    things_of(app, &app.project, &app.key).await
}

/// Keys without access to the project of the app.
struct Outsiders {
    foreign: String,
    revoked: String,
    never_made: String,
}

async fn outsiders(app: &TestApp) -> Outsiders {
    let elsewhere: ProjectSlug = "elsewhere".parse().unwrap();
    let foreign = app.new_key(Some(&elsewhere), Scope::ALL).await;
    let revoked = app.new_key(Some(&app.project), Scope::ALL).await;
    let list = app.get("/api-keys").await.expect(200).json();
    let revoked_id = list[0]["id"].as_str().unwrap();
    app.post(&format!("/api-keys/{revoked_id}/revoke"), &json!({})).await.expect(200);
    Outsiders { foreign, revoked, never_made: app.key.replace("rf_live_", "rf_live_x") }
}

#[tokio::test]
async fn every_route_refuses_callers_without_access() {
    let app = TestApp::start().await;
    let theirs = theirs(&app).await;
    let Outsiders { foreign, revoked, never_made } = outsiders(&app).await;

    let mut checked = 0;
    for (route, scope) in guarded() {
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let narrow = app.new_key(Some(&theirs.project), &others).await;
        let path = path(route, &theirs.project, &theirs);
        for (who, key, status) in [
            ("no key", None, 401),
            ("a key that was never made", Some(&never_made), 401),
            ("a revoked key", Some(&revoked), 401),
            ("another project's key", Some(&foreign), 404),
            ("a key without the scope", Some(&narrow), 403),
        ] {
            let key = key.map(String::as_str);
            let answer =
                app.send(route.method.as_str(), &path, key, &[], body(route, &theirs).as_ref()).await;
            assert_eq!(answer.status.as_u16(), status, "{who} on {} {path}", route.method);
            assert!(!answer.code().is_empty(), "{who} on {} {path}: no error code", route.method);
            checked += 1;
        }
    }
    println!("tenant matrix: {} routes, {checked} refusals, all as expected", guarded().count());
    assert!(checked >= 5 * 19);
}

#[tokio::test]
async fn every_route_lets_the_right_key_and_a_master_key_through() {
    let app = TestApp::start().await;
    for (route, scope) in guarded() {
        for is_master in [false, true] {
            // A project of its own for each, because one of the routes deletes it.
            let project: ProjectSlug = format!("p-{}", uuid::Uuid::now_v7()).parse().unwrap();
            let owner = app.new_key(Some(&project), Scope::ALL).await;
            let key = match is_master {
                true => app.master.clone(),
                // A caller cannot give a role with scopes that it lacks.
                false if route.path.ends_with("/members/{member}") => {
                    app.new_key(Some(&project), &[scope, Scope::TraceRead, Scope::MemoryRead]).await
                }
                false => app.new_key(Some(&project), &[scope, Scope::TraceRead]).await,
            };
            let things = things_of(&app, &project, &owner).await;

            let path = path(route, &project, &things);
            let body = body(route, &things);
            let answer = app.send(route.method.as_str(), &path, Some(&key), &[], body.as_ref()).await;

            let status = answer.status;
            assert!(is_let_in(route, &answer), "master {is_master} on {} {path}: {status}", route.method);
        }
    }
}

/// The tools at `/mcp` stand in a table of their own; a key that lacks the scope is told so by the tool.
#[tokio::test]
async fn every_tool_refuses_callers_without_access() {
    let app = TestApp::start().await;
    let theirs = theirs(&app).await;
    let Outsiders { foreign, revoked, never_made } = outsiders(&app).await;
    let session = app.browser().sign_in(MemberRole::Admin, None).await;
    let cookie = format!("reflect={session}");
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("host", "localhost"),
        ("x-project-id", theirs.project.as_str()),
        ("cookie", &cookie),
    ];
    let arguments = json!({
        "query": "t", "task": "t", "result": "pass", "summary": "s", "trace_id": theirs.trace, "replace": true,
        "trajectory": "x",
    });

    let mut checked = 0;
    for tool in TOOLS {
        let mut arguments = arguments.clone();
        // Two names of one thing.
        arguments.as_object_mut().unwrap().remove(if ["create_memory", "record_run"].contains(&tool.name) {
            "query"
        } else {
            "task"
        });
        let params = json!({ "name": tool.name, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        for (who, key, status) in [
            ("a session and no key", None, 401),
            ("a key that was never made", Some(&never_made), 401),
            ("a revoked key", Some(&revoked), 401),
            ("another project's key", Some(&foreign), 404),
        ] {
            let key = key.map(String::as_str);
            let answer = app.send("POST", "/mcp", key, &headers, Some(&message)).await;
            assert_eq!(answer.status.as_u16(), status, "{who} on {}", tool.name);
            checked += 1;
        }
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != tool.scope).collect();
        let narrow = app.new_key(Some(&theirs.project), &others).await;
        let exact = app.new_key(Some(&theirs.project), &[tool.scope]).await;
        for (who, key, code) in [
            ("a key without the scope", &narrow, "missing_scope"),
            // Let in; there is no skill yet.
            ("a key with it alone", &exact, if tool.name == "get_skill" { "not_found" } else { "" }),
            ("a master key", &app.master, if tool.name == "get_skill" { "not_found" } else { "" }),
        ] {
            let answer = app.send("POST", "/mcp", Some(key), &headers, Some(&message)).await.expect(200);
            let error = &answer.json()["result"]["structuredContent"]["error"]["code"];
            assert_eq!(error.as_str().unwrap_or_default(), code, "{who} on {}", tool.name);
            checked += 1;
        }
    }
    println!("tenant matrix of the tools: {} tools, {checked} answers, all as expected", TOOLS.len());
    assert!(checked >= 7 * 5);
}

/// The same table a second time: people instead of keys.
#[tokio::test]
async fn every_console_route_refuses_callers_without_access() {
    let app = TestApp::start().await;
    let theirs = theirs(&app).await;
    let elsewhere: ProjectSlug = "elsewhere".parse().unwrap();
    app.new_key(Some(&elsewhere), Scope::ALL).await;
    let foreign = app.browser().sign_in(MemberRole::Admin, Some(&[elsewhere])).await;
    let good = app.browser().sign_in(MemberRole::Admin, None).await;
    let never_begun = "x".repeat(43);
    let (expired, revoked) = (
        app.browser().sign_in(MemberRole::Admin, None).await,
        app.browser().sign_in(MemberRole::Admin, None).await,
    );
    let mut database = app.db.superuser().await;
    for (change, after) in [("revoked_at = now()", 0), ("expires_at = now()", 1)] {
        let update = format!(
            "update session set {change} where session_id = (select session_id from session order by session_id desc offset {after} limit 1)"
        );
        sqlx::query(sqlx::AssertSqlSafe(update)).execute(&mut database).await.unwrap();
    }
    let limited = app.browser().sign_in(MemberRole::Admin, Some(std::slice::from_ref(&theirs.project))).await;

    let mut checked = 0;
    let for_members = ROUTES
        .iter()
        .filter(|route| matches!(route.access, RouteAccess::Session | RouteAccess::InstallationAdmin))
        .map(|route| (route, None));
    for (route, scope) in guarded().map(|(route, scope)| (route, Some(scope))).chain(for_members) {
        let bare = path(route, &theirs.project, &theirs);
        let path = if scope.is_some() { format!("{CONSOLE}{bare}") } else { bare.clone() };
        let mut cases = vec![
            ("no session", None, 401),
            ("a session that was never begun", Some(&never_begun), 401),
            ("an expired session", Some(&expired), 401),
            ("a revoked session", Some(&revoked), 401),
        ];
        match route.access {
            RouteAccess::Scope(_) => cases.push(("another project's member", Some(&foreign), 404)),
            RouteAccess::InstallationAdmin => cases.push(("an admin of one project", Some(&limited), 403)),
            _ => {}
        }
        for (who, session, status) in cases {
            let session = session.map(String::as_str);
            let answer = app
                .browser()
                .send(route.method.as_str(), &path, session, body(route, &theirs).as_ref())
                .await;
            assert_eq!(answer.status.as_u16(), status, "{who} on {} {path}", route.method);
            checked += 1;
        }
        // Each surface takes its own: no key here, and no cookie there.
        let cookie = format!("reflect={good}");
        let both = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
        let by_key = app
            .send(route.method.as_str(), &path, Some(&app.key), &both, body(route, &theirs).as_ref())
            .await;
        assert_eq!(by_key.status.as_u16(), 401, "a key on {} {path}", route.method);
        checked += 1;
        if scope.is_some() {
            let by_cookie = app
                .browser()
                .send(route.method.as_str(), &bare, Some(&good), body(route, &theirs).as_ref())
                .await;
            assert_eq!(by_cookie.status.as_u16(), 401, "a cookie on {} {bare}", route.method);
            checked += 1;
        }
        if route.method != "GET" {
            let foreign_page = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
            let forged = app
                .send(route.method.as_str(), &path, None, &foreign_page, body(route, &theirs).as_ref())
                .await;
            assert_eq!((forged.status.as_u16(), forged.code().as_str()), (403, "cross_site"), "{path}");
            checked += 1;
        }
    }
    println!("tenant matrix of the console: {checked} refusals, all as expected");
    assert!(checked >= 150);
    // What was refused above is refused for its reason: the same session gets in where it may.
    let listed = app.browser().send("GET", &app.browser().path("/traces"), Some(&good), None).await;
    assert_eq!(listed.expect(200).json().as_array().unwrap().len(), 1);
}

/// Every project route × every role × no membership, membership in this project, and a role in every project.
#[tokio::test]
async fn every_console_route_follows_the_role_in_its_project() {
    let app = TestApp::start().await;
    let theirs = theirs(&app).await;
    let elsewhere: ProjectSlug = "elsewhere".parse().unwrap();
    app.new_key(Some(&elsewhere), Scope::ALL).await;
    let here = std::slice::from_ref(&theirs.project);
    let mut sessions = Vec::new();
    for role in MemberRole::ALL {
        let outside = app.browser().sign_in(role, Some(std::slice::from_ref(&elsewhere))).await;
        sessions.push((role, "elsewhere", outside));
        sessions.push((role, "here", app.browser().sign_in(role, Some(here)).await));
        sessions.push((role, "everywhere", app.browser().sign_in(role, None).await));
    }

    let mut checked = 0;
    for (route, scope) in guarded() {
        let least = route.role().unwrap();
        assert_eq!(least, least_role(scope), "{} {}", route.method, route.path);
        for (role, membership, session) in &sessions {
            let is_allowed = *membership != "elsewhere" && role.includes(least);
            // A route that changes something gets a project of its own for the one who may use it.
            if is_allowed && route.method != "GET" {
                if *membership == "here" {
                    checked += let_in(&app, route, *role).await;
                }
                continue;
            }
            let path = format!("{CONSOLE}{}", path(route, &theirs.project, &theirs));
            let body = body(route, &theirs);
            let answer = app.browser().send(route.method.as_str(), &path, Some(session), body.as_ref()).await;
            let status = answer.status.as_u16();
            let expected = match (*membership, is_allowed) {
                ("elsewhere", _) => status == 404 && answer.code() == "not_found",
                (_, false) => status == 403 && answer.code() == "missing_scope",
                _ => is_let_in(route, &answer),
            };
            assert!(expected, "{role} {membership} on {} {path}: {status}", route.method);
            checked += 1;
        }
    }
    println!("tenant matrix of roles: {} routes, {checked} answers, all as expected", guarded().count());
    assert!(checked >= 10 * guarded().count());
}

/// A member with this role in a new project may use the route.
async fn let_in(app: &TestApp, route: &Route, role: MemberRole) -> usize {
    let project: ProjectSlug = format!("p-{}", uuid::Uuid::now_v7()).parse().unwrap();
    let owner = app.new_key(Some(&project), Scope::ALL).await;
    let things = things_of(app, &project, &owner).await;
    let session = app.browser().sign_in(role, Some(std::slice::from_ref(&project))).await;
    let path = format!("{CONSOLE}{}", path(route, &project, &things));
    let answer =
        app.browser().send(route.method.as_str(), &path, Some(&session), body(route, &things).as_ref()).await;
    let text = String::from_utf8_lossy(&answer.bytes);
    assert!(is_let_in(route, &answer), "{role} on {} {path}: {} {text}", route.method, answer.status);
    1
}

/// Through the door is enough: some routes find nothing to do in an empty project.
fn is_let_in(route: &Route, answer: &TestResponse) -> bool {
    answer.status.is_success()
        || (route.path.ends_with("/skill") && answer.status.as_u16() == 404)
        || matches!(answer.code().as_str(), "conflict" | "not_ready")
}

#[tokio::test]
async fn every_console_route_lets_an_admin_through() {
    let app = TestApp::start().await;
    let session = app.browser().sign_in(MemberRole::Admin, None).await;
    for (route, _) in guarded() {
        let project: ProjectSlug = format!("p-{}", uuid::Uuid::now_v7()).parse().unwrap();
        let owner = app.new_key(Some(&project), Scope::ALL).await;
        let things = things_of(&app, &project, &owner).await;

        let path = format!("{CONSOLE}{}", path(route, &project, &things));
        let answer = app
            .browser()
            .send(route.method.as_str(), &path, Some(&session), body(route, &things).as_ref())
            .await;

        assert!(is_let_in(route, &answer), "{} {path}: {}", route.method, answer.status);
    }
}

#[tokio::test]
async fn ids_of_another_project_look_like_ids_that_do_not_exist() {
    let app = TestApp::start().await;
    let theirs = theirs(&app).await;
    let mine: ProjectSlug = "mine".parse().unwrap();
    let my_key = app.new_key(Some(&mine), Scope::ALL).await;

    // Members belong to the installation: an admin of any project may give them a role there.
    // A feedback token is for a run of the caller's project that may arrive later.
    let has_id = |route: &Route| {
        let is_open = route.path.contains("{member}") || route.path.ends_with("/feedback-token");
        route.path.matches('{').count() > 1 && !is_open
    };
    for (route, _) in guarded().filter(|(route, _)| has_id(route)) {
        let foreign = path(route, &mine, &theirs);
        let id = || uuid::Uuid::now_v7().to_string();
        let (project, trace, key, retrieval) = (mine.clone(), id(), id(), id());
        let (memory, other_memory, action, erasure, member) = (id(), id(), id(), id(), id());
        let (lesson, other_lesson, question) = (id(), id(), id());
        let (webhook, delivery) = (id(), id());
        let nobodys = Theirs {
            project,
            trace,
            key,
            retrieval,
            memory,
            other_memory,
            lesson,
            other_lesson,
            question,
            action,
            erasure,
            webhook,
            delivery,
            member,
        };
        let unknown = path(route, &mine, &nobodys);
        let body = body(route, &theirs);
        let mut foreign = app
            .send(route.method.as_str(), &foreign, Some(&my_key), &[], body.as_ref())
            .await
            .expect(404)
            .json();
        let mut unknown = app
            .send(route.method.as_str(), &unknown, Some(&my_key), &[], body.as_ref())
            .await
            .expect(404)
            .json();
        foreign["error"]["request_id"] = Value::Null;
        unknown["error"]["request_id"] = Value::Null;
        assert_eq!(foreign, unknown, "{}", route.path);
    }
    for (path, body) in [
        ("memories/merge", json!({ "survivor_id": theirs.memory, "memory_ids": [theirs.other_memory] })),
        ("memories/bulk", json!({ "filter": { "ids": [theirs.memory] }, "action": "disable" })),
        ("lessons/group", json!({ "into": theirs.lesson, "lesson_ids": [theirs.other_lesson] })),
    ] {
        let path = format!("/v1/projects/mine/{path}");
        app.send("POST", &path, Some(&my_key), &[], Some(&body)).await.expect(404);
    }
    let deletion = json!({ "trace_ids": [theirs.trace] });
    let deleted =
        app.send("POST", "/v1/projects/mine/traces/delete", Some(&my_key), &[], Some(&deletion)).await;
    assert_eq!(deleted.expect(200).json()["deleted"], 0);
    app.get(&format!("/traces/{}", theirs.trace)).await.expect(200);
}

#[tokio::test]
async fn an_error_about_a_project_names_the_projects_that_the_caller_can_use_and_no_other() {
    let app = TestApp::start().await;
    app.send("GET", "/v1/projects/hidden/traces", Some(&app.master), &[], None).await.expect(200);
    let message = |answer: Value| answer["error"]["message"].as_str().unwrap().to_owned();

    for project in ["hidden", "mistyped"] {
        let path = format!("/v1/projects/{project}/traces");
        let answer = app.send("GET", &path, Some(&app.key), &[], None).await.expect(404);
        let expected = format!("no such project; this key can use: {}", app.project.as_str());
        assert_eq!(message(answer.json()), expected);
    }
    let answer = app.send("DELETE", "/v1/projects/mistyped", Some(&app.master), &[], None).await.expect(404);
    let named = message(answer.json());
    assert!(named.contains("hidden") && named.contains(app.project.as_str()), "{named}");
}

#[tokio::test]
async fn a_master_key_makes_a_project_by_naming_it_and_no_other_key_does() {
    let app = TestApp::start().await;
    app.send("GET", "/v1/projects/fresh%20one/traces", Some(&app.key), &[], None).await.expect(404);
    let listed = app.send("GET", "/v1/projects/fresh%20one/traces", Some(&app.master), &[], None).await;
    assert_eq!(listed.expect(200).json(), json!([]));
}
