//! The environment of the agent: tickets, actions, and states with their vectors. All threads share one.

mod draw;
mod embedder;
mod telecom;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use reflect_case_stream::vectors::{Halves, inner_product};
use reflect_model::{Embedding, ModelError};
use tokio::runtime::Runtime;

pub use draw::{Draw, Sizes};
pub use embedder::LineEmbedder;
pub use telecom::{Action, Ticket};

use telecom::Telecom;

/// The action that gives up.
const TRANSFER: &str = "transfer_to_human_agents";

/// What the agent sees: the complaint, and what the checks show that is not usual.
#[derive(Debug)]
pub struct Situation {
    /// A number. It depends on the order of threads, so no result may depend on it.
    pub id: usize,
    /// The lines.
    pub text: String,
    /// The vector of the text, in half precision.
    pub vector: Vec<f32>,
    /// The agent's own opinion of each action: how similar it is to one of the lines.
    pub prior: Vec<f32>,
    /// Whether the problem is solved.
    pub solved: bool,
}

/// Tickets, actions and states.
pub struct World {
    /// The actions.
    pub actions: Vec<Action>,
    /// The tickets.
    pub tickets: Vec<Ticket>,
    /// The action that gives up.
    pub transfer: usize,
    /// The embedder of all texts.
    pub embedder: Arc<LineEmbedder>,
    action_vectors: Vec<Embedding>,
    changing: Mutex<Changing>,
}

/// What grows while tickets are worked on.
struct Changing {
    telecom: Telecom,
    runtime: Runtime,
    situations: HashMap<String, Arc<Situation>>,
}

impl World {
    /// Starts the environment and loads the embedding model.
    pub fn start() -> anyhow::Result<Self> {
        let (telecom, actions, tickets) = Telecom::start()?;
        let embedder = Arc::new(LineEmbedder::load()?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut action_vectors = Vec::with_capacity(actions.len());
        for action in &actions {
            action_vectors.push(runtime.block_on(embedder.line(&action.text))?);
        }
        let transfer = actions.iter().position(|action| action.name == TRANSFER);
        let transfer = transfer.with_context(|| format!("there is no action {TRANSFER}"))?;
        let changing = Mutex::new(Changing { telecom, runtime, situations: HashMap::new() });
        Ok(Self { actions, tickets, transfer, embedder, action_vectors, changing })
    }

    /// The state after an action.
    pub fn step(&self, state: usize, action: usize) -> anyhow::Result<usize> {
        self.lock().telecom.step(state, action)
    }

    /// Whether a ticket is solved by these actions, which led to this state.
    pub fn passes(&self, ticket: &Ticket, state: usize, taken: &[usize]) -> bool {
        self.lock().telecom.passes(ticket, state, taken)
    }

    /// What the agent sees in a state of a ticket. Equal texts are one situation.
    pub fn situation(&self, ticket: &Ticket, state: usize) -> anyhow::Result<Arc<Situation>> {
        let mut guard = self.lock();
        let Changing { telecom, runtime, situations } = &mut *guard;
        let unusual = telecom.unusual(state, ticket.abroad);
        let lines = std::iter::once(&ticket.head).chain(&unusual).map(String::as_str);
        let text = lines.collect::<Vec<_>>().join("\n");
        if let Some(known) = situations.get(&text) {
            return Ok(Arc::clone(known));
        }
        let (vector, lines) = runtime.block_on(async {
            let mut lines = Vec::with_capacity(unusual.len());
            for line in &unusual {
                lines.push(self.embedder.line(line).await?);
            }
            Ok::<_, ModelError>((self.embedder.text(&text).await?, lines))
        })?;
        let prior = self.action_vectors.iter().map(|action| {
            let similarities = lines.iter().map(|line| inner_product(line.as_slice(), action.as_slice()));
            similarities.reduce(f32::max).unwrap_or(0.0)
        });
        let situation = Arc::new(Situation {
            id: situations.len(),
            text: text.clone(),
            vector: Halves::round(std::slice::from_ref(&vector)).row(0).to_vec(),
            prior: prior.collect(),
            solved: telecom.shows(state, &ticket.goal),
        });
        situations.insert(text, Arc::clone(&situation));
        Ok(situation)
    }

    fn lock(&self) -> MutexGuard<'_, Changing> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
