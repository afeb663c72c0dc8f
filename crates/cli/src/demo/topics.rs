//! The topics of the example support desk, from `topics.json`: what customers ask, what the agent does, and what reviewers
//! say. All texts are invented.

use std::collections::BTreeMap;

use reflect_sdk::api::AuthoredReflection;
use serde::Deserialize;
use serde_json::Value;

const TOPICS: &str = include_str!("topics.json");

/// The values of the placeholders in the texts of one run, such as `order`.
pub(super) type Details = BTreeMap<String, String>;

/// What customers ask about, and how the desk handles it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Topic {
    /// A short name, which the metadata of runs contain.
    pub(super) id: String,
    /// The day on which customers start to ask about it, from 0.
    from_day: f64,
    /// How often they ask, relative to other topics.
    weight: f64,
    /// The words of customers and of people who forward their questions.
    pub(super) tasks: Vec<String>,
    pub(super) details: Vec<Details>,
    /// The typical mistake.
    wrong: Way,
    #[serde(flatten)]
    rules: Rules,
    change: Option<PolicyChange>,
}

/// What the shop wants, and what its reviewers say.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Rules {
    pub(super) right: Way,
    /// What reviewers say about the mistake.
    pub(super) feedback: Vec<String>,
    /// What reviewers sometimes say about a pass.
    pub(super) praise: String,
    pub(super) lesson: LessonText,
}

/// The shop changes its rules: what was right becomes the mistake.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PolicyChange {
    from_day: f64,
    /// From this day on reviewers know about it.
    pub(super) noticed_on_day: f64,
    /// On this day a person disables what is left of the old lesson.
    pub(super) corrected_on_day: f64,
    /// How often customers ask from then on.
    weight: f64,
    #[serde(flatten)]
    rules: Rules,
}

/// The rules that a run or a lesson is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Policy {
    Initial,
    Changed,
}

/// One way to handle a task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Way {
    pub(super) calls: Vec<ToolCall>,
    pub(super) answer: String,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Value,
    result: Value,
    /// How long it took, in milliseconds.
    pub(super) ms: u64,
}

/// A lesson. Runs with the same `correct_action` teach the same lesson.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct LessonText {
    pub(super) summary: String,
    guidance: String,
    key_mistake: String,
    pub(super) correct_action: String,
    tools: Vec<String>,
}

impl Topic {
    pub(super) fn all() -> anyhow::Result<Vec<Self>> {
        Ok(serde_json::from_str(TOPICS)?)
    }

    /// The rules on a day.
    pub(super) fn policy_on(&self, day: f64) -> Policy {
        match &self.change {
            Some(change) if change.from_day <= day => Policy::Changed,
            _ => Policy::Initial,
        }
    }

    /// How often customers ask on a day, relative to other topics. 0 before the first day.
    pub(super) fn weight_on(&self, day: f64) -> f64 {
        match &self.change {
            Some(change) if change.from_day <= day => change.weight,
            _ if self.from_day <= day => self.weight,
            _ => 0.0,
        }
    }

    pub(super) fn rules(&self, policy: Policy) -> &Rules {
        match (policy, &self.change) {
            (Policy::Changed, Some(change)) => &change.rules,
            _ => &self.rules,
        }
    }

    /// The change of the rules, if they are those of `policy`.
    pub(super) fn change(&self, policy: Policy) -> Option<&PolicyChange> {
        self.change.as_ref().filter(|_| policy == Policy::Changed)
    }

    /// The typical mistake. After a change that is what was right before.
    pub(super) fn mistake(&self, policy: Policy) -> &Way {
        self.change(policy).map_or(&self.wrong, |_| &self.rules.right)
    }

    /// The rules that a lesson is about. `None` if it is about another topic.
    pub(super) fn policy_of(&self, correct_action: &str) -> Option<Policy> {
        // Without a change, both have the same rules.
        let mut policies = [Policy::Initial, Policy::Changed].into_iter();
        policies.find(|policy| self.rules(*policy).lesson.correct_action == correct_action)
    }
}

impl Way {
    /// The same with the values of one run.
    pub(super) fn filled(&self, details: &Details) -> Self {
        let calls = self.calls.iter().map(|call| ToolCall {
            arguments: fill_json(&call.arguments, details),
            result: fill_json(&call.result, details),
            ..call.clone()
        });
        Self { calls: calls.collect(), answer: fill(&self.answer, details) }
    }
}

impl ToolCall {
    /// The result as the agent reads it.
    pub(super) fn result_text(&self) -> String {
        match &self.result {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl LessonText {
    /// The lesson as a reviewer of a run sends it.
    pub(super) fn reflection(&self, passed: bool) -> AuthoredReflection {
        AuthoredReflection {
            summary: self.summary.clone(),
            guidance: self.guidance.clone(),
            key_mistake: if passed { String::new() } else { self.key_mistake.clone() },
            correct_action: self.correct_action.clone(),
            applicable_tools: self.tools.clone(),
        }
    }
}

/// Replaces the placeholders of a text.
pub(super) fn fill(text: &str, details: &Details) -> String {
    details.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

fn fill_json(value: &Value, details: &Details) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, details)),
        Value::Array(items) => items.iter().map(|item| fill_json(item, details)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), fill_json(field, details))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all_rules(topics: &[Topic]) -> Vec<&Rules> {
        let changed = topics.iter().filter_map(|topic| topic.change.as_ref()).map(|change| &change.rules);
        topics.iter().map(|topic| &topic.rules).chain(changed).collect()
    }

    fn expect_distinct<'a>(texts: impl Iterator<Item = &'a str>, expected: usize) {
        let texts: Vec<String> = texts.map(|text| text.trim().to_lowercase()).collect();
        assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len(), "{texts:#?}");
        assert_eq!(texts.len(), expected);
    }

    #[test]
    fn there_are_eleven_topics_with_at_least_ten_wordings_each() {
        let topics = Topic::all().unwrap();

        assert_eq!(topics.len(), 11);
        assert!(topics.iter().all(|topic| topic.tasks.len() >= 10 && !topic.details.is_empty()));
        expect_distinct(topics.iter().map(|topic| topic.id.as_str()), 11);
        let tasks = topics.iter().flat_map(|topic| &topic.tasks).map(String::as_str);
        expect_distinct(tasks, topics.iter().map(|topic| topic.tasks.len()).sum());
    }

    #[test]
    fn there_are_twelve_lessons_and_no_text_repeats_another() {
        let topics = Topic::all().unwrap();
        let rules = all_rules(&topics);

        expect_distinct(rules.iter().map(|rules| rules.lesson.correct_action.as_str()), 12);
        expect_distinct(rules.iter().map(|rules| rules.lesson.summary.as_str()), 12);
        expect_distinct(rules.iter().map(|rules| rules.lesson.guidance.as_str()), 12);
        expect_distinct(rules.iter().map(|rules| rules.praise.as_str()), 12);
        expect_distinct(rules.iter().flat_map(|rules| &rules.feedback).map(String::as_str), 24);
    }

    #[test]
    fn every_placeholder_has_a_value() {
        for topic in Topic::all().unwrap() {
            for details in &topic.details {
                let mut details = details.clone();
                details.insert("order".to_owned(), "50001".to_owned());
                let filled = |way: &Way| format!("{:?}", way.filled(&details));
                let mut texts: Vec<String> = topic.tasks.iter().map(|task| fill(task, &details)).collect();
                texts.push(filled(&topic.wrong));
                for rules in all_rules(std::slice::from_ref(&topic)) {
                    texts.push(filled(&rules.right));
                    texts.extend(rules.feedback.iter().map(|feedback| fill(feedback, &details)));
                }
                let names = topic.details.iter().flat_map(BTreeMap::keys).map(String::as_str);
                for name in names.chain(["order"]) {
                    let unfilled = format!("{{{name}}}");
                    assert!(texts.iter().all(|text| !text.contains(&unfilled)), "{} {name}", topic.id);
                }
                let tasks = &texts[..topic.tasks.len()];
                assert!(tasks.iter().all(|task| !task.contains('{')), "{tasks:#?}");
            }
        }
    }

    #[test]
    fn a_change_turns_what_was_right_into_the_mistake() {
        let topics = Topic::all().unwrap();
        let changing: Vec<&Topic> = topics.iter().filter(|topic| topic.change.is_some()).collect();
        assert_eq!(changing.len(), 1);
        let topic = changing[0];

        assert_eq!((topic.policy_on(13.9), topic.policy_on(14.0)), (Policy::Initial, Policy::Changed));
        assert_eq!(topic.mistake(Policy::Changed), &topic.rules(Policy::Initial).right);
        assert_eq!(topic.mistake(Policy::Initial), &topic.wrong);
        for policy in [Policy::Initial, Policy::Changed] {
            assert_eq!(topic.policy_of(&topic.rules(policy).lesson.correct_action), Some(policy));
        }
        assert_eq!(topic.policy_of("Send the unlock link"), None);
    }

    #[test]
    fn a_lesson_of_a_pass_names_no_mistake() {
        let topics = Topic::all().unwrap();
        let lesson = &topics[0].rules(Policy::Initial).lesson;
        assert!(lesson.reflection(true).key_mistake.is_empty());
        assert!(!lesson.reflection(false).key_mistake.is_empty());
    }
}
