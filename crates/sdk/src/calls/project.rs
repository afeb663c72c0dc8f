//! Calls about the project: its settings and whether it learns.

use chrono::SecondsFormat;
use reflect_api::{
    ChangeProject, DeletedProject, Diagnosis, LoopHealth, Overview, Project, ReportClient, Uplift,
    UpliftQuery,
};
use reqwest::Method;

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::wire::Request;

/// Calls about the project: `client.project`.
#[derive(Debug, Clone)]
pub struct ProjectCalls {
    pub(crate) connection: Connection,
}

impl ProjectCalls {
    /// The settings of the project.
    pub async fn get(&self) -> Result<Project, Error> {
        self.connection.ask("project.get", Request::get(self.connection.path(&[]))).await
    }

    /// Changes settings of the project. Absent settings stay unchanged.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::ChangeProject;
    ///
    /// let change = ChangeProject { holdout_rate: Some(0.1), ..ChangeProject::default() };
    /// let project = client.project.update(change).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update(&self, change: ChangeProject) -> Result<Project, Error> {
        let request = Request::new(Method::PATCH, self.connection.path(&[])).with_body(&change)?;
        self.connection.ask("project.update", request).await
    }

    /// Deletes the project with all its traces and memories, permanently.
    pub async fn delete(&self) -> Result<DeletedProject, Error> {
        self.connection.ask("project.delete", Request::delete(self.connection.path(&[]))).await
    }

    /// The health of the learning loop: all checks, worst first, each with a recommended action.
    pub async fn loop_health(&self) -> Result<LoopHealth, Error> {
        self.connection.ask("project.loop_health", Request::get(self.connection.path(&["loop-health"]))).await
    }

    /// The identity and the scopes of the key, and the state of the models of the project.
    pub async fn diagnosis(&self) -> Result<Diagnosis, Error> {
        self.connection.ask("diagnosis", Request::get(self.connection.path(&["diagnosis"]))).await
    }

    /// A summary of the project and of each stage of its learning loop.
    pub async fn overview(&self) -> Result<Overview, Error> {
        self.connection.ask("overview", Request::get(self.connection.path(&["overview"]))).await
    }

    /// The difference in pass rate between runs with memories and holdout runs.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// println!("{}", client.project.uplift(Default::default()).await?.message);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn uplift(&self, query: UpliftQuery) -> Result<Uplift, Error> {
        let parameters = [
            ("since", query.since.map(|since| since.to_rfc3339_opts(SecondsFormat::Micros, true))),
            ("review_error", query.review_error.map(|share| share.to_string())),
        ];
        self.connection
            .ask("uplift", Request::get(with_query(self.connection.path(&["uplift"]), &parameters)))
            .await
    }

    /// Reports dropped and unsent runs of this client to the server, for the loop health.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::ReportClient;
    ///
    /// let delivery = client.delivery();
    /// let report = ReportClient {
    ///     client: "worker-7".into(),
    ///     sdk: Some("reflect-sdk rust".into()),
    ///     dropped: Some(delivery.dropped.total()),
    ///     spooled: Some(delivery.pending),
    /// };
    /// client.project.report_client(report).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn report_client(&self, report: ReportClient) -> Result<(), Error> {
        let request = Request::post(self.connection.path(&["client-reports"]), &report)?;
        self.connection.answer("project.report_client", request).await.map(drop)
    }
}
