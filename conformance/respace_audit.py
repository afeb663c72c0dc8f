"""Checks a space migration in the database: where vectors are, and which space each query used.

The second space embeds another text with the same model, so a query has the same vector in both spaces. A
query that equals the task of a memory has that memory's vector of the first space. So every similarity on
every receipt can be computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Vectors are stored with half precision.
TOLERANCE = 0.01
# A process may cache for three seconds which space is used.
CACHE_SECONDS = 3.5

KEEP = """
create table if not exists kept_vector (space_id smallint, memory_id uuid, embedding halfvec,
                                        primary key (space_id, memory_id));
insert into kept_vector select space_id, memory_id, embedding from memory_vector on conflict do nothing;
"""

LINES = f"""
with line as (
  select r.retrieval_id, r.space_id, considered.score / 32767.0 as similarity, considered.memory_id,
         question.embedding as question
  from retrieval r
  join memory m on m.task = r.task
  join kept_vector question on question.memory_id = m.memory_id and question.space_id = $first
  cross join unnest(r.memory_ids, r.scores[1:cardinality(r.memory_ids)]) as considered (memory_id, score)
), measured as (
  select line.*, abs(line.similarity + (line.question <#> own.embedding)) as off,
         abs(line.similarity + (line.question <#> other.embedding)) as off_elsewhere
  from line
  left join kept_vector own on own.memory_id = line.memory_id and own.space_id = line.space_id
  left join kept_vector other on other.memory_id = line.memory_id and other.space_id <> line.space_id
)
select count(distinct retrieval_id),
       count(distinct retrieval_id) filter (where off > {TOLERANCE} or off is null),
       count(*), count(*) filter (where off_elsewhere > {TOLERANCE}) from measured
"""


@dataclass
class Audit:
    """Queries the database. `sql` runs a statement and returns its rows as text."""

    sql: Callable[[str], str]
    first: int
    second: int

    def now(self) -> str:
        """The database's clock, which is used for the receipts' timestamps."""
        return self.sql("select clock_timestamp()")

    def without_vector(self, *spaces: int) -> int:
        """How many memories lack a vector in one of these spaces. That of an absorbed memory is parked."""
        vectors = "(table memory_vector union all table parked_vector)"
        there = f"select from {vectors} v where v.memory_id = m.memory_id and v.space_id"
        missing = " or ".join(f"not exists ({there} = {space})" for space in spaces)
        return int(self.sql(f"select count(*) from memory m where {missing}"))

    def left_in(self, space: int) -> int:
        """How many vectors a space has."""
        return int(self.sql(f"select count(*) from memory_vector where space_id = {space}"))

    def keep_vectors(self) -> None:
        """Copies all vectors before some of them are removed."""
        self.sql(KEEP)

    def receipts_elsewhere(self, space: int, since: str, until: str) -> tuple[int, int]:
        """The number of queries between two timestamps, and how many of them used another space."""
        counted = self.sql(
            f"select count(*), count(*) filter (where space_id is distinct from {space}) from retrieval "
            f"where created_at between timestamptz '{since}' + interval '{CACHE_SECONDS} seconds' "
            f"and '{until}'"
        )
        asked, elsewhere = counted.split("|")
        return int(asked), int(elsewhere)

    def degraded(self) -> int:
        """The number of queries that fell back to keyword search."""
        return int(self.sql("select count(*) from retrieval where degraded or space_id is null"))

    def mixed(self) -> tuple[int, int, int, int]:
        """The numbers of recomputed receipts, of receipts that differ, of lines, and of lines that another
        space would have changed."""
        counted = self.sql(LINES.replace("$first", str(self.first))).split("|")
        receipts, mixed, lines, telling = (int(number) for number in counted)
        return receipts, mixed, lines, telling

    def unfinished(self) -> int:
        """The number of reviews that are not processed."""
        return int(self.sql("select count(*) from trace_state where not reviewed"))
