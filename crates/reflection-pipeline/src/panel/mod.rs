//! A panel: several reflectors on one run.

mod merge;
mod together;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::{PanelFailure, ReflectionError, chain};
use crate::input::ReflectionInput;
use crate::level::ReflectionLevel;
use crate::reflection_type::ReflectionType;
use crate::reflector::{Analysis, Reflector};
use crate::result::ReflectionResult;

/// Runs several reflectors in parallel and merges their results.
///
/// - **Priority:** the reflector with the highest priority is first in the merged lists and provides the summary.
/// - **Failed runs:** only reflectors of type failure or optimization run; see [`on_failure`](Self::on_failure).
/// - **Errors:** an error of one reflector does not stop the others. The report and the metadata of the merged result
///   contain the error.
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
    /// Highest priority first. Members with equal priority keep their order.
    seats: Vec<Seat>,
    on_failure: Vec<ReflectionType>,
}

struct Seat {
    priority: i32,
    reflector: Arc<dyn Reflector>,
}

/// The results of all members of a panel.
#[derive(Debug, Default)]
pub struct PanelReport {
    /// The results, highest priority first.
    pub results: Vec<ReflectionResult>,
    /// The failed members and their errors.
    pub failures: Vec<PanelFailure>,
    /// The members that did not run, because the run failed and their type is not in `on_failure`.
    pub skipped: Vec<String>,
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

    /// Sets the name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a member with priority 0.
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

    /// Sets the types that reflect on a failed run. Default: failure and optimization. With [`ReflectionType::ALL`], all
    /// members run. A reflector whose type follows from the outcome has type failure for a failed run.
    #[must_use]
    pub fn on_failure(mut self, types: impl IntoIterator<Item = ReflectionType>) -> Self {
        self.on_failure = types.into_iter().collect();
        self
    }

    /// Runs all members that reflect on this outcome, in parallel.
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

    /// The deepest level of its members.
    fn level(&self) -> ReflectionLevel {
        let levels = self.seats.iter().map(|seat| seat.reflector.level());
        levels.max().unwrap_or(ReflectionLevel::Medium)
    }

    /// The merged results of all members.
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        let report = self.ask(input).await;
        if !report.results.is_empty() {
            return Ok(merge::merge(report));
        }
        let panel = self.name.clone();
        if report.failures.is_empty() {
            return Err(ReflectionError::NoMatchingReflector { panel });
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
