import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Card, Facts, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import type { Exposure } from "./exposure.ts"
import { words } from "./words.ts"

interface DomainCardProps {
  readonly exposure: Exposure
  readonly domain: NonNullable<Exposure["domain"]>
}

const Records = ({ records }: { readonly records: ReadonlyArray<readonly [label: string, text: string]> }) => (
  <Facts facts={records.map(([label, text]) => ({ label, value: <Code text={text} label={label} /> }))} />
)

const Verify = ({ exposure_id }: { readonly exposure_id: string }) => {
  const t = useWords(words)
  const verify = useAct(portico.edge.verify, {
    onDone: ({ domain }) => {
      if (domain?.state === "verified") toast(t.verified)
    }
  })
  const check = verify.answer?.check
  const input = { exposure_id }
  return (
    <>
      {check === undefined || check === null || check.proved ? null : (
        <p role="status">{t.notYet(check.name, check.records)}</p>
      )}
      <RefusalBox refusal={verify.refusal} />
      <Row>
        <Button kind="primary" busy={verify.pending} onClick={() => void verify.act(input)}>
          {t.verify}
        </Button>
        <CopyAs calls={[{ operation: verify.operation, input }]} />
      </Row>
    </>
  )
}

/** The domain of the tenant's own: what to set in its DNS, and whether that is seen. */
export const DomainCard = ({ domain, exposure }: DomainCardProps) => {
  const t = useWords(words)
  const me = useMe()
  const { challenge, expires_at, name, state } = domain
  return (
    <>
      <Card title={`${t.proof}: ${name}`} actions={<State state={state} />}>
        <p>{t.proofText}</p>
        <Records
          records={[
            [t.recordName, challenge.name],
            [t.recordType, challenge.type],
            [t.recordValue, challenge.value]
          ]}
        />
        {expires_at === null ? null : (
          <p>
            {t.claimedUntil}: <Time at={expires_at} as="moment" />
          </p>
        )}
        {state === "verified" || me.tier < 1 ? null : <Verify exposure_id={exposure.exposure_id} />}
      </Card>
      <Card title={t.point}>
        <p>{t.pointText}</p>
        <Records
          records={[
            [t.recordName, `${name}.`],
            [t.recordType, "CNAME"],
            [t.recordValue, `${exposure.hostname}.`]
          ]}
        />
      </Card>
    </>
  )
}
