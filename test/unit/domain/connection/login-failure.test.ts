// Why a login failed, in the program's own words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readLoginFailure } from "../../../../src/domain/connection/login-failure.ts";
import { MASK, rememberServedSecret } from "../../../../src/lib/redact.ts";

describe("why it couldn't be logged in to", () => {
  const denied = { kind: "denied" } as const;
  const other = (said: string) => ({ kind: "other", said }) as const;
  const configuration = (said: string) => ({ kind: "configuration", said }) as const;
  const cases: readonly [err: string, failure: ReturnType<typeof readLoginFailure>][] = [
    ["root@10.0.0.7: Permission denied (publickey).\r\n", denied],
    ["Welcome!\n** banner **\nroot@a: Permission denied (publickey,password,keyboard-interactive).\n\n", denied],
    [
      "Received disconnect from 10.0.0.7 port 22:2: Too many authentication failures\r\nDisconnected from 10.0.0.7 port 22\r\n",
      denied,
    ],
    ["Welcome!\nroot@a: Permission denied (publickey).\nConnection closed by 10.0.0.7 port 22\n", denied],
    [
      "me@jumper: Permission denied (publickey).\r\nkex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535\r\n",
      other("me@jumper: Permission denied (publickey)."),
    ],
    [
      "Bad owner or permissions on /home/a/.ssh/config\r\n",
      configuration("Bad owner or permissions on /home/a/.ssh/config"),
    ],
    ["Host key verification failed.\n", other("Host key verification failed.")],
    [
      "Permission denied (publickey).\nConnection closed by 10.0.0.7 port 22\n",
      other("Connection closed by 10.0.0.7 port 22"),
    ],
    [
      "Permission denied in the banner\nConnection reset by 10.0.0.7 port 22\n",
      other("Connection reset by 10.0.0.7 port 22"),
    ],
    [
      "mkdir: cannot create directory '/x': Permission denied",
      other("cannot create directory '/x': Permission denied"),
    ],
    ["bash: /srv/x: Permission denied\n", other("bash: /srv/x: Permission denied")],
    ["a\u001b[2J\u202eb", other("a[2Jb")],
    [
      "/home/a/.ssh/config: line 3: Bad configuration option: \\357\\273\\277host\r\n/home/a/.ssh/config: terminating, 1 bad configuration options\r\n",
      configuration("/home/a/.ssh/config: line 3: Bad configuration option: \\357\\273\\277host"),
    ],
    [
      "Missing Match criteria for foo\n/etc/ssh/ssh_config line 1: Bad Match condition\n/etc/ssh/ssh_config: terminating, 1 bad configuration options\n",
      configuration("/etc/ssh/ssh_config line 1: Bad Match condition"),
    ],
    [
      "C:\\Users\\a b\\.ssh\\config: terminating, 2 bad configuration options\r\n",
      configuration("C:\\Users\\a b\\.ssh\\config: terminating, 2 bad configuration options"),
    ],
    [" \n\n", other("")],
    ["", other("")],
  ];
  for (const [err, failure] of cases) test(JSON.stringify(err), () => assert.deepEqual(readLoginFailure(err), failure));
});

test("a secret that a machine repeats is masked", () => {
  rememberServedSecret("canary-of-a-banner");
  assert.deepEqual(readLoginFailure("token: canary-of-a-banner\n"), { kind: "other", said: `token: ${MASK}` });
});
