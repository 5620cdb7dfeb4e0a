import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { networksOf } from "../credentials/networks.ts"
import { NetworksField } from "../credentials/NetworksField.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, Pair, SelectField, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const tiers = { "0": 0, "1": 1 } as const
type Tier = keyof typeof tiers

const empty: { label: string; tier: Tier; days: string; networks: string } = {
  label: "",
  tier: "0",
  days: "",
  networks: ""
}

export const MintDialog = () => {
  const t = useWords(words)
  const me = useMe()
  const dialog = useDialog("mint")
  const { draft, reset, set } = useDraft(empty)
  const mint = useAct(portico.agents.mint, { touches: ["credentials"] })
  const networks = networksOf(draft.networks)
  const input = {
    label: draft.label,
    tier: tiers[draft.tier],
    expires_in_days: draft.days === "" ? undefined : Number(draft.days),
    networks: networks.length === 0 ? undefined : networks
  }
  const fields = mint.refusal?.fields ?? {}
  const close = () => {
    mint.reset()
    reset()
    dialog.close()
  }
  if (mint.answer !== undefined) {
    const { label, pat } = mint.answer
    return <SecretOnce title={t.minted(label)} secrets={[{ label: t.pat, value: pat }]} onClose={close} />
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.mint}>
      <Form onSubmit={() => void mint.act(input)}>
        <TextField
          label={t.label}
          help={t.labelHelp}
          value={draft.label}
          onChange={set("label")}
          error={fields["label"]}
        />
        <Pair>
          <SelectField<Tier>
            label={t.tier}
            value={draft.tier}
            onChange={set("tier")}
            error={fields["tier"]}
            choices={(["0", "1"] as const)
              .filter((_) => tiers[_] <= me.tier)
              .map((value) => ({ value, label: t.tierOf(tiers[value]) }))}
          />
          <TextField
            label={t.days}
            help={t.daysHelp}
            inputMode="numeric"
            value={draft.days}
            onChange={set("days")}
            error={fields["expires_in_days"]}
            optional
          />
        </Pair>
        <NetworksField value={draft.networks} onChange={set("networks")} error={fields["networks"]} />
        <RefusalBox refusal={mint.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: mint.operation, input }]} />
          <Button type="submit" kind="primary" busy={mint.pending}>
            {t.mint}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
