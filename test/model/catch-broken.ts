// The tests that a broken variant is caught: one that passes proves nothing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Breakage } from "./life.ts";
import { type Options, playMany } from "./many.ts";

interface Variants<B extends Breakage> {
  readonly broken: Readonly<Record<string, () => B>>;
  /** Fates that show it. They are tried first; should a change of the model make them harmless, others are. */
  readonly seeds: Readonly<Record<string, readonly number[]>>;
  readonly story?: Options<B>["story"];
}

export function catchBroken<B extends Breakage>(title: string, { broken, seeds, story }: Variants<B>): void {
  describe(title, { concurrency: 3 }, () => {
    for (const [name, breakage] of Object.entries(broken)) {
      test(name, async (context) => {
        const { launches: stories, violations } = await playMany({
          seeds: seeds[name] ?? [],
          count: 400,
          breakage,
          untilCaught: true,
          ...(story ? { story } : {}),
        });
        context.diagnostic(`after ${stories} stories: ${violations[0]}`);
        assert.ok(violations.length > 0);
      });
    }
  });
}
