//! Warnings of Postgres during a commit, which mean that the outcome is unknown.
//!
//! If the wait of a commit for a synchronous standby is cancelled, Postgres commits on the primary only, sends a warning, and
//! reports success. sqlx gives notices of the server to `tracing` and to nothing else. So a commit is polled under a
//! subscriber that notes warnings of the server, and passes everything to the subscriber around it. The text of a warning
//! depends on the language of the server, so every warning counts.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};

use tracing::dispatcher::{self, Dispatch};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// The target of the server's notices in sqlx.
const NOTICES: &str = "sqlx::postgres::notice";

/// The first is for all commits, because a new subscriber makes `tracing` ask all places in the program again. The second does
/// nothing: with a single subscriber in the process, `tracing` would decide outside of commits that notices reach nobody.
static WATCH: LazyLock<[Dispatch; 2]> = LazyLock::new(|| [Dispatch::new(Watch), Dispatch::new(Watch)]);

thread_local! {
    /// The commit that this thread polls.
    static POLLED: RefCell<Option<Polled>> = const { RefCell::new(None) };
}

/// A commit that is polled.
struct Polled {
    around: Dispatch,
    warned: bool,
}

/// A future, and whether the server sent a warning while it was polled.
pub(crate) struct Warned<F> {
    future: Pin<Box<F>>,
    warned: bool,
}

impl<F> Warned<F> {
    pub(crate) fn new(future: F) -> Self {
        Self { future: Box::pin(future), warned: false }
    }
}

impl<F: Future> Future for Warned<F> {
    type Output = (F::Output, bool);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let around = dispatcher::get_default(Dispatch::clone);
        let outside = POLLED.replace(Some(Polled { around, warned: false }));
        let output = dispatcher::with_default(&WATCH[0], || self.future.as_mut().poll(context));
        let polled = POLLED.replace(outside);
        self.warned |= polled.is_some_and(|polled| polled.warned);
        Poll::Ready((ready!(output), self.warned))
    }
}

/// Notes warnings of the server. Everything goes on to the subscriber around the commit.
struct Watch;

fn around() -> Dispatch {
    POLLED.with_borrow(|polled| polled.as_ref().map_or_else(Dispatch::none, |polled| polled.around.clone()))
}

fn is_warning(metadata: &Metadata<'_>) -> bool {
    // The levels of problems are the smaller ones.
    metadata.target() == NOTICES && *metadata.level() <= Level::WARN
}

impl Subscriber for Watch {
    /// Elsewhere in the program nothing may become slower.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_warning(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_warning(metadata) || around().enabled(metadata)
    }

    fn event(&self, event: &Event<'_>) {
        if is_warning(event.metadata()) {
            POLLED.with_borrow_mut(|polled| polled.iter_mut().for_each(|polled| polled.warned = true));
        }
        let around = around();
        if around.enabled(event.metadata()) {
            around.event(event);
        }
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        around().new_span(span)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        around().record(span, values);
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        around().record_follows_from(span, follows);
    }

    fn enter(&self, span: &Id) {
        around().enter(span);
    }

    fn exit(&self, span: &Id) {
        around().exit(span);
    }

    fn clone_span(&self, span: &Id) -> Id {
        around().clone_span(span)
    }

    fn try_close(&self, span: Id) -> bool {
        around().try_close(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_warnings_of_the_server_count() {
        let cases: [(fn(), bool); 3] = [
            (|| tracing::warn!(target: NOTICES, "canceling wait"), true),
            (|| tracing::info!(target: NOTICES, "already exists"), false),
            (|| tracing::warn!("slow statement"), false),
        ];
        for (event, expected) in cases {
            let future = async move {
                event();
                tokio::task::yield_now().await;
                7
            };

            assert_eq!(Warned::new(future).await, (7, expected));
        }
    }

    #[tokio::test]
    async fn a_place_that_was_first_reached_outside_of_a_commit_is_noted_inside() {
        let warn = || tracing::warn!(target: NOTICES, "canceling wait");
        LazyLock::force(&WATCH);
        warn();

        let (_, warned) = Warned::new(async { warn() }).await;

        assert!(warned);
    }

    #[tokio::test]
    async fn warnings_before_and_after_a_commit_do_not_count() {
        tracing::warn!(target: NOTICES, "before");
        let (_, warned) = Warned::new(async {}).await;
        tracing::warn!(target: NOTICES, "after");

        assert!(!warned);
    }
}
