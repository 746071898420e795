// The account's webhooks (interface 4.10).
import type { Webhook } from "../../domain/account/webhook.ts";
import type { Row, Rows } from "../../domain/base/wire.ts";
import type { Clock } from "../../lib/clock.ts";
import { Collection, type ReadableCollection } from "../core/collection.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService } from "../core/session.ts";

export class WebhooksService {
  readonly #collection: Collection<Rows<Webhook>>;

  constructor(session: SessionService, clock: Clock) {
    this.#collection = new Collection({ session, clock, read: ({ client }, signal) => client.listWebhooks(signal) });
  }

  get collection(): ReadableCollection<Rows<Webhook>> {
    return this.#collection;
  }

  get rows(): readonly Row<Webhook>[] {
    return getLast(this.#collection.store.current)?.value.rows ?? [];
  }

  dispose(): void {
    this.#collection.dispose();
  }
}
