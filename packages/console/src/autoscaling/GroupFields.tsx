import * as v from "valibot"
import { usePlatform } from "../platform/usePlatform.ts"
import { Pair, SelectField, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import type { GroupDraft } from "./group.ts"
import { words } from "./words.ts"

const Named = v.object({ id: v.string(), name: v.nullish(v.string(), "") })
const Flavors = v.object({ flavors: v.array(Named) })
const Images = v.object({ images: v.array(Named) })
const Networks = v.object({ networks: v.array(Named) })

interface FieldsProps {
  readonly draft: GroupDraft
  readonly set: <Key extends keyof GroupDraft>(key: Key) => (value: GroupDraft[Key]) => void
  readonly fields: Readonly<Record<string, string>>
}

/** How many servers, and how fast that may change. */
export const NumberFields = ({ draft, fields, set }: FieldsProps) => {
  const t = useWords(words)
  const number = { inputMode: "numeric" } as const
  return (
    <Pair>
      <TextField {...number} label={t.min} value={draft.min} onChange={set("min")} error={fields["min"]} />
      <TextField
        {...number}
        label={t.desired}
        value={draft.desired}
        onChange={set("desired")}
        error={fields["desired"]}
      />
      <TextField {...number} label={t.max} value={draft.max} onChange={set("max")} error={fields["max"]} />
      <TextField
        {...number}
        label={t.cooldown}
        value={draft.cooldown}
        onChange={set("cooldown")}
        error={fields["cooldown_seconds"]}
      />
    </Pair>
  )
}

const choicesOf = (list: ReadonlyArray<v.InferOutput<typeof Named>>) =>
  list.map(({ id, name }) => ({ value: id, label: name === "" ? id : name }))

/** What the servers are made from. */
export const TemplateFields = ({ draft, fields, set }: FieldsProps) => {
  const t = useWords(words)
  const flavors = usePlatform(Flavors, "compute/flavors")
  const images = usePlatform(Images, "image/images?limit=200")
  const networks = usePlatform(Networks, "network/networks?router:external=false")
  const none = { value: "", label: "–" }
  return (
    <>
      <SelectField
        label={t.flavor}
        value={draft.flavor}
        onChange={set("flavor")}
        error={fields["template.flavor_id"]}
        choices={[none, ...choicesOf(flavors.data?.flavors ?? [])]}
      />
      <SelectField
        label={t.image}
        value={draft.image}
        onChange={set("image")}
        error={fields["template.image_id"]}
        choices={[none, ...choicesOf(images.data?.images ?? [])]}
      />
      <SelectField
        label={t.network}
        value={draft.network}
        onChange={set("network")}
        error={fields["template.network_id"]}
        choices={[{ value: "", label: t.firstNetwork }, ...choicesOf(networks.data?.networks ?? [])]}
      />
    </>
  )
}
