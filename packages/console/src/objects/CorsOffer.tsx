import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import { type CorsRule, withUploads } from "./corsRules.ts"
import { words } from "./words.ts"

/** A presigned upload from a page needs the bucket's leave for the page's origin. */
export const CorsOffer = ({ bucket, rules }: { readonly bucket: string; readonly rules: ReadonlyArray<CorsRule> }) => {
  const t = useWords(words)
  const allow = useAct(portico.objectStorage.setCors, { onDone: () => toast(t.corsAllowed) })
  const input = { name: bucket, rules: withUploads(rules, location.origin) }
  return (
    <Card title={t.corsTitle}>
      <p>{t.corsText(location.origin)}</p>
      <RefusalBox refusal={allow.refusal} />
      <Row>
        <Button kind="primary" busy={allow.pending} onClick={() => void allow.act(input)}>
          {t.corsAllow}
        </Button>
        <CopyAs calls={[{ operation: allow.operation, input }]} />
      </Row>
    </Card>
  )
}
