// What the client reads from records, field by field of section 2 of the interface document: a good value is kept, a
// doubtful one is absent and costs neither the row nor its other fields, and a row without its ID is counted.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../../../src/api/client.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { Rows } from "../../../src/domain/base/wire.ts";
import { type Recorder, recorder } from "../support/recorder.ts";

type Kind = "integer" | "number" | "string" | "boolean" | "strings" | "filters";
type Values = Readonly<Record<string, unknown>>;

const GOOD: Readonly<Record<Kind, unknown>> = {
  integer: 7,
  number: 0.5,
  string: "text",
  boolean: true,
  strings: ["low_disk_space", "near_end_date"],
  filters: { gpu_ram: { gte: 24000 } },
};
const WRONG: Readonly<Record<Kind, readonly unknown[]>> = {
  integer: ["7", 7.5, true, [], {}],
  number: ["0,5", "half", "1e3", "", true, [], {}],
  string: [7, true, [], {}],
  boolean: ["true", 1, [], {}],
  strings: ["low_disk_space", 7, {}, [7]],
  filters: ["gpu_ram", 7, [], { gpu_ram: { about: 1 } }],
};

interface Section {
  readonly section: string;
  readonly what: string;
  readonly fields: Readonly<Record<string, Kind>>;
  /** What the list of this resource looks like on the wire, and how the client is asked for it. */
  readonly answer: (record: Values) => object;
  readonly read: (client: Client) => Promise<Rows<object>>;
}

const one = async (client: Client): Promise<Rows<object>> => {
  const row = await client.getInstance(41 as InstanceId);
  return { rows: row ? [row] : [], unreadable: 0 };
};

const SECTIONS: readonly Section[] = [
  {
    section: "2.1",
    what: "offer",
    fields: {
      gpu_name: "string",
      num_gpus: "integer",
      dph_total: "number",
      gpu_ram: "number",
      reliability: "number",
      verified: "boolean",
      rentable: "boolean",
      cuda_max_good: "number",
    },
    answer: (record) => ({ offers: [record] }),
    read: async (client) => {
      const { rows, unreadable } = await client.searchOffers({});
      return { rows, unreadable };
    },
  },
  {
    section: "2.2",
    what: "instance",
    fields: { actual_status: "string", label: "string" },
    answer: (record) => ({ instances: record }),
    read: one,
  },
  {
    section: "2.3",
    what: "template",
    fields: { name: "string", image: "string", tag: "string", desc: "string", extra_filters: "filters" },
    answer: (record) => ({ success: true, templates: [{ hash_id: "abc", ...record }] }),
    read: (client) => client.searchTemplates({}),
  },
  {
    section: "2.5",
    what: "webhook",
    fields: {
      user_id: "integer",
      name: "string",
      webhook_url: "string",
      event_types: "strings",
      created_at: "number",
      updated_at: "number",
    },
    answer: (record) => ({ success: true, webhooks: [record] }),
    read: (client) => client.listWebhooks(),
  },
  {
    section: "2.6",
    what: "workergroup",
    fields: {
      min_load: "number",
      target_util: "number",
      cold_mult: "number",
      cold_workers: "integer",
      template_hash: "string",
      template_id: "integer",
      search_query: "filters",
      launch_args: "string",
      gpu_ram: "number",
      endpoint_name: "string",
      endpoint_id: "integer",
      api_key: "string",
      created_at: "number",
      user_id: "integer",
    },
    answer: (record) => ({ success: true, results: [record] }),
    read: (client) => client.listWorkergroups(),
  },
];

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

const NO_ID = [null, undefined, 0, -1, 1.5, "", "x", true, [], {}, "9007199254740993"];
const NO_HASH = [null, "", "a\u0000b", "a\nb", "\u202ea", "\ud800", "a\u2028b", 7, true, [], {}, "x".repeat(257)];

const isAbsent = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);

for (const { section, what, fields, answer, read } of SECTIONS) {
  const whole: Values = {
    id: 41,
    ...Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, GOOD[kind]])),
  };
  const value = async (record: Values): Promise<Values> => {
    server.answer(200, answer(record));
    const { rows, unreadable } = await read(server.client);
    assert.equal(unreadable, 0);
    assert.equal(rows.length, 1, "the row is kept");
    const [row] = rows;
    return { ...(row as { value: object }).value } as Values;
  };

  describe(`${section} ${what}`, () => {
    for (const [name, kind] of Object.entries(fields)) {
      test(`${section} ${name}: a ${kind} is read; wrong, null and missing are absent, the rest is kept`, async () => {
        assert.deepEqual((await value(whole))[name], GOOD[kind]);
        // Some services write numbers as text.
        if (kind === "number") assert.equal((await value({ ...whole, [name]: "0.5" }))[name], 0.5);
        const { [name]: _, ...missing } = whole;
        for (const record of [missing, ...[null, ...WRONG[kind]].map((wrong) => ({ ...whole, [name]: wrong }))]) {
          const read = await value(record);
          assert.ok(
            isAbsent(read[name]),
            `${JSON.stringify(record[name as keyof typeof record])} was taken for a ${kind}`,
          );
          for (const other of Object.keys(fields))
            if (other !== name) assert.deepEqual(read[other], GOOD[fields[other] as Kind]);
        }
      });
    }

    test(`${section} unknown fields change nothing`, async () => {
      const read = await value({ ...whole, frobnicate: { deep: [1] }, __proto__x: 1 });
      for (const [name, kind] of Object.entries(fields)) assert.deepEqual(read[name], GOOD[kind]);
    });

    const [key, bad] = section === "2.3" ? (["hash_id", NO_HASH] as const) : (["id", NO_ID] as const);
    test(`${section} ${key}: without one there is no row; it is counted where there is a list`, async () => {
      for (const wrong of bad) {
        server.answer(200, answer({ ...whole, [key]: wrong }));
        const rows = await read(server.client).catch(() => undefined);
        assert.ok(rows === undefined || rows.rows.length === 0, JSON.stringify(wrong));
        if (section !== "2.2") assert.equal(rows?.unreadable, 1, JSON.stringify(wrong));
      }
    });
  });
}
