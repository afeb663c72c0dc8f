//! Maintenance: isolated steps with their own progress, by one process at a time.

use std::time::{Duration, Instant};

use reflect_store::{MaintenanceStep, StepState};
use reflect_test_support::{TestApp, trace};
use sqlx::{AssertSqlSafe, Executor};
use tokio_util::sync::CancellationToken;

const BUDGET: Duration = Duration::from_secs(60);

/// Two projects, each with one expired row.
async fn given() -> TestApp {
    let app = TestApp::start().await;
    app.post_once("/traces", "k", &trace()).await.expect(201);
    let headers = [("idempotency-key", "k")];
    let path = "/v1/projects/second/traces";
    app.send("POST", path, Some(&app.master), &headers, Some(&trace())).await.expect(201);
    execute(&app, "update idempotency set created_at = now() - interval '49 hours'").await;
    app
}

async fn execute(app: &TestApp, statement: &str) {
    app.db.superuser().await.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

/// The projects that still have an expired row.
async fn expired(app: &TestApp) -> Vec<i32> {
    let left = sqlx::query_scalar("select project_id from idempotency order by 1");
    left.fetch_all(&mut app.db.superuser().await).await.unwrap()
}

async fn state(app: &TestApp, step: MaintenanceStep) -> StepState {
    let states = app.app.engine().store.maintenance().steps().all().await.unwrap();
    states.into_iter().find(|state| state.step == step).unwrap()
}

async fn run_step(app: &TestApp, step: MaintenanceStep, budget: Duration) -> bool {
    app.app.engine().maintenance.run_step(step, budget).await.unwrap()
}

/// The number of the test's project, which is the first one. The second project has the next number.
async fn first(app: &TestApp) -> i32 {
    app.project_id().await.number()
}

#[tokio::test]
async fn a_project_that_fails_stops_no_other_and_is_reported() {
    let app = given().await;
    let first = first(&app).await;
    let refuse = format!(
        "create function refuse() returns trigger language plpgsql as $$ begin
           if old.project_id = {first} then raise 'refused'; end if;
           return old;
         end $$;
         create trigger refuse before delete on idempotency for each row execute function refuse()"
    );
    execute(&app, &refuse).await;

    assert!(run_step(&app, MaintenanceStep::ExpiredRows, BUDGET).await);

    assert_eq!(expired(&app).await, [first]);
    let failed = state(&app, MaintenanceStep::ExpiredRows).await;
    assert_eq!((failed.failed_projects, failed.ended.is_some()), (1, true));
    let error = failed.last_error.unwrap();
    assert!(error.contains(&format!("project {first}")) && error.contains("refused"), "{error}");

    execute(&app, "drop trigger refuse on idempotency").await;
    assert!(run_step(&app, MaintenanceStep::ExpiredRows, BUDGET).await);
    assert_eq!(expired(&app).await, [0; 0]);
    assert_eq!(state(&app, MaintenanceStep::ExpiredRows).await.last_error, None);
}

#[tokio::test]
async fn a_step_that_fails_stops_no_other() {
    let app = given().await;
    execute(&app, "alter function partition_step_now(text[]) rename to missing").await;
    let stop = CancellationToken::new();
    let engine = app.app.engine();
    let running = engine.maintenance.run(stop.clone());
    let last = async {
        let give_up = Instant::now() + BUDGET;
        let steps = engine.store.maintenance().steps();
        while steps.all().await.unwrap().len() < MaintenanceStep::ALL.len() {
            assert!(Instant::now() < give_up, "the steps did not run");
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    tokio::join!(running, last);

    assert!(state(&app, MaintenanceStep::Partitions).await.last_error.is_some());
    for step in MaintenanceStep::ALL.iter().filter(|step| **step != MaintenanceStep::Partitions) {
        assert_eq!(state(&app, *step).await.last_error, None, "{step:?}");
    }
    assert_eq!(expired(&app).await, [0; 0]);
}

#[tokio::test]
async fn an_interrupted_cycle_continues_after_the_last_visited_project() {
    let app = given().await;
    let first = first(&app).await;
    assert!(!run_step(&app, MaintenanceStep::ExpiredRows, Duration::ZERO).await);
    assert_eq!(expired(&app).await.len(), 2);
    let visited = format!("update maintenance_step set visited_project = {first}");
    execute(&app, &visited).await;

    assert!(run_step(&app, MaintenanceStep::ExpiredRows, BUDGET).await);

    assert_eq!(expired(&app).await, [first]);
    assert!(run_step(&app, MaintenanceStep::ExpiredRows, BUDGET).await, "the next cycle begins again");
    assert_eq!(expired(&app).await, [0; 0]);
}

#[tokio::test]
async fn one_process_leads_and_another_takes_over() {
    let app = TestApp::start().await;
    let (other, _) = app.another().await;
    let (one, two) = (app.app.engine().store.maintenance(), other.engine().store.maintenance());
    let mut leader = one.steps().lead().await.unwrap().unwrap();
    assert!(leader.leads().await);
    assert!(two.steps().lead().await.unwrap().is_none());
    leader.resign().await;
    assert!(two.steps().lead().await.unwrap().is_some());
}
