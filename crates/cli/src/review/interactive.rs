//! The event loop of an interactive review: keys, screen, timers and signals.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use crossterm::event::EventStream;
use futures::stream::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use super::effects::Effect;
use super::reducer::Event;
use super::screen::{Screen, event};
use super::session::ReviewSession;
use super::summary::summary;
use crate::environment::variable;
use crate::output::Output;

/// Half of a lease.
const RENEW_EVERY: Duration = Duration::from_secs(60);
/// How often an empty queue is fetched again.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// How long quitting may take.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a session to its end and prints its summary.
pub(crate) async fn review(mut session: ReviewSession, output: &Output) -> anyhow::Result<()> {
    session.begin().await?;
    let ended = match session.state.queue.items().is_empty() {
        true => {
            output.say("No runs are waiting for a review.");
            Ok(())
        }
        false => event_loop(&mut session).await,
    };
    let elapsed = session.elapsed();
    // Also after an error: what is in the outbox can still be sent.
    let finished = session.finish(FINISH_TIMEOUT).await;
    output.line(&summary(&session.state.tally, elapsed, session.outbox.waiting().len()))?;
    ended.and(finished)
}

/// Timers and signals.
struct Timers {
    renew: Interval,
    poll: Interval,
    terminate: Signal,
    hang_up: Signal,
}

async fn event_loop(session: &mut ReviewSession) -> anyhow::Result<()> {
    let mut timers = Timers {
        renew: timer(RENEW_EVERY),
        poll: timer(POLL_EVERY),
        terminate: signal(SignalKind::terminate())?,
        hang_up: signal(SignalKind::hangup())?,
    };
    let mut screen = Screen::take()?;
    let mut keys = EventStream::new();
    loop {
        let context = session.draw_context();
        screen.show(&mut session.state, &context)?;
        session.handle(Event::Painted)?;
        let effects = tokio::select! {
            pressed = keys.next() => match pressed {
                Some(Ok(pressed)) => match event(&pressed) {
                    Some(event) => session.handle(event)?,
                    None => Vec::new(),
                },
                // The terminal is closed.
                Some(Err(_)) | None => return Ok(()),
            },
            Some(result) = session.calls.next(), if !session.calls.is_empty() => {
                session.handle_result(result)?;
                Vec::new()
            }
            wakeup = next_wakeup(session.retry_at, &mut timers) => match wakeup {
                Wakeup::Quit => return Ok(()),
                Wakeup::Renew => {
                    session.renew();
                    Vec::new()
                }
                Wakeup::Poll => session.handle(Event::Tick)?,
                Wakeup::Retry => {
                    session.send_next();
                    Vec::new()
                }
            },
        };
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Edit(text) => {
                    // Otherwise this process and the editor would both read the terminal and each get half of the keys.
                    drop(keys);
                    drop(screen);
                    let edited = edit(&text, session, &mut timers).await;
                    screen = Screen::take()?;
                    keys = EventStream::new();
                    match edited {
                        Ok(text) => drop(session.handle(Event::Edited(text))?),
                        Err(error) => session.state.notice = Some(format!("{error:#}")),
                    }
                }
                _ => {}
            }
        }
    }
}

/// Why the loop wakes up without a key or a response.
enum Wakeup {
    Quit,
    Renew,
    Poll,
    Retry,
}

async fn next_wakeup(retry_at: Option<Instant>, timers: &mut Timers) -> Wakeup {
    let retry = async {
        match retry_at {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = timers.terminate.recv() => Wakeup::Quit,
        _ = timers.hang_up.recv() => Wakeup::Quit,
        _ = timers.renew.tick() => Wakeup::Renew,
        _ = timers.poll.tick() => Wakeup::Poll,
        () = retry => Wakeup::Retry,
    }
}

/// A timer whose first tick comes after one period.
fn timer(period: Duration) -> Interval {
    let mut timer = interval(period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    timer.reset();
    timer
}

/// Opens the text in the reviewer's editor. `None` if the editor exits with an error. Leases are renewed and verdicts
/// are sent meanwhile.
async fn edit(
    text: &str,
    session: &mut ReviewSession,
    timers: &mut Timers,
) -> anyhow::Result<Option<String>> {
    let path = std::env::temp_dir().join(format!("reflect-feedback-{}.txt", Uuid::new_v4()));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes())?;
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    // Through the shell, like git: the variable may contain arguments.
    let mut command = tokio::process::Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path);
    let mut child = command.spawn()?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            Some(result) = session.calls.next(), if !session.calls.is_empty() => session.handle_result(result)?,
            wakeup = next_wakeup(session.retry_at, timers) => match wakeup {
                Wakeup::Renew => session.renew(),
                Wakeup::Retry => session.send_next(),
                Wakeup::Poll | Wakeup::Quit => {}
            },
        }
    };
    let edited = std::fs::read_to_string(&path);
    let removed = std::fs::remove_file(&path);
    let text = status?.success().then_some(edited?);
    removed?;
    Ok(text)
}
