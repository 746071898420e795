// Deliberate faults: each row says where a fault applies and what it does.
import { answerJson, answerPlain, BAD_GATEWAY } from "../base/answer.ts";
import { buildErrorBody } from "../base/refusal.ts";
import { type RouteName, routes } from "../base/routes.ts";
import * as answers from "./fault-answers.ts";
import * as wires from "./fault-wires.ts";

export interface Fault {
  /** Description for `--help`. */
  readonly says: string;
  /**
   * The endpoints it applies to unless `name@endpoint` says otherwise. `ssh` is no endpoint: it applies to the machines
   * that can be logged in to.
   */
  readonly on: readonly RouteName[] | "everything" | "ssh";
  /** What happens to the request itself. `late` waits until the client has given up. */
  readonly runs: "once" | "not" | "twice" | "late";
  /** Replaces the true response. */
  readonly change?: answers.Change;
  /** Replaces the way the response is written. */
  readonly wire?: wires.Wire;
  /** The response waits 3 s. */
  readonly delayed?: true;
}

const ALL = "everything";
const SSH = "ssh";
const CREATE = ["createInstance", "createInstances", "launchInstance"] as const;
const LISTS = ["listInstances", "listInstancesV0"] as const;
const HTML = "<!doctype html><html><head><title>Please wait</title></head><body>Checking your browser…</body></html>";
/** Another origin, where nothing listens. */
const ELSEWHERE = { location: "http://localhost:9/elsewhere" };

export const FAULTS = {
  "create-lost": {
    says: "create is carried out, its answer lost",
    on: CREATE,
    runs: "once",
    wire: wires.resetConnection,
  },
  "create-502": {
    says: "create is carried out, a gateway answers",
    on: CREATE,
    runs: "once",
    change: answers.answerInstead(BAD_GATEWAY),
  },
  slow: { says: "every answer takes 3 s", on: ALL, runs: "once", delayed: true },
  down: { says: "nothing answers", on: ALL, runs: "not", wire: wires.resetConnection },
  "500": {
    says: "server error, nothing carried out",
    on: ALL,
    runs: "not",
    change: answers.answerRefusal(500, "internal_error", "Internal server error"),
  },
  "502-html": {
    says: "a gateway's page, nothing carried out",
    on: ALL,
    runs: "not",
    change: answers.answerInstead(BAD_GATEWAY),
  },
  "404-html": {
    says: "a gateway's bare 404, nothing carried out",
    on: ALL,
    runs: "not",
    change: answers.answerInstead({ status: 404, type: "text/html", body: "<h1>404 Not Found</h1>" }),
  },
  "503-retry": {
    says: "busy, Retry-After: 1",
    on: ALL,
    runs: "not",
    change: answers.answerInstead({
      ...answerJson(503, buildErrorBody("unavailable", "Service unavailable")),
      headers: { "retry-after": "1" },
    }),
  },
  "429": { says: "too many requests, as plain text", on: ALL, runs: "not", change: answers.tooFast },
  "401": {
    says: "the key is refused",
    on: ALL,
    runs: "not",
    change: answers.answerRefusal(401, "auth_error", "Invalid user key"),
  },
  "403": {
    says: "the key lacks a permission",
    on: ALL,
    runs: "not",
    change: answers.answerRefusal(403, "not_authorized", "This key lacks the permission instance_write"),
  },
  truncated: { says: "the answer ends in the middle", on: ALL, runs: "once", wire: wires.truncateBody },
  "html-200": {
    says: "a web page with status 200",
    on: ALL,
    runs: "once",
    change: answers.answerInstead({ status: 200, type: "text/html", body: HTML }),
  },
  empty: {
    says: "status 200 without a body",
    on: ALL,
    runs: "once",
    change: answers.answerInstead({ status: 200, type: "application/json", body: "" }),
  },
  "null-body": {
    says: "the body is null",
    on: ALL,
    runs: "once",
    change: answers.answerInstead(answerJson(200, null)),
  },
  "success-true-without-id": {
    says: "create succeeds without new_contract",
    on: CREATE,
    runs: "once",
    change: answers.withoutId,
  },
  "success-false-with-id": {
    says: "create says false, with new_contract",
    on: CREATE,
    runs: "once",
    change: answers.answerFalseWithId,
  },
  "id-as-string": { says: "new_contract is text", on: CREATE, runs: "once", change: answers.answerIdAsString },
  "id-of-other": { says: "new_contract is somebody else's", on: CREATE, runs: "once", change: answers.answerIdOfOther },
  "unsafe-id": {
    says: "new_contract cannot be held exactly",
    on: CREATE,
    runs: "once",
    change: answers.answerUnsafeId,
  },
  "status-strange": {
    says: "actual_status is a word nobody knows",
    on: ["getInstance", ...LISTS],
    runs: "once",
    change: answers.answerStrangeStatus,
  },
  "without-uptime": {
    says: "nobody is told for how long an instance has run",
    on: ["getInstance", ...LISTS],
    runs: "once",
    change: answers.withoutUptime,
  },
  "stopped-is-exited": {
    says: "what somebody stopped is called exited, as public services do",
    on: ["getInstance", ...LISTS],
    runs: "once",
    change: answers.callStoppedExited,
  },
  "huge-body": { says: "50 MB of JSON", on: ALL, runs: "once", wire: wires.sendHuge },
  "endless-drip": { says: "a byte now and then, for ever", on: ALL, runs: "once", wire: wires.sendSlowly },
  "gzip-bomb": { says: "1 MB of gzip that unpacks to 1 GB", on: ALL, runs: "once", wire: wires.sendGzipBomb },
  "invalid-utf8": { says: "bytes that are no text", on: ALL, runs: "once", change: answers.answerInvalidUtf8 },
  "wrong-content-type": {
    says: "good JSON called text/plain",
    on: ALL,
    runs: "once",
    change: (answer) => ({ ...answer, type: "text/plain" }),
  },
  redirect: {
    says: "302 to another origin",
    on: ALL,
    runs: "not",
    change: answers.answerInstead({ ...answerPlain(302, ""), headers: ELSEWHERE }),
  },
  "reset-before": { says: "connection reset, nothing carried out", on: ALL, runs: "not", wire: wires.resetConnection },
  "reset-after": { says: "connection reset, all carried out", on: ALL, runs: "once", wire: wires.resetConnection },
  silence: { says: "no answer at all, nothing carried out", on: ALL, runs: "not", wire: wires.sendNothing },
  "late-execution": {
    says: "carried out only after the client gave up",
    on: CREATE,
    runs: "late",
    wire: wires.resetConnection,
  },
  twice: { says: "the network repeats the request", on: CREATE, runs: "twice" },
  "lagging-list": {
    says: "new instances are missing from the first two lists",
    on: LISTS,
    runs: "once",
    change: answers.hideNewInstances,
  },
  "ssh-late": { says: "a machine that runs accepts no connection for 3 s", on: SSH, runs: "once" },
  "ssh-silent": { says: "a machine accepts connections and says nothing", on: SSH, runs: "once" },
  "ssh-other-key": { says: "a machine has another host key than before", on: SSH, runs: "once" },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;
/** A fault at its own endpoints, or at one endpoint only. */
export type FaultSpec = FaultName | `${FaultName}@${RouteName}`;

function parts(spec: string): { readonly name: string; readonly endpoint: string | undefined } {
  const [name = "", endpoint] = spec.split("@");
  return { name, endpoint };
}

export function isFaultSpec(spec: string): spec is FaultSpec {
  const { name, endpoint } = parts(spec);
  if (!Object.hasOwn(FAULTS, name)) return false;
  if (endpoint === undefined) return true;
  return Object.hasOwn(routes, endpoint) && FAULTS[name as FaultName].on !== "ssh";
}

function strikes(fault: Fault, only: string | undefined, endpoint: RouteName | undefined): boolean {
  if (only !== undefined) return only === endpoint;
  if (fault.on === "ssh") return false;
  return fault.on === "everything" || (endpoint !== undefined && fault.on.includes(endpoint));
}

/** The active faults for an endpoint; undefined stands for an unknown path. */
export function listFaults(active: Iterable<FaultSpec>, endpoint: RouteName | undefined): readonly Fault[] {
  return [...active].flatMap((spec) => {
    const { name, endpoint: only } = parts(spec);
    const fault: Fault | undefined = FAULTS[name as FaultName];
    return strikes(fault, only, endpoint) ? [fault] : [];
  });
}
