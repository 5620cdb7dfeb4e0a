import { Trash2 } from "lucide-react"
import { useLocation, useParams } from "wouter"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { oneOf } from "../platform/lists.ts"
import { useMay } from "../platform/may.ts"
import { RemoveDialog } from "../platform/RemoveDialog.tsx"
import { usePlatform } from "../platform/usePlatform.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono, Stack } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { nameOf, Network } from "./network.ts"
import { words } from "./networkWords.ts"
import { Ports } from "./Ports.tsx"
import { Subnets } from "./Subnets.tsx"

const one = oneOf("network", Network)

const NetworkFacts = ({ network }: { readonly network: Network }) => {
  const t = useWords(words)
  return (
    <Card title={t.facts}>
      <Facts
        facts={[
          { label: t.id, value: <Mono>{network.id}</Mono> },
          { label: t.state, value: <State state={network.status} /> },
          { label: t.kind, value: network["router:external"] ? t.external : network.shared ? t.shared : t.own },
          { label: t.mtu, value: String(network.mtu ?? "–") },
          { label: t.createdAt, value: <Time at={network.created_at} as="moment" /> }
        ]}
      />
    </Card>
  )
}

const NetworkPage = () => {
  const t = useWords(words)
  const me = useMe()
  const may = useMay()
  const remove = useDialog("delete")
  const { network_id: id = "" } = useParams()
  const [, navigate] = useLocation()
  const answer = usePlatform(one, `network/networks/${encodeURIComponent(id)}`)
  // Of another network nothing is shown while this one loads.
  const network = answer.data?.id === id ? answer.data : undefined
  const isOwn = network !== undefined && (me.all_projects || network.project_id === me.tenant?.id)
  return (
    <Page
      title={network === undefined ? t.network : nameOf(network)}
      up={{ href: "/network/networks", title: t.networks }}
      actions={
        isOwn && may.destroy ? (
          <Button icon={Trash2} kind="danger" onClick={() => remove.show(id)}>
            {t.delete}
          </Button>
        ) : null
      }
    >
      <Answered answer={{ ...answer, data: network, pending: network === undefined && answer.refusal === undefined }}>
        {(known) => (
          <Stack>
            <NetworkFacts network={known} />
            <Subnets network={known} isOwn={isOwn} />
            <Ports networkId={known.id} />
            <RemoveDialog
              things={isOwn ? [known] : []}
              idOf={(_) => _.id}
              nameOf={nameOf}
              pathOf={(_) => `network/networks/${_.id}`}
              title={t.deleteTitle}
              text={t.deleteText}
              verb={t.delete}
              done={t.deleted}
              onDone={() => navigate("/network/networks")}
            />
          </Stack>
        )}
      </Answered>
    </Page>
  )
}

export default NetworkPage
