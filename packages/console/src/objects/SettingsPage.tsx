import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Row } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useWords } from "../words/words.ts"
import { BucketTabs } from "./BucketTabs.tsx"
import { CorsCard } from "./CorsCard.tsx"
import { words } from "./words.ts"

const VersioningCard = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const answer = useAnswer(portico.objectStorage.versioning, { name: bucket })
  const change = useAct(portico.objectStorage.setVersioning, { onDone: () => toast(t.versioningChanged) })
  const about = { enabled: t.versioningEnabled, suspended: t.versioningSuspended, unset: t.versioningText }
  return (
    <Card title={t.versioning}>
      <Answered answer={answer}>
        {({ versioning }) => {
          const next = versioning === "enabled" ? "suspended" : "enabled"
          return (
            <>
              <Row>
                <State state={versioning} />
                {about[versioning]}
              </Row>
              <RefusalBox refusal={change.refusal} />
              {tier < 1 ? null : (
                <Row>
                  <Button busy={change.pending} onClick={() => void change.act({ name: bucket, versioning: next })}>
                    {next === "enabled" ? t.versioningOn : t.versioningOff}
                  </Button>
                </Row>
              )}
            </>
          )
        }}
      </Answered>
    </Card>
  )
}

const SettingsPage = () => {
  const t = useWords(words)
  const { name = "" } = useParams()
  return (
    <Page title={t.settingsTitle(name)} up={{ href: "/object-storage/buckets", title: t.buckets }}>
      <BucketTabs bucket={name} />
      <VersioningCard bucket={name} />
      <CorsCard bucket={name} />
    </Page>
  )
}

export default SettingsPage
