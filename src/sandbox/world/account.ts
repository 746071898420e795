// The account of the sandbox's world: its identity, property and credit.

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  /** Dollars. */
  credit: number;
  /** Public keys. A VM can only be created while there is one (interface 1, convention 2). */
  sshKeys: string[];
}

export function createAccount(): Account {
  return {
    id: 4711,
    email: "you@sandbox.invalid",
    username: "sandbox",
    credit: 25,
    sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMadeUpForTheSandboxNobodyHoldsItsOtherHalf you@sandbox"],
  };
}
