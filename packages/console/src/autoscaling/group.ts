import * as v from "valibot"
import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

export type Group = Awaited<ReturnType<typeof portico.autoscaling.list>>["groups"][number]
export type Policy = Group["policies"][number]

/** What an event of a group says. */
export const Scaled = v.object({ desired: v.number(), reason: v.nullish(v.string(), null) })

export interface GroupDraft {
  readonly name: string
  readonly min: string
  readonly desired: string
  readonly max: string
  readonly cooldown: string
  readonly flavor: string
  readonly image: string
  readonly network: string
}

export const noGroup: GroupDraft = {
  name: "",
  min: "1",
  desired: "1",
  max: "3",
  cooldown: "300",
  flavor: "",
  image: "",
  network: ""
}

const numbersOf = ({ cooldown, desired, max, min }: GroupDraft) => ({
  min: Number(min),
  desired: Number(desired),
  max: Number(max),
  cooldown_seconds: Number(cooldown)
})

export const creationOf = (draft: GroupDraft) => ({
  name: draft.name,
  ...numbersOf(draft),
  template: {
    flavor_id: draft.flavor,
    image_id: draft.image,
    ...(draft.network === "" ? {} : { network_id: draft.network })
  }
})

/** The template is left out: a new one would lose the user data, which cannot be read back. */
export const changeOf = (group_id: string, draft: GroupDraft) => ({ group_id, ...numbersOf(draft) })

export const draftOf = ({ cooldown_seconds, desired, max, min, name, template }: Group): GroupDraft => ({
  name,
  min: String(min),
  desired: String(desired),
  max: String(max),
  cooldown: String(cooldown_seconds),
  flavor: template.flavor_id,
  image: template.image_id,
  network: template.network_id ?? ""
})

/** Asked again soon while servers come and go. */
export const paceOf = (groups: ReadonlyArray<Group>): number =>
  groups.some(({ state }) => state === "scaling" || state === "deleting") ? 2000 : 30_000

export const find: Finder = async (text, signal) => {
  const { groups } = await portico.autoscaling.list({}, { signal })
  return groups
    .filter(({ name }) => name.includes(text.toLowerCase()))
    .map(({ group_id, name }) => ({
      title: name,
      kind: words[currentLanguage()].group,
      href: `/autoscaling/${group_id}`
    }))
}
