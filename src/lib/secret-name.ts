export const isSecretName = (name: string): boolean => /TOKEN|KEY|SECRET|PASS|PWD|CREDENTIAL|AUTH|LOGIN/i.test(name);
