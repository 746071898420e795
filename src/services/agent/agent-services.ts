// Puts together what agents may do without a question.
import type { Bag } from "../../lib/disposable.ts";
import { GrantWatch } from "./grant-watch.ts";
import { Grants } from "./grants.ts";

type Parts = ConstructorParameters<typeof Grants>[0] & Omit<ConstructorParameters<typeof GrantWatch>[0], "grants">;

export function assembleAgents(bag: Bag, parts: Parts) {
  const grants = bag.add(new Grants(parts));
  return { grants, grantWatch: bag.add(new GrantWatch({ ...parts, grants })) };
}
