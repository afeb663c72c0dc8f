// The retrieval parameters. A slider sends the query again on release.
import { useState } from "react";
import { fixed, number } from "../../parts/time";
import { t } from "../../texts";
import { type Settings, DEFAULTS } from "./settings";

type SliderSpec = {
  name: "weight" | "limit" | "least" | "variety" | "room";
  min: number;
  max: number;
  step: number;
};

const SLIDERS: readonly SliderSpec[] = [
  { name: "weight", min: 0, max: 1, step: 0.05 },
  { name: "limit", min: 1, max: 30, step: 1 },
  { name: "least", min: -0.2, max: 1, step: 0.01 },
  { name: "variety", min: 0, max: 1, step: 0.05 },
  { name: "room", min: 100, max: 6000, step: 100 },
];

export function Controls(props: {
  settings: Settings;
  /** The threshold and the weight that the server used, if none was set. */
  threshold: number | null;
  weight: number | null;
  onChange: (change: Settings) => void;
}) {
  const { settings } = props;
  const used = { ...DEFAULTS, least: props.threshold ?? 0.3, weight: props.weight ?? 0.5 };
  const value = (dial: SliderSpec) => settings[dial.name] ?? used[dial.name];
  return (
    <fieldset className="flex flex-wrap gap-x-6 gap-y-2">
      <legend className="sr-only">{t.retrieve.ranking.title}</legend>
      {SLIDERS.map((dial) => (
        <Slider
          key={dial.name}
          dial={dial}
          value={value(dial)}
          onChange={(to) => props.onChange({ [dial.name]: to })}
        />
      ))}
    </fieldset>
  );
}

function Slider(props: { dial: SliderSpec; value: number; onChange: (value: number) => void }) {
  const { dial, value } = props;
  const { label, about } = t.retrieve.ranking[dial.name];
  const [held, setHeld] = useState<number | null>(null);
  const now = held ?? value;
  const release = () => {
    if (held !== null && held !== value) props.onChange(held);
    setHeld(null);
  };
  return (
    <label className="flex w-44 flex-col text-xs text-soft max-sm:w-full">
      <span className="flex justify-between">
        <span className="font-semibold">{label}</span>
        <span className="text-ink">{dial.step < 1 ? fixed(now) : number(now)}</span>
      </span>
      <input
        type="range"
        className="h-6 w-full accent-accent max-md:h-10"
        min={dial.min}
        max={Math.max(dial.max, value)}
        step={dial.step}
        value={now}
        onChange={(event) => setHeld(Number(event.target.value))}
        onPointerUp={release}
        onKeyUp={release}
        onBlur={release}
      />
      <span>{about}</span>
    </label>
  );
}
