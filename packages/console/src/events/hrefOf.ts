import type { Told } from "../live/live.ts"

/** Where resources are whose ids are the keys of such events. */
const places: ReadonlyArray<readonly [kind: RegExp, path: string]> = [
  [/^credential\./, "/credentials"],
  [/^server\./, "/compute/servers"],
  [/^volume\./, "/storage/volumes"]
]

/** The page of what an event is about; undefined where there is none, or no longer. */
export const hrefOf = ({ key, kind }: Pick<Told, "key" | "kind">): string | undefined => {
  const path = places.find(([of]) => of.test(kind))?.[1]
  return path === undefined || kind.endsWith(".delete") ? undefined : `${path}/${encodeURIComponent(key)}`
}
