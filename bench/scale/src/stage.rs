//! The stage of the run: a Postgres of its own, databases cloned from a migrated one, and the binary.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::process::Launch;
use reflect_case_stream::data::SetName;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::Arguments;
use crate::real_vectors::RealVectors;
use crate::server_log::LINE_PREFIX;
use crate::statements;

/// The defaults of an installation. A quick run has fewer tables, because it makes many databases.
const HASH_PARTITIONS: (&str, &str) = ("16", "4");
const PARTITION_DAYS: &str = "7";
/// The graph of a million vectors of 384 dimensions fits into it. Otherwise building it takes several times as long.
const INDEX_MEMORY: &str = "2GB";
/// The migrated database that others are cloned from.
const TEMPLATE: &str = "scale_template";

/// What all rows use.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) pgbench: PathBuf,
    binary: PathBuf,
    data: Option<PathBuf>,
    quick: bool,
    runtime: Runtime,
    /// Databases of the current row.
    databases: RefCell<Vec<String>>,
    /// Databases that are cloned, and the number of their first project.
    templates: RefCell<Vec<(String, i32)>>,
    vectors: OnceCell<RealVectors>,
}

impl Stage {
    /// Starts a cluster and migrates the first database.
    pub(crate) fn start(arguments: &Arguments) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let stage = Self {
            cluster: Cluster::start()?,
            pgbench: arguments.pgbench.clone().context("--pgbench is missing")?,
            binary: arguments.binary.clone().context("--binary is missing")?,
            data: arguments.data.clone(),
            quick: arguments.quick,
            runtime,
            databases: RefCell::default(),
            templates: RefCell::default(),
            vectors: OnceCell::new(),
        };
        stage.remove_on_signal()?;
        stage.block_on(async {
            let mut server = statements::connect(&stage.cluster.url("postgres")).await?;
            let prefix = format!("alter system set log_line_prefix = '{LINE_PREFIX}'");
            statements::execute(&mut server, prefix).await?;
            // Vectors would fill the log.
            statements::execute(&mut server, "alter system set log_parameter_max_length = 0").await?;
            let memory = format!("alter system set maintenance_work_mem = '{INDEX_MEMORY}'");
            statements::execute(&mut server, memory).await?;
            statements::execute(&mut server, "select pg_reload_conf()").await?;
            statements::execute(&mut server, format!("create database {TEMPLATE}")).await
        })?;
        let partitions = stage.pick(HASH_PARTITIONS.0, HASH_PARTITIONS.1);
        let migrated = Command::new(&stage.binary)
            .args(["migrate", "--hash-partitions", partitions, "--partition-days", PARTITION_DAYS])
            .env("REFLECT_DATABASE_URL", stage.cluster.url(TEMPLATE))
            .output()
            .with_context(|| format!("cannot run {}", stage.binary.display()))?;
        ensure!(
            migrated.status.success(),
            "the migration failed: {}",
            String::from_utf8_lossy(&migrated.stderr)
        );
        Ok(stage)
    }

    /// Also stops the cluster and removes its files if a signal ends the run.
    fn remove_on_signal(&self) -> anyhow::Result<()> {
        let data = self.cluster.data().to_owned();
        let _context = self.runtime.enter();
        let (mut terminate, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        self.runtime.spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            // The disk of the row `full-disk`, if it is mounted.
            let disk = data.with_extension("small-disk");
            if disk.exists() {
                let _ = Command::new("umount").arg("--lazy").arg(&disk).output();
                let _ = std::fs::remove_dir(&disk);
            }
            Cluster::remove(&data);
            std::process::exit(130);
        });
        Ok(())
    }

    /// Runs a future on the threads of the clients.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// A size: the first one, or the second one in a quick run.
    pub(crate) fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// A migrated database without projects, in a tablespace.
    pub(crate) fn database_in(&self, name: &str, tablespace: &str) -> anyhow::Result<String> {
        self.clone_database(name, TEMPLATE, &format!("tablespace {tablespace}"))
    }

    /// A migrated database with this many projects, `scale-1` and so on. Returns the number of the first, too.
    pub(crate) fn database_with_projects(&self, name: &str, projects: i32) -> anyhow::Result<(String, i32)> {
        let template = format!("projects_{projects}");
        let known = self.templates.borrow().iter().find(|known| known.0 == template).map(|known| known.1);
        let first = match known {
            Some(first) => first,
            None => {
                let made = self.block_on(self.make_projects(&template, projects))?;
                self.templates.borrow_mut().push((template.clone(), made));
                made
            }
        };
        Ok((self.clone_database(name, &template, "")?, first))
    }

    /// Ends a row, or a part of it: drops its databases. A quick run keeps them until its end, because they are small and each
    /// drop waits for a checkpoint.
    pub(crate) fn end_row(&self) {
        if self.quick {
            self.databases.take();
        } else {
            self.drop_databases();
        }
    }

    /// Drops the databases of a row.
    pub(crate) fn drop_databases(&self) {
        let names = self.databases.take();
        // A database that stays takes space until the end of the run, no more.
        let _ = self.block_on(async {
            let mut server = statements::connect(&self.cluster.url("postgres")).await?;
            for name in names {
                let drop = format!("drop database if exists {name} with (force)");
                statements::execute(&mut server, drop).await?;
            }
            anyhow::Ok(())
        });
    }

    /// How to start the binary.
    pub(crate) fn launch(
        &self,
        database_url: &str,
        role: &str,
        further: Vec<String>,
    ) -> anyhow::Result<Launch> {
        let role = ["--role".to_owned(), role.to_owned()];
        Ok(Launch {
            binary: self.binary.clone(),
            database_url: database_url.to_owned(),
            port: free_port()?,
            arguments: role.into_iter().chain(further).collect(),
            log: self.binary.with_file_name("scale.log"),
        })
    }

    /// Vectors from real embeddings. A quick run uses one dataset, whose vectors another step of CI has cached.
    pub(crate) fn vectors(&self) -> anyhow::Result<&RealVectors> {
        if let Some(known) = self.vectors.get() {
            return Ok(known);
        }
        let sets = self.pick(SetName::ALL.to_vec(), vec![SetName::Bank]);
        let made = RealVectors::obtain(&sets, self.data.as_deref())?;
        Ok(self.vectors.get_or_init(|| made))
    }

    /// The data folder of the cluster.
    pub(crate) fn data(&self) -> &Path {
        self.cluster.data()
    }

    async fn make_projects(&self, template: &str, projects: i32) -> anyhow::Result<i32> {
        self.create(template, TEMPLATE, "").await?;
        let mut connection = statements::connect(&self.cluster.url(template)).await?;
        let first = statements::make_projects(&mut connection, projects).await?;
        statements::execute(&mut connection, "vacuum (analyze) project").await?;
        // A database with connections cannot be cloned.
        sqlx::Connection::close(connection).await?;
        Ok(first)
    }

    fn clone_database(&self, name: &str, template: &str, place: &str) -> anyhow::Result<String> {
        self.block_on(self.create(name, template, place))?;
        self.databases.borrow_mut().push(name.to_owned());
        Ok(self.cluster.url(name))
    }

    async fn create(&self, name: &str, template: &str, place: &str) -> anyhow::Result<()> {
        let mut server = statements::connect(&self.cluster.url("postgres")).await?;
        statements::execute(&mut server, format!("create database {name} template {template} {place}")).await
    }
}
