import { FileUp, Settings, Trash2 } from "lucide-react"
import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { DelegationCard } from "./DelegationCard.tsx"
import { ImportDialog } from "./ImportDialog.tsx"
import { Records } from "./Records.tsx"
import type { Zone } from "./recordset.ts"
import { words } from "./words.ts"
import { ChangeZoneDialog, RemoveZoneDialog } from "./zoneDialogs.tsx"

const Actions = () => {
  const t = useWords(words)
  const { tier } = useMe()
  const change = useDialog("change-zone")
  const load = useDialog("import")
  const remove = useDialog("remove-zone")
  return (
    <>
      {tier < 1 ? null : (
        <>
          <Button icon={FileUp} onClick={() => load.show()}>
            {t.import}
          </Button>
          <Button icon={Settings} onClick={() => change.show()}>
            {t.change}
          </Button>
        </>
      )}
      {tier < 2 ? null : (
        <Button kind="danger" icon={Trash2} onClick={() => remove.show()}>
          {t.remove}
        </Button>
      )}
    </>
  )
}

const About = ({ zone }: { readonly zone: Zone }) => {
  const t = useWords(words)
  return (
    <Card>
      <Facts
        facts={[
          { label: t.status, value: <State state={zone.action === "DELETE" ? "DELETING" : zone.status} /> },
          { label: t.email, value: zone.email },
          { label: t.ttl, value: zone.ttl },
          { label: t.serial, value: zone.serial },
          ...(zone.description === null ? [] : [{ label: t.description, value: zone.description }]),
          { label: t.updated, value: <Time at={zone.updated_at ?? zone.created_at} /> }
        ]}
      />
    </Card>
  )
}

const ZonePage = () => {
  const t = useWords(words)
  const { zone_id = "" } = useParams()
  const answer = useAnswer(portico.dns.showZone, { zone_id }, { everyMillis: 5000 })
  return (
    <Page title={answer.data?.name ?? t.zone} up={{ href: "/dns/zones", title: t.title }} actions={<Actions />}>
      <Answered answer={answer}>
        {(zone) => (
          <>
            <About zone={zone} />
            <Records zone={zone} />
            <DelegationCard zone_id={zone_id} />
            <ChangeZoneDialog zone={zone} key={zone.zone_id} />
            <RemoveZoneDialog zone={zone} />
            <ImportDialog zone={zone} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default ZonePage
