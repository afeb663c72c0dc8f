// The views of a replay. The URL of the trace page contains the view.

export type View = "conversation" | "steps" | "raw";
