// LangGraph.js on one workload: as langgraph_peer.py, for the graphs that
// bench/driver/peers.py names. One line of JSON, seconds.
import { parseArgs } from "node:util";
import { performance } from "node:perf_hooks";
import {
  Annotation, END, MemorySaver, MessagesAnnotation, Send, START, StateGraph,
} from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

const text = { type: "string" };
const { values: given, positionals: [name] } = parseArgs({
  allowPositionals: true,
  options: {
    saver: { ...text, default: "none" }, size: { ...text, default: "0" },
    runs: { ...text, default: "1" }, "at-once": { ...text, default: "1" },
    url: { ...text, default: "" }, suite: { type: "boolean", default: false },
  },
});
const size = Number(given.size);
const runs = Number(given.runs);
const times = [];

function chain() {
  const up = (state) => ({ counter: state.counter + 1 });
  return new StateGraph(Annotation.Root({ counter: Annotation }))
    .addNode("a", up).addNode("b", up).addNode("c", up)
    .addEdge(START, "a").addEdge("a", "b").addEdge("b", "c").addEdge("c", END);
}

function fanout() {
  const names = ["w1", "w2", "w3", "w4", "w5"];
  const graph = new StateGraph(Annotation.Root({
    results: Annotation({ reducer: (x, y) => x.concat(y), default: () => [] }),
    count: Annotation,
  }));
  names.forEach((each, i) => {
    graph.addNode(each, () => ({ results: [i + 1] }));
    graph.addEdge(START, each);
  });
  graph.addNode("sum", (state) => ({ count: state.results.length }));
  return graph.addEdge(names, "sum").addEdge("sum", END);
}

function loop() {
  const it = (state) => {
    times.push(performance.now());
    return { left: state.left - 1 };
  };
  return new StateGraph(Annotation.Root({ left: Annotation }))
    .addNode("it", it).addEdge(START, "it")
    .addConditionalEdges("it", (state) => (state.left > 0 ? "it" : END),
      ["it", END]);
}

function sends() {
  return new StateGraph(Annotation.Root({
    wanted: Annotation,
    done: Annotation({ reducer: (x, y) => x + y, default: () => 0 }),
  }))
    .addNode("one", () => ({ done: 1 }))
    .addConditionalEdges(START, (state) => Array.from(
      { length: state.wanted }, (_, i) => new Send("one", { i })), ["one"]);
}

function sequential(count) {
  const graph = new StateGraph(MessagesAnnotation);
  let before = START;
  for (let i = 0; i < count; i++) {
    graph.addNode(`node_${i}`, () => ({}));
    graph.addEdge(before, `node_${i}`);
    before = `node_${i}`;
  }
  return graph.addEdge(before, END);
}

const graphs = {
  chain: [chain, { counter: 0 }],
  fanout: [fanout, { results: [] }],
  loop: [loop, { left: size }],
  sends: [sends, { wanted: size }],
  sequential_10: [() => sequential(10), { messages: [] }],
  sequential_1000: [() => sequential(1000), { messages: [] }],
};

async function open() {
  if (given.saver === "memory") return new MemorySaver();
  if (given.saver !== "postgres") return undefined;
  // This client reads a socket's folder in its own place of a URL.
  const url = new URL(given.url.replace(/^postgres:\/\/([^@/]*)@\//,
    "postgres://$1@socket/"));
  const folder = url.searchParams.get("host");
  const saver = PostgresSaver.fromConnString(
    `socket:${folder}?db=${url.pathname.slice(1)}&user=${url.username}`);
  await saver.setup();
  return saver;
}

async function once(graph, input, number) {
  const options = {
    configurable: { thread_id: `bench-${number}` }, recursionLimit: 1e9,
    ...(given.saver === "none" ? {}
      : { durability: given.suite ? "exit" : "sync" }),
  };
  const begin = performance.now();
  if (given.suite) {
    const stream = await graph.stream(
      input, { ...options, streamMode: "updates" });
    for await (const _ of stream);
  } else {
    await graph.invoke(input, options);
  }
  return (performance.now() - begin) / 1e3;
}

// What goes before, and is not counted.
function small(whole) {
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [
    key, typeof value === "number" ? Math.min(value, 3) : value]));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

const [define, input] = graphs[name];
const saver = await open();
const graph = define().compile(saver ? { checkpointer: saver } : {});
await once(graph, small(input), "warm");
times.length = 0;
const begin = performance.now();
const spent = process.cpuUsage();
const each = [];
let next = 0;
await Promise.all(Array.from({ length: Number(given["at-once"]) }, async () => {
  while (next < runs) {
    const number = next++;
    each.push(await once(graph, input, number));
  }
}));
const cpu = process.cpuUsage(spent);
const told = {
  median: median(each), seconds: (performance.now() - begin) / 1e3,
  cpu: (cpu.user + cpu.system) / 1e6,
};
const gaps = times.slice(1).map((late, i) => (late - times[i]) / 1e3);
if (gaps.length > 0) told.gap = median(gaps);
console.log(JSON.stringify(told));
process.exit(0);
