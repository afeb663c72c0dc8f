import type { ReactNode } from "react";

const MANY = {
  admins: "Admins can.",
  maintainers: "Admins and maintainers can.",
  reviewers: "Admins, maintainers and reviewers can.",
};

export const shell = {
  /** The pages of the navigation. */
  pages: {
    overview: "Overview",
    review: "Review",
    traces: "Traces",
    memories: "Memories",
    questions: "Questions",
    retrieve: "Retrieve",
    learning: "Learning",
    settings: "Settings",
  },
  /** The screens that have their own keys. */
  screens: {
    review: "Review",
    overview: "Overview",
    traces: "Traces",
    trace: "Trace",
    lessons: "Memories: lessons",
    lesson: "Lesson",
    situations: "Memories: situations",
    memory: "Memory",
    questions: "Questions",
    retrieve: "Retrieve",
    settings: "Settings",
  },
  actions: {
    everywhere: "Everywhere",
    goTo: "Go to",
    go: (page: string) => `Go to ${page}`,
    palette: "Open the command palette",
    cheatSheet: "Show all keys",
    theme: "Switch between light, dark and system theme",
    language: "Language",
    singleKeys: "Turn single-letter keys on or off",
    signOut: "Sign out",
  },
  rail: {
    label: "Main",
    menu: "Menu",
    project: "Project",
    search: "Search",
    searchLabel: "Search and actions",
    keys: "Keys",
    theme: { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" },
    /** Read aloud after the count of a page. */
    pending: "pending",
    open: "open",
    pendingRuns: (count: string) => `${count} pending`,
    whoSees: "Who can see this project",
    member: (name: string, role: string | null) =>
      role === null ? `Signed in as ${name}` : `Signed in as ${name} (${role})`,
  },
  roles: { admin: "admin", maintainer: "maintainer", reviewer: "reviewer", viewer: "viewer" },
  skipToPage: "Skip to the page",
  polling: "Updates every 10 s",
  singleKeys: { on: "Single-letter keys are on.", off: "Single-letter keys are off." },
  languageNotSaved: "Your browser blocks storage, so the language cannot be saved.",
  cheatSheet: {
    title: "Keys",
    close: "Close",
    on: (key: string) => `Single-letter keys are on. Key combinations such as ${key} always work.`,
    off: (key: string) => `Single-letter keys are off. Key combinations such as ${key} always work.`,
    turnOn: "Turn them on",
    turnOff: "Turn them off",
  },
  palette: {
    label: "Search and actions",
    placeholder: "Search actions, runs, lessons and projects",
    failed: (reason: string) => `Runs and lessons could not be searched. ${reason}`,
    results: "Results",
    noMatch: "No match.",
    actions: "Actions",
    lessons: "Lessons",
    runs: "Runs",
    projects: "Projects",
    /** The searchable name of an action. */
    action: (group: string, label: string) => `${group}: ${label}`,
  },
  errorPage: {
    notFound: "Not found",
    failed: "This page could not be loaded",
    request: (id: ReactNode) => <>For the operator: the server log has the details under request {id}.</>,
    tryAgain: "Try again",
    startPage: "Start page",
    noPage: "This page does not exist",
    noPageHint: "Check the address, or choose a page from the navigation.",
    noProject: (project: string) => `There is no project ${project}`,
    noProjectHint:
      "It does not exist, or you have no access to it. An admin of this server can give you access.",
  },
  permission: {
    /** `what` is an infinitive, for example `change lessons`. */
    missing: {
      admin: (what: string) => `As an admin you cannot ${what}.`,
      maintainer: (what: string) => `As a maintainer you cannot ${what}.`,
      reviewer: (what: string) => `As a reviewer you cannot ${what}.`,
      viewer: (what: string) => `As a viewer you cannot ${what}.`,
    },
    allowed: {
      "key:manage": MANY.admins,
      "project:admin": MANY.admins,
      "memory:write": MANY.maintainers,
      "review:write": MANY.reviewers,
    },
    askAdmin: "Ask an admin.",
  },
  welcome: {
    title: (name: string) => `Welcome, ${name}`,
    project: "A project contains the runs of one agent and the lessons learned from them. Its name:",
    create: "Create project",
    noAccess: "You have no access to a project yet. Ask an admin to invite you to one.",
  },
  /** Calls that failed. */
  errors: {
    noResponse: "The server does not respond. Your change is kept and sent again.",
    missingScope: "Your role does not allow this. Ask an admin of this installation.",
    crossSite: "The server rejected this as a cross-site request. Reload the page.",
    busy: "The server is busy or cannot reach its database.",
    signedOut: "Your session has ended. Sign in again.",
    failed: (message: string) => `The server failed: ${message}.`,
    failedStatus: (status: number) => `The server failed: status ${status}.`,
    status: (status: number) => `The server responded with status ${status}.`,
    unknown: "Something went wrong.",
  },
};
