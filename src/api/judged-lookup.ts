// Looks a name up for a connection, which goes to what was judged: looked up again, it could be another address.
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";

/** An option of connections. */
export function lookUpFor(mayConnect: (ip: string) => boolean): { readonly lookup: LookupFunction } {
  return {
    lookup: (host, options, done) =>
      lookup(host, { ...options, all: true }, (error, found) => {
        if (error) return done(error, []);
        const allowed = found.filter(({ address }) => mayConnect(address));
        const [first] = allowed;
        if (!first) return done(createRefusal(host), []);
        if (options.all) done(null, allowed);
        else done(null, first.address, first.family);
      }),
  };
}

function createRefusal(host: string): AppError {
  return new AppError(
    "unexpected-reply",
    t("The service put the log at an address that Cloud GPU doesn't open: {0}", host),
  );
}
