// Which templates are one's own: by the account the service names, else by what it says of those that were saved here.

import type { TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import type { Template } from "../../domain/template/template.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

/** How a save tells whose template it is. One that `existed` may be anybody's: the service only found the same content. */
export type SaveKind = "created" | "edited" | "existed";

interface Known {
  /** The account as `creator_id` has it. */
  me: number | undefined;
  /** Whether the service said so when asked for the account: nothing is learnt then. */
  told: boolean;
  readonly saved: Map<TemplateId, SaveKind>;
}

export class TemplateOwner {
  readonly #session: SessionService;
  readonly #known = new WeakMap<SignedIn, Known>();

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** Undefined where nobody said yet: then nothing is known to be somebody else's. */
  get me(): number | undefined {
    const session = this.#session.current;
    return session.kind === "signed-in" ? this.#of(session).me : undefined;
  }

  /** What finds the account's own templates; undefined where there is no way to. @throws AppError. */
  async filters(session: SignedIn): Promise<Filters | undefined> {
    const known = this.#of(session);
    const account = await session.account();
    if (account?.id !== undefined) Object.assign(known, { me: account.id, told: true });
    if (known.me !== undefined) return { creator_id: { eq: known.me } };
    return known.saved.size > 0 ? { id: { in: [...known.saved.keys()] } } : undefined;
  }

  /** From a record of a template that was saved here. */
  learn(session: SignedIn, { value }: Row<Template>, kind: SaveKind): void {
    const known = this.#of(session);
    const { id, creator_id: creator } = value;
    if (id !== undefined && known.saved.get(id) !== "created") known.saved.set(id, kind);
    if (known.told || creator === undefined || kind === "existed") return;
    // Some services were seen to let others edit: a template made here is the better witness.
    if (known.me !== undefined && kind === "edited") return;
    known.me = creator;
    this.#session.name(session, { id: creator, name: undefined });
  }

  /** Records of what was saved here may say later what they did not at once. */
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
