// The tests that hold the promises of docs/promises.md under “Your money”.
import type { Promises } from "./promises.ts";

export const MONEY: Promises = {
  "Nothing is rented until you confirm the machine, its price, and its disk, unless your settings allow a replacement or your budget for agents pays for it, and never on a machine or host that you blocked.":
    {
      "test/unit/present/launch/summary.test.ts": ["the question names machine, price, day and disk"],
      "test/journeys/agent/grants.test.ts": [
        "an agent rents without a question, and the budget counts it until its auto-stop",
        "two windows don't spend the same dollar: of two launches for all that is left, one is rented at most",
      ],
      "test/unit/domain/agent/grant.test.ts": ["is never paid for above the amount, whatever is drawn"],
      "test/person/launch/first-launch.ts": [
        "the confirmation names machine, price, day and disk; cancelling rents nothing",
      ],
      "test/host/commands.host.ts": ["write nothing without a confirmation, whatever they are given"],
      "test/unit/protocol/offers-page.test.ts": [
        "there is no question that rents, and none that carries a filter, a text or a command of the page's own",
      ],
      "test/journeys/offer/offer-explorer.test.ts": [
        "is read again and goes through the ordinary summary, with its disk and its price",
        "is refused once another account is signed in, before and after it was read",
      ],
      "test/journeys/launch/machine-memory.test.ts": [
        "a blocked machine or host is refused before anything is sent, and never proposed",
        "what was there before this window isn't said to have failed, and how long it took isn't guessed",
        "what may have run while nobody looked isn't said to have failed",
        "the hours in which an instance was stopped don't count",
      ],
    },
  "One confirmed rental is sent once, whatever crashes, times out, or is clicked twice.": {
    "test/model/model.test.ts": ["launches with faults, double clicks, second windows and kills: no promise is broken"],
    "test/journeys/launch/launch.test.ts": ["a second click with the same intent is refused"],
    "test/person/launch/lost-answer.test.ts": [
      "Enter held down on the question in two windows at once rents one machine",
    ],
    "test/journeys/client/hostile-server.test.ts": ["calls that spend are sent one time", "429 is not repeated"],
    "test/journeys/instance/instance-orders.test.ts": [
      "is destroyed all the same where a request had left: to destroy twice changes nothing",
    ],
    "test/journeys/launch/protocol.test.ts": [
      "no durable claim, no launch: a folder that cannot be written, a disk that is full",
      "a folder that cannot be read is said, and nothing is launched",
    ],
  },
  "If the price rises, or if the machine, its traffic, its disk, a volume, or the template changes before the request leaves, what you confirmed before isn't rented.":
    {
      "test/journeys/launch/configure.test.ts": [
        "a volume that isn't as it was reviewed: nothing is sent, and what changed is said",
      ],
      "test/journeys/launch/launch.test.ts": ["a price above the one confirmed stops it before anything is sent"],
      "test/unit/services/launch/recheck-plan.test.ts": [
        "an offer that is something else by now is not taken, and what changed is named",
      ],
      "test/person/template/file-alone.ts": ["a template saved while its summary is open is not launched as it was"],
    },
  "A price that isn't known is shown as unknown, never as zero, and a cost that wasn't observed is shown as a range that the bill lies in.":
    {
      "test/unit/domain/base/money.test.ts": [
        "any number, or none, reads as an amount or as unknown: no NaN, no Infinity, and unknown never as nothing",
      ],
      "test/unit/present/instance/instances.test.ts": ["an unknown price is $?, never nothing and never zero"],
      "test/unit/present/account/paying-rows.test.ts": ["a price that isn't known is said to be unknown"],
      "test/unit/domain/account/spending.test.ts": [
        "drawn lives: what was billed lies in the range, and no more was observed",
      ],
      "test/journeys/account/spending.test.ts": [
        "what was observed is no more than the bill, which lies in the range; with the charges it is the bill",
      ],
      "test/journeys/launch/same-again.test.ts": [
        "where nothing can be listed, an instance that isn't shown any more isn't said to be gone",
      ],
    },
  "The summary lists everything that will be sent, with your secrets masked, and names what isn't known about the cost.":
    {
      "test/unit/present/launch/summary.test.ts": [
        "what will be sent, and from where; secrets masked",
        "what the offer does not say is listed as not known",
        "nothing is masked that everybody can read, whatever was declared secret, but the person's own",
      ],
      "test/person/launch/first-launch.ts": [
        "third, the summary: costs, what is not known, every field that will be sent",
      ],
    },
  "Your limits hold for every launch, count unresolved launches and what your other windows are renting, and can't be changed by a workspace.":
    {
      "test/journeys/launch/protocol.test.ts": [
        "the limit ${name} refuses and is named",
        "a list with gaps, or none at all, stops it",
        "the number of rentals counts those whose end is not known",
      ],
      "test/journeys/launch/limits.test.ts": [
        "what is rented although no view was ever opened, before the question and before the request",
        "what another window is about to rent at this very moment",
      ],
      "test/journeys/launch/launch-watch.test.ts": [
        "those of another key also while the service can't say who it is, if it said so before",
      ],
      "test/unit/guards/manifest.test.ts": [
        "no workspace can set anything: every setting is application-scoped, with a default and an order",
      ],
      "test/host/activation.host.ts": ["cannot set the address, nor any other setting"],
    },
  "A dead machine is replaced only if you agree or your settings allow it, only within your limits, and only after the service confirms that it is gone.":
    {
      "test/journeys/launch/run-launch.test.ts": [
        "that its owner stops while it is waited for is neither replaced nor destroyed, whatever the service calls it",
      ],
      "test/journeys/group/groups.test.ts": [
        "keeps a member that its owner stopped, where enough run, though the service calls it exited",
      ],
      "test/journeys/launch/replacement.test.ts": [
        "keeps its place where a limit forbids the other one, asked or by itself",
        "is always sent its destroy, and nothing is rented while the service does not confirm it",
        "is replaced by itself within the policy, and not beyond its tries or its price",
        "is replaced by itself only by one whose traffic costs no more than was confirmed",
      ],
    },
  "A price watch rents nothing, tells you at most once an hour, and rests while you are in another account or signed out.":
    {
      "test/journeys/offer/price-watch.test.ts": [
        "is told once when it falls, in one of two windows, and nothing is rented",
        "come every ten minutes, a tenth sooner or later, from one of three windows",
        "are taken over, in their rhythm, when the window that looks dies or closes",
        "come half as often after each 429, and as before after a success",
        "are as far apart as ever where the disk is full",
        "end with the sign-out, and go on when somebody signs in to the account again",
        "of one account end with the switch to another, while another window goes on",
        "isn't added to an account that was left meanwhile",
      ],
      "test/person/offer/price-watch.test.ts": [
        "Review… leads to the summary of that offer, and nothing is rented",
        "an offer that is gone by then says so, and leads to the others",
        "the price falls: one message in one of two windows, and one window asks",
        "a message of an account that was left does nothing and says so",
      ],
      "test/unit/domain/offer/price-watch.test.ts": [
        "whatever happens, not twice within an hour, and not for one machine without a rise between",
      ],
    },
};
