import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { ChoiceField, Form, Pair, SelectField, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { MintedSecrets } from "./credential.tsx"
import { networksOf } from "./networks.ts"
import { NetworksField } from "./NetworksField.tsx"
import { words } from "./words.ts"

type Kind = "api-key" | "mcp"
type Tier = "0" | "1" | "2"

interface Draft {
  readonly label: string
  readonly kind: Kind
  readonly tier: Tier
  readonly days: string
  readonly networks: string
}

const empty: Draft = { label: "", kind: "api-key", tier: "0", days: "", networks: "" }

const tiers = { "0": 0, "1": 1, "2": 2 } as const

const inputOf = ({ days, kind, label, networks, tier }: Draft) => ({
  label,
  kind,
  tier: tiers[tier],
  expires_in_days: days === "" ? undefined : Number(days),
  networks: networksOf(networks).length === 0 ? undefined : networksOf(networks)
})

export const MintDialog = () => {
  const t = useWords(words)
  const me = useMe()
  const dialog = useDialog("mint")
  const { draft, reset, set } = useDraft(empty)
  const mint = useAct(portico.credentials.mint)
  const input = inputOf(draft)
  const fields = mint.refusal?.fields ?? {}
  const close = () => {
    mint.reset()
    reset()
    dialog.close()
  }
  if (mint.answer !== undefined) return <MintedSecrets minted={mint.answer} onClose={close} />
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
        <ChoiceField<Kind>
          legend={t.kind}
          value={draft.kind}
          onChange={set("kind")}
          choices={[
            { value: "api-key", label: t.apiKey, help: t.apiKeyHelp },
            { value: "mcp", label: "mcp", help: t.mcpHelp }
          ]}
        />
        <Pair>
          <SelectField<Tier>
            label={t.tier}
            value={draft.tier}
            onChange={set("tier")}
            error={fields["tier"]}
            choices={(["0", "1", "2"] as const)
              .filter((_) => tiers[_] <= me.tier)
              .map((value) => ({ value, label: t.tierOf(tiers[value]) }))}
          />
          <TextField
            label={t.expiresDays}
            help={t.expiresHelp}
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
