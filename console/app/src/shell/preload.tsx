// Preloaded components. React's `lazy` alone first renders nothing, even for a module that is already loaded,
// and shows the content up to 300 ms later. Keys pressed in between would go to the page below.
import { type ComponentType, lazy, Suspense, useState } from "react";
import { OVERLAY } from "../keys/KeyProvider";

/**
 * Returns a component, and a function to load it early. If the component is rendered before it is loaded, it
 * already captures the keys.
 */
export function preload<P extends object>(
  load: () => Promise<ComponentType<P>>,
): [ComponentType<P>, () => void] {
  let loaded: ComponentType<P> | null = null;
  const loadOnce = async () => {
    loaded ??= await load();
    return { default: loaded };
  };
  const LazyComponent = lazy(loadOnce);
  function Preloaded(props: P) {
    // Fixed while mounted: another component type in its place would lose the state.
    const [Component] = useState<ComponentType<P>>(() => loaded ?? LazyComponent);
    return (
      <Suspense fallback={<div {...OVERLAY} />}>
        <Component {...props} />
      </Suspense>
    );
  }
  // If loading fails now, it is tried again when the component is rendered.
  return [Preloaded, () => void loadOnce().catch(() => undefined)];
}
