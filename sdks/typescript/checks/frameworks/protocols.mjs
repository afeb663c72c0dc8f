/** The bodies of OpenAI's protocols: the chat API and the Responses API, each whole and as the events of a stream. */

export const MODEL = "loopback-1";
const TOKENS = { input: 11, output: 7, total: 18 };

/** `chat/completions`. */
export const chat = {
  whole(number, message) {
    const choice = { index: 0, finish_reason: endOf(message), logprobs: null };
    return {
      ...chatHead(number, "chat.completion"),
      choices: [{ ...choice, message: { role: "assistant", content: null, ...message } }],
      usage: {
        prompt_tokens: TOKENS.input,
        completion_tokens: TOKENS.output,
        total_tokens: TOKENS.total,
      },
    };
  },

  *events(number, message) {
    const event = (delta, finish_reason = null) => ({
      ...chatHead(number, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason }],
    });
    yield event({ role: "assistant", content: "" });
    for (const piece of piecesOf(message.content ?? "")) yield event({ content: piece });
    for (const [index, asked] of (message.tool_calls ?? []).entries()) {
      yield event({
        tool_calls: [{ index, ...asked, function: { name: asked.function.name, arguments: "" } }],
      });
      for (const piece of piecesOf(asked.function.arguments)) {
        yield event({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    yield event({}, endOf(message));
    yield { ...event({}), choices: [], usage: this.whole(number, message).usage };
  },

  /** Whether the event has a piece of the text. */
  isPiece: (event) => Boolean(event.choices[0]?.delta.content),
};

/** `responses`. */
export const responses = {
  whole(number, message, asked) {
    const output = [
      ...(message.content ? [textItem(number, message.content)] : []),
      ...(message.tool_calls ?? []).map((call, index) => callItem(`fc_${number}_${index}`, call)),
    ];
    return {
      id: `resp_${number}`,
      object: "response",
      created_at: 1,
      status: "completed",
      model: MODEL,
      output,
      instructions: asked.instructions ?? null,
      previous_response_id: asked.previous_response_id ?? null,
      parallel_tool_calls: true,
      tool_choice: "auto",
      tools: [],
      error: null,
      incomplete_details: null,
      metadata: {},
      temperature: 1,
      top_p: 1,
      usage: {
        input_tokens: TOKENS.input,
        output_tokens: TOKENS.output,
        total_tokens: TOKENS.total,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    };
  },

  *events(number, message, asked) {
    const whole = this.whole(number, message, asked);
    let sequence = 0;
    const event = (type, fields) => ({ type, sequence_number: sequence++, ...fields });
    yield event("response.created", { response: { ...whole, status: "in_progress", output: [] } });
    for (const [output_index, item] of whole.output.entries()) {
      const place = { item_id: item.id, output_index };
      if (item.type === "message") {
        const [part] = item.content;
        const at = { ...place, content_index: 0 };
        yield event("response.output_item.added", {
          output_index,
          item: { ...item, content: [], status: "in_progress" },
        });
        yield event("response.content_part.added", { ...at, part: { ...part, text: "" } });
        for (const delta of piecesOf(part.text))
          yield event("response.output_text.delta", { ...at, delta, logprobs: [] });
        yield event("response.output_text.done", { ...at, text: part.text, logprobs: [] });
        yield event("response.content_part.done", { ...at, part });
      } else {
        yield event("response.output_item.added", {
          output_index,
          item: { ...item, arguments: "" },
        });
        for (const delta of piecesOf(item.arguments)) {
          yield event("response.function_call_arguments.delta", { ...place, delta });
        }
        const done = { ...place, name: item.name, arguments: item.arguments };
        yield event("response.function_call_arguments.done", done);
      }
      yield event("response.output_item.done", { output_index, item });
    }
    yield event("response.completed", { response: whole });
  },

  isPiece: (event) => event.type === "response.output_text.delta",
};

/** The messages of a request, in the form of the chat API. */
export function messagesOfRequest(asked) {
  if (asked.messages !== undefined) return asked.messages;
  const head = asked.instructions ? [{ role: "system", content: asked.instructions }] : [];
  const items = typeof asked.input === "string" ? [{ role: "user", content: asked.input }] : asked.input;
  return [...head, ...items.map(messageOfItem)];
}

function messageOfItem(item) {
  if (item.type === "function_call") {
    const { call_id: id, name } = item;
    return {
      role: "assistant",
      tool_calls: [{ id, function: { name, arguments: item.arguments } }],
    };
  }
  if (item.type === "function_call_output")
    return { role: "tool", tool_call_id: item.call_id, content: item.output };
  return item;
}

function chatHead(number, object) {
  return { id: `chatcmpl-${number}`, object, created: 1, model: MODEL };
}

function textItem(number, text) {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { id: `msg_${number}`, type: "message", role: "assistant", status: "completed", content };
}

function callItem(id, call) {
  const { name, arguments: given } = call.function;
  return {
    id,
    type: "function_call",
    call_id: call.id,
    name,
    arguments: given,
    status: "completed",
  };
}

function endOf(message) {
  return message.tool_calls ? "tool_calls" : "stop";
}

/** A text in pieces of a few characters. */
function piecesOf(text) {
  return text.match(/.{1,5}/gsu) ?? [];
}
