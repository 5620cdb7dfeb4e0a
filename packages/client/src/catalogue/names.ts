/** `setBilling` and `credential_id` as words of a command line. */
export const kebabCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase()

/** `credentials.mint` as `credentials mint`. */
export const commandOf = (operation: string): string => operation.split(".").map(kebabCase).join(" ")

/** `object-storage` as the client names the group: `objectStorage`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
