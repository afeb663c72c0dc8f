// A page that could not be shown, in words.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { CallFailed, words } from "../api/failure";

export function Failed(props: ErrorComponentProps) {
  const router = useRouter();
  const failure = props.error instanceof CallFailed ? props.error : null;
  return (
    <div role="alert" className="m-auto flex max-w-lg flex-col gap-3 p-8">
      <h1>{failure?.status === 404 ? "This is not here" : "This page could not be shown"}</h1>
      <p>{words(props.error)}</p>
      {failure?.requestId === undefined ? null : (
        <p className="text-sm text-soft">
          The server's log has it under <code>{failure.requestId}</code>.
        </p>
      )}
      <p className="flex gap-2">
        <button
          type="button"
          className="btn"
          onClick={() => {
            props.reset();
            void router.invalidate();
          }}
        >
          Try again
        </button>
        <a className="btn" href={router.buildLocation({ to: "/" }).href}>
          Start page
        </a>
      </p>
    </div>
  );
}

export function NotHere() {
  return (
    <div className="m-auto p-8">
      <h1>This page does not exist</h1>
      <p className="mt-2 text-soft">The address may be misspelt, or the page has moved.</p>
    </div>
  );
}
