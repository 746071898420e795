// Ways to get a run wrong. The model must catch each: a test that passes broken runs proves nothing.
import type { Client } from "../../../src/api/client.ts";
import { asAppError } from "../../../src/domain/base/error.ts";
import { ANSWER_MARK } from "../../../src/domain/connection/machine-answer.ts";
import { ALONE } from "../../../src/domain/run/run-script.ts";
import type { Misreading } from "./far-ssh.ts";
import type { Command } from "./run-fate.ts";
import type { RunBreakage, RunStage } from "./run-stage.ts";

/** What a variant makes of the answers to one command. */
const misreading =
  (command: string, read: (answer: string, stage: RunStage) => string): (() => RunBreakage) =>
  () => ({
    misread:
      (stage): Misreading =>
      (name, answer) =>
        name === command ? read(answer, stage) : answer,
  });

/** A client as a plain object: spreading a proxy wouldn't ask it for its operations. */
const plainly = (client: Client): Client =>
  Object.fromEntries(Object.keys(client).map((name) => [name, client[name as keyof Client]])) as Client;

type Row = NonNullable<Awaited<ReturnType<Client["getInstance"]>>>;

const LASTING: Command = { exit: 0, lasts: 90, files: 1, leaves: false, vanishes: false };

export const BROKEN_RUNS: Readonly<Record<string, () => RunBreakage>> = {
  "rents again when the answer is lost": () => ({
    client: (client) => ({
      ...plainly(client),
      createInstance: async (offer, body) => {
        try {
          return await client.createInstance(offer, body);
        } catch (error) {
          if (asAppError(error).kind !== "outcome-unknown") throw error;
          return await client.createInstance(offer, body);
        }
      },
    }),
  }),
  "writes the run down once its machine is up": () => ({
    writesLate: true,
    fate: { ending: { kind: "killed", stage: "renting", steps: 22 }, diesAtStart: false },
  }),
  "begins again when the answer is lost": () => ({ beginsAgain: true }),
  "takes the runs of living windows": () => ({
    takesOver: true,
    fate: { second: 60, ending: undefined, diesAtStart: false, command: LASTING },
  }),
  "compares what is here with itself": () => ({ comparesHere: true }),
  "takes a list for whole that isn't": misreading("list", (answer) =>
    answer.endsWith("\0end\0") ? answer : `${answer}\0end\0`,
  ),
  "downloads nothing": misreading("list", () => `${ANSWER_MARK} results\n\0\0end\0`),
  "overlooks links that lead out": misreading("list", (answer) => answer.replace("./out\0/\0", "")),
  "overlooks what still runs": misreading("state", (answer) => answer.replace(" left\n", "\n")),
  "overlooks the runs of others": misreading("others", () => `${ANSWER_MARK} ${ALONE}\n`),
  "takes no exit code for a good one": misreading("state", (answer) => answer.replace(" lost\n", " ended 0 1\n")),
  "takes every failure for the same": misreading("state", (answer) => answer.replace(/ended [1-9]\d*/, "ended 1")),
  "doesn't look at the label": () => {
    const labels = new Map<number, string>();
    const keep = (row: Row): Row => {
      const { id, label = "" } = row.value;
      if (/^vsc-/.test(label)) labels.set(id, label);
      return { ...row, value: { ...row.value, label: labels.get(id) ?? label } };
    };
    return {
      client: (client) => ({
        ...plainly(client),
        getInstance: async (id, signal) => {
          const row = await client.getInstance(id, signal);
          return row && keep(row);
        },
      }),
    };
  },
  "destroys another machine": () => ({
    client: (client) => ({
      ...plainly(client),
      destroyInstance: (id) => client.destroyInstance((id - 1) as typeof id),
    }),
  }),
  "destroys what was to be kept": () => ({ whenDone: "destroy" }),
  "destroys what was to be stopped": () => ({
    client: (client) => ({
      ...plainly(client),
      setInstanceState: async (id) => {
        await client.destroyInstance(id);
        return "done";
      },
    }),
  }),
  "stops what was to be kept": () => ({ whenDone: "stop" }),
  "destroys without an answer": () => ({ asksNobody: true }),
};
