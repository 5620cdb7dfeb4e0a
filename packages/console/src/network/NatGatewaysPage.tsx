import { Power, Waypoints } from "lucide-react"
import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Card, Facts, Mono, Stack } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./addressWords.ts"

type NatGateway = Awaited<ReturnType<typeof portico.natGateways.list>>["nat_gateways"][number]

const Gateway = ({ gateway }: { readonly gateway: NatGateway }) => {
  const t = useWords(words)
  const may = useMay()
  const off = useDialog("off")
  return (
    <Card
      title={gateway.public_ip ?? gateway.ngw_id}
      actions={
        may.destroy ? (
          <Button kind="danger" icon={Power} onClick={() => off.show(gateway.ngw_id)}>
            {t.turnOff}
          </Button>
        ) : null
      }
    >
      <Facts
        facts={[
          { label: t.state, value: <State state={gateway.state} /> },
          { label: t.publicAddress, value: <Mono>{gateway.public_ips.join(", ") || t.noAddress}</Mono> },
          { label: t.router, value: <Mono>{gateway.router_id}</Mono> },
          {
            label: t.subnets,
            value: (
              <Stack tight>
                {gateway.subnet_ids.map((_) => (
                  <Mono key={_}>{_}</Mono>
                ))}
              </Stack>
            )
          }
        ]}
      />
    </Card>
  )
}

const TurnOffDialog = ({ gateways }: { readonly gateways: ReadonlyArray<NatGateway> }) => {
  const t = useWords(words)
  const { of } = useDialog("off")
  const gateway = gateways.find((_) => _.ngw_id === of)
  const name = gateway?.public_ip ?? of
  return (
    <ActDialog
      dialog="off"
      write={portico.natGateways.remove}
      input={{ ngw_id: of }}
      title={t.turnOffTitle(name)}
      name={name}
      verb={t.turnOff}
      done={t.turnedOff}
      enabled={gateway !== undefined}
      touches={["iaas"]}
    >
      {t.turnOffText}
    </ActDialog>
  )
}

const NatGatewaysPage = () => {
  const t = useWords(words)
  const may = useMay()
  const answer = useAnswer(portico.natGateways.list, {})
  const create = useAct(portico.natGateways.create, { touches: ["iaas"], onDone: () => toast(t.turnedOn) })
  return (
    <Page title={t.gateways} about={t.gatewaysAbout}>
      <RefusalBox refusal={create.refusal} />
      <Answered answer={answer}>
        {({ nat_gateways }) => (
          <>
            {nat_gateways.length > 0 ? null : (
              <EmptyState
                icon={Waypoints}
                title={t.noGateway}
                action={
                  may.change ? (
                    <Button kind="primary" icon={Power} busy={create.pending} onClick={() => void create.act({})}>
                      {t.turnOn}
                    </Button>
                  ) : null
                }
              >
                {t.noGatewayText}
              </EmptyState>
            )}
            {nat_gateways.map((gateway) => (
              <Gateway key={gateway.ngw_id} gateway={gateway} />
            ))}
            <TurnOffDialog gateways={nat_gateways} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default NatGatewaysPage
