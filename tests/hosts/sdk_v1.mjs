// The TypeScript SDK's first generation: `node sdk_v1.mjs COMMAND`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { checkAll } from "./checks.mjs";

const load = createRequire(`${process.env.TEBIKI_HOSTS_DIR}/`);
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = load("@modelcontextprotocol/sdk/client/stdio.js");

const [command] = process.argv.slice(2);
const client = new Client({ name: "tebiki-hosts", version: "1.0.0" });
const transport = new StdioClientTransport({ command, args: ["--stdio"], env: process.env });
let agreed;
transport.setProtocolVersion = (given) => {
  agreed = given;
};

function version() {
  assert.equal(agreed, "2025-06-18");
  return agreed;
}

await checkAll({
  client,
  connect: () => client.connect(transport),
  version,
  call: (query, options) =>
    client.callTool({ name: "answer", arguments: { query } }, undefined, options),
  ping: true,
});
