// The tests that hold the promises of docs/promises.md under “Several windows and accounts”.
import type { Promises } from "./promises.ts";

export const ACCOUNTS: Promises = {
  "What you confirm in one account is never carried out in another, and what one account shows never appears in another, except its name and address with the number and price of the instances it still has.":
    {
      "test/journeys/account/account-guard.test.ts": [
        "a launch rents nothing anywhere",
        "${name} does nothing anywhere",
      ],
      "test/journeys/run/rent-for-run.test.ts": [
        "has nothing run on it if the account is switched while it starts, and neither has the other account",
      ],
      "test/unit/guards/questions.test.ts": [
        "no command takes the account after it has waited",
        "every question of the source is known here, and each names its test",
        "no answer leads to something of the account once another one is signed in",
      ],
      "test/journeys/core/session.test.ts": ["switching accounts at random never mixes rows"],
      "test/journeys/account/accounts.test.ts": [
        "200 random switches with slow answers: no row of another account is ever there",
      ],
      "test/journeys/account/spending.test.ts": [
        "what was spent today is known as soon as the list was read, and another account's isn't",
        "an answer for an account that was left meanwhile is dropped",
      ],
      "test/journeys/account/readings.test.ts": [
        "an account that is left is remembered with what it had rented, and when that was read",
        "an account that was signed out of is still remembered, until it is signed in to again or forgotten",
      ],
      "test/unit/present/account/spending-page.test.ts": ["is read by Python as it was written, and holds no formula"],
    },
  "Signing out asks first if something may still cost money, then removes the key, everything shown with it, and what you typed for launches from every window; only the account's name and address and the number and price of the instances it still has stay in sight, until you forget the account.":
    {
      "test/journeys/account/readings.test.ts": [
        "signing out asks where something bills, or where that cannot be read, and only there",
      ],
      "test/journeys/launch/configure.test.ts": [
        "is gone once its account is signed out of, and another account's stays",
        "isn't in the form again after signing out, even if the storage couldn't remove it",
      ],
      "test/journeys/account/sign-out.test.ts": [
        "a service that can't list instances is no proof that nothing is billed",
        "a launch that another window has just sent is asked about",
        "what another window has just rented is asked about while the list is still behind",
        "another account that is switched to while the list is read isn't asked about, and nobody is signed out",
      ],
      "test/person/account/leaving.ts": ["signing out asks where a machine costs money; Cancel stays signed in"],
      "test/unit/present/account/status.test.ts": [
        "signed out, what other accounts had rented is still said, with the way there",
      ],
      "test/journeys/core/session.test.ts": [
        "leaves nothing behind: no key, no rows, and a late answer of before is dropped",
        "is told, and everybody is signed out all the same, also windows opened later",
        "a window whose key store hangs follows a sign-out at once, and doesn't sign in with what it answers late",
      ],
      "test/person/account/sign-in.test.ts": ["signing out in one window empties the other"],
    },
};
