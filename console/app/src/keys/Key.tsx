// Renders a key.
import { keyLabel } from "./labels";

export function Key(props: { name: string | undefined }) {
  if (props.name === undefined) return null;
  return (
    <kbd className="kbd" aria-hidden="true">
      {keyLabel(props.name)}
    </kbd>
  );
}
