//! Runs futures concurrently on one task, without a runtime.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

enum Slot<'a, T> {
    Running(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    Done(T),
}

/// The outputs of all futures, in their order. A panel is small, so each wake-up polls all of them.
pub(super) async fn all<'a, T: Unpin>(
    futures: impl Iterator<Item = Pin<Box<dyn Future<Output = T> + Send + 'a>>>,
) -> Vec<T> {
    let mut slots: Vec<Slot<'a, T>> = futures.map(Slot::Running).collect();
    poll_fn(|context| {
        let mut waiting = false;
        for slot in &mut slots {
            if let Slot::Running(future) = slot {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *slot = Slot::Done(value),
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    let values = slots.into_iter().filter_map(|slot| match slot {
        Slot::Done(value) => Some(value),
        Slot::Running(_) => None,
    });
    values.collect()
}
