// Faults of the connection: cut off, silent, endless, or far too large.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import type { Answer } from "../base/answer.ts";

/** Writes the response, or what is left of it. */
export type Wire = (response: ServerResponse, answer: Answer) => Promise<void> | void;

const HUGE_BYTES = 50_000_000;
const CHUNK = 64 * 1024;
const BOMB_MEMBERS = 1000;
const DRIP_MS = 50;

export const resetConnection: Wire = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends nothing until the client disconnects or the server stops. */
export const sendNothing: Wire = () => {};

/** Sends half of what `content-length` promises. */
export const truncateBody: Wire = (response, answer) => {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { "content-type": answer.type, "content-length": bytes.length });
  response.write(bytes.subarray(0, Math.max(1, Math.floor(bytes.length / 2))), () => response.socket?.destroy());
};

/** Sends a byte now and then, forever. */
export const sendSlowly: Wire = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("{");
  const timer = setInterval(() => response.write(" "), DRIP_MS);
  response.once("close", () => clearInterval(timer));
};

function* hugeJson(): Generator<string> {
  yield '{"success":true,"padding":"';
  const chunk = "x".repeat(CHUNK);
  for (let sent = 0; sent < HUGE_BYTES; sent += CHUNK) yield chunk;
  yield '"}';
}

/** 50 MB of valid JSON, generated while it is read. */
export const sendHuge: Wire = async (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  await pipeline(Readable.from(hugeJson()), response);
};

function* bomb(): Generator<Buffer> {
  // A gzip file may have many members, so repeating one small member gives 1 GB.
  const member = gzipSync(Buffer.alloc(1_000_000, " "));
  for (let sent = 0; sent < BOMB_MEMBERS; sent += 1) yield member;
}

/** 1 GB of spaces in 1 MB of gzip. */
export const sendGzipBomb: Wire = async (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
  await pipeline(Readable.from(bomb()), response);
};
