// The tests that hold the promises of docs/promises.md under “Groups”.
import type { Promises } from "./promises.ts";

export const GROUPS: Promises = {
  "A group rents no more instances than you confirmed, sends each launch once, and joins its overlay network or isn't rented.":
    {
      "test/journeys/group/groups.test.ts": [
        "is as many ordinary launches of different machines, told of once",
        "is rented once, however often it is confirmed",
        "takes another machine for one that was just taken, of the same kind and for no more",
        "never takes one that costs more, or that is in it already",
        "never takes one whose traffic costs more than was confirmed",
        "has one unresolved launch where one answer got lost, and is complete once that is found",
        "of which the limits allow only a part isn't begun, though they allowed all of it when it was confirmed",
        "stops where a limit ends it: they are counted again before each",
        "is counted whole against the limit in dollars",
        "that can't be written rent nothing",
      ],
      "test/journeys/group/group-mishaps.test.ts": [
        "isn't begun with more machines than its files can name, or with one",
        "rents nothing more once another window has decided it, and that one destroys what came",
      ],
      "test/journeys/account/account-guard.test.ts": ["${name} does nothing anywhere"],
      "test/model/groups/groups.test.ts": [
        "groups with faults, dead machines, dead windows and limits: no promise is broken",
      ],
      "test/journeys/group/overlays.test.ts": [
        "rents nothing if the network can't be created",
        "rents nothing if the network was deleted meanwhile",
        "takes one that is there already under that name, so a second try makes no second one",
        "loses no member to a machine that can't join it",
      ],
    },
  "What a group rented in vain is destroyed only if you chose that before renting, and an overlay network is deleted only with the instances that you were shown.":
    {
      "test/journeys/group/groups.test.ts": [
        "with too few is ended as agreed: exactly what it rented",
        "runs with fewer where that was agreed, and the late ones go",
        "is taken over where that window died in the middle: nothing more is rented, and what came is ended as agreed",
        "ends nothing without a question where no window was open at its time",
        "is decided and told of by the one that rented it",
      ],
      "test/journeys/group/group-mishaps.test.ts": [
        "isn't ended early because the clock was ahead for a moment",
        "isn't ended early by a window that opens while the clock is ahead for a moment",
        "is ended as agreed at its time although the clock was set forward meanwhile",
        "is decided after the computer slept, once its minutes have passed awake, and nothing is destroyed without a question",
        "stops where the credit ends, and what came is ended as agreed",
        "is ended without an instance that was there before it and was given the label of a member",
        "in a program that is killed between two of its members is ended as agreed by the next",
      ],
      "test/model/groups/groups.test.ts": [
        "groups with faults, dead machines, dead windows and limits: no promise is broken",
      ],
      "test/journeys/group/overlays.test.ts": [
        "isn't deleted if another instance joined it since it was shown",
        "is neither created nor deleted in an account that didn't confirm it",
        "is named as unconfirmed as long as the service lists it",
        "stays as it was behind a gateway that answers for the service",
      ],
    },
};
