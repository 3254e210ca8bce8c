// make_js.mjs - a database as LangGraph.js leaves it.
//
// usage: node make_js.mjs FILE|postgres://... > tests/interop/old/read-js.json
//
// It needs @langchain/langgraph, @langchain/langgraph-checkpoint-sqlite and
// @langchain/langgraph-checkpoint-postgres (1.7.3, 1.0.4 and 1.0.5 made what is
// there). make_old.py makes SQL text of FILE (`dump`). It prints what LangGraph.js
// itself sees in each thread.
import { Annotation, END, START, Send, StateGraph, interrupt,
         messagesStateReducer } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

const list = () => Annotation({ reducer: (a, b) => a.concat(b),
                                default: () => [] });
const say = (word) => ({ x: [word] });
const b = (state) => say(state.ask ? `b:${interrupt("ok?")}` : "b");

const Fan = Annotation.Root({ x: list(), s: Annotation(), ask: Annotation() });
const fan = () => new StateGraph(Fan)
  .addNode("a", () => ({ x: ["a"], s: "hi" }))
  .addNode("b", b)
  .addNode("c", () => say("c"))
  .addNode("w", (arg) => say(`w${arg.i}`))
  .addNode("d", () => say("d"))
  .addEdge(START, "a").addEdge("a", "b").addEdge("a", "c")
  .addConditionalEdges("a", () => [1, 2].map((i) => new Send("w", { i })), ["w"])
  .addEdge(["b", "c"], "d").addEdge("d", END);

const Nest = Annotation.Root({ x: list(), ask: Annotation() });
const nest = () => {
  const inner = new StateGraph(Nest)
    .addNode("i1", () => say("i1")).addNode("i2", b)
    .addEdge(START, "i1").addEdge("i1", "i2").addEdge("i2", END).compile();
  return new StateGraph(Nest)
    .addNode("before", () => say("before")).addNode("sub", inner)
    .addNode("after", () => say("after"))
    .addEdge(START, "before").addEdge("before", "sub")
    .addEdge("sub", "after").addEdge("after", END);
};

const Chat = Annotation.Root({ messages: Annotation({
  reducer: messagesStateReducer, default: () => [] }) });
const chat = () => new StateGraph(Chat)
  .addNode("reply", ({ messages: { length } }) => ({ messages: [{
    role: "assistant", content: `reply to ${length}`, id: `reply-${length}` }] }))
  .addEdge(START, "reply").addEdge("reply", END);

const Things = Annotation.Root({ x: list(), one: Annotation(), many: list() });
const things = () => new StateGraph(Things)
  .addNode("keep", ({ one }) => {
    if (one === "fail") throw new TypeError("it is broken");
    return { many: [one], x: ["keep"] };
  })
  .addEdge(START, "keep").addEdge("keep", END);
const THINGS = { set: new Set(["a"]), map: new Map([[1, "one"]]),
                 bytes: new Uint8Array([0, 255]), regex: /a+/i,
                 nothing: undefined, date: new Date(0), half: 0.5,
                 text: "h\u00e9", error: new Error("boom") };

const THREADS = {
  done: [fan, { x: ["in"] }, { x: ["again"] }],
  waits: [fan, { x: ["in"], ask: true }],
  inside: [nest, { x: ["in"], ask: true }],
  chat: [chat, { messages: [{ role: "user", content: "hi", id: "m1" }] }],
  things: [things, { one: THINGS }],
  failed: [things, { one: "fail" }],
};
const where = process.argv[2];
const saver = where.startsWith("postgres")
  ? PostgresSaver.fromConnString(where) : SqliteSaver.fromConnString(where);
await saver.setup();
const seen = {};
for (const [thread, [make, ...inputs]] of Object.entries(THREADS)) {
  const graph = make().compile({ checkpointer: saver });
  const config = { configurable: { thread_id: thread } };
  for (const input of inputs) {
    try { await graph.invoke(input, config); }
    catch (error) { if (thread !== "failed") throw error; }
  }
  seen[thread] = [];
  for await (const s of graph.getStateHistory(config))
    seen[thread].push([s.config.configurable.checkpoint_id, s.metadata.step,
      s.metadata.source,
      s.values.messages ? s.values.messages.map((m) => m.content)
        : thread === "things" ? {} : s.values,
      [...s.next].sort()]);
}
console.log(JSON.stringify(seen, null, 1));
await saver.end?.();
