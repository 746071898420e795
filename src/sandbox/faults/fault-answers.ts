// Faults that change an otherwise normal response: other statuses, other IDs, other bytes.
import { type Answer, answerJson, answerPlain } from "../base/answer.ts";
import { buildErrorBody, isRecord } from "../base/refusal.ts";

/** `memory` lives as long as the server and counts how often each instance was left out of a list. */
export type Change = (answer: Answer, memory: Map<number, number>) => Answer;

const NOT_MINE = 30_999_999;
const TIMES_HIDDEN = 2;

/** Changes the object in a successful response. Other responses stay as they are. */
function edit(answer: Answer, change: (body: Record<string, unknown>) => unknown): Answer {
  const value: unknown = answer.status === 200 && typeof answer.body === "string" ? JSON.parse(answer.body) : undefined;
  return isRecord(value) ? answerJson(200, change(value)) : answer;
}

export const answerInstead =
  (answer: Answer): Change =>
  () =>
    answer;

export const answerRefusal = (status: number, code: string, message: string): Change =>
  answerInstead(answerJson(status, buildErrorBody(code, message)));

export const tooFast = answerInstead(answerPlain(429, "API requests too frequent: endpoint threshold=4.5"));

/** Changes what is said of a rental in a successful response: of the one, or of each that came about of several. */
const editRentals =
  (change: (rental: Record<string, unknown>) => unknown): Change =>
  (answer) =>
    edit(answer, (body) => {
      if (!Array.isArray(body.results)) return change(body);
      const changed = (row: unknown) => (isRecord(row) && row.success === true ? change(row) : row);
      return { ...body, results: body.results.map(changed) };
    });

export const withoutId = editRentals(({ new_contract: _, instance_api_key: __, ...rest }) => ({
  ...rest,
  success: true,
}));

export const answerFalseWithId = editRentals(({ instance_api_key: _, ...rest }) => ({
  ...rest,
  ...buildErrorBody("resources_unavailable", "Required resources are currently unavailable, state change queued."),
}));

export const answerIdAsString = editRentals((rental) => ({ ...rental, new_contract: String(rental.new_contract) }));

export const answerIdOfOther = editRentals((rental) => ({ ...rental, new_contract: NOT_MINE }));

/** JSON.stringify would round the number, so the digits are inserted as text. */
export const answerUnsafeId: Change = (answer) => ({
  ...answer,
  body: String(answer.body).replace(/"new_contract":\d+/g, '"new_contract":9007199254740993'),
});

/** Changes the instances of a successful response: those of a list, or the one that was asked for. */
const editInstances =
  (change: (record: Record<string, unknown>) => unknown): Change =>
  (answer) => {
    const changed = (record: unknown) => (isRecord(record) ? change(record) : record);
    return edit(answer, ({ instances, ...body }) => ({
      ...body,
      instances: Array.isArray(instances) ? instances.map(changed) : changed(instances),
    }));
  };

export const answerStrangeStatus = editInstances((record) => ({ ...record, actual_status: "frobnicating" }));

export const withoutUptime = editInstances(({ uptime_mins: _, ...rest }) => rest);

export const callStoppedExited = editInstances((record) =>
  record.actual_status === "stopped" && record.intended_status === "stopped"
    ? { ...record, actual_status: "exited" }
    : record,
);

/** Bytes that aren't valid UTF-8, inside a string of otherwise good JSON. */
export const answerInvalidUtf8: Change = (answer) => {
  const text = String(answer.body);
  const end = text.lastIndexOf("}");
  const parts = end < 0 ? [text, ""] : [`${text.slice(0, end)},"note":"`, `"${text.slice(end)}`];
  return {
    ...answer,
    body: Buffer.concat([Buffer.from(parts[0] ?? ""), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(parts[1] ?? "")]),
  };
};

/** A list that lags behind: a new instance is missing from the first lists. */
export const hideNewInstances: Change = (answer, memory) =>
  edit(answer, (body) => {
    if (!Array.isArray(body.instances)) return body;
    const instances = (body.instances as { readonly id: number }[]).filter(({ id }) => {
      const times = memory.get(id) ?? 0;
      memory.set(id, times + 1);
      return times >= TIMES_HIDDEN;
    });
    const hidden = body.instances.length - instances.length;
    const total = typeof body.total_instances === "number" ? { total_instances: body.total_instances - hidden } : {};
    return { ...body, ...total, instances_found: instances.length, instances };
  });
