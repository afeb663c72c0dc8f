/** Calls about lessons, and about changes that can be undone. */

import type {
  Action,
  GroupLessons,
  Lesson,
  LessonAnswer,
  LessonDetail,
  LessonGroupingStatus,
  LessonQuestion,
  ListActionsQuery,
  ListLessonQuestionsQuery,
  ListLessonsQuery,
  QuestionAnswer,
} from "../generated/bodies.js";
import type { CallOptions } from "../types.js";
import type { Pages } from "../wire/pages.js";
import { calls, type CallContext } from "./routes.js";

/** Reads and corrects what the project has learned: `client.lessons`. */
export interface LessonCalls {
  /** All lessons. Memories that give the same advice have one lesson. */
  list(query?: ListLessonsQuery, options?: CallOptions): Pages<Lesson>;

  /** One lesson with its newest memories. */
  get(lessonId: string, options?: CallOptions): Promise<LessonDetail>;

  /** Groups lessons into one. */
  group(lessons: GroupLessons, options?: CallOptions): Promise<LessonAnswer>;

  /** Splits memories out of a lesson. */
  split(lessonId: string, memoryIds: readonly string[], options?: CallOptions): Promise<LessonAnswer>;

  /** Pairs of lessons that contradict each other. */
  questions(query?: ListLessonQuestionsQuery, options?: CallOptions): Pages<LessonQuestion>;

  /** Answers a question. */
  answer(questionId: string, answer: QuestionAnswer, options?: CallOptions): Promise<LessonQuestion>;

  /** The progress of the grouping of memories that existed before lessons were grouped. */
  grouping(options?: CallOptions): Promise<LessonGroupingStatus>;

  /** Starts this grouping. */
  startGrouping(options?: CallOptions): Promise<LessonGroupingStatus>;

  /** Undoes this grouping. */
  revertGrouping(options?: CallOptions): Promise<LessonGroupingStatus>;
}

export const lessonCalls = (context: CallContext): LessonCalls =>
  calls(context, "lessons", {
    list: "pages GET lessons query",
    get: "id GET lessons/:",
    group: "lesson POST lessons/group body",
    split: "lesson POST lessons/:/split body=memoryIds",
    questions: "pages GET lesson-questions query",
    answer: "id POST lesson-questions/:/answer body=answer",
    grouping: "state GET lesson-grouping",
    startGrouping: "state POST lesson-grouping/start empty",
    revertGrouping: "state POST lesson-grouping/revert empty",
  });

/** Reads and undoes changes of memories, lessons and reviews: `client.actions`. */
export interface ActionCalls {
  /** All changes, newest first. */
  list(query?: ListActionsQuery, options?: CallOptions): Pages<Action>;

  /** One change. */
  get(actionId: string, options?: CallOptions): Promise<Action>;

  /** Undoes a change. */
  undo(actionId: string, options?: CallOptions): Promise<Action>;
}

export const actionCalls = (context: CallContext): ActionCalls =>
  calls(context, "actions", {
    list: "pages GET actions query",
    get: "id GET actions/:",
    undo: "id POST actions/:/undo empty",
  });
