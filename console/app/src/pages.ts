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
import { lessonKeys } from "./features/lesson/keys";
import { memoriesKeys } from "./features/memories/keys";
import { lessonsKeys } from "./features/memories/lesson-keys";
import { memoryKeys } from "./features/memory/keys";
import { overviewKeys } from "./features/overview/keys";
import { questionsKeys } from "./features/questions/keys";
import { retrieveKeys } from "./features/retrieve/keys";
import { reviewKeys } from "./features/review/keys";
import { SETTINGS_KEYS } from "./features/settings/sections";
import { traceKeys } from "./features/trace/keys";
import { tracesKeys } from "./features/traces/keys";
import type { ActionSpec } from "./keys/KeyProvider";
import { t, type Texts } from "./texts";

type Page = {
  /** The name of the action that opens the page. Custom keys are stored under it. */
  action: string;
  /** Its label is `t.shell.pages[name]`. */
  name: keyof Texts["shell"]["pages"];
  /** The key sequence that opens the page. */
  key: string;
  /** The path below `/p/$project`. */
  path: string;
  icon: LucideIcon;
};

/** The pages of the navigation, in display order. */
export const PAGES: readonly Page[] = [
  { action: "go-overview", name: "overview", key: "g o", path: "", icon: Activity },
  { action: "go-review", name: "review", key: "g r", path: "/review", icon: Inbox },
  { action: "go-traces", name: "traces", key: "g t", path: "/traces", icon: List },
  { action: "go-memories", name: "memories", key: "g m", path: "/memories", icon: BookOpen },
  { action: "go-questions", name: "questions", key: "g q", path: "/questions", icon: Scale },
  { action: "go-retrieve", name: "retrieve", key: "g e", path: "/retrieve", icon: Eye },
  { action: "go-learning", name: "learning", key: "g l", path: "/learning", icon: LineChart },
  { action: "go-settings", name: "settings", key: "g s", path: "/settings", icon: Settings },
];

/** The actions of one screen. */
export type KeyTable = { screen: string; specs: readonly ActionSpec[] };

/** The key table of every screen that has one. */
export function keyTables(): readonly KeyTable[] {
  const { screens } = t.shell;
  return [
    { screen: screens.review, specs: reviewKeys() },
    { screen: screens.overview, specs: overviewKeys() },
    { screen: screens.traces, specs: tracesKeys() },
    { screen: screens.trace, specs: traceKeys() },
    { screen: screens.lessons, specs: lessonsKeys() },
    { screen: screens.lesson, specs: lessonKeys() },
    { screen: screens.situations, specs: memoriesKeys() },
    { screen: screens.memory, specs: memoryKeys() },
    { screen: screens.questions, specs: questionsKeys() },
    { screen: screens.retrieve, specs: retrieveKeys() },
    { screen: screens.settings, specs: SETTINGS_KEYS.filter((spec) => spec.keys.length > 0) },
  ];
}
