import { RotateCw } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Answered } from "../ui/Answered.tsx"
import { State, type Tone } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Code } from "../ui/Code.tsx"
import { Card, Facts, Row } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

const tones: Readonly<Record<string, Tone>> = { delegated: "good", partial: "warn", elsewhere: "bad", absent: "warn" }

/** Whether the world sees the zone, and what to enter at the registrar so that it does. */
export const DelegationCard = ({ zone_id }: { readonly zone_id: string }) => {
  const t = useWords(words)
  const answer = useAnswer(portico.dns.delegation, { zone_id })
  return (
    <Card
      title={t.delegation}
      actions={
        <Button icon={RotateCw} busy={answer.fetching} onClick={answer.again}>
          {t.check}
        </Button>
      }
    >
      <Answered answer={answer}>
        {({ checked_at, delegated, expected, extra, found, missing, status }) => (
          <>
            <Row>
              <State state={status} tone={tones[status] ?? "neutral"} />
              {t[status]}
            </Row>
            {delegated ? null : <p>{t.delegationText}</p>}
            <Facts
              facts={[
                { label: t.expected, value: <Code text={expected.join("\n")} label={t.expected} /> },
                { label: t.found, value: found.length === 0 ? t.foundNone : found.join(", ") },
                ...(missing.length === 0 ? [] : [{ label: t.missing, value: missing.join(", ") }]),
                ...(extra.length === 0 ? [] : [{ label: t.extra, value: extra.join(", ") }]),
                { label: t.checked, value: <Time at={checked_at} /> }
              ]}
            />
          </>
        )}
      </Answered>
    </Card>
  )
}
