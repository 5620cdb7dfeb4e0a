import { quoted as quotedInShell } from "@portico/client/catalogue/shell"
import { harmless } from "./sanitize.ts"

/** An argument of a command that a person is shown, to run it. */
export const quoted = (argument: string): string => quotedInShell(harmless(argument))
