// The one account of the sandbox's world: who it is, what it owns, what it has left to spend.

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  /** Dollars. */
  credit: number;
  /** Public keys; a VM can only be made while there is one (interface 1, convention 2). */
  sshKeys: string[];
}

export function newAccount(): Account {
  return {
    id: 4711,
    email: "you@sandbox.invalid",
    username: "sandbox",
    credit: 25,
    sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMadeUpForTheSandboxNobodyHoldsItsOtherHalf you@sandbox"],
  };
}
