//! Each limit of a budget, and the state when it is reached.

use std::time::Duration;

use reflexion_loop::*;

use crate::stage::{Bank, Writer, kinds, learner, watched};

fn thirsty(tokens: u64) -> impl Actor {
    actor_fn(move |cx: TrialContext| async move {
        let usage = Usage { input_tokens: tokens / 2, output_tokens: tokens - tokens / 2 };
        Attempt::from(format!("answer {}", cx.trial())).with_usage(usage).with_calls(2)
    })
}

fn spending(budget: Budget) -> Options {
    Options { budget, ..Options::default() }
}

async fn stopped(builder: ReflexionBuilder, budget: Budget) -> Outcome {
    builder.options(Options { budget, ..Options::default() }).build().unwrap().run("task").await.unwrap()
}

#[tokio::test]
async fn tokens_end_a_run_after_the_trial_that_spent_them() {
    let writer = Writer::default();
    let builder = learner(0).actor(thirsty(100)).reflector(writer.clone());

    let outcome = stopped(builder, Budget { tokens: Some(150), ..Budget::default() }).await;

    // The second attempt used the budget, so it was not evaluated.
    assert_eq!(outcome.stop, Stop::Budget(BudgetKind::Tokens));
    assert_eq!((outcome.state.trials.len(), writer.calls()), (1, 1));
    assert_eq!(outcome.answer(), Some("answer 1"));
    let open = outcome.state.open.as_ref().unwrap();
    assert_eq!(open.candidates[0].attempt.final_response, "answer 2", "what was paid for is kept");
}

#[tokio::test]
async fn cost_is_worked_out_from_a_price_or_reported() {
    let priced = learner(0).actor(thirsty(100)).price(|usage| usage.output_tokens as f64 * 0.01);
    let reported = learner(0).actor(actor_fn(|_| async { Attempt::from("x").with_cost(0.5) }));
    let budget = Budget { cost: Some(0.5), ..Budget::default() };

    let priced = stopped(priced, budget).await;
    let reported = stopped(reported, budget).await;

    assert_eq!(priced.stop, Stop::Budget(BudgetKind::Cost));
    assert_eq!(reported.stop, Stop::Budget(BudgetKind::Cost));
    assert_eq!(reported.state.spent.cost, 0.5);
}

#[tokio::test]
async fn calls_are_those_of_models() {
    let builder = learner(0).actor(thirsty(1));

    let outcome = stopped(builder, Budget { calls: Some(5), ..Budget::default() }).await;

    // Two for each attempt, none for the check, one for each reflection.
    assert_eq!(outcome.stop, Stop::Budget(BudgetKind::Calls));
    assert_eq!((outcome.state.trials.len(), outcome.state.spent.calls), (1, 5));
}

#[tokio::test(start_paused = true)]
async fn time_interrupts_what_is_under_way_and_that_is_no_failure() {
    let bank = Bank::default();
    let slow = actor_fn(|cx: TrialContext| async move {
        tokio::time::advance(Duration::from_secs(4)).await;
        if cx.trial() == 2 {
            std::future::pending::<()>().await;
        }
        "answer"
    });
    let builder = learner(0).actor(slow).long_term_memory(bank.clone());

    let outcome = stopped(builder, Budget { time: Some(Duration::from_secs(10)), ..Budget::default() }).await;

    assert_eq!(outcome.stop, Stop::Budget(BudgetKind::Time));
    assert_eq!(outcome.state.trials.len(), 1);
    assert_eq!(bank.keys().len(), 1, "the interrupted trial was not recorded");
    assert!(outcome.state.spent.elapsed_ms >= 10_000, "{:?}", outcome.state.spent);
}

#[tokio::test]
async fn a_pass_counts_even_if_it_spent_the_last_token() {
    let judged_for_free = learner(1).actor(thirsty(100));

    let outcome = stopped(judged_for_free, Budget { tokens: Some(101), ..Budget::default() }).await;

    assert_eq!(outcome.stop, Stop::Passed);
}

#[tokio::test]
async fn a_trial_that_was_judged_is_recorded_when_the_judge_spends_the_rest() {
    let bank = Bank::default();
    let judge = evaluator_fn(|_: Task, _: Attempt| async {
        let usage = Usage { input_tokens: 500, output_tokens: 0 };
        Ok::<_, std::convert::Infallible>(Evaluation { usage, calls: 1, ..Evaluation::fail() })
    });
    let writer = Writer::default();
    let builder = learner(0).evaluator(judge).reflector(writer.clone()).long_term_memory(bank.clone());
    let learner =
        builder.options(spending(Budget { tokens: Some(500), ..Budget::default() })).build().unwrap();

    let (events, outcome) = watched(learner.start("task")).await;

    let outcome = outcome.unwrap();
    assert_eq!(outcome.stop, Stop::Budget(BudgetKind::Tokens));
    assert_eq!((outcome.state.trials.len(), writer.calls()), (1, 0), "no reflection is bought");
    assert_eq!(bank.records()[0].result.as_deref(), Some("fail"));
    let order: Vec<String> = kinds(&events)
        .into_iter()
        .filter(|kind| kind.starts_with("budget") || kind.contains("end"))
        .collect();
    assert_eq!(order, ["budget", "trial_end1", "run_end"]);
}

#[tokio::test]
async fn a_run_that_ended_with_a_judged_trial_goes_on_with_a_larger_budget() {
    let judge = |_: &str| Evaluation { calls: 3, ..Evaluation::fail() };
    let with = |calls| {
        learner(0)
            .evaluator(check_fn(judge))
            .options(spending(Budget { calls: Some(calls), ..Budget::default() }))
    };

    let stopped = with(4).build().unwrap().run("task").await.unwrap();
    let resumed = with(99).build().unwrap().resume(stopped.state.clone()).outcome().await.unwrap();

    assert_eq!((stopped.stop, stopped.state.trials.len()), (Stop::Budget(BudgetKind::Calls), 1));
    assert_eq!((resumed.stop, resumed.state.trials.len()), (Stop::MaxTrials, 3));
}

#[tokio::test]
async fn a_run_out_of_budget_goes_on_with_a_larger_one() {
    let small =
        learner(3).actor(thirsty(100)).options(spending(Budget { tokens: Some(150), ..Budget::default() }));
    let large = learner(3)
        .actor(thirsty(100))
        .options(spending(Budget { tokens: Some(10_000), ..Budget::default() }));

    let (events, stopped) = watched(small.build().unwrap().start("task")).await;
    let resumed = large.build().unwrap().resume(stopped.unwrap().state).outcome().await.unwrap();

    assert!(kinds(&events).contains(&"budget".to_owned()));
    assert_eq!((resumed.stop, resumed.state.trials.len()), (Stop::Passed, 3));
    assert_eq!(resumed.state.spent.usage.output_tokens, 150, "three attempts, none of them twice");
}
