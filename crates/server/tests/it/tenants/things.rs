//! One of everything in a project, and the paths and bodies that name it.

use reflect_server::Route;
use reflect_store::AuditActor;
use reflect_test_support::TestApp;
use reflect_types::{MemberRole, ProjectSlug};
use serde_json::{Value, json};

/// A path of the route in the project, pointing at things that belong to `theirs`.
pub(super) fn path(route: &Route, project: &ProjectSlug, theirs: &Theirs) -> String {
    route
        .path
        .replace("{project_id}", project.as_str())
        .replace("{trace_id}", &theirs.trace)
        .replace("{key_id}", &theirs.key)
        .replace("{retrieval_id}", &theirs.retrieval)
        .replace("{memory_id}", &theirs.memory)
        .replace("{lesson_id}", &theirs.lesson)
        .replace("{question_id}", &theirs.question)
        .replace("{action_id}", &theirs.action)
        .replace("{erasure_id}", &theirs.erasure)
        .replace("{member}", &theirs.member)
        .replace("{member_id}", &theirs.member)
        .replace("{webhook_id}", &theirs.webhook)
        .replace("{delivery_id}", &theirs.delivery)
        .replace("{file}", "start.js")
        .replace("{part}", "0")
}

pub(super) fn body(route: &Route, theirs: &Theirs) -> Option<Value> {
    let lesson = json!({ "summary": "s" });
    matches!(route.method.as_str(), "POST" | "PATCH" | "PUT").then(|| {
        json!({
            "task": "t", "trajectory": [], "traces": [], "trace_ids": [], "label": "l",
            "scopes": ["trace:read"], "user_id": "u", "project_id": "p", "result": "pass", "reviews": [],
            "role": "viewer", "client": "c", "seconds": 60, "subject": "s", "summary": "s",
            "memory_id": theirs.memory, "survivor_id": theirs.memory,
            "memory_ids": [theirs.other_memory], "action": "disable", "all": true,
            "into": theirs.lesson, "lesson_ids": [theirs.other_lesson], "lesson_id": theirs.other_lesson,
            "answer": "both", "source": "ci", "outcome": "pass", "key": { "name": "commit", "value": "4f2a9c1" },
            "url": "https://hooks.example.com/", "events": ["memory.created"],
            // A list of signals, or how the project treats them.
            "signals": if route.method == "POST" { json!([]) } else { json!({}) },
            // So that no request waits for a worker, which these tests do not have.
            "reflection": lesson,
        })
    })
}

pub(super) struct Theirs {
    pub(super) project: ProjectSlug,
    pub(super) trace: String,
    pub(super) key: String,
    pub(super) retrieval: String,
    pub(super) memory: String,
    pub(super) other_memory: String,
    pub(super) lesson: String,
    pub(super) other_lesson: String,
    pub(super) question: String,
    pub(super) action: String,
    pub(super) erasure: String,
    pub(super) webhook: String,
    pub(super) delivery: String,
    pub(super) member: String,
}

/// One of everything, in a project.
pub(super) async fn things_of(app: &TestApp, project: &ProjectSlug, key: &str) -> Theirs {
    let send = async |method: &str, rest: &str, body: Option<Value>| {
        let path = format!("/v1/projects/{project}{rest}");
        app.send(method, &path, Some(key), &[], body.as_ref()).await
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let stored = send("POST", "/traces", Some(reflect_test_support::trace())).await.expect(201).json();
    let keys = send("GET", "/api-keys", None).await.expect(200).json();
    let asked = send("POST", "/memory/query", Some(json!({ "task": "t" }))).await.expect(200);
    let retrieval = asked.header("x-retrieval-id").unwrap().to_owned();
    // Its receipt is stored now. One that is not stored when an erasure begins is given up.
    send("GET", &format!("/retrievals/{retrieval}"), None).await.expect(200);
    let lesson = |summary: &str| json!({ "task": "t", "summary": summary });
    let written = send("POST", "/memories", Some(lesson("s"))).await.expect(201).json();
    let other = send("POST", "/memories", Some(lesson("other words"))).await.expect(201).json();
    let lessons = send("GET", "/lessons", None).await.expect(200).json();
    let question = uuid::Uuid::now_v7();
    let asked = "insert into lesson_question
                 (project_id, question_id, first_lesson, second_lesson, first_memory, second_memory, similarity)
                 select project_id, $1, memory_id, $3::uuid, memory_id, $3::uuid, 0.9
                 from memory where memory_id = $2::uuid";
    let (first, second) = (text(&written["memory"]["id"]), text(&other["memory"]["id"]));
    let asked = sqlx::query(asked).bind(question).bind(&first).bind(&second);
    asked.execute(&mut app.db.superuser().await).await.unwrap();
    let member = AuditActor::local("test");
    let name = format!("m {project}").parse().unwrap();
    let member = app.app.engine().members.create_link_as_operator(&name, Some(MemberRole::Viewer), &member);
    let hook = json!({ "url": "https://hooks.example.com/", "events": ["review.needed"] });
    let hook = text(&send("POST", "/webhooks", Some(hook)).await.expect(201).json()["webhook"]["id"]);
    let test = send("POST", &format!("/webhooks/{hook}/test"), None).await.expect(202).json();
    let erasure = send("POST", "/erasures", Some(json!({ "subject": "absent" }))).await.expect(202).json();
    Theirs {
        project: project.clone(),
        trace: text(&stored["id"]),
        key: text(&keys[0]["id"]),
        retrieval,
        memory: first,
        other_memory: second,
        lesson: text(&lessons[1]["id"]),
        other_lesson: text(&lessons[0]["id"]),
        question: question.to_string(),
        action: text(&written["action_id"]),
        erasure: text(&erasure["id"]),
        webhook: hook,
        delivery: text(&test["delivery_id"]),
        member: member.await.unwrap().0.member_id.to_string(),
    }
}
