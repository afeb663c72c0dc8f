//! What the queue accepts, and for what a reader waits.

use super::*;
use serde_json::json;

fn receipt(task: &str) -> Receipt {
    Receipt {
        retrieval_id: RetrievalId::generate(),
        key_id: KeyId::generate(),
        space: None,
        task: task.to_owned(),
        task_digest: [0; 32],
        parameters: json!({}),
        memory_ids: Vec::new(),
        similarities: Vec::new(),
        utilities: Vec::new(),
        fates: Vec::new(),
        served: 0,
        degraded: false,
        held_out: false,
        embed_us: 1,
        search_us: 1,
    }
}

fn accept(queue: &ReceiptQueue, project: i32, now: Instant) -> Result<Accepted, ReceiptRefusal> {
    queue.accept(ProjectId::new(project), receipt("a task"), now)
}

#[test]
fn one_writer_takes_everything_in_order_and_then_ends() {
    let (queue, now) = (ReceiptQueue::default(), Instant::now());

    assert!(accept(&queue, 1, now).unwrap().start_writer);
    assert!(!accept(&queue, 2, now).unwrap().start_writer);
    let projects: Vec<i32> = queue.take().unwrap().iter().map(|one| one.project.number()).collect();
    assert_eq!(projects, [1, 2]);
    queue.settle(2);
    assert!(queue.take().is_none());
    assert!(accept(&queue, 1, now).unwrap().start_writer);
}

#[test]
fn a_full_queue_refuses_by_number_and_by_size() {
    let (queue, now) = (ReceiptQueue::default(), Instant::now());
    for _ in 0..MAX_RECEIPTS {
        accept(&queue, 1, now).unwrap();
    }
    assert_eq!(accept(&queue, 1, now).unwrap_err(), ReceiptRefusal::QueueFull);

    let queue = ReceiptQueue::default();
    let large = receipt(&"x".repeat(MAX_BYTES / 2));
    queue.accept(ProjectId::new(1), large.clone(), now).unwrap();
    let refused = queue.accept(ProjectId::new(1), large, now).unwrap_err();
    assert_eq!(refused, ReceiptRefusal::QueueFull);
    assert_eq!(queue.take().unwrap().len(), 1);
    assert_eq!(queue.lock().bytes, 0);
}

#[test]
fn while_writes_fail_one_receipt_in_a_second_is_a_trial_and_the_others_are_refused() {
    let (queue, now) = (ReceiptQueue::default(), Instant::now());
    accept(&queue, 1, now).unwrap();
    queue.take().unwrap();
    assert!(queue.note_failure(now) && !queue.note_failure(now));
    // The writer still tries to store its batch.
    let later = now + TRIAL_PAUSE;
    assert_eq!(accept(&queue, 1, later).unwrap_err(), ReceiptRefusal::Unavailable);
    queue.settle(1);
    assert!(queue.take().is_none());

    assert_eq!(accept(&queue, 1, now).unwrap_err(), ReceiptRefusal::Unavailable);
    let trial = accept(&queue, 1, later).unwrap();
    assert!(trial.start_writer && trial.trial.is_some());
    assert_eq!(accept(&queue, 1, later + TRIAL_PAUSE).unwrap_err(), ReceiptRefusal::Unavailable);
    queue.take().unwrap();
    queue.settle(1);
    assert!(queue.take().is_none() && queue.note_success());
    assert!(accept(&queue, 1, later).unwrap().trial.is_none());
}

#[tokio::test]
async fn a_reader_waits_for_the_receipts_of_its_project_and_for_no_other() {
    let (queue, now) = (ReceiptQueue::default(), Instant::now());
    accept(&queue, 1, now).unwrap();
    queue.flush(ProjectId::new(2)).await;

    let reader = queue.flush(ProjectId::new(1));
    let writer = async {
        queue.linger().await;
        let taken = queue.take().unwrap().len();
        queue.settle(taken);
    };
    tokio::join!(reader, writer);
    assert!(queue.lock().last_of.is_empty());
    queue.flush_all().await;
}

#[tokio::test]
async fn a_writer_that_panicked_leaves_no_reader_waiting() {
    let queue = ReceiptQueue::default();
    accept(&queue, 1, Instant::now()).unwrap();
    queue.abandon();
    queue.flush(ProjectId::new(1)).await;
    assert!(accept(&queue, 1, Instant::now()).unwrap().start_writer);
}
