// The TypeScript SDK's second generation: `node sdk_v2.mjs COMMAND legacy|auto|modern`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { checkAll } from "./checks.mjs";

const load = createRequire(`${process.env.TEBIKI_HOSTS_DIR}/`);
const { Client } = load("@modelcontextprotocol/client");
const { StdioClientTransport } = load("@modelcontextprotocol/client/stdio");

const MODERN = "2026-07-28";
const [command, era] = process.argv.slice(2);
const client = new Client(
  { name: "tebiki-hosts", version: "1.0.0" },
  { versionNegotiation: { mode: era === "modern" ? { pin: MODERN } : era } },
);
const transport = new StdioClientTransport({ command, args: ["--stdio"], env: process.env });

function version() {
  const agreed = client.getNegotiatedProtocolVersion();
  assert.equal(agreed, era === "legacy" ? "2025-06-18" : MODERN);
  return agreed;
}

await checkAll({
  client,
  connect: () => client.connect(transport),
  version,
  call: (query, options) => client.callTool({ name: "answer", arguments: { query } }, options),
  ping: era === "legacy",
});
