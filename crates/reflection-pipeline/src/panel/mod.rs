//! Several reflectors on one run.

mod merge;
mod together;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::chain;
use crate::{
    Analysis, ReflectionError, ReflectionInput, ReflectionLevel, ReflectionResult, ReflectionType, Reflector,
};

/// Several reflectors that are asked at the same time and answer as one.
///
/// - **Priority.** Whoever has the highest comes first in the merged lists and gives the summary.
/// - **On failure** only those are asked whose type is failure or optimization; see
///   [`on_failure`](Self::on_failure).
/// - **Errors** of one do not stop the others. They stand in the report, and in the metadata of the merged result.
///
/// ```
/// use async_trait::async_trait;
/// use reflection_pipeline::{Analysis, Panel, ReflectionError, ReflectionInput, Reflector};
///
/// struct Says(&'static str);
/// struct Broken;
///
/// #[async_trait]
/// impl Reflector for Says {
///     async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
///         Ok(Analysis { summary: self.0.into(), ..Default::default() })
///     }
/// }
///
/// #[async_trait]
/// impl Reflector for Broken {
///     fn name(&self) -> &str {
///         "broken"
///     }
///     async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
///         Err(ReflectionError::Other("out of order".into()))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let panel = Panel::new().with(Says("first")).with_priority(10, Says("important")).with(Broken);
/// let result = panel.reflect(&ReflectionInput::default()).await.unwrap();
/// assert_eq!(result.summary, "important");
/// assert_eq!(result.metadata["failed"][0]["reflector"], "broken");
/// assert_eq!(result.metadata["failed"][0]["error"], "out of order");
/// # });
/// ```
pub struct Panel {
    name: String,
    /// The highest priority first; of equals, whoever came first.
    seats: Vec<Seat>,
    on_failure: Vec<ReflectionType>,
}

struct Seat {
    priority: i32,
    reflector: Arc<dyn Reflector>,
}

/// What everybody on a panel said.
#[derive(Debug, Default)]
pub struct PanelReport {
    /// What came back, the highest priority first.
    pub results: Vec<ReflectionResult>,
    /// Who failed, and why.
    pub failures: Vec<PanelFailure>,
    /// Who was not asked, because the run failed and they are for something else.
    pub skipped: Vec<String>,
}

/// A reflector of a panel that failed.
#[derive(Debug)]
pub struct PanelFailure {
    /// Its name.
    pub reflector: String,
    /// What happened.
    pub error: ReflectionError,
}

impl fmt::Display for PanelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reflector, chain(&self.error))
    }
}

impl Default for Panel {
    fn default() -> Self {
        Self::new()
    }
}

impl Panel {
    /// A panel without members.
    pub fn new() -> Self {
        let on_failure = vec![ReflectionType::Failure, ReflectionType::Optimization];
        Self { name: "panel".into(), seats: Vec::new(), on_failure }
    }

    /// Another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a member of priority 0.
    #[must_use]
    pub fn with(self, reflector: impl Reflector + 'static) -> Self {
        self.with_priority(0, reflector)
    }

    /// Adds a member. A higher priority comes first.
    #[must_use]
    pub fn with_priority(mut self, priority: i32, reflector: impl Reflector + 'static) -> Self {
        self.seats.push(Seat { priority, reflector: Arc::new(reflector) });
        self.seats.sort_by_key(|seat| std::cmp::Reverse(seat.priority));
        self
    }

    /// Which types are asked about a run that failed. Unless set, failure and optimization; with
    /// [`ReflectionType::ALL`] everybody is. A reflector whose type follows from the outcome is of type failure then.
    #[must_use]
    pub fn on_failure(mut self, types: impl IntoIterator<Item = ReflectionType>) -> Self {
        self.on_failure = types.into_iter().collect();
        self
    }

    /// Asks everybody whom the outcome concerns, all at the same time.
    pub async fn ask(&self, input: &ReflectionInput) -> PanelReport {
        let failed = input.passed == Some(false);
        let concerned =
            |seat: &&Seat| !failed || self.on_failure.contains(&seat.reflector.reflection_type(input));
        let (asked, skipped): (Vec<&Seat>, Vec<&Seat>) = self.seats.iter().partition(concerned);
        let answers = together::all(asked.iter().map(|seat| seat.reflector.reflect(input))).await;

        let mut report = PanelReport::default();
        report.skipped.extend(skipped.iter().map(|seat| seat.reflector.name().to_owned()));
        for (seat, answer) in asked.iter().zip(answers) {
            match answer {
                Ok(result) => report.results.push(result),
                Err(error) => {
                    let reflector = seat.reflector.name().to_owned();
                    tracing::debug!(
                        panel = self.name,
                        reflector,
                        "a member of the panel failed: {}",
                        chain(&error)
                    );
                    report.failures.push(PanelFailure { reflector, error });
                }
            }
        }
        report
    }
}

#[async_trait]
impl Reflector for Panel {
    fn name(&self) -> &str {
        &self.name
    }

    /// The deepest of its members.
    fn level(&self) -> ReflectionLevel {
        let levels = self.seats.iter().map(|seat| seat.reflector.level());
        levels.max().unwrap_or(ReflectionLevel::Medium)
    }

    /// What all members said, merged.
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        let report = self.ask(input).await;
        if !report.results.is_empty() {
            return Ok(merge::merge(report));
        }
        let panel = self.name.clone();
        if report.failures.is_empty() {
            return Err(ReflectionError::NobodyAsked { panel });
        }
        Err(ReflectionError::PanelFailed { panel, failures: report.failures })
    }
}

impl fmt::Debug for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> = self.seats.iter().map(|seat| (seat.priority, seat.reflector.name())).collect();
        f.debug_struct("Panel").field("name", &self.name).field("members", &members).finish_non_exhaustive()
    }
}
