/**
 * Writes the report of the public interface of each entry point, `api/*.api.md`, so that a change of it is seen in a
 * review.
 *
 *     node tools/api-report.mjs            writes the reports
 *     node tools/api-report.mjs --check    fails if they are stale
 */

import { readFileSync } from "node:fs";

import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const root = new URL("..", import.meta.url).pathname;
const packageJsonFullPath = `${root}package.json`;
const manifest = JSON.parse(readFileSync(packageJsonFullPath, "utf8"));
const common = ExtractorConfig.loadFile(`${root}api-extractor.json`);
let failed = false;

/** The other entry points use types of the first one, which must export all of its own. */
function withForgottenExports({ extractorMessageReporting: rules, ...messages }) {
  return {
    ...messages,
    extractorMessageReporting: {
      ...rules,
      "ae-forgotten-export": { logLevel: "error", addToApiReportFile: false },
    },
  };
}

for (const [entry, target] of Object.entries(manifest.exports)) {
  if (typeof target === "string") continue;
  const name = entry === "." ? manifest.name : entry.slice(2);
  const { succeeded, apiReportChanged } = Extractor.invoke(
    ExtractorConfig.prepare({
      configObject: {
        ...common,
        projectFolder: root,
        mainEntryPointFilePath: `${root}${target.types}`,
        apiReport: { ...common.apiReport, reportFileName: `${name}.api.md` },
        messages: entry === "." ? withForgottenExports(common.messages) : common.messages,
        compiler: { tsconfigFilePath: `${root}tsconfig.json` },
      },
      configObjectFullPath: `${root}api-extractor.json`,
      packageJsonFullPath,
    }),
    {
      localBuild: !process.argv.includes("--check"),
      messageCallback: (message) => {
        if (message.logLevel === "info" || message.logLevel === "verbose") message.handled = true;
      },
    },
  );
  if (!succeeded)
    console.log(`api/${name}.api.md ${apiReportChanged ? "is stale: run `npm run api`" : "has problems"}`);
  failed ||= !succeeded;
}
process.exitCode = failed ? 1 : 0;
