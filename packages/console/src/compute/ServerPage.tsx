import { Link } from "wouter"
import { Card, Facts, Grid, Mono, Muted } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { Addresses } from "./Addresses.tsx"
import { useFlavors, useImages } from "./lookups.ts"
import type { Server } from "./server.ts"
import { ServerFrame } from "./ServerFrame.tsx"
import { ServerVolumes } from "./ServerVolumes.tsx"
import { words } from "./words.ts"

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

const ServerFacts = ({ server }: { readonly server: Server }) => {
  const t = useWords(words)
  const formats = useFormats()
  const flavor = useFlavors().data?.find((_) => _.id === server.flavorId)
  const image = useImages().data?.find((_) => _.id === server.imageId)
  const size =
    flavor === undefined
      ? ""
      : t.size(String(flavor.vcpus), formats.bytes(flavor.ram * mebibyte), formats.bytes(flavor.disk * gibibyte))
  return (
    <Card title={t.facts}>
      <Facts
        facts={[
          { label: t.id, value: <Mono>{server.id}</Mono> },
          {
            label: t.flavor,
            value: (
              <>
                {flavor?.name ?? (server.flavorName || server.flavorId)} <Muted small>{size}</Muted>
              </>
            )
          },
          {
            label: t.image,
            value:
              server.imageId === "" ? (
                t.fromVolume
              ) : (
                <Link href={`/storage/images/${server.imageId}`}>{image?.name ?? server.imageId}</Link>
              )
          },
          { label: t.key, value: server.keyName || t.noKey },
          { label: t.groups, value: server.groups.join(", ") || t.noGroups },
          { label: t.created, value: <Time at={server.created} as="moment" /> },
          ...(server.fault === "" ? [] : [{ label: t.fault, value: server.fault }])
        ]}
      />
    </Card>
  )
}

const ServerPage = () => {
  const t = useWords(words)
  return (
    <ServerFrame>
      {(server) => (
        <Grid cards="wide">
          <ServerFacts server={server} />
          <Card title={t.addresses}>
            <Addresses server={server} />
          </Card>
          <ServerVolumes server={server} />
        </Grid>
      )}
    </ServerFrame>
  )
}

export default ServerPage
