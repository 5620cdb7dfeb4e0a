import { Trash2 } from "lucide-react"
import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { DomainCard } from "./DomainCard.tsx"
import { type Exposure, targetOf } from "./exposure.ts"
import { RemoveExposureDialog } from "./RemoveExposureDialog.tsx"
import { words } from "./words.ts"

/** The gateway writes these addresses; what is none of the web is not made a link. */
const Visited = ({ url }: { readonly url: string }) =>
  /^https?:\/\//.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  ) : (
    url
  )

const About = ({ exposure }: { readonly exposure: Exposure }) => {
  const t = useWords(words)
  const { created_at, hostname, reason, state, url } = exposure
  return (
    <Card>
      <Facts
        facts={[
          { label: t.state, value: <State state={state} /> },
          ...(reason === null ? [] : [{ label: t.reason, value: reason }]),
          { label: t.url, value: <Visited url={url} /> },
          { label: t.hostname, value: <Mono>{hostname}</Mono> },
          { label: t.target, value: <Mono>{targetOf(exposure)}</Mono> },
          { label: t.made, value: <Time at={created_at} as="moment" /> }
        ]}
      />
    </Card>
  )
}

const ExposurePage = () => {
  const t = useWords(words)
  const me = useMe()
  const remove = useDialog("remove-exposure")
  const { exposure_id = "" } = useParams()
  const answer = useAnswer(portico.edge.show, { exposure_id }, { everyMillis: 5000 })
  return (
    <Page
      title={answer.data?.name ?? t.exposure}
      up={{ href: "/edge/exposures", title: t.title }}
      actions={
        me.tier < 2 ? null : (
          <Button kind="danger" icon={Trash2} onClick={() => remove.show(exposure_id)}>
            {t.remove}
          </Button>
        )
      }
    >
      <Answered answer={answer}>
        {(exposure) => (
          <>
            <About exposure={exposure} />
            {exposure.domain === null ? null : <DomainCard exposure={exposure} domain={exposure.domain} />}
            <RemoveExposureDialog exposure={exposure} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default ExposurePage
