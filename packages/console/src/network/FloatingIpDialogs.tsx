import { useState } from "react"
import { ActDialog } from "../platform/ActDialog.tsx"
import { SelectField } from "../ui/form.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./addressWords.ts"
import type { FloatingIp } from "./floatingIp.ts"
import { useExternalNetworks, usePorts, useServerNames } from "./lookups.ts"
import { isServersPort, nameOf } from "./network.ts"

/** The addresses of servers that a floating IP can lead to. */
const usePortChoices = () => {
  const serverNameOf = useServerNames()
  return (usePorts().data ?? []).filter(isServersPort).map(({ device_id, fixed_ips, id }) => ({
    value: id,
    label: `${serverNameOf(device_id)} · ${fixed_ips[0]?.ip_address ?? ""}`
  }))
}

const AllocateForm = () => {
  const t = useWords(words)
  const externals = useExternalNetworks()
  const ports = usePortChoices()
  const [chosen, setChosen] = useState("")
  const [port, setPort] = useState("")
  const network = chosen || (externals[0]?.id ?? "")
  const floatingip = { floating_network_id: network, ...(port === "" ? {} : { port_id: port }) }
  return (
    <ActDialog
      dialog={useDialog("allocate")}
      title={t.allocate}
      verb={t.allocate}
      write={{ method: "POST", path: "network/floatingips", body: { floatingip } }}
      done={t.allocated}
    >
      <SelectField
        label={t.from}
        value={network}
        onChange={setChosen}
        choices={externals.map((_) => ({ value: _.id, label: nameOf(_) }))}
      />
      <SelectField
        label={t.server}
        value={port}
        onChange={setPort}
        choices={[{ value: "", label: t.later }, ...ports]}
      />
    </ActDialog>
  )
}

const AssociateForm = ({ floating }: { readonly floating: FloatingIp }) => {
  const t = useWords(words)
  const ports = usePortChoices()
  const [chosen, setChosen] = useState("")
  const port = chosen || (ports[0]?.value ?? "")
  return (
    <ActDialog
      dialog={useDialog("associate")}
      title={t.associateTitle(floating.floating_ip_address)}
      verb={t.associate}
      write={{
        method: "PUT",
        path: `network/floatingips/${floating.id}`,
        body: { floatingip: { port_id: port } }
      }}
      done={t.associated}
    >
      {ports.length === 0 ? (
        <p>{t.noPorts}</p>
      ) : (
        <SelectField label={t.server} value={port} onChange={setChosen} choices={ports} />
      )}
    </ActDialog>
  )
}

const DisassociateForm = ({ floating }: { readonly floating: FloatingIp }) => {
  const t = useWords(words)
  return (
    <ActDialog
      dialog={useDialog("disassociate")}
      title={t.disassociateTitle(floating.floating_ip_address)}
      verb={t.disassociate}
      write={{
        method: "PUT",
        path: `network/floatingips/${floating.id}`,
        body: { floatingip: { port_id: null } }
      }}
      done={t.disassociated}
    >
      <p>{t.disassociateText}</p>
    </ActDialog>
  )
}

/** The forms of floating IPs; each is there while its dialog is. */
export const FloatingIpDialogs = ({ floating }: { readonly floating: ReadonlyArray<FloatingIp> }) => {
  const allocate = useDialog("allocate")
  const associate = useDialog("associate")
  const disassociate = useDialog("disassociate")
  const one = floating.find((_) => _.id === associate.of)
  if (allocate.open) return <AllocateForm />
  if (one === undefined) return null
  if (associate.open) return <AssociateForm floating={one} />
  return disassociate.open ? <DisassociateForm floating={one} /> : null
}
