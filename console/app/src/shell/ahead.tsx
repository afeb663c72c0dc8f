// What is fetched behind the first page and is there when somebody asks for it. `lazy` alone draws nothing at first, also
// for what was fetched long before, and the rest up to 300 ms later; keys that are pressed meanwhile go to the page below.
import { type ComponentType, lazy, Suspense, useState } from "react";
import { OVERLAY } from "../keys/KeyProvider";

/** A component, and a way to fetch it early. Asked for too early, it takes the keys all the same. */
export function ahead<P extends object>(
  load: () => Promise<ComponentType<P>>,
): [ComponentType<P>, () => void] {
  let there: ComponentType<P> | null = null;
  const fetched = async () => {
    there ??= await load();
    return { default: there };
  };
  const Later = lazy(fetched);
  function Ahead(props: P) {
    // For as long as it stands: another component in its place would begin anew.
    const [Now] = useState<ComponentType<P>>(() => there ?? Later);
    return (
      <Suspense fallback={<div {...OVERLAY} />}>
        <Now {...props} />
      </Suspense>
    );
  }
  // What cannot be fetched now is fetched when it is asked for.
  return [Ahead, () => void fetched().catch(() => undefined)];
}
