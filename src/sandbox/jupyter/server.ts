// The notebook server of a machine: as much of a Jupyter server as a client needs to find it, to sign in and to show it.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Answer, answerJson, answerPlain } from "../base/answer.ts";
import { findContents, type Model } from "./contents.ts";
import { drawPage, PAGE_POLICY } from "./page.ts";

export interface Notebook {
  /** Of the instance. */
  readonly id: number;
  readonly token: string;
  /** The machine's disk. */
  readonly folder: string;
}

/** A version of Jupyter Server whose answers these are like. */
const VERSION = "2.17.0";

/** A page of any website can have its own name lead to this computer. What it then asks for bears that name. */
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

const KERNEL = "python3";
const KERNELS = {
  default: KERNEL,
  kernelspecs: {
    [KERNEL]: {
      name: KERNEL,
      spec: {
        argv: ["python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name: "Python 3 (ipykernel)",
        language: "python",
        env: {},
        interrupt_mode: "signal",
        metadata: {},
      },
      resources: {},
    },
  },
};

function refuse(status: number, message: string): Answer {
  return answerJson(status, { message, reason: null });
}

function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}

/** As Jupyter takes it: in the address or in a header. */
function readToken(request: IncomingMessage, query: URLSearchParams): string {
  const [, inHeader] = /^(?:token|bearer) +(.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  return inHeader ?? query.get("token") ?? "";
}

function showPage({ id }: Notebook, model: Model | undefined): Answer | undefined {
  if (model?.type !== "directory") return undefined;
  return {
    status: 200,
    type: "text/html; charset=utf-8",
    body: drawPage(id, model),
    headers: { "content-security-policy": PAGE_POLICY },
  };
}

/** Undefined for what isn't here. */
function answerPath(notebook: Notebook, path: string, query: URLSearchParams): Answer | undefined {
  const now = new Date().toISOString();
  switch (path) {
    case "/":
      return { ...answerPlain(302, ""), headers: { location: `/lab?${query}` } };
    case "/api/status":
      return answerJson(200, { started: now, last_activity: now, connections: 0, kernels: 0 });
    case "/api/kernelspecs":
      return answerJson(200, KERNELS);
    case "/api/kernels":
    case "/api/sessions":
      return answerJson(200, []);
  }
  const [, place, inside = ""] = /^(\/api\/contents|\/lab\/tree|\/lab|\/tree)(?:\/(.*))?$/.exec(path) ?? [];
  if (place === undefined) return undefined;
  const model = findContents(notebook.folder, inside);
  if (place !== "/api/contents") return showPage(notebook, model);
  return model && answerJson(200, model);
}

function answerRequest(notebook: Notebook, request: IncomingMessage): Answer {
  if (!OWN_HOST.test(request.headers.host ?? "")) return refuse(403, "Blocked a request for another host");
  const [path = "/", search = ""] = (request.url ?? "/").split(/\?(.*)/s);
  const isRead = request.method === "GET" || request.method === "HEAD";
  // The only question that Jupyter answers to anyone.
  if (isRead && path === "/api") return answerJson(200, { version: VERSION });
  const query = new URLSearchParams(search);
  if (!isSame(readToken(request, query), notebook.token)) return refuse(403, "Forbidden");
  if (!isRead) return refuse(405, "The sandbox's notebook server runs no kernels and changes no files");
  return answerPath(notebook, path, query) ?? refuse(404, "Not Found");
}

function writeAnswer(notebook: Notebook, request: IncomingMessage, response: ServerResponse): void {
  const { status, type, body, headers } = answerRequest(notebook, request);
  // The token may be in the address, so nothing that is followed from here may be told of it.
  const always = { "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" };
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "content-type": type, "content-length": length, ...always, ...headers });
  response.end(request.method === "HEAD" ? "" : body);
}

/** A server that doesn't listen on its own: connections are handed to it. */
export function createNotebookServer(notebook: Notebook): Server {
  return createServer((request, response) => writeAnswer(notebook, request, response));
}
