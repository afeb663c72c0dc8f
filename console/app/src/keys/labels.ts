// Labels for keys.

const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === "undefined" ? "" : navigator.platform);
const NAMES: Record<string, string> = {
  Mod: APPLE ? "⌘" : "Ctrl",
  ArrowRight: "→",
  ArrowLeft: "←",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc",
};

/** `Mod+k` as `Ctrl+K`, `g r` as `G R`. */
export function keyLabel(key: string): string {
  return key.split(" ").map(chordLabel).join(" ");
}

function chordLabel(chord: string): string {
  const names = chord
    .split("+")
    .map((name) => NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name));
  return names.join("+");
}
