import { useState } from "react"
import { useLocation } from "wouter"
import { CopyAs } from "../../app/CopyAs.tsx"
import { shown } from "../../platform/usePlatform.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { Form, Pair, SelectField, TextArea, TextField } from "../../ui/form.tsx"
import { Stack } from "../../ui/layout.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { toast } from "../../ui/toasts.tsx"
import { useDraft } from "../../ui/useDraft.ts"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { useFlavors, useImages, useNetworks } from "../lookups.ts"
import { hrefOf } from "../server.ts"
import { DiskFields } from "./DiskFields.tsx"
import { KeyFields } from "./KeyFields.tsx"
import { emptyServer } from "./newServer.ts"
import { ReachFields } from "./ReachFields.tsx"
import { type NewKey, useCreateServer, writesOf } from "./useCreateServer.ts"
import { words } from "./words.ts"

const useChoices = () => {
  const t = useWords(words)
  const formats = useFormats()
  const images = useImages().data ?? []
  const flavors = useFlavors().data ?? []
  const networks = useNetworks().data ?? []
  return {
    images: images.filter((_) => _.status === "active").map(({ id, name }) => ({ value: id, label: name || id })),
    flavors: flavors.map(({ disk, id, name, ram, vcpus }) => ({
      value: id,
      label: t.flavorOf(name, String(vcpus), formats.bytes(ram * 1024 ** 2), formats.bytes(disk * 1024 ** 3))
    })),
    networks: networks
      .filter((_) => !_["router:external"])
      .map(({ id, name }) => ({ value: id, label: name === "" ? id : name }))
  }
}

/** Everything about a new server in one form. What is not chosen is the first of its list. */
const CreateServerDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useWords(words)
  const [, navigate] = useLocation()
  const choices = useChoices()
  const { change, draft, set } = useDraft(emptyServer)
  const [newKey, setNewKey] = useState<NewKey>()
  const server = {
    ...draft,
    imageId: draft.imageId || (choices.images[0]?.value ?? ""),
    flavorId: draft.flavorId || (choices.flavors[0]?.value ?? ""),
    networkId: draft.networkId || (choices.networks[0]?.value ?? "")
  }
  const create = useCreateServer({
    title: t.creating,
    onKey: (keyName) => {
      change({ keyName })
      setNewKey(undefined)
    },
    onServer: (id) => {
      toast(t.started)
      navigate(hrefOf(id))
    }
  })
  const wanted = { server, key: newKey }
  return (
    <Dialog open onClose={onClose} title={t.create} wide>
      <Form onSubmit={() => void create.act(wanted)}>
        <TextField label={t.name} value={draft.name} onChange={set("name")} />
        <Pair>
          <SelectField label={t.image} value={server.imageId} onChange={set("imageId")} choices={choices.images} />
          <SelectField label={t.flavor} value={server.flavorId} onChange={set("flavorId")} choices={choices.flavors} />
        </Pair>
        <DiskFields draft={draft} change={change} />
        <Pair>
          <SelectField
            label={t.network}
            value={server.networkId}
            onChange={set("networkId")}
            choices={choices.networks}
            help={choices.networks.length === 0 ? t.noNetwork : undefined}
          />
          <Stack>
            <KeyFields keyName={draft.keyName} onKeyName={set("keyName")} newKey={newKey} onNewKey={setNewKey} />
          </Stack>
        </Pair>
        <ReachFields
          groups={draft.groups}
          onGroups={set("groups")}
          floating={draft.floating}
          onFloating={set("floating")}
        />
        <TextArea label={t.userData} help={t.userDataHelp} value={draft.userData} onChange={set("userData")} optional />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={writesOf(wanted).map(shown)} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

export default CreateServerDialog
