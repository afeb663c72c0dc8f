// The page registry. The navigation, the global keys, the keyboard settings, the key reference and the e2e route
// table are derived from it. A new page needs an entry here and a route in router.tsx.
import {
  Activity,
  BookOpen,
  Eye,
  Inbox,
  LineChart,
  List,
  type LucideIcon,
  Scale,
  Settings,
} from "lucide-react";
import { LESSON_KEYS } from "./features/lesson/keys";
import { MEMORIES_KEYS } from "./features/memories/keys";
import { LESSONS_KEYS } from "./features/memories/lesson-keys";
import { MEMORY_KEYS } from "./features/memory/keys";
import { OVERVIEW_KEYS } from "./features/overview/keys";
import { QUESTIONS_KEYS } from "./features/questions/keys";
import { RETRIEVE_KEYS } from "./features/retrieve/keys";
import { REVIEW_KEYS } from "./features/review/keys";
import { SETTINGS_KEYS } from "./features/settings/sections";
import { TRACE_KEYS } from "./features/trace/keys";
import { TRACES_KEYS } from "./features/traces/keys";
import type { ActionSpec } from "./keys/KeyProvider";

type Page = {
  /** The name of the action that opens the page. Custom keys are stored under it. */
  action: string;
  label: string;
  /** The key sequence that opens the page. */
  key: string;
  /** The path below `/p/$project`. */
  path: string;
  icon: LucideIcon;
};

/** The pages of the navigation, in display order. */
export const PAGES: readonly Page[] = [
  { action: "go-overview", label: "Overview", key: "g o", path: "", icon: Activity },
  { action: "go-review", label: "Review", key: "g r", path: "/review", icon: Inbox },
  { action: "go-traces", label: "Traces", key: "g t", path: "/traces", icon: List },
  { action: "go-memories", label: "Memories", key: "g m", path: "/memories", icon: BookOpen },
  { action: "go-questions", label: "Questions", key: "g q", path: "/questions", icon: Scale },
  { action: "go-retrieve", label: "Retrieve", key: "g e", path: "/retrieve", icon: Eye },
  { action: "go-learning", label: "Learning", key: "g l", path: "/learning", icon: LineChart },
  { action: "go-settings", label: "Settings", key: "g s", path: "/settings", icon: Settings },
];

/** The actions of one screen. */
export type KeyTable = { screen: string; specs: readonly ActionSpec[] };

/** The key table of every screen that has one. */
export const KEY_TABLES: readonly KeyTable[] = [
  { screen: "Review", specs: REVIEW_KEYS },
  { screen: "Overview", specs: OVERVIEW_KEYS },
  { screen: "Traces", specs: TRACES_KEYS },
  { screen: "Trace", specs: TRACE_KEYS },
  { screen: "Memories: lessons", specs: LESSONS_KEYS },
  { screen: "Lesson", specs: LESSON_KEYS },
  { screen: "Memories: situations", specs: MEMORIES_KEYS },
  { screen: "Memory", specs: MEMORY_KEYS },
  { screen: "Questions", specs: QUESTIONS_KEYS },
  { screen: "Retrieve", specs: RETRIEVE_KEYS },
  { screen: "Settings", specs: SETTINGS_KEYS.filter((spec) => spec.keys.length > 0) },
];
