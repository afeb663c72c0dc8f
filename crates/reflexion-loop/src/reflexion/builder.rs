//! Builds a learner and rejects invalid configurations.

use std::sync::Arc;
use std::time::SystemTime;

use reflect_evaluation::{Evaluator, LlmEvaluator, TextModel, Usage};
use reflection_pipeline::{LlmReflector, Reflector};

use super::Reflexion;
use crate::actor::Actor;
use crate::checkpoint::Checkpoint;
use crate::config_error::ConfigError;
use crate::driver::Components;
use crate::emitter::{Clock, Observer};
use crate::event::Envelope;
use crate::hooks::Hooks;
use crate::long_term::LongTermMemory;
use crate::options::{CarryOver, Options, Participants, RunConfig};

/// Builds a [`Reflexion`]. It needs an actor, an evaluator, and, if the options use notes, a reflector.
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
/// With most options:
///
/// ```
/// use std::time::Duration;
///
/// use reflexion_loop::*;
///
/// let learner = Reflexion::builder()
///     .actor(actor_fn(|_| async { "42" }))
///     .evaluator(check_fn(|answer: &str| answer == "42"))
///     .options(Options {
///         max_trials: 5,
///         carry_over: CarryOver::LastAttempt,
///         score_threshold: Some(0.9),
///         budget: Budget { calls: Some(40), ..Default::default() },
///         timeouts: Timeouts { act: Some(Duration::from_secs(60)), ..Default::default() },
///         retries: Retries { times: 4, ..Default::default() },
///         parallel: 2,
///         stall: Stall::StopOnRepeat,
///         on_actor_error: OnActorError::FailTrial,
///         on_evaluator_error: OnEvaluatorError::Unjudged,
///         on_hook_error: OnHookError::Log,
///         memory_failure: MemoryFailure::Closed,
///         recall: RecallWhen::EveryTrial,
///         record: RecordWhen::FinalOnly,
///         credit: CreditPolicy::EveryTrial,
///         ..Options::default()
///     })
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
    options: Options,
}

impl ReflexionBuilder {
    /// The agent that does the task.
    pub fn actor(mut self, actor: impl Actor + 'static) -> Self {
        self.actor = Some(Arc::new(actor));
        self
    }

    /// The evaluator that judges attempts.
    pub fn evaluator(mut self, evaluator: impl Evaluator + 'static) -> Self {
        self.evaluator = Some(Arc::new(evaluator));
        self
    }

    /// The reflector that writes the notes.
    pub fn reflector(mut self, reflector: impl Reflector + 'static) -> Self {
        self.reflector = Some(Arc::new(reflector));
        self
    }

    /// A model that evaluates and reflects if no evaluator or reflector is set.
    pub fn model(mut self, model: impl TextModel + 'static) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// A memory that persists across runs.
    pub fn long_term_memory(mut self, memory: impl LongTermMemory + 'static) -> Self {
        self.memory = Some(Arc::new(memory));
        self
    }

    /// Functions that the run calls.
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks = Some(Arc::new(hooks));
        self
    }

    /// Where the state is saved after each step.
    pub fn checkpoint(mut self, checkpoint: impl Checkpoint + 'static) -> Self {
        self.checkpoint = Some(Arc::new(checkpoint));
        self
    }

    /// A function that gets every event of every run, in order, before the reader of the run. It must not block.
    pub fn on_event(mut self, observer: impl Fn(&Envelope) + Send + Sync + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// The cost of tokens, for components that do not report a cost.
    pub fn price(mut self, price: impl Fn(Usage) -> f64 + Send + Sync + 'static) -> Self {
        self.price = Some(Arc::new(price));
        self
    }

    /// The clock for the timestamps of events and trials, for tests. Default: the system clock.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Replaces all options, including [`max_trials`](Self::max_trials) and [`carry_over`](Self::carry_over).
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets [`Options::max_trials`].
    pub fn max_trials(mut self, trials: u32) -> Self {
        self.options.max_trials = trials;
        self
    }

    /// Sets [`Options::carry_over`].
    pub fn carry_over(mut self, carry_over: CarryOver) -> Self {
        self.options.carry_over = carry_over;
        self
    }

    /// Validates the options and builds the learner.
    pub fn build(self) -> Result<Reflexion, ConfigError> {
        let options = self.options;
        options.validate()?;

        let evaluate_with =
            |model: &Arc<dyn TextModel>| Arc::new(LlmEvaluator::new(Arc::clone(model))) as Arc<dyn Evaluator>;
        let reflect_with =
            |model: &Arc<dyn TextModel>| Arc::new(LlmReflector::new(Arc::clone(model))) as Arc<dyn Reflector>;
        let actor = self.actor.ok_or(ConfigError::NoActor)?;
        let evaluator = self
            .evaluator
            .or_else(|| self.model.as_ref().map(evaluate_with))
            .ok_or(ConfigError::NoEvaluator)?;
        let reflector = self.reflector.or_else(|| self.model.as_ref().map(reflect_with));
        if options.uses_notes() && options.max_trials > 1 && reflector.is_none() {
            return Err(ConfigError::NoReflector);
        }
        let participants = Participants {
            reflector: reflector.is_some(),
            memory: self.memory.is_some(),
            memory_wants_reflections: self.memory.as_ref().is_some_and(|memory| memory.wants_reflections()),
            hooks_want_reflections: self.hooks.as_ref().is_some_and(|hooks| hooks.wants_reflections()),
        };
        Ok(Reflexion::of(Components {
            actor,
            evaluator,
            reflector,
            memory: self.memory,
            hooks: self.hooks,
            checkpoint: self.checkpoint,
            observers: self.observers.into(),
            price: self.price,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemTime::now)),
            config: RunConfig { options, participants },
        }))
    }
}
