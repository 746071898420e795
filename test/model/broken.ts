// Fourteen ways to get the launch protocol wrong. The model must catch each: a test that passes a broken protocol proves nothing.
import { writeFile } from "node:fs/promises";
import type { Client } from "../../src/api/client.ts";
import { AppError, asAppError } from "../../src/domain/base/error.ts";
import type { Disk } from "../../src/services/core/book/disk.ts";
import type { Breakage } from "./life.ts";
import { withoutIntention } from "./without-intention.ts";

type Create = Client["createInstance"];

const withCreate = (client: Client, create: (original: Create) => Create): Client => ({
  ...bound(client),
  createInstance: create(client.createInstance.bind(client)),
});

/** A client as a plain object: spreading a proxy would not ask it for its operations. */
function bound(client: Client): Client {
  return Object.fromEntries(Object.keys(client).map((name) => [name, client[name as keyof Client]])) as Client;
}

/** What the error says as if it were proven that nothing left. */
function asFinal(error: AppError): AppError {
  return new AppError("rejected", error.message, { ...error.facts, notSent: true });
}

const later = (disk: Disk, flush: { writes: (() => Promise<unknown>)[] }): Disk => ({
  ...disk,
  create: async (path, text) => {
    if (!/\.(prepared|claimed)$/.test(path)) return disk.create(path, text);
    flush.writes.push(() => disk.create(path, text));
    return true;
  },
});

export const BROKEN: Readonly<Record<string, () => Breakage>> = {
  "sends three times": () => ({
    client: (client) =>
      withCreate(client, (create) => async (offer, body) => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await create(offer, body);
          } catch (error) {
            if (attempt === 3 || asAppError(error).kind !== "outcome-unknown") throw error;
          }
        }
      }),
  }),
  "sends again when the list is empty": () => ({
    client: (client) =>
      withCreate(client, (create) => async (offer, body) => {
        try {
          return await create(offer, body);
        } catch (error) {
          const listed = await client.listInstances(undefined).catch(() => undefined);
          if (asAppError(error).kind !== "outcome-unknown" || listed?.rows.length !== 0) throw error;
          return create(offer, body);
        }
      }),
  }),
  "writes the journal after the answer": () => {
    const flush: { writes: (() => Promise<unknown>)[] } = { writes: [] };
    return {
      disk: (disk) => later(disk, flush),
      client: (client) =>
        withCreate(client, (create) => async (offer, body) => {
          const answer = await create(offer, body).finally(async () => {
            for (const write of flush.writes.splice(0)) await write();
          });
          return answer;
        }),
    };
  },
  "claims without exclusive create": () => ({
    disk: (disk) => ({
      ...disk,
      create: async (path, text) => {
        if (!/\.(prepared|claimed)$/.test(path)) return disk.create(path, text);
        await writeFile(path, text);
        return true;
      },
    }),
  }),
  "trusts the success flag": () => ({
    client: (client) =>
      withCreate(client, (create) => async (offer, body) => {
        const answer = await create(offer, body);
        if (!answer.success) throw new AppError("rejected", "The service said no.", { notSent: true });
        return answer;
      }),
  }),
  "trusts a 4xx": () => ({
    client: (client) =>
      withCreate(client, (create) => async (offer, body) => {
        try {
          return await create(offer, body);
        } catch (thrown) {
          const error = asAppError(thrown);
          throw (error.facts.status ?? 0) >= 400 && (error.facts.status ?? 0) < 500 ? asFinal(error) : error;
        }
      }),
  }),
  "trusts an id unverified": () => {
    let label = "";
    return {
      client: (client) => ({
        ...withCreate(client, (create) => (offer, body) => {
          label = body.label ?? "";
          return create(offer, body);
        }),
        getInstance: async (id, signal) => {
          const row = await client.getInstance(id, signal).catch(() => undefined);
          const value = { ...row?.value, id, label: row?.value.label ?? label };
          return { value, raw: {} } as Awaited<ReturnType<Client["getInstance"]>>;
        },
      }),
    };
  },
  'stops watching after "not found"': () => ({
    disk: (disk) => ({
      ...disk,
      names: async (folder) => {
        const names = await disk.names(folder);
        const over = new Set(names.filter((name) => name.endsWith(".absent")).map((name) => name.split(".")[0]));
        return names.filter((name) => !over.has(name.split(".")[0]));
      },
    }),
  }),
  "never takes a refusal back": () => ({
    mutes: ({ kind, record }) => kind === "late" && record.facts.has("refused"),
  }),
  "replaces a machine beyond what was allowed": () => ({
    policy: { automatic: true, priceRise: 9, tries: 9 },
  }),
  "rents while the dead machine is still there": () => {
    const gone = new Set<number>();
    return {
      client: (client) => ({
        ...bound(client),
        destroyInstance: async (id) => {
          gone.add(id);
          return "done" as const;
        },
        getInstance: async (id, signal) => (gone.has(id) ? undefined : await client.getInstance(id, signal)),
      }),
    };
  },
  "never looks a second time": () => ({
    disk: (disk) => ({
      ...disk,
      create: async (path, text) => {
        const made = await disk.create(path, text);
        if (/\.rented-\d+$/.test(path)) await disk.create(path.replace(/\.rented-\d+$/, ".looked"), "");
        return made;
      },
    }),
  }),
  "leaves out what was configured": () => ({
    client: (client) =>
      withCreate(
        client,
        (create) =>
          (offer, { env: _, volume_info: __, ...body }) =>
            create(offer, body),
      ),
  }),
  "replaces what its owner stopped": () => ({ client: withoutIntention }),
};
