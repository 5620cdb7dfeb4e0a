/** Operations that are no command, and why. */
export const excused: Readonly<Record<string, string>> = {
  "registry.token":
    "Clients of the registry ask for it with a Basic login of their own, which the credential helper gives them."
}
