// What one story of the model plays on: a service, a person's windows, and everything that left or was told.
import { readLaunchToken } from "../../src/domain/instance/instance.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import type { Sandbox } from "../../src/sandbox/start.ts";
import type { Intent } from "../../src/services/launch/intent.ts";
import type { LaunchNotice } from "../../src/services/launch/outcome/launch-notices.ts";
import type { Outcome } from "../../src/services/launch/outcome/launch-outcome.ts";
import { openWindow, type UserData } from "../journeys/editor-window.ts";
import type { Fate } from "./fate.ts";
import { type Breakage, Life } from "./life.ts";
import { POLICY } from "./replacements.ts";

export type Window = ReturnType<typeof openWindow>;

export interface Click {
  readonly intent: Intent;
  readonly life: Life;
  outcome: Outcome | "sent before" | undefined;
}

export class Stage {
  readonly service: Sandbox;
  readonly userData: UserData;
  readonly fate: Fate;
  readonly breakage: Breakage;
  readonly windows: { window: Window; life: Life }[] = [];
  readonly clicks: Click[] = [];
  readonly violations: string[] = [];
  readonly sends = new Map<string, number>();
  /** The launches of a chain of replacements, in their order. */
  readonly chain: string[] = [];
  /** Dead machines of which its person was told that they are being replaced. */
  readonly replaced = new Set<number>();
  /** Instances that their person stopped while they were on their way up. */
  readonly stopped = new Set<number>();
  /** Instances that a request to destroy named. */
  readonly destroyed = new Set<number>();
  /** What is launched, with what was configured of it. */
  reviewed: LaunchPlan | undefined;
  /** What the network still has to deliver. */
  readonly deliveries: Promise<void>[] = [];

  constructor(service: Sandbox, userData: UserData, fate: Fate, breakage: Breakage) {
    this.service = service;
    this.userData = userData;
    this.fate = fate;
    this.breakage = breakage;
  }

  async open(steps = Number.POSITIVE_INFINITY): Promise<{ window: Window; life: Life }> {
    const life = new Life(this.breakage);
    const policy = this.breakage.policy ?? POLICY;
    const window = openWindow(this.userData, { clock: life.clock, disk: life.disk, connect: life.connect, policy });
    const opened = { window, life };
    this.windows.push(opened);
    await window.session.restore();
    life.dieAfter(steps);
    return opened;
  }

  click({ window, life }: { window: Window; life: Life }, plan: LaunchPlan, intent: Intent): Promise<void> {
    const click: Click = { intent, life, outcome: undefined };
    this.clicks.push(click);
    const ended = window.rent(plan, intent).then(
      (outcome) => {
        click.outcome = outcome;
      },
      () => {
        click.outcome = "sent before";
      },
    );
    return Promise.race([ended, life.died]);
  }

  /** Whether the person was told this of the launch, in whichever window. */
  told(token: string, what: (notice: LaunchNotice) => boolean): boolean {
    return this.windows.some(({ window }) =>
      window.notices.some(
        (notice) => notice.record.token === token && what(notice) && this.breakage.mutes?.(notice) !== true,
      ),
    );
  }

  /** Every instance the service holds, by the token of its label. */
  ledger(): Map<string, number[]> {
    const ledger = new Map<string, number[]>();
    for (const { id, label } of this.service.world.listInstances()) {
      const token = readLaunchToken(label ?? undefined);
      if (token !== undefined) ledger.set(token, [...(ledger.get(token) ?? []), id]);
    }
    return ledger;
  }

  /** Model seconds between the first and the last of these rentals. */
  secondsBetween(ids: readonly number[]): number {
    const times = ids.map((id) => this.service.world.findInstance(id)?.createdAt ?? 0);
    return Math.max(...times) - Math.min(...times);
  }

  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.violations.push(`${promise}: ${what}`);
  }
}
