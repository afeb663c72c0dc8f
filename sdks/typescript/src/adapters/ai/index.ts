/**
 * Reflect for the AI SDK by Vercel: `reflect-memory/ai`, for version 7 of the package `ai`.
 *
 *     registerTelemetry(reflectTelemetry(client));
 *     const model = wrapLanguageModel({ model: openai("gpt-5.4-mini"), middleware: reflectMiddleware(client) });
 *     const { text } = await generateText({ model, tools, prompt: "Refund order 1182" });
 *
 * The telemetry records each call as one run, the middleware gives it memories. An error of either, or of the server,
 * never reaches the agent.
 */

export { reflectMiddleware } from "./middleware.js";
export { reflectTelemetry, type ReflectTelemetryOptions } from "./telemetry.js";
export { reflectTools, type ReflectTools, type RetrieveMemoriesInput, type ReviewRunInput } from "./tools.js";
