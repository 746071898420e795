// Several accounts at one service.
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { pass, serve } from "../support.ts";

/** One address behind which every key leads to the account it belongs to. */
export function together(accounts: readonly Sandbox[], says = true): Promise<string> {
  return serve(async (request, body) => {
    const key = request.headers.authorization?.replace("Bearer ", "");
    const place = accounts.findIndex(({ apiKey }) => apiKey === key);
    const account = accounts[place];
    if (!account) return { status: 401, text: JSON.stringify({ error: "auth_error", msg: "Invalid user key" }) };
    const answer = await pass(account.url, request, body);
    if (!request.url?.startsWith("/api/v0/users/current/")) return answer;
    if (!says) return { status: 404, text: "{}" };
    return {
      ...answer,
      text: JSON.stringify({ ...JSON.parse(answer.text), id: 100 + place, username: `user ${place}` }),
    };
  });
}
