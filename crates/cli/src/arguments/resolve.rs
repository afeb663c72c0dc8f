//! Finds the id that starts with the given characters.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use reflect_api::{ListLessons, ListMemories};
use reflect_sdk::{ReflectClient, TraceFilter};
use reflect_types::{LessonId, MemoryId, TraceId};
use uuid::Uuid;

use super::ids::{IdArgument, IdPrefix};
use crate::failure::{Failure, Kind};
use crate::output::plain_line;

/// How many ambiguous ids are listed.
const MAX_LISTED: usize = 10;
/// How many memories around the time of the prefix are read.
const MAX_READ: usize = 2_000;
/// How much the time of a memory can differ from the time in its id.
const TIME_DIFFERENCE: TimeDelta = TimeDelta::minutes(10);

/// An id that commands accept in short form.
pub(crate) trait ShortId: FromStr + Copy {
    /// The name of what it identifies, and its plural.
    const NAMES: [&'static str; 2];
    /// The command that shows the ids.
    const LIST: &'static str;

    /// Ids with this prefix, newest first, each with a text. At least two, if there are several.
    async fn starting_with(client: &ReflectClient, prefix: &IdPrefix) -> anyhow::Result<Vec<(Self, String)>>;
}

impl<T: ShortId + std::fmt::Display> IdArgument<T> {
    /// The whole id. A prefix must identify exactly one.
    pub(crate) async fn resolve(self, client: &ReflectClient) -> anyhow::Result<T> {
        match self {
            Self::Whole(id) => Ok(id),
            Self::Prefix(prefix) => Ok(only(&prefix, &T::starting_with(client, &prefix).await?)?),
        }
    }
}

/// The whole ids of a list.
pub(crate) async fn resolve_all<T: ShortId + std::fmt::Display>(
    ids: Vec<IdArgument<T>>,
    client: &ReflectClient,
) -> anyhow::Result<Vec<T>> {
    let mut whole = Vec::with_capacity(ids.len());
    for id in ids {
        whole.push(id.resolve(client).await?);
    }
    Ok(whole)
}

fn only<T: ShortId + std::fmt::Display>(prefix: &IdPrefix, found: &[(T, String)]) -> Result<T, Failure> {
    let [one, many] = T::NAMES;
    match found {
        [(id, _)] => Ok(*id),
        [] => {
            let message = format!("no {one} has an id that starts with {prefix}");
            Err(Failure::new(Kind::Api, "not_found", message)
                .fix(format!("run `{}` to see the ids", T::LIST)))
        }
        _ => {
            let lines = found.iter().take(MAX_LISTED);
            let lines: Vec<String> =
                lines.map(|(id, text)| format!("  {id}  {}", plain_line(text))).collect();
            let message =
                format!("several {many} have an id that starts with {prefix}:\n{}", lines.join("\n"));
            Err(Failure::new(Kind::Usage, "ambiguous_id", message).fix("add more characters of the id"))
        }
    }
}

impl ShortId for TraceId {
    const NAMES: [&'static str; 2] = ["run", "runs"];
    const LIST: &'static str = "reflect traces list";

    async fn starting_with(client: &ReflectClient, prefix: &IdPrefix) -> anyhow::Result<Vec<(Self, String)>> {
        let (mut found, mut cursor) = (Vec::new(), Some(prefix.last().to_string()));
        while let Some(before) = cursor.filter(|_| found.len() < MAX_LISTED) {
            let page = client.traces.page_of_rows(&TraceFilter::default(), Some(&before), Some(20)).await?;
            let rows = page.items.into_iter().map(|row| (row.id, row.task));
            let (matching, others): (Vec<_>, Vec<_>) = rows.partition(|(id, _)| prefix.matches(id.as_uuid()));
            found.extend(matching);
            cursor = page.next_cursor.filter(|_| others.is_empty());
        }
        Ok(found)
    }
}

/// The id of an action.
impl ShortId for Uuid {
    const NAMES: [&'static str; 2] = ["change", "changes"];
    const LIST: &'static str = "reflect actions list";

    async fn starting_with(client: &ReflectClient, prefix: &IdPrefix) -> anyhow::Result<Vec<(Self, String)>> {
        let page = client.actions.page_with_automatic(Some(&prefix.last().to_string()), Some(20)).await?;
        let actions = page.items.into_iter().filter(|action| prefix.matches(action.id));
        Ok(actions.map(|action| (action.id, action.kind)).collect())
    }
}

impl ShortId for MemoryId {
    const NAMES: [&'static str; 2] = ["memory", "memories"];
    const LIST: &'static str = "reflect memories list";

    /// The cursor of this list must exist, so the list is limited by the time in the id.
    async fn starting_with(client: &ReflectClient, prefix: &IdPrefix) -> anyhow::Result<Vec<(Self, String)>> {
        let mut request = ListMemories {
            created_after: time_of(prefix.first()).map(|time| time - TIME_DIFFERENCE),
            created_before: time_of(prefix.last()).map(|time| time + TIME_DIFFERENCE),
            include_same_lesson: Some(true),
            limit: Some(100),
            ..ListMemories::default()
        };
        let (mut found, mut read) = (Vec::new(), 0);
        loop {
            let page = client.memories.page(&request).await?;
            read += page.items.len();
            let matching = page.items.into_iter().filter(|memory| prefix.matches(memory.id.as_uuid()));
            found.extend(matching.map(|memory| (memory.id, memory.summary)));
            request.cursor = page.next_cursor;
            if request.cursor.is_none() || read >= MAX_READ || found.len() >= MAX_LISTED {
                return Ok(found);
            }
        }
    }
}

impl ShortId for LessonId {
    const NAMES: [&'static str; 2] = ["lesson", "lessons"];
    const LIST: &'static str = "reflect lessons list";

    /// The id of a lesson is mostly that of its first situation. A lesson that was split off can have an id of its own, which
    /// only the list of lessons shows.
    async fn starting_with(client: &ReflectClient, prefix: &IdPrefix) -> anyhow::Result<Vec<(Self, String)>> {
        let memories = MemoryId::starting_with(client, prefix).await?;
        let mut found: Vec<(Self, String)> =
            memories.into_iter().map(|(id, text)| (id.into(), text)).collect();
        let mut request = ListLessons { limit: Some(100), ..ListLessons::default() };
        let mut read = 0;
        while found.is_empty() && read < MAX_READ {
            let page = client.lessons.page(&request).await?;
            read += page.items.len();
            let matching = page.items.into_iter().filter(|lesson| prefix.matches(lesson.id.as_uuid()));
            found.extend(matching.map(|lesson| (lesson.id, lesson.summary)));
            request.cursor = page.next_cursor;
            if request.cursor.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

/// The time in the first 48 bits of an id of version 7.
fn time_of(id: Uuid) -> Option<DateTime<Utc>> {
    let (high, middle, ..) = id.as_fields();
    DateTime::from_timestamp_millis(i64::from(high) << 16 | i64::from(middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::ids::id;

    fn prefix(text: &str) -> IdPrefix {
        match id::<TraceId>(text).unwrap() {
            IdArgument::Prefix(prefix) => prefix,
            IdArgument::Whole(_) => panic!("{text} is whole"),
        }
    }

    #[test]
    fn a_prefix_must_identify_one_id() {
        let of = |number: u128| (TraceId::from_uuid(Uuid::from_u128(number)), format!("task {number}"));
        let prefix = prefix("00000000");

        assert_eq!(only(&prefix, &[of(1)]).unwrap(), of(1).0);
        let none = only::<TraceId>(&prefix, &[]).unwrap_err();
        assert!(none.message.contains("no run") && none.fix.unwrap().contains("traces list"));
        let several = only(&prefix, &[of(1), of(2)]).unwrap_err();
        assert_eq!(several.code, "ambiguous_id");
        assert!(several.message.contains("000000000001  task 1\n"), "{}", several.message);
    }

    #[test]
    fn the_time_of_an_id_is_its_first_48_bits() {
        let id = Uuid::now_v7();
        let (seconds, _) = id.get_timestamp().unwrap().to_unix();
        assert_eq!(time_of(id).unwrap().timestamp(), i64::try_from(seconds).unwrap());
    }
}
