import { confirm as ask } from "../output/confirm.ts"

/** Asks before what cannot be undone, as gh and flyctl do: a person types the name of what goes. */
export const confirm = (summary: string, name: string) =>
  ask({ question: `${summary}: this cannot be undone. Type '${name}' to go on:`, word: name, yes: false })
