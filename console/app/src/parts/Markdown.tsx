// Renders Markdown of a run as React elements only: no raw HTML, no remote images, no executable links.
import { Component, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { t } from "../texts";
import { safeLink, safePicture } from "./links";
import { limitExceeded } from "./markdown-limits";
import { shown } from "./reveal";

const SCHEMA = {
  ...defaultSchema,
  protocols: {
    ...defaultSchema.protocols,
    href: ["http", "https", "mailto"],
    src: ["data", "http", "https"],
  },
  // Remote images stay in the tree to show their address; Picture does not load them. Ids from a run must not
  // collide with those of the page.
  clobberPrefix: "run-",
};
const PLUGINS = [remarkGfm];
const REHYPE = [[rehypeSanitize, SCHEMA]] as never;

const COMPONENTS: Components = {
  a: ({ href, children }) => <RunLink href={href}>{children}</RunLink>,
  img: ({ src, alt }) => <Image src={typeof src === "string" ? src : undefined} alt={alt} />,
  // Headings of a run must not be part of the page outline, which screen readers use for navigation.
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  input: ({ checked }) => <span>{checked === true ? "☑ " : "☐ "}</span>,
};

export default function Markdown(props: { text: string }) {
  const reason = limitExceeded(props.text);
  const plain = <Plain text={props.text} reason={reason} />;
  if (reason !== null) return plain;
  return (
    <ErrorBoundary key={props.text} instead={plain}>
      <div dir="auto" className="prose-run">
        <ReactMarkdown
          skipHtml
          remarkPlugins={PLUGINS}
          rehypePlugins={REHYPE}
          components={COMPONENTS}
          urlTransform={(url) => url}
        >
          {shown(props.text)}
        </ReactMarkdown>
      </div>
    </ErrorBoundary>
  );
}

function Heading(props: { children?: ReactNode }) {
  return <p className="font-semibold">{props.children}</p>;
}

function RunLink(props: { href: string | undefined; children: ReactNode }) {
  const link = safeLink(props.href, textOf(props.children));
  if (link === null) return <span>{props.children}</span>;
  return (
    <a className="link" href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {props.children}
      {link.host === null ? null : <span className="text-soft"> ({link.host})</span>}
    </a>
  );
}

function Image(props: { src: string | undefined; alt: string | undefined }) {
  if (safePicture(props.src))
    return <img src={props.src} alt={props.alt ?? ""} className="max-h-80 max-w-full" />;
  const { markdown: texts } = t.parts;
  const address = clip(props.src ?? "");
  return (
    <span className="chip whitespace-normal">
      {props.alt ? texts.namedImage(props.alt, address) : texts.image(address)}
    </span>
  );
}

const clip = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

function Plain(props: { text: string; reason: string | null }) {
  return (
    <div>
      {props.reason === null ? null : <p className="mb-1 text-xs text-soft">{props.reason}</p>}
      <pre dir="auto" className="plain-run">
        {shown(props.text)}
      </pre>
    </div>
  );
}

function textOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node === "object" && node !== null && "props" in node) {
    return textOf((node.props as { children?: ReactNode }).children);
  }
  return "";
}

/** A text that fails to render must not break the page. */
class ErrorBoundary extends Component<{ children: ReactNode; instead: ReactNode }, { broken: boolean }> {
  override state = { broken: false };
  static getDerivedStateFromError() {
    return { broken: true };
  }
  override render() {
    return this.state.broken ? this.props.instead : this.props.children;
  }
}
