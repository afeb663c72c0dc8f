//! Reviewing at a terminal: keys, the screen, the clock and signals, around a session.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use crossterm::event::EventStream;
use futures::stream::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use super::desk::{Effect, Event};
use super::screen::{Screen, event};
use super::session::Session;
use super::summary::summary;
use crate::environment::variable;
use crate::output::Output;

/// Half of a lease.
const RENEW: Duration = Duration::from_secs(60);
/// How often an empty queue is asked again.
const LOOK: Duration = Duration::from_secs(5);
/// How long leaving may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// From the first run to the line that says how it went.
pub(crate) async fn review(mut session: Session, output: &Output) -> anyhow::Result<()> {
    session.begin().await?;
    let ended = match session.desk.items.is_empty() {
        true => {
            output.say("Nothing waits for a review.");
            Ok(())
        }
        false => at_the_desk(&mut session).await,
    };
    let elapsed = session.elapsed();
    // A disk that takes no more verdicts still lets those go out that it has.
    let finished = session.finish(PATIENCE).await;
    output.line(&summary(&session.desk.tally, elapsed, session.outbox.waiting().len()))?;
    ended.and(finished)
}

/// What may happen while the reviewer sits there.
struct Bells {
    renew: Interval,
    look: Interval,
    terminate: Signal,
    hang_up: Signal,
}

async fn at_the_desk(session: &mut Session) -> anyhow::Result<()> {
    let mut bells = Bells {
        renew: bell(RENEW),
        look: bell(LOOK),
        terminate: signal(SignalKind::terminate())?,
        hang_up: signal(SignalKind::hangup())?,
    };
    let mut screen = Screen::take()?;
    let mut keys = EventStream::new();
    loop {
        let facts = session.facts();
        screen.show(&mut session.desk, &facts)?;
        session.take(Event::Painted)?;
        let effects = tokio::select! {
            pressed = keys.next() => match pressed {
                Some(Ok(pressed)) => match event(&pressed) {
                    Some(event) => session.take(event)?,
                    None => Vec::new(),
                },
                // The terminal is gone.
                Some(Err(_)) | None => return Ok(()),
            },
            Some(done) = session.calls.next(), if !session.calls.is_empty() => {
                session.done(done)?;
                Vec::new()
            }
            ended = others(session.again_at, &mut bells) => match ended {
                Bell::Leave => return Ok(()),
                Bell::Renew => {
                    session.renew();
                    Vec::new()
                }
                Bell::Look => session.take(Event::Tick)?,
                Bell::Again => {
                    session.post();
                    Vec::new()
                }
            },
        };
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Edit(text) => {
                    // Two readers of one terminal would each get half of the keys.
                    drop(keys);
                    drop(screen);
                    let edited = edit(&text, session, &mut bells).await;
                    screen = Screen::take()?;
                    keys = EventStream::new();
                    match edited {
                        Ok(text) => drop(session.take(Event::Edited(text))?),
                        Err(error) => session.desk.notice = Some(format!("{error:#}")),
                    }
                }
                _ => {}
            }
        }
    }
}

/// Which bell rang.
enum Bell {
    Leave,
    Renew,
    Look,
    Again,
}

async fn others(again_at: Option<Instant>, bells: &mut Bells) -> Bell {
    let again = async {
        match again_at {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = bells.terminate.recv() => Bell::Leave,
        _ = bells.hang_up.recv() => Bell::Leave,
        _ = bells.renew.tick() => Bell::Renew,
        _ = bells.look.tick() => Bell::Look,
        () = again => Bell::Again,
    }
}

/// The first ring is one period away.
fn bell(period: Duration) -> Interval {
    let mut bell = interval(period);
    bell.set_missed_tick_behavior(MissedTickBehavior::Delay);
    bell.reset();
    bell
}

/// The text as the reviewer's editor leaves it; none when it was left with an error. Runs are held and verdicts sent
/// meanwhile.
async fn edit(text: &str, session: &mut Session, bells: &mut Bells) -> anyhow::Result<Option<String>> {
    let path = std::env::temp_dir().join(format!("reflect-feedback-{}.txt", Uuid::new_v4()));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes())?;
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    // By the shell, as git does: the variable may hold arguments.
    let mut command = tokio::process::Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path);
    let mut child = command.spawn()?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            Some(done) = session.calls.next(), if !session.calls.is_empty() => session.done(done)?,
            rang = others(session.again_at, bells) => match rang {
                Bell::Renew => session.renew(),
                Bell::Again => session.post(),
                Bell::Look | Bell::Leave => {}
            },
        }
    };
    let edited = std::fs::read_to_string(&path);
    let removed = std::fs::remove_file(&path);
    let text = status?.success().then_some(edited?);
    removed?;
    Ok(text)
}
