import { Power, Waypoints } from "lucide-react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Page } from "../app/Page.tsx"
import { useMay } from "../platform/may.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
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
  const dialog = useDialog("off")
  const gateway = gateways.find((_) => _.ngw_id === dialog.of)
  const remove = useAct(portico.natGateways.remove, {
    touches: ["iaas"],
    onDone: () => {
      toast(t.turnedOff)
      dialog.close()
    }
  })
  const name = gateway?.public_ip ?? dialog.of
  const input = { ngw_id: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open && gateway !== undefined}
      title={t.turnOffTitle(name)}
      name={name}
      verb={t.turnOff}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.turnOffText}
    </ConfirmDialog>
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
