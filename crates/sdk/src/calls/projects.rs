//! Calls about the project: how it is set, and whether it learns.

use chrono::SecondsFormat;
use reflect_api::{
    ChangeProject, DeletedProject, Diagnosis, LoopHealth, Overview, Project, ReportClient, Uplift,
    UpliftQuery,
};
use reqwest::Method;

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, ReflectClient};

impl ReflectClient {
    /// How the project is set.
    pub async fn get_project(&self) -> Result<Project, Error> {
        self.ask("get_project", Request::get(self.path(&[]))).await
    }

    /// Changes settings of the project; those that are absent stay.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::api::ChangeProject;
    ///
    /// let change = ChangeProject { holdout_rate: Some(0.1), ..ChangeProject::default() };
    /// let project = client.update_project(change).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update_project(&self, change: ChangeProject) -> Result<Project, Error> {
        let request = Request::new(Method::PATCH, self.path(&[])).with_body(&change)?;
        self.ask("update_project", request).await
    }

    /// Deletes the project with all its runs and memories. There is no way back.
    pub async fn delete_project(&self) -> Result<DeletedProject, Error> {
        self.ask("delete_project", Request::delete(self.path(&[]))).await
    }

    /// Whether the learning loop is closed: all checks, worst first, each with what to do.
    pub async fn loop_health(&self) -> Result<LoopHealth, Error> {
        self.ask("loop_health", Request::get(self.path(&["loop-health"]))).await
    }

    /// Who asks, what they may do, and how the models are doing that the project needs.
    pub async fn diagnosis(&self) -> Result<Diagnosis, Error> {
        self.ask("diagnosis", Request::get(self.path(&["diagnosis"]))).await
    }

    /// The project at a glance: whether its loop turns, stage by stage.
    pub async fn overview(&self) -> Result<Overview, Error> {
        self.ask("overview", Request::get(self.path(&["overview"]))).await
    }

    /// By how much runs with memories pass more often than runs that were held out.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// println!("{}", client.uplift(Default::default()).await?.message);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn uplift(&self, query: UpliftQuery) -> Result<Uplift, Error> {
        let parameters = [
            ("since", query.since.map(|since| since.to_rfc3339_opts(SecondsFormat::Micros, true))),
            ("review_error", query.review_error.map(|share| share.to_string())),
        ];
        self.ask("uplift", Request::get(with_query(self.path(&["uplift"]), &parameters))).await
    }

    /// Tells the server what this program lost or still holds, for its loop health.
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
    /// client.report_client(report).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn report_client(&self, report: ReportClient) -> Result<(), Error> {
        let request = Request::post(self.path(&["client-reports"]), &report)?;
        self.answer("report_client", request).await.map(drop)
    }
}
