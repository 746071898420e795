// The overlay networks of the account: listed, created and deleted. What was asked for is read back from the list.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { findOverlay, type Overlay, type OverlayWish } from "../../domain/instance/overlay.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceRow, InstancesService } from "../instance/instances.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly clock: Clock;
}

/** A network and the instances in it: what the service says of it, and what their own records say. */
export interface OverlayFacts {
  readonly overlay: Overlay;
  readonly raw: Row<Overlay>["raw"];
  /** In the order of their IDs. */
  readonly members: readonly { readonly id: InstanceId; readonly row: InstanceRow | undefined }[];
}

export class OverlaysService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By name. @throws AppError `unsupported` at a service without networks. */
  async list(account: SignedIn, signal?: AbortSignal): Promise<readonly OverlayFacts[]> {
    const { session, instances } = this.#parts;
    session.assertStill(account);
    const [{ rows, unreadable }] = await Promise.all([
      account.client.listOverlays(signal),
      instances.collection.getKnown(),
    ]);
    session.assertStill(account);
    if (unreadable > 0)
      throw new AppError("unexpected-reply", t("Overlay networks that couldn't be read: {0}.", unreadable));
    return rows
      .map(({ value, raw }) => ({ overlay: value, raw, members: this.#membersOf(value) }))
      .sort((a, b) => a.overlay.name.localeCompare(b.overlay.name));
  }

  #membersOf({ name, instances: told = [] }: Overlay): OverlayFacts["members"] {
    const { instances } = this.#parts;
    const own = instances.rows.filter(({ value, gone }) => !gone && findOverlay(value.extra_env) === name);
    const ids = new Set<InstanceId>([...told, ...own.map(({ value }) => value.id)]);
    return [...ids].sort((a, b) => a - b).map((id) => ({ id, row: instances.find(id) }));
  }

  /** A network of its own for a group, under a name that is free. Undefined if the service has no networks, or doesn't list them now. */
  async suggest(account: SignedIn, cluster: number, from: string): Promise<OverlayWish | undefined> {
    const all = await this.list(account).catch(() => undefined);
    if (!all) return undefined;
    const taken = new Set(all.map(({ overlay }) => overlay.name));
    let name = from;
    for (let count = 2; taken.has(name); count += 1) name = `${from}-${count}`;
    return { name, cluster, isNew: true };
  }

  /** @throws AppError `rejected` if the name is taken; else as `ensure` does. */
  async create(account: SignedIn, wish: Omit<OverlayWish, "isNew">): Promise<void> {
    if ((await this.list(account)).some(({ overlay }) => overlay.name === wish.name))
      throw new AppError(
        "rejected",
        t("You already have an overlay network named “{0}”. Choose another name.", toPlainText(wish.name, 80)),
      );
    await this.#send(account, wish);
  }

  /**
   * Creates a network that is to be new, unless the account has it already. @throws AppError `rejected` if the name is that of a network on
   * another cluster, `not-found` if one that was there is gone, `outcome-unknown` if it can't be told whether it was created.
   */
  async ensure(account: SignedIn, { name, cluster, isNew }: OverlayWish): Promise<void> {
    if (await this.#has(account, name, cluster)) return;
    if (!isNew) throw new AppError("not-found", t("Overlay network “{0}” no longer exists.", toPlainText(name, 80)));
    await this.#send(account, { name, cluster });
  }

  async #send(account: SignedIn, { name, cluster }: Omit<OverlayWish, "isNew">): Promise<void> {
    this.#parts.session.assertStill(account);
    const error = await account.client.createOverlay(cluster, name).then(() => undefined, asAppError);
    // Whatever was answered: the list says what came of it.
    if (await this.#has(account, name, cluster)) return;
    throw (
      error ??
      new AppError("outcome-unknown", t("The service hasn't confirmed that overlay network “{0}” was created.", name))
    );
  }

  async #has(account: SignedIn, name: string, cluster: number): Promise<boolean> {
    const found = (await this.list(account)).find(({ overlay }) => overlay.name === name);
    if (found && found.overlay.cluster_id !== cluster)
      throw new AppError(
        "rejected",
        t(
          "You already have an overlay network named “{0}” in another cluster. Choose another name.",
          toPlainText(name, 80),
        ),
      );
    return found !== undefined;
  }

  /**
   * Deletes a network with the instances that were shown. @returns those that are still listed afterward.
   * @throws AppError `rejected` if others joined it in the meantime, `outcome-unknown` if it is still listed, or can't be read back.
   */
  async delete(account: SignedIn, { overlay, members }: OverlayFacts): Promise<readonly InstanceId[]> {
    const { session, instances, clock } = this.#parts;
    const shown = new Set(members.map(({ id }) => id));
    // The service may not say what is in it: then the instances do, all of them, as they are now.
    const listed = await instances.list(account, { since: clock.elapsed() });
    if (!listed.complete || listed.unreadable > 0) throw incomplete();
    const joined = listed.rows.filter(({ value }) => findOverlay(value.extra_env) === overlay.name);
    const now = await this.#find(account, overlay.overlay_id);
    if (!now) throw new AppError("not-found", t("The overlay network no longer exists. Nothing was destroyed."));
    const ids = [...now.members.map(({ id }) => id), ...joined.map(({ value }) => value.id)];
    if (now.overlay.name !== overlay.name || ids.some((id) => !shown.has(id)))
      throw new AppError(
        "rejected",
        t("The overlay network has changed since you looked at it. Nothing was destroyed."),
      );
    session.assertStill(account);
    const error = await account.client.deleteOverlay(overlay.overlay_id).then(() => undefined, asAppError);
    // Whatever was answered: the list says what came of it.
    const isThere = await this.#find(account, overlay.overlay_id).then(Boolean, () => undefined);
    await instances.collection.refresh();
    if (isThere !== false)
      throw error && isThere && error.kind !== "outcome-unknown" ? error : unconfirmed(overlay.name);
    return [...shown].filter((id) => instances.rows.some(({ value, gone }) => value.id === id && gone !== true));
  }

  async #find(account: SignedIn, id: number): Promise<OverlayFacts | undefined> {
    return (await this.list(account)).find(({ overlay }) => overlay.overlay_id === id);
  }
}

const incomplete = (): AppError =>
  new AppError(
    "unexpected-reply",
    t("The list of instances is incomplete right now. Nothing was destroyed. Try again."),
  );

function unconfirmed(name: string): AppError {
  return new AppError(
    "outcome-unknown",
    t(
      "The service hasn't confirmed that overlay network “{0}” was deleted. Its instances may still cost money. Check the list.",
      toPlainText(name, 80),
    ),
  );
}
