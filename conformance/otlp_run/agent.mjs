// One agent run with the AI SDK and its OpenTelemetry integration. The exporter is configured with the standard
// variables only. Prints the trace id and the messages, as an application would store them.
//
//     node agent.mjs current|legacy json|protobuf MODEL_URL

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const TASK = "How warm is it in Oslo and in Atlantis?";
const SYSTEM = "You are a meteorologist.";
const [, , form, encoding, url] = process.argv;

const exporter = encoding === "json" ? new JsonExporter() : new ProtobufExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
provider.register();

const model = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1` })("m");
const weather = tool({
  description: "The temperature in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => (city === "Oslo" ? "12 degrees" : `unknown city ${city}`),
});
const messages = [{ role: "user", content: TASK }];
let otel;
const result = await trace.getTracer("agent").startActiveSpan("handle request", async (span) => {
  otel = span.spanContext().traceId;
  const answered = await generateText({
    model,
    instructions: SYSTEM,
    messages,
    tools: { weather },
    stopWhen: stepCountIs(5),
    telemetry: {
      functionId: "meteorologist",
      integrations: [form === "legacy" ? new LegacyOpenTelemetry() : new OpenTelemetry()],
    },
  });
  span.end();
  return answered;
});
await provider.shutdown();
console.log(
  JSON.stringify({
    otel,
    task: TASK,
    trajectory: [
      { role: "system", content: SYSTEM },
      ...messages,
      ...result.steps.flatMap((step) => step.response.messages),
    ],
  }),
);
