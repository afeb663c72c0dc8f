//! Iteration over lists with several pages.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::error::Error;

/// One page of a list, newest first.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Its entries.
    pub items: Vec<T>,
    /// The cursor of the next page. `None` on the last page.
    pub next_cursor: Option<String>,
}

type Fetching<T> = Pin<Box<dyn Future<Output = Result<Page<T>, Error>> + Send>>;
type Fetch<T> = Box<dyn FnMut(Option<String>) -> Fetching<T> + Send>;

/// A list of any length. Each page is requested when the previous one is consumed.
///
/// It is a [`Stream`]; [`next`](Self::next) works without a stream library. It ends after an error.
///
/// ```no_run
/// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
/// use reflect_sdk::types::ReviewStatus;
///
/// let mut pending = client.traces.iter(Some(ReviewStatus::Pending));
/// while let Some(trace) = pending.next().await {
///     println!("{}", trace?.task);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a listing sends no request until it is polled"]
pub struct Listing<T> {
    fetch: Fetch<T>,
    pending_page: Option<Fetching<T>>,
    items: VecDeque<T>,
}

impl<T> Listing<T> {
    pub(crate) fn new<F>(mut fetch: impl FnMut(Option<String>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<Page<T>, Error>> + Send + 'static,
    {
        let mut fetch: Fetch<T> = Box::new(move |cursor| Box::pin(fetch(cursor)));
        let first = fetch(None);
        Self { fetch, pending_page: Some(first), items: VecDeque::new() }
    }

    /// The next entry. `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Collects at most `most` entries. The second value tells whether there are more.
    pub(crate) async fn collect(mut self, most: usize) -> Result<(Vec<T>, bool), Error> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            if all.len() == most {
                return Ok((all, true));
            }
            all.push(item?);
        }
        Ok((all, false))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            let Some(pending_page) = &mut self.pending_page else { return Poll::Ready(None) };
            let fetched = std::task::ready!(pending_page.as_mut().poll(context));
            self.pending_page = None;
            let page = match fetched {
                Ok(page) => page,
                Err(error) => return Poll::Ready(Some(Err(error))),
            };
            self.items = page.items.into();
            // The future sends nothing until it is polled.
            self.pending_page = page.next_cursor.map(|cursor| (self.fetch)(Some(cursor)));
        }
    }
}

// No field is pinned: futures are boxed and entries are moved out.
impl<T> Unpin for Listing<T> {}

impl<T> Stream for Listing<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<T> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").field("fetched", &self.items.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(mut left: Vec<Result<(Vec<u8>, bool), Error>>) -> Listing<u8> {
        left.reverse();
        Listing::new(move |_| {
            let page = left.pop().expect("no more than there are");
            let page = page.map(|(items, more)| Page { items, next_cursor: more.then(String::new) });
            std::future::ready(page)
        })
    }

    #[tokio::test]
    async fn a_list_goes_on_over_short_and_empty_pages() {
        let list = pages(vec![Ok((vec![1, 2], true)), Ok((vec![], true)), Ok((vec![3], false))]);

        assert_eq!(list.collect(10).await.unwrap(), (vec![1, 2, 3], false));
    }

    #[tokio::test]
    async fn a_list_that_is_cut_says_so() {
        let list = || pages(vec![Ok((vec![1, 2], true)), Ok((vec![3], false))]);

        assert_eq!(list().collect(2).await.unwrap(), (vec![1, 2], true));
        assert_eq!(list().collect(3).await.unwrap(), (vec![1, 2, 3], false));
    }

    #[tokio::test]
    async fn an_error_ends_it() {
        let broken = Error::configuration("broken", "");
        let mut list = pages(vec![Ok((vec![1], true)), Err(broken.clone())]);

        assert_eq!(list.next().await, Some(Ok(1)));
        assert_eq!(list.next().await, Some(Err(broken)));
        assert_eq!(list.next().await, None);
    }
}
