// The tests that hold the promises of docs/promises.md under “Stopping and destroying”.
import type { Promises } from "./promises.ts";

export const ENDING: Promises = {
  "Destroying asks first, with the instance's ID and what will be lost.": {
    "test/person/launch/first-launch.ts": [
      "destroying asks with id and loss, and the row goes when the service says so",
    ],
    "test/person/account/paying.test.ts": ["two are destroyed once their number is typed, and nothing else will do"],
  },
  "An instance counts as stopped or destroyed only when the service confirms it, and you're told of each one that may still cost money.":
    {
      "test/journeys/instance/instance-orders.test.ts": [
        "a bare 404 to a destroy is no proof: the instance is read back, and its row stays",
        "that a list leaves machines out is no word on whether they stopped",
        "that the service refuses says so for each, and that they may still cost money",
      ],
      "test/journeys/instance/order-windows.test.ts": [
        "that a list leaves machines out is no proof that they were destroyed",
      ],
      "test/contract/client/client-proof.test.ts": ["${operation}: nobody knows after ${JSON.stringify(body)}"],
      "test/journeys/instance/instance-presence.test.ts": [
        "is missing from a list that lags, not gone: it is asked for once a list",
      ],
      "test/journeys/account/paying.test.ts": [
        "that the service refuses (${fault}) stays on the list, first, until it is gone",
        "that failed is still known once a complete list that lacked the instance has it again",
      ],
    },
  "If a window closes before everything is stopped or destroyed, the next window finishes the job, and asks you about orders older than 15 minutes and about stops that may already have been sent.":
    {
      "test/journeys/instance/instance-orders.test.ts": [
        "is finished by the next one, which says so",
        "too long ago is asked for again and never done unasked",
        "is told, and not stopped twice, where a request had left and nobody knows what came of it",
        "does not stop again what was started since",
        "asks about a stop of what was stopped and started elsewhere since, and sends nothing",
        "asks about a stop where the service doesn't say for how long an instance has run",
      ],
      "test/person/instance/kept-in-sight.ts": ["six are destroyed, the window is reloaded half way, and none goes on"],
      "test/journeys/instance/order-windows.test.ts": [
        "what another window took over is sent by that one alone",
        "after the computer slept, a window that wakes first takes nothing over from one that lives",
      ],
    },
  "An auto-stop is saved before anything is rented, holds in all of your editors on the computer, is carried out at most once while a window signed in to its account is open, and asks you if more than ten minutes have passed, or if no one can tell whether an instance that it is to destroy later stayed stopped.":
    {
      "test/person/instance/auto-stops/two-editors.test.ts": [
        "what is put off in one editor is not carried out by the other",
        "one that is set in one editor is carried out once, by either",
      ],
      "test/unit/services/open-shared-folder.test.ts": [
        "an end that is over is never read as one that holds while it moves",
      ],
      "test/journeys/instance/auto-stops/unreadable-files.test.ts": [
        "as its file is ${what}: nothing is destroyed, and its person is asked",
        "and is ${what}: ${ending} is carried out by the window that failed",
      ],
      "test/journeys/instance/auto-stops/auto-stop-doubts.test.ts": [
        "an end that was set at one path of an address isn't carried out at another path of it, with the same key",
        "even if another one has the same launch token",
        "and not for one that had been rented long before and was given the label of the launch",
        "if the computer slept while the service was asked",
        "if the window that began it is gone",
        "a later end holds though the window that had begun the one before is gone",
        "wherever the tidy is cut off, no older end comes back to life, and none that holds is lost",
        "an end that was refused there isn't found there later",
        "comes though its window was killed before it saw the instance, and nobody looks at the list",
      ],
      "test/journeys/instance/auto-stops/auto-stops.test.ts": [
        "destroys the instance, by one request of one window, and says so once",
        "that is put off in another window doesn't come",
        "that passed while the computer slept or no window was open is asked about, and nothing is sent",
        "that passed is asked about again by the next window if the one that asked is gone",
        "isn't carried out once the account was left, and is when it is back in time",
        "isn't that of what was there before it and was given its label, however recently that was rented",
        "is written down before anything is sent, and holds for the instance that is rented",
        "holds though its answer was lost, and though its label changes",
        "that can't be written down rents nothing",
        "is tried again while the service fails, and told when it worked",
      ],
      "test/model/auto-stops/auto-stops.test.ts": [
        "ends with faults, later ends, dead windows and closed editors: no promise is broken",
      ],
      "test/journeys/instance/auto-stops/auto-stop-clock.test.ts": [
        "an end that was carried out then is neither shown nor told again",
        "a service that misses the instance for a moment just at its end doesn't end that end",
      ],
      "test/person/instance/auto-stops/auto-stops.test.ts": [
        "at its end it is destroyed by one request, and that is told",
      ],
      "test/journeys/launch/replacement.test.ts": [
        "is replaced by one with the end that holds for it by then",
        "that was to end itself is replaced by one that does, unless there is nothing to do at its end",
        "isn't replaced without asking once its end has passed",
      ],
      "test/journeys/instance/auto-stops/second-step.test.ts": [
        "is followed by one record in all windows, which destroy it once, not before its time",
        "isn't followed by anything once someone starts it in a window",
        "is called off by a start elsewhere",
        "asks if it ran elsewhere between two looks that saw it stopped, and destroys nothing",
        "asks if no window looked for a while, and says so before",
        "asks if the computer slept",
        "isn't carried out by a window that took over its order once the instance runs",
      ],
      "test/model/second-steps/second-steps.test.ts": [
        "second steps with starts in between, faults, and dead windows: no promise is broken",
      ],
    },
  "An instance is said to stop itself only once it has shown that it can, with its own key, which is never stored or shown on your computer.":
    {
      "test/journeys/run/run-limits.test.ts": [
        "is stopped also if nobody is connected",
        "never begins if its limit has passed by then",
        "shows that it can, and says so, before the command goes on",
        "isn't relied on if the machine isn't who it should be, or the service says no",
        "stops the machine also if the command had ended before it was told to",
        "is no longer said to once nothing there would do it, as after a restart",
        "because of an earlier run says so in the next one, until it is let run",
        "needs its own key, which opens nothing else",
      ],
      "test/journeys/instance/auto-stops/own-key.test.ts": [
        "when it ends itself by ${tool}",
        "when it asks to be stopped or started by ${tool}",
      ],
      "test/journeys/instance/auto-stops/self-stop-script.test.ts": [
        "asks the service with its own key at its end, and not before, until it is gone",
        "obeys a later end that is written into its file, and another ending",
        "does nothing any more once its file is gone",
        "keeps a later end over a restart, and leaves alone one that passed before it",
        "has no end any more after a restart, either, once its file is gone or empty",
        "is not fooled by a redirect or a refusal, and takes its key nowhere else",
      ],
      "test/journeys/instance/auto-stops/self-stop-asked.test.ts": [
        "shows it, and has it moved, also where a login has another home folder than the start script",
        "keeps none that is written without its request",
        "can't carry it out without a program that what keeps it can find",
      ],
      "test/unit/domain/instance/self-stop.test.ts": [
        "is at most 700 characters long, whatever happens at the end",
        "holds nothing but numbers and an address that means nothing to a shell",
      ],
      "test/journeys/instance/auto-stops/self-stops.test.ts": [
        "is rented with it in front of its start script, and is armed once it has shown that it can",
        "destroys itself with no window open, and the next window tells of it once",
        "that can't be reached keeps its end, and nobody is told of a later one",
        "that was started again is asked again: a file that was edited by hand isn't called armed",
        "that is being stopped isn't asked to start",
        "that two windows put off at once keeps the end that all of them show",
        "keeps its key to itself: it is in no file, no log, no message and no request of the window",
      ],
      "test/journeys/instance/auto-stops/self-stop-doubts.test.ts": [
        "is known to keep it until it is known to keep another one, whatever is tried",
        "or whose end before was carried out meanwhile isn't called armed, nor said to have ended itself",
      ],
      "test/journeys/instance/auto-stops/self-stop-moments.test.ts": [
        "isn't ended by a window while it is being told of a later end",
        "isn't told of an end if the disk can't keep that it was",
        "is asked again if it began anew while it was asked",
      ],
      "test/journeys/instance/auto-stops/self-stop-windows.test.ts": [
        "a window that was just opened asks an instance that may have begun anew since it showed its end",
      ],
      "test/journeys/instance/auto-stops/self-stop-lost.test.ts": [
        "may be kept: a later one isn't shown before the instance has it",
      ],
      "test/unit/present/instance/auto-stop-text.test.ts": ["is said so only once that is verified"],
      "test/model/auto-stops/auto-stops.test.ts": [
        "ends with faults, later ends, dead windows and closed editors: no promise is broken",
      ],
      "test/person/instance/auto-stops/auto-stops.test.ts": [
        "its end is moved on the instance itself, and carried out there",
      ],
    },
  "An idle instance is stopped or destroyed only if you ordered that for it, after readings of the whole time and one more reading: a window that does it warns you first, and the instance is said to do it only while it has shown that it can.":
    {
      "test/unit/domain/instance/idle.test.ts": [
        "drawn lives: whoever is called idle had readings all the time, enough of them, and none of work",
        "not over a sleep, by whichever clock shows it, nor over a clock that was set",
      ],
      "test/unit/domain/instance/gpu-load.test.ts": ["odd output is no reading"],
      "test/journeys/instance/idle/idle.test.ts": [
        "is told once, in one window, and a later window doesn't repeat it",
        "that one list left out hadn't worked meanwhile, so it isn't told again",
        "whose readings are missing is never idle",
        "that is in use in one window is idle in none",
        "is put off for an hour in all windows, also after a reload, and then told again",
        "with 1,000 others is one message, and costs no request of its own",
      ],
      "test/person/instance/idle/idle.test.ts": [
        "its row says how long it has been idle, and one message what it costs",
        "before it ends, a warning keeps it running by one click",
      ],
      "test/journeys/instance/idle/idle-orders.test.ts": [
        "warns once, destroys by one request of one window, and says so once",
        "is no end for one that works, that nobody can read, or that is in use",
        "is no end for one that began to work after the last list",
        "waits for a new count after the computer slept, and in a window that was just opened",
        "starts anew when the person keeps it running, in all windows",
        "that a killed window had begun is carried out by the next one, once it knows itself",
        "isn't carried out once the account was left, and counts anew when it is back",
        "that can't be written down isn't believed in",
      ],
      "test/model/idle/idle.test.ts": [
        "orders for idle instances with work, silence, faults and dead windows: no promise is broken",
      ],
      "test/unit/domain/connection/idle-keeper/keeper-command.test.ts": [
        "anything else is nothing",
        "it is promised only where everything is shown",
        "and only for a while after it was shown",
      ],
      "test/unit/present/instance/idle-text.test.ts": [
        "an instance is said to do it itself only while it has shown that",
      ],
      "test/journeys/instance/idle/idle-keeper-script.test.ts": [
        "sends one request once it was idle for its time, and looked twice",
        "sends nothing while it works: ${seen}",
        "takes a load that can't be known for work: ${JSON.stringify(load)}",
        "takes what it can't read for work, and a pause or a clock of its own that jumps",
        "has its key in no list of processes",
      ],
      "test/journeys/instance/idle/idle-keepers.test.ts": [
        "is told once it runs, is promised only once it has looked, and obeys changes",
        "that can't be reached may follow what was set before, and is told of the change once it can",
        "is asked again by a window that was just opened, and begun again where nothing keeps it any longer",
      ],
    },
};
