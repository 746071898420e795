// The secrets of runs: kept in the editor's secret storage by project and name, and nowhere else. They are the person's, whichever
// account they are signed in to.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../domain/base/error.ts";
import { parseSecretValue, type RunSecretNames, type SecretValues } from "../../domain/run/run-secrets.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { rememberSecret } from "../../lib/redact.ts";
import { LEAST_MASKED } from "../../lib/secret-masker.ts";
import { createQueue } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { takeTurn } from "../core/book/turn-file.ts";
import type { DraftSecrets } from "../template/draft-store.ts";

/** Values by project and name. */
const Kept = z.record(z.string(), z.record(z.string(), z.string()));
type Kept = z.infer<typeof Kept>;

const ENTRY = "run-secrets";

interface Parts {
  readonly draftSecrets: DraftSecrets;
  /** Where windows take turns; nothing of a secret is in there. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KeptSecret {
  readonly project: string;
  readonly name: string;
}

interface MaskedSecrets {
  readonly values: readonly string[];
  readonly missing: readonly string[];
}

export class RunSecrets {
  readonly #parts: Parts;
  readonly #inTurn = createQueue();
  /** Values that this window knew: a run may still have one that was replaced or forgotten. */
  readonly #seen = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Which are kept, by project and name. @throws the storage's error. */
  async list(): Promise<readonly KeptSecret[]> {
    const kept = await this.#read();
    const all = Object.entries(kept).map(([project, own]) => Object.keys(own).map((name) => ({ project, name })));
    return all.flat().sort((a, b) => compare(a.project, b.project) || compare(a.name, b.name));
  }

  /** The names of one project. @throws the storage's error. */
  async listNames(project: string): Promise<readonly string[]> {
    return (await this.list()).filter((one) => one.project === project).map(({ name }) => name);
  }

  /** Those of a run that are kept. @throws the storage's error. */
  async find({ project, names }: RunSecretNames): Promise<SecretValues> {
    const own = new Map(Object.entries((await this.#read())[project] ?? {}));
    const found = new Map<string, string>();
    for (const name of names) {
      const value = own.get(name);
      if (value !== undefined) found.set(name, value);
    }
    return found;
  }

  /** What is masked in the output of a run, and the names of what can't be. Never rejects: some are better than none. */
  async listMasked(secrets: RunSecretNames | undefined): Promise<MaskedSecrets> {
    if (!secrets) return { values: [], missing: [] };
    const found = await this.find(secrets).catch((error): SecretValues => {
      this.#parts.log.warn("The secrets of a run cannot be read.", error);
      return new Map();
    });
    return { values: [...this.#seen], missing: secrets.names.filter((name) => !found.has(name)) };
  }

  /** All of a run's. @throws AppError `rejected` that names those that are missing; the storage's error. */
  async require(secrets: RunSecretNames | undefined): Promise<SecretValues> {
    if (!secrets) return new Map();
    const found = await this.find(secrets);
    const missing = secrets.names.filter((name) => !found.has(name));
    if (missing.length > 0)
      throw new AppError(
        "rejected",
        t("The run needs the value of {0}. Add it with Manage Run Secrets…, then run this again.", missing.join(", ")),
      );
    return found;
  }

  /** Keeps a value, in place of an earlier one. @throws AppError `rejected` for a value that can't be one; the storage's error. */
  async keep({ project, name }: KeptSecret, value: string): Promise<void> {
    parseSecretValue(value);
    await this.#change((kept) => ({ ...kept, [project]: { ...kept[project], [name]: value } }));
  }

  /** @throws the storage's error. */
  async forget({ project, name }: KeptSecret): Promise<void> {
    await this.#change((kept) => {
      const { [project]: own = {}, ...others } = kept;
      const { [name]: _, ...left } = own;
      return Object.keys(left).length === 0 ? others : { ...others, [project]: left };
    });
  }

  /** Windows share one entry: each begins with what the others wrote. */
  async #change(change: (kept: Kept) => Kept): Promise<void> {
    const { draftSecrets, folder, clock } = this.#parts;
    await this.#inTurn(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await takeTurn(join(folder, `.${ENTRY}.turn`), clock, async () => {
        const now = change(await this.#read());
        if (Object.keys(now).length === 0) await draftSecrets.remove(ENTRY);
        else await draftSecrets.store(ENTRY, JSON.stringify(now));
      });
    });
  }

  async #read(): Promise<Kept> {
    const text = await this.#parts.draftSecrets.read(ENTRY);
    if (text === undefined) return {};
    const kept = readKept(text);
    // What can't be read is of no use to anyone, and the person is asked for it again.
    if (!kept) this.#parts.log.warn("The secrets of runs are stored in a form that this version cannot read.");
    for (const own of Object.values(kept ?? {}))
      for (const value of Object.values(own)) {
        this.#seen.add(value);
        if (value.length >= LEAST_MASKED) rememberSecret(value);
      }
    return kept ?? {};
  }
}

function readKept(text: string): Kept | undefined {
  try {
    return Kept.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
