// Decides which templates belong to the account: by the account the service names, otherwise by its records of
// templates that were saved here.

import type { TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

/**
 * How a save identifies a template's owner. One that `existed` may belong to anyone: the service only found the same
 * content.
 */
export type SaveKind = "created" | "edited" | "existed";

interface Known {
  /** The account's ID as in `creator_id`. */
  me: number | undefined;
  /** Whether the service stated the ID when asked for the account. Then nothing is inferred from saves. */
  told: boolean;
  readonly saved: Map<TemplateId, SaveKind>;
}

export class TemplateOwner {
  readonly #session: SessionService;
  readonly #known = new WeakMap<SignedIn, Known>();

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Undefined if it isn't known yet. Then no template is known to be someone else's. */
  get me(): number | undefined {
    const session = this.#session.current;
    return session.kind === "signed-in" ? this.#of(session).me : undefined;
  }

  /** Filters that find the account's own templates; undefined if there is no way to. @throws AppError. */
  async readFilters(session: SignedIn): Promise<Filters | undefined> {
    const known = this.#of(session);
    const account = await session.account();
    if (account?.id !== undefined) Object.assign(known, { me: account.id, told: true });
    if (known.me !== undefined) return { creator_id: { eq: known.me } };
    return known.saved.size > 0 ? { id: { in: [...known.saved.keys()] } } : undefined;
  }

  /** Infers the account's ID from a record of a template that was saved here. */
  learn(session: SignedIn, { value }: Row<Template>, kind: SaveKind): void {
    const known = this.#of(session);
    const { id, creator_id: creator } = value;
    if (id !== undefined && known.saved.get(id) !== "created") known.saved.set(id, kind);
    if (known.told || creator === undefined || kind === "existed") return;
    // Some services let others edit a template, so a template that was created here is better evidence.
    if (known.me !== undefined && kind === "edited") return;
    known.me = creator;
    this.#session.name(session, { id: creator, name: undefined });
  }

  /** Records of templates saved here may later contain what they didn't at first. */
  review(session: SignedIn, rows: readonly Row<Template>[]): void {
    const { saved } = this.#of(session);
    for (const row of rows) {
      const kind = row.value.id === undefined ? undefined : saved.get(row.value.id);
      if (kind) this.learn(session, row, kind);
    }
  }

  #of(session: SignedIn): Known {
    const known = this.#known.get(session) ?? { me: session.user(), told: false, saved: new Map() };
    this.#known.set(session, known);
    return known;
  }
}
