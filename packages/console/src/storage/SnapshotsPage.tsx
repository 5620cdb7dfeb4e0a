import { Page } from "../app/Page.tsx"
import { useWords } from "../words/words.ts"
import { Snapshots } from "./Snapshots.tsx"
import { words } from "./volumeWords.ts"

const SnapshotsPage = () => {
  const t = useWords(words)
  return (
    <Page title={t.snapshots} about={t.snapshotsAbout}>
      <Snapshots />
    </Page>
  )
}

export default SnapshotsPage
