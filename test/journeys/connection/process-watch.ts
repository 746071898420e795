// What this process does beside its own work: the programs that it starts, with all that they are given, and the files that it opens.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { cleanUp } from "../support.ts";

/** Texts that were seen, each once. */
export interface Seen {
  /** Arguments and environments of the programs that this process started and of those that they started. */
  readonly ours: ReadonlySet<string>;
  /** Arguments of what runs on the sandbox's machines, whose environment is their own business. */
  readonly there: ReadonlySet<string>;
}

/** A program of a machine has its folder as its home. */
const OF_A_MACHINE = /(?:^|\0)HOME=[^\0]*cloud-gpu-machine-/;
/** Milliseconds. What this process starts is told; what those start is looked for. */
const EVERY = 20;

interface Spawning {
  readonly options: { readonly args: readonly string[]; readonly envPairs: readonly string[] };
}

/** Sees every program from now on. Those that weren't started by this process itself are seen on Linux only, if they stay a while. */
export function watchProcesses(): Seen {
  const [ours, there] = [new Set<string>(), new Set<string>()];
  const note = (args: string, environment: string) => {
    if (OF_A_MACHINE.test(environment)) return void there.add(args);
    ours.add(args).add(environment);
  };
  const onSpawn = (message: unknown) => {
    const { options } = message as Spawning;
    note(options.args.join("\0"), options.envPairs.join("\0"));
  };
  subscribe("tracing:child_process.spawn:start", onSpawn);
  const look = () => {
    for (const id of descendantsOf(process.pid)) note(readIf(`/proc/${id}/cmdline`), readIf(`/proc/${id}/environ`));
  };
  const timer = process.platform === "linux" ? setInterval(look, EVERY) : undefined;
  cleanUp(() => {
    unsubscribe("tracing:child_process.spawn:start", onSpawn);
    clearInterval(timer);
  });
  return { ours, there };
}

/** Empty for a program that has ended. */
function readIf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function descendantsOf(id: number): readonly number[] {
  const children = tasksOf(id).flatMap((task) => readIf(`/proc/${id}/task/${task}/children`).split(" "));
  return children.filter((child) => child !== "").flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

function tasksOf(id: number): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/task`);
  } catch {
    return [];
  }
}

/** Notes the paths that this process opens or copies without waiting for them. @returns what ends it and gives them back. */
export async function watchOpenedFiles(): Promise<() => Promise<ReadonlySet<string>>> {
  const session = new Session();
  session.connect();
  const paths = new Set<string>();
  session.on("NodeTracing.dataCollected", ({ params }) => {
    for (const { name, args } of params.value as readonly Traced[])
      if (name === "open" || name === "copyfile")
        for (const path of [args?.path, args?.src]) if (path !== undefined) paths.add(path);
  });
  await session.post("NodeTracing.start", { traceConfig: { includedCategories: ["node.fs.async"] } });
  return async () => {
    const complete = new Promise((resolve) => session.once("NodeTracing.tracingComplete", resolve));
    await session.post("NodeTracing.stop");
    await complete;
    session.disconnect();
    return paths;
  };
}

interface Traced {
  readonly name: string;
  readonly args?: { readonly path?: string; readonly src?: string };
}
