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
      <ToStart />
    </div>
  );
}

/** A project that is not there, or that one may not see: the server does not say which. */
export function NoProject({ project }: { project: string }) {
  return (
    <div role="alert" className="m-auto p-8">
      <h1>There is no project {project}</h1>
      <p className="mt-2 text-soft">It is not on this server, or you may not see it.</p>
      <ToStart />
    </div>
  );
}

function ToStart() {
  const router = useRouter();
  return (
    <p className="mt-4">
      <a className="btn" href={router.buildLocation({ to: "/" }).href}>
        Start page
      </a>
    </p>
  );
}
