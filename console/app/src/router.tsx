// The routes of the console. Pages are loaded on demand, and the state of every list is in its URL.
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { base } from "./api/base";
import { sessionQuery } from "./api/queries";
import type { MemorySort } from "./api/memories";
import type { QueueOrder } from "./api/types";
import { sortOf } from "./features/memories/sort";
import { settingsOf } from "./features/retrieve/settings";
import { orderOf } from "./features/review/order";
import type { View } from "./features/trace/view";
import { ErrorPage, NotFound } from "./shell/ErrorPage";
import { Shell } from "./shell/Shell";
import { Welcome } from "./shell/Welcome";

const LAST_PROJECT = "reflect.project";

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  errorComponent: ErrorPage,
  notFoundComponent: NotFound,
  beforeLoad: async ({ context }) => ({ session: await context.client.ensureQueryData(sessionQuery) }),
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: ({ context }) => {
    const slugs = context.session.projects.map((project) => project.project_id);
    const last = localStorage.getItem(LAST_PROJECT);
    const project = slugs.find((slug) => slug === last) ?? slugs[0];
    if (project !== undefined) throw redirect({ to: "/p/$project", params: { project } });
  },
  component: Welcome,
});

const project = createRoute({
  getParentRoute: () => root,
  path: "/p/$project",
  component: Shell,
  errorComponent: ErrorPage,
  beforeLoad: ({ params }) => localStorage.setItem(LAST_PROJECT, params.project),
});

const overview = createRoute({
  getParentRoute: () => project,
  path: "/",
  component: lazyRouteComponent(() => import("./features/overview/OverviewPage"), "OverviewPage"),
});

const nonEmptyString = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const review = createRoute({
  getParentRoute: () => project,
  path: "/review",
  validateSearch: (search): { order?: QueueOrder; q?: string } => ({
    order: orderOf(search.order),
    q: nonEmptyString(search.q),
  }),
  component: lazyRouteComponent(() => import("./features/review/ReviewPage"), "ReviewPage"),
});

const traces = createRoute({
  getParentRoute: () => project,
  path: "/traces",
  validateSearch: (search): { q?: string; peek?: string } => ({
    q: nonEmptyString(search.q),
    peek: nonEmptyString(search.peek),
  }),
  component: lazyRouteComponent(() => import("./features/traces/TracesPage"), "TracesPage"),
});

const trace = createRoute({
  getParentRoute: () => project,
  path: "/traces/$trace",
  validateSearch: (search): { step?: number; view?: View } => ({
    step: typeof search.step === "number" && search.step >= 1 ? Math.floor(search.step) : undefined,
    view: search.view === "steps" || search.view === "raw" ? search.view : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/trace/TracePage"), "TracePage"),
});

const memories = createRoute({
  getParentRoute: () => project,
  path: "/memories",
  validateSearch: (search): { q?: string; sort?: MemorySort; peek?: string; list?: "situations" } => ({
    q: nonEmptyString(search.q),
    sort: sortOf(search.sort),
    peek: nonEmptyString(search.peek),
    list: search.list === "situations" ? "situations" : undefined,
  }),
  component: lazyRouteComponent(() => import("./features/memories/MemoriesPage"), "MemoriesPage"),
});

const memory = createRoute({
  getParentRoute: () => project,
  path: "/memories/$memory",
  component: lazyRouteComponent(() => import("./features/memory/MemoryPage"), "MemoryPage"),
});

const lesson = createRoute({
  getParentRoute: () => project,
  path: "/lessons/$lesson",
  component: lazyRouteComponent(() => import("./features/lesson/LessonPage"), "LessonPage"),
});

const questions = createRoute({
  getParentRoute: () => project,
  path: "/questions",
  component: lazyRouteComponent(() => import("./features/questions/QuestionsPage"), "QuestionsPage"),
});

const retrieve = createRoute({
  getParentRoute: () => project,
  path: "/retrieve",
  validateSearch: settingsOf,
  component: lazyRouteComponent(() => import("./features/retrieve/RetrievePage"), "RetrievePage"),
});

const learning = createRoute({
  getParentRoute: () => project,
  path: "/learning",
  component: lazyRouteComponent(() => import("./features/learning/LearningPage"), "LearningPage"),
});

const settings = createRoute({
  getParentRoute: () => project,
  path: "/settings",
  component: lazyRouteComponent(() => import("./features/settings/SettingsFrame"), "SettingsFrame"),
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/p/$project/settings/project", params, replace: true });
  },
});

const settingsPages = [
  createRoute({
    getParentRoute: () => settings,
    path: "/project",
    component: lazyRouteComponent(() => import("./features/settings/ProjectPage"), "ProjectPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/keys",
    component: lazyRouteComponent(() => import("./features/settings/KeysPage"), "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/webhooks",
    component: lazyRouteComponent(() => import("./features/settings/WebhooksPage"), "WebhooksPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/members",
    component: lazyRouteComponent(() => import("./features/settings/MembersPage"), "MembersPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/lessons",
    component: lazyRouteComponent(() => import("./features/settings/LessonsPage"), "LessonsPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/judge",
    component: lazyRouteComponent(() => import("./features/settings/JudgePage"), "JudgePage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/signals",
    component: lazyRouteComponent(() => import("./features/settings/SignalsPage"), "SignalsPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/embedding",
    component: lazyRouteComponent(() => import("./features/settings/EmbeddingPage"), "EmbeddingPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/data",
    component: lazyRouteComponent(() => import("./features/settings/DataPage"), "DataPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/actions",
    component: lazyRouteComponent(() => import("./features/settings/ActionsPage"), "ActionsPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/audit",
    component: lazyRouteComponent(() => import("./features/settings/AuditPage"), "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/keyboard",
    component: lazyRouteComponent(() => import("./features/settings/KeyboardPage"), "KeyboardPage"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/system",
    component: lazyRouteComponent(() => import("./features/settings/SystemPage"), "SystemPage"),
  }),
] as const;

const tree = root.addChildren([
  start,
  project.addChildren([
    overview,
    review,
    traces,
    trace,
    memories,
    memory,
    lesson,
    questions,
    retrieve,
    learning,
    settings.addChildren([settingsStart, ...settingsPages]),
  ]),
]);

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: base === "" ? "/" : base,
    context: { client },
    defaultPreload: "intent",
    // While a page loads, the old one stays visible instead of a flash of a loading state.
    defaultPendingMs: 1500,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
