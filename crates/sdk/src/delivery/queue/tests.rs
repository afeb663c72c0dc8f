//! What waits, what gives way, and in which order things go.

use super::*;

fn queue(items: usize, bytes: usize) -> Queue {
    Queue::new(QueueLimits { items, bytes })
}

/// Puts a run of this size and says who had to give way, by size.
fn put(queue: &mut Queue, size: usize, reviewed: bool) -> Vec<usize> {
    let body = Bytes::from(vec![b'x'; size]);
    let evicted = queue.push(TraceId::generate(), body, reviewed, Instant::now());
    evicted.iter().map(|entry| entry.body.len()).collect()
}

fn sizes(entries: &[Entry]) -> Vec<usize> {
    entries.iter().map(|entry| entry.body.len()).collect()
}

#[test]
fn the_oldest_without_a_review_gives_way_first() {
    let mut queue = queue(3, 1000);
    for (size, reviewed) in [(1, true), (2, false), (3, false)] {
        assert!(put(&mut queue, size, reviewed).is_empty());
    }

    assert_eq!(put(&mut queue, 4, true), [2]);
    assert_eq!(put(&mut queue, 5, true), [3]);
    assert_eq!(put(&mut queue, 6, true), [1]);
    assert_eq!(put(&mut queue, 7, false), [7]);
    assert_eq!(queue.len(), 3);
}

#[test]
fn bytes_are_bounded_too_and_a_run_that_never_fits_drops_nobody_else() {
    let mut queue = queue(100, 10);
    put(&mut queue, 4, false);
    put(&mut queue, 5, false);

    assert_eq!(put(&mut queue, 11, true), [11]);
    assert_eq!(put(&mut queue, 6, false), [4, 5]);
    assert_eq!((queue.len(), queue.bytes), (1, 6));
}

#[test]
fn what_is_on_the_way_does_not_give_way() {
    let mut queue = queue(1, 1000);
    put(&mut queue, 1, false);
    queue.take(Instant::now(), 10, false);

    assert_eq!(put(&mut queue, 2, false), [2]);
    assert_eq!(queue.in_flight_state(), (1, false));
}

#[test]
fn a_run_lingers_for_company_unless_somebody_waits_or_the_batch_is_full() {
    let (mut queue, now) = (queue(100, 10 * BATCH_BYTES), Instant::now());
    assert_eq!(queue.due(now, 50, false), None);
    put(&mut queue, 1, false);

    assert!(queue.due(now, 50, false).unwrap() > now);
    assert_eq!(queue.due(now, 50, true), Some(now));
    assert_eq!(queue.due(now, 1, false), Some(now));
    put(&mut queue, BATCH_BYTES, false);
    assert_eq!(queue.due(now, 50, false), Some(now));
}

#[test]
fn batches_are_bounded_in_number_and_bytes() {
    let (mut queue, now) = (queue(100, 10 * BATCH_BYTES), Instant::now());
    for size in [2 * BATCH_BYTES, 1, BATCH_BYTES - 1, 2, 3] {
        put(&mut queue, size, false);
    }
    let mut batch = |most| {
        let taken = sizes(queue.take(now, most, false));
        queue.complete(vec![TraceResult::Stored; taken.len()], now, 0.0);
        taken
    };

    assert_eq!(batch(10), [2 * BATCH_BYTES]);
    assert_eq!(batch(10), [1, BATCH_BYTES - 1]);
    assert_eq!(batch(1), [2]);
    assert_eq!(batch(1), [3]);
    assert_eq!((queue.len(), queue.bytes), (0, 0));
}

#[test]
fn what_did_not_arrive_goes_first_the_next_time() {
    let (mut queue, now) = (queue(100, 1000), Instant::now());
    for size in [1, 2, 3] {
        put(&mut queue, size, false);
    }
    queue.take(now, 2, false);

    queue.requeue();

    assert_eq!(sizes(queue.take(now, 3, false)), [1, 2, 3]);
}

#[test]
fn a_run_that_failed_waits_by_itself_and_holds_up_nobody() {
    let (mut queue, now) = (queue(100, 1000), Instant::now());
    for size in [1, 2, 3] {
        put(&mut queue, size, false);
    }
    queue.take(now, 3, false);
    let results = vec![TraceResult::Stored, TraceResult::Retry, TraceResult::Rejected("no".to_owned())];

    let (arrived, rejected) = queue.complete(results, now, 1.0);

    assert_eq!((arrived, rejected.len(), queue.len()), (1, 1, 1));
    assert_eq!(queue.due(now, 50, true), Some(now + Duration::from_millis(500)));
    assert!(queue.take(now, 50, false).is_empty());
    assert_eq!(sizes(queue.take(now, 50, true)), [2]);
    assert_eq!(queue.in_flight_state(), (1, true));
}

#[test]
fn a_flush_waits_for_what_was_there_when_it_began() {
    let (mut queue, now) = (queue(100, 1000), Instant::now());
    put(&mut queue, 1, false);
    let newest = queue.newest();
    put(&mut queue, 2, false);

    assert!(queue.contains_up_to(newest));
    queue.take(now, 1, false);
    assert!(queue.contains_up_to(newest));
    queue.complete(vec![TraceResult::Stored], now, 0.0);
    assert!(!queue.contains_up_to(newest));
    assert_eq!(queue.len(), 1);
}
