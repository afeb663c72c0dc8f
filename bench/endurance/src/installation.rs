//! One installation with the clock of the run: a database, a provider, processes, two projects with clients, and one whose runs a
//! judge reviews.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::clock::Clock;
use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::http::{Answer, Connection as HttpConnection};
use reflect_bench_ingest::process::{Launch, Server};
use reflect_scripted_provider::ScriptedProvider;
use reflect_soak::client::{Client, Log, Surroundings, Tenant};
use reflect_soak::provider::{self, RUBRIC, judged};
use reflect_store::{MigrationSettings, Store};
use reflect_types::Scope;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::Arguments;

/// The project whose runs a judge reviews.
pub(crate) const JUDGED: &str = "judged";
const CLIENTS: u64 = 4;
/// The longest pause of a client between two calls.
const PAUSE: Duration = Duration::from_millis(30);
/// How long a replaced key still works: less than the shortest jump of the clock.
const OVERLAP_HOURS: u32 = 3;
/// Longer than the time between two rotations.
const KEY_DAYS: u32 = 2;
/// Partitions are created for less time than usual, so that there are fewer. Their number does not depend on retention.
const AHEAD: &str = "update partition_plan set ahead = '4 days'";

/// How long things are kept. Much shorter than the run, so that all sizes reach their limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention {
    /// Texts of runs, and runs without a review.
    pub(crate) traces_days: u32,
    pub(crate) bodies_days: u32,
    pub(crate) retrievals_days: u32,
    /// Everything that is partitioned by time.
    pub(crate) partitions_days: u32,
}

pub(crate) const RETENTION: Retention =
    Retention { traces_days: 2, bodies_days: 1, retrievals_days: 1, partitions_days: 3 };

/// What distinguishes an installation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    /// `None` keeps everything for as long as an installation does by default.
    pub(crate) retention: Option<Retention>,
    /// The names and roles of its processes.
    pub(crate) processes: &'static [(&'static str, &'static str)],
}

/// A server or a worker.
pub(crate) struct Process {
    pub(crate) name: &'static str,
    launch: Launch,
    server: Option<Server>,
}

/// A project with the key that is in use.
pub(crate) struct Member {
    pub(crate) tenant: Tenant,
    key_id: String,
    /// The key before the last rotation.
    replaced: Option<String>,
}

/// An installation. Its processes end when it is dropped.
pub(crate) struct Installation {
    pub(crate) database_url: String,
    pub(crate) processes: Vec<Process>,
    /// The projects with clients, and then the judged one.
    pub(crate) members: Vec<Member>,
    pub(crate) log_file: PathBuf,
    /// The key that replaces the others: a successor must not outlive the key that creates it.
    master: String,
    variables: Vec<(&'static str, String)>,
    _provider: ScriptedProvider,
    bursts: u64,
    seed: u64,
}

impl Process {
    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.server.as_ref().map_or(0, Server::id)
    }

    async fn restart(&mut self, variables: &[(&str, &str)]) -> anyhow::Result<()> {
        if let Some(server) = self.server.take() {
            server.kill().await?;
        }
        self.server = Some(self.launch.start_with(variables).await?);
        Ok(())
    }
}

impl Installation {
    pub(crate) async fn create(
        arguments: &Arguments,
        cluster: &Cluster,
        clock: &Clock,
        variant: &Variant,
    ) -> anyhow::Result<Self> {
        let database_url = cluster.database(variant.name).await?;
        let layout =
            MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 1 };
        Store::migrate(&layout).await?;
        let log_file = arguments.binary.with_file_name(format!("endurance-{}.log", variant.name));
        let _ = std::fs::remove_file(&log_file);
        let provider = ScriptedProvider::start(judged(provider::good())).await?;
        let mut processes = Vec::new();
        for (name, role) in variant.processes {
            let launch = Launch {
                binary: arguments.binary.clone(),
                database_url: database_url.clone(),
                port: free_port()?,
                arguments: process_arguments(role, &provider),
                log: log_file.clone(),
            };
            processes.push(Process { name, launch, server: None });
        }
        let mut made = Self {
            database_url,
            processes,
            members: Vec::new(),
            log_file,
            master: String::new(),
            variables: clock.variables(),
            _provider: provider,
            bursts: 0,
            seed: arguments.seed,
        };
        let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        for slug in ["one", "two", JUDGED] {
            let key = made.processes[0].launch.key_with_scopes(slug, &scopes).await?;
            let tenant = Tenant { slug: slug.to_owned(), key };
            made.members.push(Member { tenant, key_id: String::new(), replaced: None });
        }
        made.master = made.processes[0].launch.master_key().await?;
        made.configure(variant.retention).await?;
        made.restart().await?;
        for member in 0..made.members.len() {
            let keys = made.get(member, "api-keys").await?;
            let id = keys[0]["id"].as_str().context("a project has no key")?;
            id.clone_into(&mut made.members[member].key_id);
        }
        Ok(made)
    }

    /// Sets how long things are kept, and lets a judge review the runs of one project.
    async fn configure(&self, retention: Option<Retention>) -> anyhow::Result<()> {
        let mut owner = PgConnection::connect(&self.database_url).await?;
        sqlx::query(AHEAD).execute(&mut owner).await?;
        let judge = json!({ "judge": {
            "enabled": true, "rubric": RUBRIC, "sample_rate": 1.0, "blind_share": 0.5, "delay_seconds": 0,
        } });
        sqlx::query("update project set settings = settings || $1 where slug = $2")
            .bind(judge)
            .bind(JUDGED)
            .execute(&mut owner)
            .await?;
        let Some(retention) = retention else { return Ok(()) };
        let of_projects = json!({ "retention": {
            "traces_days": retention.traces_days, "bodies_days": retention.bodies_days,
            "retrievals_days": retention.retrievals_days,
        } });
        sqlx::query("update project set settings = settings || $1")
            .bind(of_projects)
            .execute(&mut owner)
            .await?;
        sqlx::query("update partition_plan set keep = make_interval(days => $1)")
            .bind(i32::try_from(retention.partitions_days)?)
            .execute(&mut owner)
            .await?;
        Ok(())
    }

    /// Kills all processes, if they run, and starts them.
    pub(crate) async fn restart(&mut self) -> anyhow::Result<()> {
        let variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for process in &mut self.processes {
            process.restart(&variables).await?;
        }
        Ok(())
    }

    /// Clients record, review and query, each so many steps, and the judged project gets so many runs.
    pub(crate) async fn burst(&mut self, steps: u64, judged: u32) -> anyhow::Result<Log> {
        let members = &self.members[self.with_clients()];
        let tenants: Vec<Tenant> = members.iter().map(|member| member.tenant.clone()).collect();
        let surroundings = Arc::new(Surroundings::new(vec![self.address().to_owned()], tenants, PAUSE));
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let client = Client::new(surroundings.clone(), number, self.bursts, self.seed);
            clients.spawn(client.work_for(steps));
        }
        self.bursts += 1;
        for number in 0..judged {
            let run = json!({
                "task": format!("Boil water {number}"),
                "trajectory": [{ "role": "assistant", "content": "The kettle is on." }],
                "metadata": { "run": Uuid::now_v7().to_string() },
            });
            self.post(self.members.len() - 1, "traces", run).await?;
        }
        let mut log = Log::default();
        clients.join_all().await.into_iter().for_each(|own| log.absorb(own));
        Ok(log)
    }

    /// Replaces the keys of all projects. Those that were replaced before must not work any more; returns which still do.
    pub(crate) async fn rotate_keys(&mut self) -> anyhow::Result<Vec<String>> {
        let mut working = Vec::new();
        for number in 0..self.members.len() {
            let member = &self.members[number];
            if let Some(replaced) = &member.replaced {
                let slug = &member.tenant.slug;
                let answer = self.get_with(slug, replaced, "api-keys").await?;
                if answer.status != 401 {
                    working.push(format!("a replaced key of project {slug} got status {}", answer.status));
                }
            }
            let body = json!({ "overlap_hours": OVERLAP_HOURS, "expires_in_days": KEY_DAYS });
            let path = format!("api-keys/{}/rotate", member.key_id);
            let made = self.post_with(&member.tenant.slug, &self.master, &path, body).await?;
            let text = |value: &Value| value.as_str().map(str::to_owned).context("a key has no text or id");
            let (key, key_id) = (text(&made["api_key"])?, text(&made["key"]["id"])?);
            let member = &mut self.members[number];
            member.replaced = Some(std::mem::replace(&mut member.tenant.key, key));
            member.key_id = key_id;
        }
        Ok(working)
    }

    /// The places of the projects with clients among the members.
    pub(crate) fn with_clients(&self) -> Range<usize> {
        0..self.members.len() - 1
    }

    /// A GET below a project, which must succeed.
    pub(crate) async fn get(&self, member: usize, path: &str) -> anyhow::Result<Value> {
        let Tenant { slug, key } = &self.members[member].tenant;
        read(path, &self.get_with(slug, key, path).await?)
    }

    async fn get_with(&self, slug: &str, key: &str, path: &str) -> anyhow::Result<Answer> {
        let mut connection = HttpConnection::open(self.address()).await?;
        connection.get(&format!("/v1/projects/{slug}/{path}"), &bearer(key)).await
    }

    /// A POST below a project, which must succeed.
    pub(crate) async fn post(&self, member: usize, path: &str, body: Value) -> anyhow::Result<Value> {
        let Tenant { slug, key } = &self.members[member].tenant;
        self.post_with(slug, key, path, body).await
    }

    async fn post_with(&self, slug: &str, key: &str, path: &str, body: Value) -> anyhow::Result<Value> {
        let mut connection = HttpConnection::open(self.address()).await?;
        let whole = format!("/v1/projects/{slug}/{path}");
        let answer = connection.post(&whole, &bearer(key), body.to_string().as_bytes()).await?;
        read(path, &answer)
    }

    /// The first process answers requests.
    fn address(&self) -> &str {
        self.processes[0].server.as_ref().map_or("", |server| &server.address)
    }
}

fn bearer(key: &str) -> String {
    format!("authorization: Bearer {key}\r\n")
}

fn read(path: &str, answer: &Answer) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    ensure!((200..300).contains(&answer.status), "{path}: {} {text}", answer.status);
    Ok(serde_json::from_str(&text)?)
}

/// The provider has a second embedding model, to which projects can change.
fn process_arguments(role: &str, provider: &ScriptedProvider) -> Vec<String> {
    let url = provider.base_url();
    let own = ["--role", role, "--database-connections", "12"];
    let next =
        ["--next-embedder", "openai", "--next-embedder-url", &url, "--next-embedder-model", "scripted-2"];
    let own = own.into_iter().chain(next).map(str::to_owned);
    own.chain(provider.server_arguments()).collect()
}
