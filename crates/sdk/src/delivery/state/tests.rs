//! What attempts do to what waits.

use super::*;

fn holding(runs: usize) -> State {
    let mut state = State::new(QueueLimits::default());
    for _ in 0..runs {
        state.put(TraceId::generate(), Bytes::from_static(b"{}"), false, Instant::now());
    }
    state
}

/// How many runs are sent now, if any are.
fn sent(state: &mut State) -> Option<usize> {
    state.push = true;
    match state.next_action(Instant::now()) {
        WorkerAction::Send { count, .. } => Some(count),
        WorkerAction::Wait(_) | WorkerAction::End => None,
    }
}

fn whole(split: bool, status: ServerStatus) -> BatchResponse {
    BatchResponse::Whole { split, status, message: "why".to_owned() }
}

fn adds_up(state: &State) -> bool {
    let totals = state.totals();
    totals.produced == totals.sent + totals.pending + totals.dropped.total()
}

#[test]
fn a_batch_is_the_body_of_one_request() {
    let mut state = holding(2);
    state.push = true;

    let WorkerAction::Send { body, count } = state.next_action(Instant::now()) else {
        panic!("nothing is sent")
    };

    assert_eq!((&body[..], count), (&br#"{"traces":[{},{}]}"#[..], 2));
}

#[test]
fn a_run_that_the_server_refuses_is_found_by_halves_and_dropped() {
    let (mut state, now) = (holding(4), Instant::now());
    for expected in [4, 2, 1] {
        assert_eq!(sent(&mut state), Some(expected));
        state.answered(whole(true, ServerStatus::Available), None, now);
        assert!(adds_up(&state));
    }

    assert_eq!(state.totals().dropped.rejected, 1);
    assert_eq!(sent(&mut state), Some(2));
    state.answered(BatchResponse::PerTrace(vec![TraceResult::Stored; 2]), None, now);
    assert_eq!(sent(&mut state), Some(1));
    state.answered(BatchResponse::PerTrace(vec![TraceResult::Stored]), None, now);
    assert_eq!((state.totals().sent, state.totals().pending), (3, 0));
    assert!(adds_up(&state));
}

#[test]
fn nothing_is_lost_while_the_server_is_away() {
    let (mut state, now) = (holding(3), Instant::now());
    for _ in 0..5 {
        assert_eq!(sent(&mut state), Some(3));
        state.unreachable("refused", now);
    }

    assert_eq!(state.totals().pending, 3);
    assert_eq!(state.retry.status, ServerStatus::Unreachable);
    assert!(adds_up(&state));
}

#[test]
fn a_flush_does_not_wait_for_a_server_that_refuses() {
    let (mut state, now) = (holding(1), Instant::now());
    let newest = state.queue.newest();
    assert_eq!(sent(&mut state), Some(1));
    assert!(!state.is_flushed(newest));

    state.answered(whole(false, ServerStatus::Denied), None, now);

    assert!(state.is_flushed(newest));
    assert_eq!(state.report(), FlushReport { sent: 0, pending: 1, dropped: 0 });
}

#[test]
fn a_report_tells_what_happened_since_the_last() {
    let (mut state, now) = (holding(2), Instant::now());
    sent(&mut state);
    let results = vec![TraceResult::Stored, TraceResult::Rejected("no".to_owned())];
    state.answered(BatchResponse::PerTrace(results), None, now);

    assert_eq!(state.report(), FlushReport { sent: 1, pending: 0, dropped: 1 });
    assert_eq!(state.report(), FlushReport::default());
}

#[test]
fn a_run_that_makes_the_server_fail_does_not_hold_up_the_others() {
    let (mut state, now) = (holding(1), Instant::now());
    for _ in 0..2 {
        assert_eq!(sent(&mut state), Some(1));
        state.answered(whole(true, ServerStatus::Busy), None, now);
    }
    state.put(TraceId::generate(), Bytes::from_static(b"{}"), false, now);

    assert_eq!(sent(&mut state), Some(1));
    state.answered(BatchResponse::PerTrace(vec![TraceResult::Stored]), None, now);
    assert_eq!((state.totals().sent, state.totals().pending), (1, 1));
}
