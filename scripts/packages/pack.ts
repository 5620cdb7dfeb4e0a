import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { packages, repository, tarballs } from "./workspace.ts"

// `npm run pack`: a tarball of each package that `npm run build` has made.

rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
const folders = packages.map((_) => _.target)
execFileSync("npm", ["pack", "--silent", "--pack-destination", tarballs, ...folders], {
  cwd: repository,
  stdio: "inherit"
})
