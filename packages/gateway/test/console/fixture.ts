import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"

export const startPage = (plane: string): string => `<!doctype html><title>${plane}</title>`
export const script = "export const answer = 42\n"

/** Writes the files of a plane's build, with their encodings; the start page last. */
export const build = (directory: string, plane: string, page = startPage(plane)): void => {
  const write = (name: string, text: string, encoded = true) => {
    const file = join(directory, plane, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (!encoded) return
    writeFileSync(`${file}.br`, brotliCompressSync(text))
    writeFileSync(`${file}.gz`, gzipSync(text))
  }
  write("assets/main-1a2b.js", script)
  write("assets/plain-3c4d.css", "body{}", false)
  write(".vite/manifest.json", "{}", false)
  write("icon.svg", "<svg/>", false)
  write("index.html", page)
}

/** An empty folder for builds, beside a file that no request may reach. */
export const folder = (): string => {
  const above = mkdtempSync(join(tmpdir(), "portico-console-"))
  writeFileSync(join(above, "secret.txt"), "not for readers")
  const directory = join(above, "dist")
  mkdirSync(directory)
  return directory
}
