//! Puts a learner together and refuses what cannot work.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::SystemTime;

use reflect_evaluation::{Evaluator, LlmEvaluator, Score, TextModel, Usage};
use reflection_pipeline::{LlmReflector, Reflector};

use crate::driver::Parts;
use crate::emitter::{Clock, Observer};
use crate::{
    Actor, Budget, CarryOver, Checkpoint, Credit, Envelope, Hooks, LongTermMemory, MemoryFailure,
    OnActorError, OnEvaluatorError, OnHookError, Options, Parties, RecallWhen, RecordWhen, Reflexion,
    Retries, Stall, Timeouts,
};

/// More candidates than this at once are a mistake, or a bill.
const MOST_CANDIDATES: u32 = 64;
/// Below this, not even one note fits beside the words around it.
const LEAST_PROMPT_BUDGET: usize = 100;

/// Why a learner cannot be put together.
///
/// See [`ReflexionBuilder`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Nobody does the task.
    #[error("there is no actor; call actor(…), for instance with actor_fn")]
    NoActor,
    /// Nobody judges it.
    #[error("there is no evaluator; call evaluator(…), for instance with check_fn, or model(…)")]
    NoEvaluator,
    /// Notes are wanted and nobody writes them.
    #[error(
        "there is no reflector; call reflector(…) or model(…), or choose a carry_over without reflections"
    )]
    NoReflector,
    /// No trial is allowed.
    #[error("max_trials has to be at least 1")]
    NoTrials,
    /// The threshold is no score.
    #[error("score_threshold lies between 0 and 1")]
    InvalidThreshold,
    /// Too few or too many candidates.
    #[error("parallel lies between 1 and 64")]
    InvalidParallel,
    /// A limit that is reached before the run begins, or is no number.
    #[error("the budget for {0} has to be more than nought; leave it out for no limit")]
    InvalidBudget(&'static str),
    /// A step that may take no time.
    #[error("the timeout of {0} has to be more than nought; leave it out for no limit")]
    InvalidTimeout(&'static str),
    /// Nothing would fit.
    #[error("prompt_budget has to be at least 100 tokens; choose carry_over None to show nothing")]
    InvalidPromptBudget,
}

/// Puts a [`Reflexion`] together. Only an actor and an evaluator are needed, and a reflector unless nobody reads notes.
///
/// ```
/// use reflexion_loop::{ConfigError, Reflexion, actor_fn, check_fn};
///
/// let refused = Reflexion::builder()
///     .actor(actor_fn(|_| async { "42" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(0)
///     .build();
/// assert_eq!(refused.unwrap_err(), ConfigError::NoTrials);
/// ```
///
/// With most of what can be chosen:
///
/// ```
/// use std::time::Duration;
///
/// use reflexion_loop::*;
///
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|_| async { "42" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .max_trials(5)
///     .carry_over(CarryOver::LastAttempt)
///     .score_threshold(0.9)
///     .budget(Budget { calls: Some(40), ..Default::default() })
///     .timeouts(Timeouts { act: Some(Duration::from_secs(60)), ..Default::default() })
///     .retries(Retries { times: 4, ..Default::default() })
///     .parallel(2)
///     .stall(Stall::StopOnRepeat)
///     .on_actor_error(OnActorError::FailTrial)
///     .on_evaluator_error(OnEvaluatorError::Unjudged)
///     .on_hook_error(OnHookError::Log)
///     .memory_failure(MemoryFailure::Closed)
///     .recall(RecallWhen::EveryTrial)
///     .record(RecordWhen::FinalOnly)
///     .credit(Credit::EveryTrial)
///     .build()
///     .unwrap();
/// assert_eq!(learner.options().memory_size, DEFAULT_MEMORY_SIZE);
/// ```
#[derive(Default)]
#[must_use]
pub struct ReflexionBuilder {
    actor: Option<Arc<dyn Actor>>,
    evaluator: Option<Arc<dyn Evaluator>>,
    reflector: Option<Arc<dyn Reflector>>,
    memory: Option<Arc<dyn LongTermMemory>>,
    hooks: Option<Arc<dyn Hooks>>,
    checkpoint: Option<Arc<dyn Checkpoint>>,
    model: Option<Arc<dyn TextModel>>,
    observers: Vec<Observer>,
    price: Option<Arc<dyn Fn(Usage) -> f64 + Send + Sync>>,
    clock: Option<Clock>,
    max_trials: Option<u32>,
    score_threshold: Option<f64>,
    parallel: Option<u32>,
    options: Options,
}

impl ReflexionBuilder {
    /// Who does the task.
    pub fn actor(mut self, actor: impl Actor + 'static) -> Self {
        self.actor = Some(Arc::new(actor));
        self
    }

    /// Who judges it.
    pub fn evaluator(mut self, evaluator: impl Evaluator + 'static) -> Self {
        self.evaluator = Some(Arc::new(evaluator));
        self
    }

    /// Who writes the notes.
    pub fn reflector(mut self, reflector: impl Reflector + 'static) -> Self {
        self.reflector = Some(Arc::new(reflector));
        self
    }

    /// A model that judges and reflects where nobody else was named.
    pub fn model(mut self, model: impl TextModel + 'static) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// A memory that outlives the run.
    pub fn long_term_memory(mut self, memory: impl LongTermMemory + 'static) -> Self {
        self.memory = Some(Arc::new(memory));
        self
    }

    /// What is called on the way.
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks = Some(Arc::new(hooks));
        self
    }

    /// Where the state is kept.
    pub fn checkpoint(mut self, checkpoint: impl Checkpoint + 'static) -> Self {
        self.checkpoint = Some(Arc::new(checkpoint));
        self
    }

    /// A function that sees every event of every run, in order, before its reader does. It must not block.
    pub fn on_event(mut self, observer: impl Fn(&Envelope) + Send + Sync + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// What tokens cost, for whatever does not report its cost itself.
    pub fn price(mut self, price: impl Fn(Usage) -> f64 + Send + Sync + 'static) -> Self {
        self.price = Some(Arc::new(price));
        self
    }

    /// Where the times of events and trials come from, for tests. Unless set, the system.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// The most trials. Unless set, three.
    pub fn max_trials(mut self, trials: u32) -> Self {
        self.max_trials = Some(trials);
        self
    }

    /// The most notes that are kept. Unless set, three. With nought none are shown, and no reflection is paid for unless a
    /// hook or the long-term memory wants it.
    pub fn memory_size(mut self, notes: usize) -> Self {
        self.options.memory_size = notes;
        self
    }

    /// What a trial is told of the ones before it. Unless set, their notes.
    pub fn carry_over(mut self, carry_over: CarryOver) -> Self {
        self.options.carry_over = carry_over;
        self
    }

    /// Which score, from 0 to 1, is as good as a pass.
    pub fn score_threshold(mut self, score: f64) -> Self {
        self.score_threshold = Some(score);
        self
    }

    /// What the run may cost. Unless set, whatever it takes.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.options.budget = budget;
        self
    }

    /// How long a step may take.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// How many candidates a trial has, all at the same time. The first that passes wins and the others are dropped.
    pub fn parallel(mut self, candidates: u32) -> Self {
        self.parallel = Some(candidates);
        self
    }

    /// How often a step is tried again when its error says that waiting may help. Unless set, twice.
    pub fn retries(mut self, retries: Retries) -> Self {
        self.options.retries = retries;
        self
    }

    /// When memories are recalled. Unless set, once.
    pub fn recall(mut self, recall: RecallWhen) -> Self {
        self.options.recall = recall;
        self
    }

    /// How many memories are recalled. Unless set, five.
    pub fn recall_limit(mut self, memories: usize) -> Self {
        self.options.recall_limit = memories;
        self
    }

    /// What is recorded. Unless set, each trial.
    pub fn record(mut self, record: RecordWhen) -> Self {
        self.options.record = record;
        self
    }

    /// Records candidates that were not chosen as well. They answer for no memory.
    pub fn record_all_candidates(mut self, all: bool) -> Self {
        self.options.record_all_candidates = all;
        self
    }

    /// Which trials a memory answers for. Unless set, the first one that was shown it.
    pub fn credit(mut self, credit: Credit) -> Self {
        self.options.credit = credit;
        self
    }

    /// Whether an unclear verdict is asked for once more. Unless set, it is.
    pub fn repair_unclear(mut self, repair: bool) -> Self {
        self.options.repair_unclear = repair;
        self
    }

    /// Reflects on a pass too, for the long-term memory or a hook.
    pub fn reflect_on_pass(mut self, reflect: bool) -> Self {
        self.options.reflect_on_pass = reflect;
        self
    }

    /// What to do about an actor that does not work. Unless set, abort.
    pub fn on_actor_error(mut self, what: OnActorError) -> Self {
        self.options.on_actor_error = what;
        self
    }

    /// What to do about an evaluator that does not work. Unless set, abort.
    pub fn on_evaluator_error(mut self, what: OnEvaluatorError) -> Self {
        self.options.on_evaluator_error = what;
        self
    }

    /// What to do about a hook that fails. Unless set, abort.
    pub fn on_hook_error(mut self, what: OnHookError) -> Self {
        self.options.on_hook_error = what;
        self
    }

    /// What to do when the long-term memory does not answer. Unless set, go on without it.
    pub fn memory_failure(mut self, what: MemoryFailure) -> Self {
        self.options.memory_failure = what;
        self
    }

    /// What to do about the same answer again. Unless set, nothing.
    pub fn stall(mut self, stall: Stall) -> Self {
        self.options.stall = stall;
        self
    }

    /// How many tokens memories, notes and earlier attempts may add to the task. None for no limit. Unless set, 4,000.
    pub fn prompt_budget(mut self, tokens: Option<usize>) -> Self {
        self.options.prompt_budget = tokens;
        self
    }

    /// Checks everything and puts it together.
    pub fn build(self) -> Result<Reflexion, ConfigError> {
        let mut options = self.options;
        if let Some(trials) = self.max_trials {
            options.max_trials = NonZeroU32::new(trials).ok_or(ConfigError::NoTrials)?;
        }
        if let Some(score) = self.score_threshold {
            options.score_threshold = Some(Score::new(score).map_err(|_| ConfigError::InvalidThreshold)?);
        }
        if let Some(candidates) = self.parallel {
            let candidates =
                NonZeroU32::new(candidates).filter(|candidates| candidates.get() <= MOST_CANDIDATES);
            options.parallel = candidates.ok_or(ConfigError::InvalidParallel)?;
        }
        check_limits(&options)?;

        let judge =
            |model: &Arc<dyn TextModel>| Arc::new(LlmEvaluator::new(Arc::clone(model))) as Arc<dyn Evaluator>;
        let writer =
            |model: &Arc<dyn TextModel>| Arc::new(LlmReflector::new(Arc::clone(model))) as Arc<dyn Reflector>;
        let actor = self.actor.ok_or(ConfigError::NoActor)?;
        let evaluator =
            self.evaluator.or_else(|| self.model.as_ref().map(judge)).ok_or(ConfigError::NoEvaluator)?;
        let reflector = self.reflector.or_else(|| self.model.as_ref().map(writer));
        let notes_are_read =
            options.carry_over.shows_notes() && options.memory_size > 0 && options.max_trials.get() > 1;
        if notes_are_read && reflector.is_none() {
            return Err(ConfigError::NoReflector);
        }
        options.parties = Parties {
            reflector: reflector.is_some(),
            memory: self.memory.is_some(),
            memory_wants_reflections: self.memory.as_ref().is_some_and(|memory| memory.wants_reflections()),
            hooks_want_reflections: self.hooks.as_ref().is_some_and(|hooks| hooks.wants_reflections()),
        };
        Ok(Reflexion::of(Parts {
            actor,
            evaluator,
            reflector,
            memory: self.memory,
            hooks: self.hooks,
            checkpoint: self.checkpoint,
            observers: self.observers.into(),
            price: self.price,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemTime::now)),
            options,
        }))
    }
}

fn check_limits(options: &Options) -> Result<(), ConfigError> {
    let Budget { tokens, cost, time, calls } = options.budget;
    let budgets = [
        ("tokens", tokens == Some(0)),
        ("cost", cost.is_some_and(|cost| !(cost.is_finite() && cost > 0.0))),
        ("time", time.is_some_and(|time| time.is_zero())),
        ("calls", calls == Some(0)),
    ];
    if let Some((name, _)) = budgets.into_iter().find(|(_, wrong)| *wrong) {
        return Err(ConfigError::InvalidBudget(name));
    }
    let Timeouts { act, evaluate, reflect, recall, record } = options.timeouts;
    let timeouts =
        [("act", act), ("evaluate", evaluate), ("reflect", reflect), ("recall", recall), ("record", record)];
    let instant = timeouts.into_iter().find(|(_, timeout)| timeout.is_some_and(|timeout| timeout.is_zero()));
    if let Some((name, _)) = instant {
        return Err(ConfigError::InvalidTimeout(name));
    }
    let too_small = options.prompt_budget.is_some_and(|budget| budget < LEAST_PROMPT_BUDGET);
    if too_small { Err(ConfigError::InvalidPromptBudget) } else { Ok(()) }
}
