// What every TypeScript client has to manage, told to run.py as one JSON line for each check.
// run.py owns the simulator: a line {"upstream": what} asks it, and its answer comes on stdin.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";

const TOOLS = ["answer", "answer_detailed", "answer_quick"];
const WHOLE_CLOSE_MS = 1900; // after 2000 the SDKs stop waiting and send SIGTERM
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

async function upstream(what) {
  tell({ upstream: what });
  const { value } = await answers.next();
  assert.equal(value, "ok");
}

async function row(check, steps) {
  try {
    tell({ check, ok: true, detail: (await steps()) ?? "" });
  } catch (error) {
    tell({ check, ok: false, detail: String(error?.message ?? error) });
  }
}

async function timed(steps) {
  const start = performance.now();
  await steps();
  return Math.round(performance.now() - start);
}

async function listed(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.deepEqual(names.filter((name) => TOOLS.includes(name)), TOOLS);
  assert.ok(tools.every((tool) => tool.title && tool.outputSchema && tool.annotations));
  return names.join(", ");
}

async function answered(call, query, searched) {
  const result = await call(query);
  const { used_search, citations } = result.structuredContent;
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.equal(used_search, searched);
  assert.equal(citations.length > 0, searched);
  return `used_search ${used_search}, ${citations.length} citations`;
}

async function refused(call) {
  const error = await call(" ").then(() => assert.fail("it was answered"), (reason) => reason);
  assert.equal(error.code, -32001, error.message);
  assert.match(error.message, /answer: invalid arguments/);
  return `${error.code} ${error.message}: ${error.data.reason}`;
}

async function reported(call) {
  const seen = [];
  await call("simulate: slow ms=1200 steps=4", { onprogress: (report) => seen.push(report) });
  assert.ok(seen.length > 0, "no progress");
  assert.ok(seen.every(({ progress }, index) => index === 0 || progress > seen[index - 1].progress));
  return `${seen.length}: ${seen.map((report) => report.message).join(" | ")}`;
}

async function aborted(call) {
  await upstream("forget");
  const aborting = new AbortController();
  const calling = call("simulate: hang", { signal: aborting.signal });
  const rejection = assert.rejects(calling);
  await upstream("request");
  const took = await timed(async () => {
    aborting.abort("no longer wanted");
    await rejection;
    await upstream("disconnect");
  });
  return `upstream connection closed within ${took} ms`;
}

async function read(client) {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { contents } = await client.readResource({ uri: "vault:///" });
  assert.ok(resources.some((one) => one.uri === "vault:///"));
  assert.equal(resourceTemplates.length, 2);
  assert.equal(contents[0].mimeType, "text/markdown");
  const missing = { uri: "vault:///no such note.md" };
  const error = await client.readResource(missing).then(() => assert.fail("it was read"), (e) => e);
  return `${resources.length} resources, a missing one is ${error.code}`;
}

async function prompted(client) {
  const { prompts } = await client.listPrompts();
  const wanted = { name: "cross_check", arguments: { question: "免責は?", manual: "m" } };
  const { messages } = await client.getPrompt(wanted);
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "cross_check" },
    argument: { name: "manual", value: "" },
  });
  assert.equal(messages.length, 1);
  assert.match(messages[0].content.text, /免責は\?/);
  assert.ok(Array.isArray(completion.values));
  return prompts.map((prompt) => prompt.name).join(", ");
}

async function closed(client) {
  const took = await timed(() => client.close());
  assert.ok(took < WHOLE_CLOSE_MS, `the server had to be told to end: ${took} ms`);
  return `${took} ms`;
}

export async function checkAll({ client, connect, version, call, ping }) {
  const faults = [];
  // SDK 1 handles a result before a progress message that arrived just ahead of it in the same
  // chunk, and then complains about that message's token; no server can avoid it.
  const isOwnRace = (message) => message.includes("progress notification for an unknown token");
  client.onerror = (error) => isOwnRace(error.message) || faults.push(error.message);
  await row("connect", async () => {
    const took = await timed(connect);
    return `${client.getServerVersion().name}, ${version()}, ${took} ms`;
  });
  await row("list", () => listed(client));
  if (client.getServerVersion()?.name === "tebiki") {
    await row("resources", () => read(client));
    await row("prompts", () => prompted(client));
  } else {
    const only = ["tools"];
    await row("tools alone", () => assert.deepEqual(Object.keys(client.getServerCapabilities()), only));
  }
  await row("answer", () => answered(call, "HTTP 404 の意味", false));
  await row("search", () => answered(call, "本日の東京の天気", true));
  await row("blank", () => refused(call));
  await row("progress", () => reported(call));
  await row("abort", () => aborted(call));
  await row("go on", () => answered(call, "HTTP 404 の意味", false));
  if (ping) await row("ping", async () => `${await timed(() => client.ping())} ms`);
  await row("close", () => closed(client));
  await row("no faults", () => assert.deepEqual(faults, []));
  process.stdin.destroy();
}
