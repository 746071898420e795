// The tests that hold the promises of docs/promises.md under “Your files and runs”.
import type { Promises } from "./promises.ts";

export const FILES: Promises = {
  "Before a folder is uploaded to a machine for the first time, you see what goes and what stays, and nothing that looks secret goes.":
    {
      "test/unit/domain/transfer/upload-list.test.ts": [
        "the person is asked again for more than twice the files or bytes",
      ],
      "test/journeys/transfer/upload-list.test.ts": [
        "a project goes without its repository, what its rules name, and what looks secret",
        "a folder that looks secret keeps all of it, also when it is chosen itself or by a link",
        "a folder that is only named like a key goes, and files in it or beside it are judged by what they hold",
        "a folder within one that looks secret keeps all of it, however deep and by whatever link",
        "100 trees of any rules: the list is what git itself would add",
        "a repository's configuration is not followed: nothing of it runs",
      ],
      "test/journeys/transfer/transfers.test.ts": ["of a folder that became a link after it was listed stay"],
      "test/person/transfer/files.test.ts": ["what goes and what stays is said before anything is sent"],
      "test/journeys/run/prepare-run.test.ts": [
        "is asked about the first time, with all that goes there, and is written down",
        "is asked about again if there is much more, with how much it was",
      ],
    },
  "Files count as arrived only once the machine has said that it stored them all, and those that changed or vanished on the way are named.":
    {
      "test/journeys/transfer/transfers.test.ts": [
        "go up and come back as they are, whatever their names",
        "that shrink, grow or vanish on the way are named, and all others arrive",
        "that are written to while they are read are named, also with the size and time that they had",
        "a full disk there says so, and that some may have arrived",
        "count as arrived only if the machine says so: a shell that just ends is no answer",
        "a machine that is destroyed in the middle ends both, and nothing counts as arrived",
      ],
      "test/person/transfer/files.test.ts": ["an account that is left in the middle ends an upload"],
    },
  "Downloads, results, and exported files replace nothing that you weren't shown, follow no link, and hold nothing that runs automatically.":
    {
      "test/journeys/transfer/unpack-archive.test.ts": [
        "${SEEDS} hostile archives: nothing outside changes, nothing inside is a link, and the limits hold",
        "${what} ends, and the editor is awake meanwhile",
        "no repository arrives: git would run what its configuration says",
      ],
      "test/unit/domain/transfer/archive-path.test.ts": ["whatever is accepted stays within its folder"],
      "test/journeys/transfer/repositories.test.ts": [
        "at any moment of 60 archives with parts of repositories in any order",
        "what git takes for a repository is one here, in 300 drawn folders",
        "that is a repository writes nothing in it",
        "isn't put where a repository was created in the meantime",
      ],
      "test/journeys/transfer/transfers.test.ts": [
        "never goes through a link, nor over a file that came meanwhile",
        "isn't mixed into a folder where programs would do what new files say",
        "stop coming down when the person cancels, and nothing is left here",
      ],
      "test/person/transfer/files.test.ts": ["what is there already is not replaced unasked"],
      "test/journeys/run/runs.test.ts": [
        "doesn't follow a link in the place of its results",
        "brings names of any kind back, but none that leads elsewhere or that can't be told",
      ],
      "test/unit/domain/connection/log-text.test.ts": ["nothing that a terminal obeys gets through, however it is cut"],
      "test/journeys/group/hand-over-group.test.ts": [
        "is replaced without a question only as long as it is as it was written",
        "is never written through a link",
      ],
      "test/unit/domain/group/hand-over/hand-over.test.ts": ["holds what the service says as data and nowhere else"],
    },
  "A run begins at most once and in no other account, continues without you, and shows all of its output and its exit code when you come back.":
    {
      "test/journeys/run/runs.test.ts": [
        "begins once, however often it is ordered",
        "uploads what is left where the connection is lost in the middle, and begins once",
        "goes on without anybody; whoever comes back sees all of it, from the first byte",
      ],
      "test/person/run/runs.test.ts": [
        "where no instance is running, a file leads to an offer, and to a summary that says what follows",
        "a window that is reloaded in the middle offers to go on, and shows all that was printed",
        "an extension host that is killed in the middle loses nothing: the command goes on, and is offered again",
      ],
      "test/journeys/group/run-on-group.test.ts": [
        "that is ended here ends there, with all that it started",
        "ends where the account is left, and isn't begun in another one",
      ],
      "test/journeys/group/group-jobs.test.ts": [
        "is left alone once another account is signed in",
        "ends everywhere with the first that fails, which is named",
        "goes on without its window, and is found and followed again by any of its runs",
        "counts a limit in dollars for all of them together",
      ],
    },
  "A run stops or destroys only the instance that it rented, only if you decided that, and destroys it only once its results are on your computer and compared; if that can't be done, you're told why and what the instance costs.":
    {
      "test/journeys/run/rented-runs.test.ts": [
        "is kept if that was decided, or if the run didn't rent it",
        "isn't destroyed without a question if the run ended while nobody followed it",
        "is kept as long as another run is in progress there",
        "isn't stopped without a question if the run ended while nobody followed it",
        "is kept running as long as anything may run there, or if the run didn't rent it",
        "is destroyed once its results are here and compared, whatever the exit code",
        "is kept if a file can't be downloaded, or changes after it was",
        "is compared byte for byte with what is there, also files that came later",
        "is kept if something that the command started still runs",
        "is kept if results lie behind a link that leads out of the folder, but not for one that stays in it",
        "that the service doesn't say to have stopped is said to cost what it costs",
        "is stopped also if results can't be downloaded: they are said to be on its disk",
        "of a run whose upload failed is kept, and the record says why",
        "is kept if nobody knows how the command ended",
        "of a run whose account was left is told of when it is back",
        "that the service doesn't say to be destroyed is never said to be",
      ],
      "test/model/runs/runs.test.ts": [
        "runs with faults, dead machines, kills and closed editors: no promise is broken",
      ],
      "test/journeys/run/runs.test.ts": ["that is asked to stop may save its work first, also behind a second command"],
      "test/journeys/run/run-results.test.ts": [
        "only those come back, and the rest is named before it is lost with the machine",
        "nothing comes back that doesn't match, so the machine is kept, and why is said",
        "a link to what isn't among them keeps the machine: it comes back as a link alone",
      ],
      "test/person/run/run-template.test.ts": [
        "one confirmation rents it, and says that everything else is lost with it",
      ],
      "test/person/run/runs.test.ts": [
        "a window that is reloaded while its instance starts says that it was rented, and what it costs",
        "who stops waiting and keeps the instance has nothing run on it, also not by what is offered later",
      ],
      "test/journeys/run/rent-for-run.test.ts": [
        "is kept if there is much more to upload by then: nothing of it goes there, and that is told",
        "is kept and told of with the reason although the disk fails as that is written down",
        "has nothing run on it by who stops waiting: the run is forgotten, and the launch goes on as any other",
      ],
      "test/journeys/run/left-runs.test.ts": [
        "that never began on what was rented for it is told of until the person has seen it",
        "whose instance has stopped before all was done is told of, with what its disk costs",
      ],
    },
};
