// Puts together what sums up the account: its lists, its balance and what it spent.
import type { Bag } from "../../lib/disposable.ts";
import type { Disk } from "../core/book/disk.ts";
import type { Notes } from "../core/notes.ts";
import type { Scheduler } from "../core/scheduler.ts";
import { AccountReadings } from "./account-readings.ts";
import { Balances, type WindowAttention } from "./balances.ts";
import { KeysService } from "./keys.ts";
import { Ledger } from "./ledger.ts";
import { LowBalance } from "./low-balance.ts";
import { PayingService } from "./paying.ts";
import { SpendingService } from "./spending.ts";
import { WebhooksService } from "./webhooks.ts";
import { WhileAway } from "./while-away.ts";

type Parts = Omit<ConstructorParameters<typeof PayingService>[0], "ledger"> &
  ConstructorParameters<typeof Ledger>[0] & {
    readonly scheduler: Scheduler;
    readonly notes: Notes;
    readonly attention?: WindowAttention | undefined;
    readonly disk?: Disk | undefined;
  };

export function assembleAccounts(bag: Bag, parts: Parts) {
  const { session, instances, notes, clock } = parts;
  const webhooks = bag.add(new WebhooksService(session, clock));
  const keys = new KeysService(session);
  const readings = bag.add(new AccountReadings(session, instances, notes));
  const balances = bag.add(new Balances(parts));
  const lowBalance = bag.add(new LowBalance({ ...parts, balances }));
  const ledger = bag.add(new Ledger(parts));
  const whileAway = bag.add(new WhileAway({ ...parts, ledger }));
  const spending = new SpendingService({ ...parts, ledger });
  return {
    webhooks,
    keys,
    readings,
    balances,
    lowBalance,
    ledger,
    whileAway,
    spending,
    paying: new PayingService({ ...parts, ledger }),
  };
}
